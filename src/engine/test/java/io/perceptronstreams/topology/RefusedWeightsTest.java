package io.perceptronstreams.topology;

import static io.perceptronstreams.topology.Snapshots.TARGET;
import static io.perceptronstreams.topology.Snapshots.block;
import static io.perceptronstreams.topology.Snapshots.send;
import static io.perceptronstreams.topology.Snapshots.snapshot;
import static io.perceptronstreams.topology.Snapshots.state;
import static io.perceptronstreams.topology.Snapshots.states;
import static io.perceptronstreams.topology.Snapshots.wideSnapshot;
import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.serde.Topic;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Imports that are interrupted, contradict themselves, or have weights that no model can have. */
@ExtendWith(EngineExtension.class)
class RefusedWeightsTest {
    @TempDir
    Path dir;

    @Test
    void shouldTakeTheImportThatBeganLast(EngineDriver engine) {
        List<byte[]> first = wideSnapshot(engine);
        engine.send("source", "{\"id\":\"1\",\"label\":-1,\"features\":[1,2]}", 3);
        List<byte[]> second = snapshot(engine);
        engine.send(TARGET, first.get(0), 4);
        engine.send(TARGET, first.get(1), 4);
        send(engine, second);
        assertThat(engine.reasons()).isEmpty();
        assertThat(states(snapshot(engine, "target"), engine)).isEqualTo(states(second, engine));
    }

    @ParameterizedTest
    @MethodSource("interruptions")
    void shouldEndAnImportThatIsInterrupted(String what, Consumer<Sender> interruption, EngineDriver engine) {
        List<byte[]> chunks = wideSnapshot(engine);
        engine.send("target", "{\"id\":\"1\",\"label\":-1,\"features\":[1]}", 1);
        engine.send(TARGET, chunks.get(0), 2);
        interruption.accept(new Sender(engine, chunks));
        engine.reasons();
        for (byte[] chunk : chunks.subList(1, chunks.size())) {
            engine.send(TARGET, chunk, 4);
        }
        assertThat(engine.reasons()).hasSize(chunks.size() - 1).containsOnly("INVALID_WEIGHTS");
        assertThat(engine.events(Topic.MODELS))
                .noneMatch(status -> "IMPORT".equals(status.get("cause").toString()));
    }

    private record Sender(EngineDriver engine, List<byte[]> chunks) {
        void send(String json) {
            engine.send("target", json, 3);
        }
    }

    static Stream<Arguments> interruptions() {
        return Stream.of(
                interruption("reset", sender -> sender.send("{\"action\":\"RESET\"}")),
                interruption("delete", sender -> sender.send("{\"action\":\"DELETE\"}")),
                interruption("repeated chunk 1", sender -> {
                    sender.engine.send(TARGET, sender.chunks.get(1), 3);
                    sender.engine.send(TARGET, sender.chunks.get(1), 3);
                }),
                interruption("left out chunk", sender -> sender.engine.send(TARGET, sender.chunks.get(2), 3)),
                interruption("other header", sender -> {
                    GenericRecord chunk = sender.engine.decode(sender.chunks.get(1));
                    chunk.put("mistakes", 0L);
                    sender.engine.send(TARGET, sender.engine.encode(chunk), 3);
                }));
    }

    private static Arguments interruption(String what, Consumer<Sender> interruption) {
        return Arguments.of(what, interruption);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void shouldRefuseWeightsThatCannotBeAModelAndKeepTheOldOne(
            String what, Consumer<GenericRecord> fault, String message) {
        try (EngineDriver engine = new EngineDriver(dir)) {
            engine.send("source", "{\"id\":\"1\",\"label\":1,\"features\":{\"indices\":[3,300],\"values\":[1,-1]}}", 1);
            engine.send("target", "{\"id\":\"1\",\"label\":-1,\"features\":[1]}", 1);
            GenericRecord chunk = engine.decode(snapshot(engine).get(0));
            List<byte[]> before = snapshot(engine, "target");
            engine.records(Topic.MODELS);
            fault.accept(chunk);
            engine.send(TARGET, engine.encode(chunk), 2);

            TestRecord<byte[], byte[]> letter = engine.letter();
            assertThat(EngineDriver.reason(letter)).isEqualTo("INVALID_WEIGHTS");
            assertThat(EngineDriver.message(letter)).contains(message);
            assertThat(engine.records(Topic.MODELS)).isEmpty();
            assertThat(states(snapshot(engine, "target"), engine)).isEqualTo(states(before, engine));
        }
    }

    static Stream<Arguments> faults() {
        return Stream.of(
                fault("readable only", chunk -> chunk.put("state", null), "exact state"),
                fault("chunk -1", chunk -> chunk.put("chunk", -1), "from 0 to chunks - 1"),
                fault("no chunks", chunk -> chunk.put("chunks", 0), "from 0 to chunks - 1"),
                fault("unknown algorithm", chunk -> chunk.put("algorithm", "magic"), "algorithm must be one of"),
                fault("no algorithm", chunk -> chunk.put("algorithm", "auto"), "must have 0 numbers"),
                fault("wrong setting", chunk -> chunk.put("settings", Map.of("h", "-1")), "h must be"),
                fault("unknown setting", chunk -> chunk.put("settings", Map.of("speed", "1")), "unknown setting"),
                fault("too many chunks", chunk -> chunk.put("chunks", 1 << 30), "chunks must be at most"),
                fault("labelled > examples", chunk -> chunk.put("labelled", 2L), "counts must be possible"),
                fault("negative count", chunk -> chunk.put("mistakes", -1L), "counts must be possible"),
                fault("NaN loss", chunk -> state(chunk).put("hingeLoss", Double.NaN), "counts must be possible"),
                fault(
                        "numbers",
                        chunk -> state(chunk).put("numbers", List.of("1")),
                        "at position 1, got only 1 numbers"),
                fault(
                        "infinite number",
                        chunk -> state(chunk).put("numbers", List.of("Infinity", "0", "0", "0", "0")),
                        "finite"),
                fault(
                        "negative square",
                        chunk -> state(chunk).put("numbers", List.of("0", "0", "0", "-1", "0")),
                        "a finite number >= 0 at position 3, got -1.0"),
                fault("no number", chunk -> state(chunk).put("numbers", List.of("one")), "must be doubles"),
                fault("names", chunk -> state(chunk).put("names", List.of("a")), "no names"),
                fault("NaN weight", chunk -> block(chunk).put("values", List.of(Double.NaN)), "finite"),
                fault("values", chunk -> block(chunk).put("values", List.of()), "as many values"),
                fault("position", chunk -> block(chunk).put("positions", List.of(256)), "positions"),
                fault("negative position", chunk -> block(chunk).put("positions", List.of(-1)), "positions"),
                fault("length", chunk -> block(chunk).put("length", 4), "256"),
                fault("huge length", chunk -> block(chunk).put("length", Integer.MAX_VALUE), "at most 384 numbers"),
                fault("vector", chunk -> block(chunk).put("vector", 1), "vector"),
                fault("number", chunk -> block(chunk).put("number", -1), "ascend"),
                fault("order", chunk -> block(chunk).put("number", 3), "ascend"));
    }

    private static Arguments fault(String what, Consumer<GenericRecord> fault, String message) {
        return Arguments.of(what, fault, message);
    }

    @Test
    void shouldRefuseAChunkThatContradictsTheOneBeforeIt(EngineDriver engine) {
        List<byte[]> chunks = wideSnapshot(engine);
        GenericRecord other = engine.decode(chunks.get(1));
        other.put("mistakes", 0L);
        engine.send(TARGET, chunks.get(0), 2);
        engine.send(TARGET, engine.encode(other), 2);
        assertThat(engine.reasons()).containsExactly("INVALID_WEIGHTS");
    }

    @Test
    void shouldRefuseAChunkTooLargeToBePutAside(EngineDriver engine) {
        engine.send("source", "{\"id\":\"1\",\"label\":1,\"features\":[1]}", 1);
        GenericRecord chunk = engine.decode(snapshot(engine).get(0));
        state(chunk).put("names", List.of("x".repeat(600_000)));
        engine.send(TARGET, engine.encode(chunk), 2);
        assertThat(engine.reasons()).containsExactly("INVALID_WEIGHTS");
    }
}
