package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.serde.WireFormat;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each kind of invalid record becomes one dead letter and does not affect other records. */
@ExtendWith(EngineExtension.class)
class BadInputTest {
    private static final Topic[] OUTPUTS = Arrays.stream(Topic.values())
            .filter(topic -> topic != Topic.EXAMPLES)
            .toArray(Topic[]::new);

    @TempDir
    static Path shared;

    @TempDir
    Path dir;

    /** What comes out without a bad record, by what is set and sent before. */
    private static final Map<List<Object>, Map<Topic, List<String>>> WITHOUT = new HashMap<>();

    static Stream<BadRecord> all() {
        return BadRecords.all();
    }

    @ParameterizedTest
    @MethodSource("all")
    void shouldMakeOneDeadLetterAndLeaveTheNeighboursAlone(BadRecord bad) {
        Map<Topic, List<String>> without = WITHOUT.computeIfAbsent(
                List.of(bad.settings(), bad.partitions(), bad.prelude()),
                any -> outputs(bad, false, shared.resolve("" + WITHOUT.size())));
        Map<Topic, List<String>> with = outputs(bad, true, dir);

        assertThat(with).isEqualTo(without);
        assertThat(with.get(Topic.PREDICTIONS)).hasSize(2);
    }

    /** What comes out of two good examples with or without the bad record between them, apart from its dead letter. */
    private static Map<Topic, List<String>> outputs(BadRecord bad, boolean isSent, Path state) {
        Map<Topic, List<String>> outputs = new EnumMap<>(Topic.class);
        try (EngineDriver engine = new EngineDriver(state, bad.settings(), bad.partitions())) {
            bad.prelude().forEach((model, json) -> json.forEach(value -> engine.send(model, value, 1000)));
            for (Topic topic : OUTPUTS) {
                engine.records(topic);
            }
            engine.send(BadRecord.NEIGHBOUR, "{\"id\":\"before\",\"label\":-1,\"features\":[1,0.5]}", 2000);
            if (isSent) {
                byte[] value = bad.value().apply(engine);
                RecordHeaders headers = new RecordHeaders();
                headers.add("trace", new byte[] {1, 2});
                engine.send(bad.key(), value, headers, bad.timestamp());
                checkDeadLetter(bad, value, engine);
            }
            engine.send(
                    BadRecord.NEIGHBOUR.getBytes(StandardCharsets.UTF_8),
                    Wire.example(engine.id("Example"), Wire.label(1), Wire.dense(0.25, 3), 2),
                    2001);
            for (Topic topic : OUTPUTS) {
                outputs.put(topic, shown(engine, topic));
            }
        }
        return outputs;
    }

    private static void checkDeadLetter(BadRecord bad, byte[] value, EngineDriver engine) {
        TestRecord<byte[], byte[]> letter = engine.letter();
        assertThat(EngineDriver.reason(letter)).isEqualTo(bad.reason().name());
        assertThat(letter.key()).isEqualTo(bad.key());
        assertThat(letter.value()).isEqualTo(value);
        assertThat(letter.headers().lastHeader("trace").value()).containsExactly(1, 2);
        // the stream time where the record has no valid one
        assertThat(letter.timestamp())
                .isEqualTo(bad.reason() == RejectReason.INVALID_TIMESTAMP ? 2000 : bad.timestamp());
        assertThat(EngineDriver.header(letter, "__streams.errors.exception"))
                .isEqualTo(RejectedException.class.getName());
        assertThat(EngineDriver.message(letter)).isNotBlank().doesNotContain("\n");
        assertThat(EngineDriver.header(letter, "__streams.errors.topic")).isEqualTo("perceptron-examples");
        assertThat(EngineDriver.header(letter, "__streams.errors.partition")).isEqualTo("0");
        int before = bad.prelude().values().stream().mapToInt(List::size).sum() + 1;
        assertThat(EngineDriver.header(letter, "__streams.errors.offset")).isEqualTo("" + before);
        Set<String> names = Arrays.stream(letter.headers().toArray())
                .map(header -> header.key())
                .collect(Collectors.toSet());
        assertThat(names).hasSize(7);
    }

    /** Keys, times and contents; offsets of statuses are left out, since the bad record has one of its own. */
    private static List<String> shown(EngineDriver engine, Topic topic) {
        List<String> shown = new ArrayList<>();
        for (TestRecord<byte[], byte[]> record : engine.records(topic)) {
            GenericRecord event = engine.decode(record.value());
            if (event.hasField("offset")) {
                event.put("offset", -1L);
            }
            shown.add(new String(record.key(), StandardCharsets.UTF_8) + " " + record.timestamp() + " "
                    + Arrays.toString(record.headers().toArray()) + " " + event);
        }
        return shown;
    }

    @Test
    void shouldHaveACaseForEveryReason() {
        assertThat(BadRecords.all().map(BadRecord::reason).collect(Collectors.toSet()))
                // with tests of their own: RefusedWeightsTest, SignedCommandTest, ExampleBatchTest, MovedModelsTest
                .isEqualTo(EnumSet.complementOf(EnumSet.of(
                        RejectReason.FENCED,
                        RejectReason.INVALID_WEIGHTS,
                        RejectReason.OUTDATED_WEIGHTS,
                        RejectReason.NOT_AUTHORISED,
                        RejectReason.TOO_MUCH_WORK)));
    }

    @Test
    void shouldRefuseAGoodExampleThatIsCutAnywhere(EngineDriver engine) {
        byte[] good = Wire.example(engine.id("Example"), Wire.sparse(new int[] {1, 300}, 0.5, 2));
        for (int length = 5; length < good.length; length++) {
            engine.send("m", Arrays.copyOf(good, length), 1);
            assertThat(engine.reasons()).as("%s bytes", length).containsExactly("MALFORMED_AVRO");
        }
        engine.send("m", good, 1);
        assertThat(engine.records(Topic.PREDICTIONS)).hasSize(1);
        assertThat(engine.records(Topic.DEAD_LETTERS)).isEmpty();
    }

    @Test
    void shouldTakeBlocksWithNegativeCountsAndTheirSizes(EngineDriver engine) {
        engine.send(
                bytes("m"),
                Wire.example(engine.id("Example"), out -> {
                    out.writeIndex(0);
                    // one block of two doubles with its size, one of one double without
                    out.writeLong(-2);
                    out.writeLong(16);
                    out.writeDouble(1);
                    out.writeDouble(2);
                    Wire.array(out, 3);
                }),
                1);
        // an update by +1 at score 0: the norm is that of the features and the bias, 1 + 4 + 9 + 1
        assertThat(engine.events(Topic.MISTAKES).get(0).get("weightNorm")).isEqualTo(Math.sqrt(15));
        assertThat(engine.records(Topic.DEAD_LETTERS)).isEmpty();
    }

    @Test
    void shouldPredictAZeroVectorWhereThereAreNoFeatures(EngineDriver engine) {
        engine.send("m", Wire.example(engine.id("Example"), Wire.dense()), 1);
        engine.send("m", Wire.example(engine.id("Example"), Wire.sparse(new int[0])), 2);
        engine.send("m", "{\"id\":\"1\",\"features\":[]}", 3);
        engine.send("m", "{\"id\":\"1\",\"features\":{}}", 4);
        engine.send("m", "{\"id\":\"1\",\"features\":{\"indices\":[],\"values\":[]}}", 5);
        // the bias learns from the first one: 1 from then on
        assertThat(engine.events(Topic.PREDICTIONS))
                .extracting(event -> event.get("score"))
                .containsExactly(0.0, 1.0, 1.0, 1.0, 1.0);
        assertThat(engine.records(Topic.DEAD_LETTERS)).isEmpty();
    }

    /** Serializers can write the schema id, or a GUID, into a header; the value then begins with data. */
    @Test
    void shouldSayThatTheSchemaIdMustBeInTheValue(EngineDriver engine) {
        byte[] prefixed = Wire.example(engine.id("Example"), Wire.dense());
        byte[] bare = Arrays.copyOfRange(prefixed, WireFormat.HEADER, prefixed.length);
        byte[] guid = new byte[17];
        guid[0] = 1;
        engine.send(bytes("m"), bare, new RecordHeaders().add(WireFormat.ID_HEADER, guid), 1);
        engine.send(bytes("m"), bare, new RecordHeaders().add(WireFormat.ID_HEADER, new byte[5]), 2);
        engine.send(bytes("m"), guid, new RecordHeaders(), 3);
        engine.send(
                bytes("m"),
                bytes("{\"id\":\"1\",\"features\":[]}"),
                new RecordHeaders().add(WireFormat.ID_HEADER, guid),
                4);

        List<TestRecord<byte[], byte[]>> letters = engine.records(Topic.DEAD_LETTERS);
        assertThat(letters)
                .extracting(letter -> EngineDriver.reason(letter))
                .containsExactly("UNKNOWN_FORMAT", "UNKNOWN_FORMAT", "UNKNOWN_FORMAT");
        assertThat(letters)
                .extracting(letter -> EngineDriver.message(letter))
                .allMatch(message -> message.contains("PrefixSchemaIdSerializer"))
                .satisfiesExactly(
                        message -> assertThat(message).contains("a schema GUID in header __value_schema_id"),
                        message -> assertThat(message).contains("an id in header __value_schema_id"),
                        message -> assertThat(message).contains("got byte 1, which stands for a schema GUID"));
        assertThat(engine.events(Topic.PREDICTIONS)).hasSize(1);
    }

    @Test
    void shouldReplaceARecordTooLargeToCopyByItsCoordinates(EngineDriver engine) {
        byte[] value = new byte[EngineDriver.MAX_RECORD_BYTES];
        value[0] = 'x';
        engine.send("m", "{\"id\":\"1\",\"features\":[]}", 1);
        engine.send(bytes("m"), value, new RecordHeaders().add("trace", new byte[1]), 77);

        TestRecord<byte[], byte[]> letter = engine.letter();
        assertThat(letter.key()).isNull();
        assertThat(letter.value()).isNull();
        assertThat(letter.headers().lastHeader("trace")).isNull();
        assertThat(EngineDriver.reason(letter)).isEqualTo("UNKNOWN_FORMAT");
        assertThat(Long.parseLong(EngineDriver.header(letter, DeadLetter.OMITTED)))
                .isGreaterThanOrEqualTo(value.length);
        assertThat(EngineDriver.header(letter, "__streams.errors.topic")).isEqualTo("perceptron-examples");
        assertThat(EngineDriver.header(letter, "__streams.errors.partition")).isEqualTo("0");
        assertThat(EngineDriver.header(letter, "__streams.errors.offset")).isEqualTo("1");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
