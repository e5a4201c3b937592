package io.perceptronstreams.client;

import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.log.ReroutedRecord;
import io.perceptronstreams.model.ModelDefaults;
import io.perceptronstreams.model.ModelName;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.zip.CRC32;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.utils.Utils;

/**
 * Finds out by which rule, murmur2 or CRC32, the producers of a topic chose the partitions of its records.
 *
 * <p>Records that the engine sent on to their right partition count where they came from only. Commands and weights,
 * which mostly {@code perceptron} itself sends, count, but do not decide which rule was the last. Memory: one entry per
 * key.
 */
public final class ClientCheck {
    /** The settings by which clients follow the right rule. */
    private static final List<String> REMEDIES = List.of(
            "kcat: -X topic.partitioner=murmur2_random",
            "Python, Go, .NET and others with librdkafka: partitioner=murmur2_random",
            "KafkaJS: createPartitioner: Partitioners.DefaultPartitioner",
            "Java: leave partitioner.class and partitioner.ignore.keys at their defaults");

    private final int partitions;
    private final Predicate<byte[]> isCommand;
    private final Map<String, Placement> placements = new TreeMap<>();
    private long withoutModel;

    /** Where the records of one key are. */
    private static final class Placement {
        private final int murmur2;
        private final int crc32;
        private long inMurmur2;
        private long inCrc32;
        private long elsewhere;
        private int last;
        private long lastTime = Long.MIN_VALUE;

        Placement(byte[] key, int partitions) {
            murmur2 = murmur2(key, partitions);
            crc32 = crc32(key, partitions);
        }

        void add(int partition, long timestamp, boolean isCommand) {
            inMurmur2 += partition == murmur2 ? 1 : 0;
            inCrc32 += partition == crc32 ? 1 : 0;
            elsewhere += partition != murmur2 && partition != crc32 ? 1 : 0;
            if (!isCommand && timestamp >= lastTime) {
                lastTime = timestamp;
                last = partition;
            }
        }

        /** The rule of the latest example or label; {@code none} without one. */
        String rule() {
            if (lastTime == Long.MIN_VALUE) {
                return "none";
            }
            if (last == murmur2) {
                return murmur2 == crc32 ? "either" : "murmur2";
            }
            return last == crc32 ? "crc32" : "neither";
        }

        long count() {
            return inMurmur2 + (murmur2 == crc32 ? 0 : inCrc32) + elsewhere;
        }

        long wrong() {
            return elsewhere + (murmur2 == crc32 ? 0 : inCrc32);
        }
    }

    /** Default of Java's clients, KafkaJS and kafka-python; the rule that the engine requires. */
    static int murmur2(byte[] key, int partitions) {
        return Utils.toPositive(Utils.murmur2(key)) % partitions;
    }

    /** Default of librdkafka, {@code consistent_random}: kcat, and the clients for Python, Go, .NET and others. */
    static int crc32(byte[] key, int partitions) {
        CRC32 crc = new CRC32();
        crc.update(key);
        return (int) (crc.getValue() % partitions);
    }

    /**
     * Creates a check of a topic with {@code partitions} partitions.
     *
     * @param isCommand whether a value is a command or weights, instead of an example or a label
     */
    ClientCheck(int partitions, Predicate<byte[]> isCommand) {
        this.partitions = partitions;
        this.isCommand = isCommand;
    }

    /**
     * Checks the latest records of the examples topic.
     *
     * @param max maximum number of records, the same share from each partition
     */
    public static ClientCheck of(EngineConfig config, int max) {
        try (TopicScan tail = TopicScan.open(config, config.topic(Topic.EXAMPLES));
                SchemaRegistry registry = SchemaRegistries.of(config.registry())) {
            int partitions = tail.partitions().size();
            ClientCheck check = new ClientCheck(partitions, new CommandDetector(registry));
            tail.readLast(((long) max + partitions - 1) / partitions, check::add);
            return check;
        }
    }

    void add(ConsumerRecord<byte[], byte[]> record) {
        byte[] key = record.key();
        if (record.headers().lastHeader(ReroutedRecord.HEADER) != null || ModelDefaults.isKey(key)) {
            return; // the engine chose its partition, or each partition has one
        }
        if (key == null || !ModelName.isValid(key)) {
            withoutModel++;
            return;
        }
        placements
                .computeIfAbsent(new String(key, StandardCharsets.UTF_8), name -> new Placement(key, partitions))
                .add(record.partition(), record.timestamp(), isCommand.test(record.value()));
    }

    /** Returns true if every record is in the partition that the engine requires. */
    public boolean isRight() {
        return withoutModel == 0 && placements.values().stream().allMatch(each -> each.wrong() == 0);
    }

    /** A table with a line for each model, and a line for each remedy if one is needed. */
    public List<String> toLines() {
        if (placements.isEmpty() && withoutModel == 0) {
            return List.of("no records");
        }
        List<String> lines = new ArrayList<>();
        Columns<Map.Entry<String, Placement>> table = new Columns<Map.Entry<String, Placement>>()
                .add("records", "%,9d", each -> each.getValue().count())
                .add("murmur2", " %,9d", each -> each.getValue().inMurmur2)
                .add("crc32", " %,9d", each -> each.getValue().inCrc32)
                .add("neither", " %,9d", each -> each.getValue().elsewhere)
                .add("last", "  %-8s", each -> each.getValue().rule())
                .add("model", " %s", Map.Entry::getKey);
        lines.add(table.header());
        placements.entrySet().forEach(each -> lines.add(table.row(each)));
        if (withoutModel > 0) {
            lines.add(String.format(
                    Locale.ROOT, "%,9d without a model's name as key: they become dead letters", withoutModel));
        }
        if (placements.values().stream().anyMatch(each -> each.wrong() > 0)) {
            lines.add("records must be in the partition of murmur2; the engine sends others on to it, at a cost:");
            REMEDIES.forEach(remedy -> lines.add("  " + remedy));
        }
        return lines;
    }

    /** One JSON object for each model, and one for the records without a model's name as key. */
    public List<String> toJson() {
        List<String> lines = new ArrayList<>();
        placements.forEach((model, at) -> lines.add(EventFormat.json(json -> {
            json.writeStringField("model", model);
            json.writeNumberField("murmur2Partition", at.murmur2);
            json.writeNumberField("crc32Partition", at.crc32);
            json.writeNumberField("murmur2", at.inMurmur2);
            json.writeNumberField("crc32", at.inCrc32);
            json.writeNumberField("neither", at.elsewhere);
            json.writeStringField("last", at.rule());
        })));
        if (withoutModel > 0) {
            lines.add(EventFormat.json(json -> {
                json.writeNullField("model");
                json.writeNumberField("records", withoutModel);
            }));
        }
        return lines;
    }
}
