package io.perceptronstreams.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.perceptronstreams.cli.Events;
import io.perceptronstreams.cli.TopicWatcher;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.embed.EventDeserializer;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.Topic;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every field of every event, null or not, in each format of the output, by each class that reads the output. */
final class EveryReaderTest {
    private static final SchemaRegistry REGISTRY = SchemaRegistries.of(Map.of("schema.registry.url", "mock://every"));

    /** Encodings of the setting output.format. */
    enum Format {
        AVRO,
        JSON;

        byte[] encode(IndexedRecord event) {
            if (this == JSON) {
                return EventJson.text(event).getBytes(StandardCharsets.UTF_8);
            }
            Schema schema = EventSchemas.schema(event.getSchema().getName());
            return new EventWriter(schema, REGISTRY.register("s-" + schema.getName(), schema)).write(event);
        }

        byte[] encodeAll(List<? extends IndexedRecord> events) {
            if (this == JSON) {
                return events.stream().map(EventJson::text).toList().toString().getBytes(StandardCharsets.UTF_8);
            }
            String name = events.get(0).getSchema().getName() + "Batch";
            Schema batch = EventSchemas.schema(name);
            return new EventWriter(batch, REGISTRY.register("s-" + name, batch))
                    .writeArray(events.stream().map(this::encode).toList());
        }
    }

    static Stream<Arguments> outputs() {
        return Stream.of(Topic.values())
                .filter(topic -> topic != Topic.EXAMPLES && topic.event() != null)
                .flatMap(topic -> Stream.of(Format.values()).map(format -> Arguments.of(topic, format)));
    }

    private static List<GenericRecord> events(Topic topic) {
        return Events.variants(EventSchemas.schema(topic));
    }

    // Counts in JSON could not be read: their times were longs where the class has instants.
    @ParameterizedTest
    @MethodSource("outputs")
    void shouldReadEveryFieldAsObjectOfItsClass(Topic topic, Format format) {
        for (GenericRecord event : events(topic)) {
            SpecificRecord expected = Events.generated(event);
            byte[] value = format.encode(event);

            assertThat(EventReader.of(topic, REGISTRY).read(value)).isEqualTo(expected);
            assertThat(EventReader.of(expected.getClass(), REGISTRY).read(value))
                    .isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @MethodSource("outputs")
    void shouldReadEveryFieldAsGenericRecord(Topic topic, Format format) throws Exception {
        for (GenericRecord event : events(topic)) {
            GenericRecord read =
                    EventReader.generic(event.getSchema(), REGISTRY).read(format.encode(event));

            assertThat(EventJson.MAPPER.readTree(EventJson.text(read)))
                    .isEqualTo(EventJson.MAPPER.readTree(EventJson.text(event)));
        }
    }

    @ParameterizedTest
    @MethodSource("outputs")
    void shouldReadEveryFieldInAConsumer(Topic topic, Format format) {
        try (EventDeserializer deserializer = new EventDeserializer()) {
            deserializer.configure(Map.of("schema.registry.url", "mock://every"), false);
            for (GenericRecord event : events(topic)) {
                assertThat(deserializer.deserialize(topic.name("perceptron"), format.encode(event)))
                        .isEqualTo(Events.generated(event));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("outputs")
    void shouldPrintEveryFieldAsJson(Topic topic, Format format) throws Exception {
        List<String> lines = watch(topic, format, true, false);

        List<GenericRecord> events = events(topic);
        assertThat(lines).hasSameSizeAs(events);
        for (int k = 0; k < lines.size(); k++) {
            ObjectNode fields = (ObjectNode) EventJson.MAPPER.readTree(EventJson.text(events.get(k)));
            ObjectNode expected = EventJson.MAPPER.createObjectNode();
            expected.put("model", "m").put("partition", 0).put("offset", k).put("timestamp", 1_600_000_000_123L);
            for (Map.Entry<String, JsonNode> field : fields.properties()) {
                expected.set(
                        field.getKey()
                                .replaceFirst("^partition$", "sourcePartition")
                                .replaceFirst("^offset$", "sourceOffset"),
                        field.getValue());
            }
            assertThat(EventJson.MAPPER.readTree(lines.get(k)))
                    .isEqualTo(EventJson.MAPPER.readTree(expected.toString()));
        }
    }

    // Counts ended the command with a ClassCastException: an Instant was taken for a Long.
    @ParameterizedTest
    @MethodSource("outputs")
    void shouldPrintEveryFieldIntoAPipe(Topic topic, Format format) {
        List<String> lines = watch(topic, format, false, false);

        List<GenericRecord> events = events(topic);
        if (topic == Topic.PREDICTIONS) {
            // a table with a row at 1, 2, 4 and the last
            assertThat(lines).hasSize(5);
            return;
        }
        assertThat(lines).hasSameSizeAs(events);
        for (int k = 0; k < lines.size(); k++) {
            for (Schema.Field field : events.get(k).getSchema().getFields()) {
                Object value = events.get(k).get(field.pos());
                if (value != null && !field.name().endsWith("Text")) {
                    assertThat(lines.get(k)).contains("  " + field.name() + "=" + text(field.schema(), value));
                }
            }
        }
    }

    private static String text(Schema schema, Object value) {
        if (schema.getLogicalType() instanceof LogicalTypes.TimestampMillis) {
            return Instant.ofEpochMilli((Long) value).toString();
        }
        boolean isPlain = value instanceof Long
                || value instanceof Integer
                || value instanceof Boolean
                || value instanceof String;
        return value instanceof Double number
                ? String.format(Locale.ROOT, "%.6g", number)
                : isPlain ? value.toString() : "";
    }

    @ParameterizedTest
    @MethodSource("outputs")
    void shouldPrintARowForEveryEventOnATerminal(Topic topic, Format format) {
        List<String> lines = watch(topic, format, false, true);

        boolean isTable = topic == Topic.MISTAKES || topic == Topic.COUNTS;
        int events = topic == Topic.PREDICTIONS ? 4 : events(topic).size();
        assertThat(lines).hasSize(events + (isTable || topic == Topic.PREDICTIONS ? 1 : 0));
    }

    @ParameterizedTest
    @EnumSource(Format.class)
    void shouldReadSeveralPredictionsOfOneRecord(Format format) {
        List<GenericRecord> events = events(Topic.PREDICTIONS);

        assertThat(EventReader.of(Topic.PREDICTIONS, REGISTRY).readAll(format.encodeAll(events)))
                .isEqualTo(events.stream().map(Events::generated).toList());
    }

    private static List<String> watch(Topic topic, Format format, boolean isJson, boolean isTerminal) {
        String name = topic.name("perceptron");
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        try (MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none");
                ShutdownSignal stop = new ShutdownSignal(() -> {})) {
            TopicPartition partition = new TopicPartition(name, 0);
            consumer.updatePartitions(name, List.of(new PartitionInfo(name, 0, null, null, null)));
            consumer.updateBeginningOffsets(Map.of(partition, 0L));
            consumer.updateEndOffsets(Map.of(partition, 0L));
            TopicScan scan = TopicScan.open(consumer, name);
            List<GenericRecord> events = events(topic);
            List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
            events.forEach(event -> records.add(Events.record(name, records.size(), "m", format.encode(event))));
            records.forEach(consumer::addRecord);
            // a record that is not read would be waited for without end
            consumer.schedulePollTask(() -> {});
            consumer.schedulePollTask(consumer::wakeup);
            new TopicWatcher(topic, null, events.size(), isJson, isTerminal)
                    .run(scan, EventReader.of(topic, REGISTRY), stop, new PrintWriter(out), new PrintWriter(err));
        }
        assertThat(err.toString().replace("all models in one table; --model MODEL shows one", ""))
                .isBlank();
        return out.toString().lines().toList();
    }
}
