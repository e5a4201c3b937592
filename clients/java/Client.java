import static java.util.stream.Collectors.*;

import io.perceptronstreams.embed.EventDeserializer;
import io.perceptronstreams.embed.EventSerializer;
import io.perceptronstreams.event.*;
import java.math.*;
import java.nio.file.*;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.*;
import java.util.stream.*;
import org.apache.avro.generic.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.*;

/** Sends a CSV file with some labels late, and counts errors: kafka-clients and Avro. See docs/clients.md. */
class Client {
    static final String PREFIX = System.getenv().getOrDefault("PREFIX", "perceptron");
    // Java's default partitioner is the right one: murmur2 of the key
    static final Map<String, Object> KAFKA = Map.of(
            "bootstrap.servers", System.getenv().getOrDefault("BOOTSTRAP", "localhost:9092"),
            "schema.registry.url", System.getenv().getOrDefault("REGISTRY", "http://localhost:8081"),
            "key.serializer", StringSerializer.class, "value.serializer", EventSerializer.class,
            "key.deserializer", StringDeserializer.class, "value.deserializer", EventDeserializer.class,
            "isolation.level", "read_committed", "auto.offset.reset", "earliest");
    static final Map<String, String> SETTINGS = Map.of("algorithm", "perceptron", "scale", "standard",
            "predict", "averaged", "bias", "false", "await.labels.ms", "3600000");
    static final int LATE = 20; // every fifth label comes this many examples late

    static List<GenericRecord> events(String[] names, List<String[]> rows) {
        var events = new ArrayList<GenericRecord>(List.of(new ModelCommand(ModelAction.CONFIGURE, SETTINGS)));
        int last = names.length - 1;
        for (int n = 0; n < rows.size() + LATE; n++) {
            if (n < rows.size()) {
                String[] row = rows.get(n);
                var x = IntStream.range(1, last).boxed().collect(toMap(i -> names[i], i -> Double.valueOf(row[i])));
                events.add(new Example(row[0], n % 5 == 4 ? null : Integer.valueOf(row[last]), new NamedFeatures(x), 1.0));
            }
            if (n >= LATE && (n - LATE) % 5 == 4) {
                String[] row = rows.get(n - LATE);
                events.add(new Label(row[0], Integer.valueOf(row[last]), 1.0, null, null));
            }
        }
        // its score is 0, which is always a mistake: both output topics end with it
        events.add(new Example("end", 1, new NamedFeatures(Map.of()), 1.0));
        return events;
    }

    static List<GenericRecord> read(String topic, String model) {
        // seconds until the topic must end
        long end = System.nanoTime() + 1_000_000_000L * Long.parseLong(System.getenv().getOrDefault("WAIT", "120"));
        try (var in = new KafkaConsumer<String, GenericRecord>(KAFKA)) {
            in.assign(in.partitionsFor(topic).stream().map(p -> new TopicPartition(topic, p.partition())).toList());
            for (var found = new ArrayList<GenericRecord>(); System.nanoTime() < end; )
                for (var record : in.poll(Duration.ofSeconds(1))) if (record.key().equals(model)) {
                    // a PredictionBatch, if another producer sends several examples in one record
                    var event = record.value();
                    for (var each : event.hasField("predictions") ? (List<?>) event.get("predictions") : List.of(event)) {
                        if (((GenericRecord) each).get("exampleId").toString().equals("end")) return found;
                        found.add((GenericRecord) each);
                    }
                }
        }
        throw new IllegalStateException("no end of " + model + " in " + topic + " in time (is the engine running?)");
    }

    public static void main(String[] arguments) throws Exception {
        String model = arguments[1];
        var rows = Files.readAllLines(Path.of(arguments[0])).stream().map(line -> line.split(",")).toList();
        try (var producer = new KafkaProducer<String, GenericRecord>(KAFKA)) {
            events(rows.get(0), rows.subList(1, rows.size()))
                    .forEach(event -> producer.send(new ProducerRecord<>(PREFIX + "-examples", model, event)));
        }
        var labels = rows.stream().collect(toMap(row -> row[0], row -> row[row.length - 1]));
        var predictions = read(PREFIX + "-predictions", model);
        var wrong = predictions.stream().filter(e -> !labels.get(e.get("exampleId") + "").equals(e.get("label") + ""));
        String lines = predictions.stream().map(e -> String.format(Locale.ROOT, "%s,%s,%.16e\n", e.get("exampleId"),
                e.get("label"), new BigDecimal((Double) e.get("score")))).sorted().collect(joining());
        var digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(lines.getBytes()));
        System.out.printf("%d predictions, %d errors, %d mistakes, digest %s%n",
                predictions.size(), wrong.count(), read(PREFIX + "-mistakes", model).size(), digest);
    }
}
