package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.serde.Topic;
import java.time.Instant;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Examples in JSON as people and other tools write them. */
@ExtendWith(EngineExtension.class)
class JsonInputTest {
    private final EngineDriver engine;

    JsonInputTest(EngineDriver engine) {
        this.engine = engine;
    }

    // Each of them was MALFORMED_JSON or INVALID_LABEL.
    @Test
    void shouldLearnFromBooleansTextAndExamplesWithoutAnId() {
        engine.send("m", "{\"label\":true,\"features\":{\"city\":\"Rome\"}}", 5);
        engine.send("m", "{\"label\":false,\"features\":{\"city\":\"Oslo\"}}", 5);
        engine.send("m", "{\"label\":0.0,\"features\":{\"city=Oslo\":1}}", 5);

        assertThat(engine.reasons()).isEmpty();
        assertThat(engine.events(Topic.PREDICTIONS))
                .extracting(prediction -> prediction.get("label"))
                .containsExactly(1, 1, 0);
    }

    @Test
    void shouldNameAnExampleWithoutAnIdAfterItsPlace() {
        engine.send("m", "{\"id\":\"a\",\"features\":[1]}", 5);
        engine.send("m", "{\"features\":[1]}", 5);

        assertThat(engine.events(Topic.PREDICTIONS))
                .extracting(prediction -> prediction.get("exampleId").toString())
                .containsExactly("a", "0@1");
    }

    @Test
    void shouldTakeTheTimeOfTheExample() {
        engine.send("m", "{\"timestamp\":1700000000000,\"features\":[1]}", 1_700_000_005_000L);
        engine.send("m", "{\"timestamp\":\"2023-11-14T22:13:21Z\",\"features\":{\"timestamp\":3}}", 1_700_000_005_000L);
        engine.send("m", "{\"features\":{\"timestamp\":3}}", 1_700_000_002_000L);

        assertThat(engine.records(Topic.PREDICTIONS))
                .extracting(TestRecord::timestamp)
                .containsExactly(1_700_000_000_000L, 1_700_000_001_000L, 1_700_000_002_000L);
    }

    @Test
    void shouldSayWhichTimeWasRefused() {
        long end = Instant.parse("2200-01-01T00:00:00Z").toEpochMilli();
        engine.send("m", "{\"timestamp\":\"yesterday\",\"features\":[1]}", 5);
        engine.send("m", "{\"timestamp\":" + end + ",\"features\":[1]}", 5);

        String rule =
                "timestamp must be in ms since 1970 (in JSON also as in 2026-01-31T12:00:00Z), before the year 2200 and"
                        + " at most an hour after that of the record, got ";
        assertThat(engine.records(Topic.DEAD_LETTERS))
                .extracting(letter -> EngineDriver.header(letter, "__streams.errors.message"))
                .containsExactly(rule + "\"yesterday\"", rule + "7258118400000 in a record of 5");
    }
}
