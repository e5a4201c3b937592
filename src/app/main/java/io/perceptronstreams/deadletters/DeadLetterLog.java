package io.perceptronstreams.deadletters;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.cluster.BrokerCheck;
import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.serde.Topic;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** The dead letters that the topic has when this object is created, partition by partition. Not thread-safe. */
public final class DeadLetterLog implements AutoCloseable {
    /** Receives dead letters in the order of their offsets. */
    interface Visitor {
        /** Returns false to stop. */
        boolean visit(ConsumerRecord<byte[], byte[]> record, DeadLetter letter);
    }

    private final Consumer<byte[], byte[]> consumer;
    private final TopicScan scan;
    private final String topic;
    private final Map<TopicPartition, Long> beginnings;
    private final Map<TopicPartition, Long> ends;

    /**
     * Reads where the partitions begin and end.
     *
     * @param consumer closed with this object, also if the topic does not exist
     */
    DeadLetterLog(Consumer<byte[], byte[]> consumer, String topic) {
        this.consumer = consumer;
        this.topic = topic;
        scan = TopicScan.open(consumer, topic);
        beginnings = scan.beginnings();
        ends = scan.ends();
    }

    /** Opens the topic of the engine. */
    public static DeadLetterLog open(EngineConfig config) {
        BrokerCheck.require(config);
        return new DeadLetterLog(
                TopicScan.consumer(config, config.applicationId() + "-" + DeadLetterReplay.PURPOSE),
                config.topic(Topic.DEAD_LETTERS));
    }

    List<TopicPartition> partitions() {
        return scan.partitions();
    }

    /** Offset of the oldest record of a partition. */
    long beginning(TopicPartition partition) {
        return beginnings.get(partition);
    }

    /** Offset after the last record of a partition. */
    long end(TopicPartition partition) {
        return ends.get(partition);
    }

    /** The group that has the positions of replays. */
    ConsumerGroupMetadata group() {
        return consumer.groupMetadata();
    }

    /** Offsets of the group; waits until no transaction is about to change them. */
    Map<TopicPartition, OffsetAndMetadata> committed() {
        Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>(consumer.committed(Set.copyOf(partitions())));
        committed.values().removeIf(Objects::isNull);
        return committed;
    }

    /** Reads all dead letters of a selection. */
    public void read(DeadLetterSelection selection, java.util.function.Consumer<ConsumerRecord<byte[], byte[]>> each) {
        for (TopicPartition partition : partitions()) {
            read(partition, beginning(partition), (record, letter) -> {
                if (selection.matches(record, letter)) {
                    each.accept(record);
                }
                return true;
            });
        }
    }

    /** Reads a partition from an offset to its end; returns the offset after the last visited record. */
    long read(TopicPartition partition, long from, Visitor visitor) {
        return scan.read(
                partition, from, end(partition), record -> visitor.visit(record, DeadLetter.of(record.headers())));
    }

    /**
     * Returns one dead letter.
     *
     * @param place such as {@code 0@17}
     * @throws CommandFailedException if the topic has none there
     */
    public ConsumerRecord<byte[], byte[]> at(String place) {
        int sign = place.indexOf('@');
        if (sign < 0 || !place.matches("\\d{1,9}@\\d{1,18}")) {
            throw CommandFailedException.wrongUsage("place must be PARTITION@OFFSET, as 0@17, got '" + place + "'");
        }
        TopicPartition partition = new TopicPartition(topic, Integer.parseInt(place.substring(0, sign)));
        return record(partition, Long.parseLong(place.substring(sign + 1)))
                .orElseThrow(() -> new CommandFailedException(
                        "place must be that of a dead letter in " + topic + ", got " + place + " ("
                                + (partitions().contains(partition)
                                        ? "the partition has " + beginning(partition) + " to " + (end(partition) - 1)
                                        : "the topic has " + partitions().size() + " partitions")
                                + "; perceptron watch dead-letters --from-beginning shows them)"));
    }

    /** Returns one record of any topic; empty if it has been deleted, was not committed, or is no record. */
    Optional<ConsumerRecord<byte[], byte[]>> record(TopicPartition partition, long offset) {
        List<PartitionInfo> known = consumer.partitionsFor(partition.topic());
        if (known == null || known.stream().noneMatch(each -> each.partition() == partition.partition())) {
            return Optional.empty();
        }
        List<TopicPartition> one = List.of(partition);
        if (offset < consumer.beginningOffsets(one).get(partition)
                || offset >= consumer.endOffsets(one).get(partition)) {
            return Optional.empty();
        }
        List<ConsumerRecord<byte[], byte[]>> found = new ArrayList<>();
        scan.read(partition, offset, offset + 1, found::add);
        return found.stream().findFirst();
    }

    @Override
    public void close() {
        scan.close();
    }
}
