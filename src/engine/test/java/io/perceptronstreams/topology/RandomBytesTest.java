package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Fuzz;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.serde.WireFormat;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RandomBytesTest {
    private static final int RECORDS = 10_000;
    private static final String EXAMPLE = "{\"id\":\"1\",\"label\":1,\"features\":[1]}";

    @TempDir
    Path dir;

    static LongStream seeds() {
        return Fuzz.seeds("wire format", 0.01, RECORDS).limit(Fuzz.isLong() ? Long.MAX_VALUE : 2);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @Tag("fuzz")
    void shouldMakeADeadLetterOfEveryRandomByteString(long seed) {
        Random random = new Random(seed);
        try (EngineDriver engine = new EngineDriver(dir);
                LogLines log = new LogLines()) {
            engine.send("m", EXAMPLE, 1);
            for (int k = 0; k < RECORDS; k++) {
                engine.send("m", bytes(random, engine), 1);
            }
            engine.send("m", EXAMPLE, 1);

            assertThat(engine.reasons()).hasSize(RECORDS);
            // as if nothing had been between: one update by +1 at score 0, then w·x + bias = 2
            assertThat(engine.events(Topic.PREDICTIONS))
                    .extracting(event -> event.get("score"))
                    .isEqualTo(List.of(0.0, 2.0));
            assertThat(engine.records(Topic.MODELS)).hasSize(1);
            assertThat(log.lines()).isEmpty();
        }
    }

    /** Bytes of any kind, a third of them after the header of an event, a third after an opening brace or bracket. */
    private static byte[] bytes(Random random, EngineDriver engine) {
        byte[] value = new byte[random.nextInt(200)];
        random.nextBytes(value);
        int kind = random.nextInt(3);
        if (kind == 0 && value.length >= WireFormat.HEADER) {
            // no commands: two random bytes can be a valid one
            WireFormat.writeHeader(
                    value, engine.id(List.of("Example", "ExampleBatch", "Label").get(random.nextInt(3))));
        } else if (kind == 1 && value.length > 0) {
            value[0] = (byte) (random.nextBoolean() ? '{' : '[');
        }
        return value;
    }
}
