package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
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
        assertThat(engine.messages()).containsExactly(rule + "\"yesterday\"", rule + "7258118400000 in a record of 5");
    }

    /**
     * 2026-01-01 in seconds is 1970-01-21 in ms; retention deleted such examples, their predictions and dead letters.
     */
    @Test
    void shouldRefuseTimesInSeconds() {
        engine.send("m", "{\"timestamp\":1767225600,\"features\":[1]}", 1_767_225_600_000L);
        engine.send("m", "{\"features\":[1]}", 1_767_225_600);
        engine.send("m", "{\"timestamp\":1767225600000,\"features\":[1]}", 1_767_225_600);
        // a simulated time, and the last one in ms that is none in seconds
        engine.send("m", "{\"features\":[1]}", 999_999_999);
        engine.send("m", "{\"features\":[1]}", 10_000_000_000L);

        List<TestRecord<byte[], byte[]>> letters = engine.records(Topic.DEAD_LETTERS);
        String seconds = "1767225600, a time of 1970 (in seconds? then multiply it by 1000: 2026-01-01T00:00:00Z)";
        assertThat(letters)
                .extracting(letter -> EngineDriver.message(letter))
                .satisfiesExactly(
                        one -> assertThat(one).endsWith("got " + seconds),
                        two -> assertThat(two).endsWith("got " + seconds),
                        three -> assertThat(three).endsWith("got 1767225600000 in a record of " + seconds));
        assertThat(letters).extracting(TestRecord::timestamp).containsOnly(1_767_225_600_000L);
        assertThat(engine.records(Topic.PREDICTIONS)).hasSize(2);
    }

    /** Microseconds of a journal; 1769860800 is 2026-01-31T12:00:00Z. */
    @Test
    void shouldSayThatTimesAreInMicroseconds() {
        engine.send("m", "{\"timestamp\":1769860800000000,\"features\":[1]}", 1_769_860_800_000L);
        engine.send("m", "{\"features\":[1]}", 1_769_860_800_000_000L);

        String micros =
                "1769860800000000, a time after 2199 (in microseconds? then divide it by 1000: 2026-01-31T12:00:00Z)";
        assertThat(engine.messages())
                .satisfiesExactly(
                        one -> assertThat(one).endsWith("got " + micros + " in a record of 1769860800000"),
                        two -> assertThat(two).endsWith("got " + micros));
    }

    @Test
    void shouldGiveALabelTheExampleOfTheSameNumber() {
        engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"await.labels.ms\":\"1000\"}}", 5);
        engine.send("m", "{\"id\":17,\"features\":[1]}", 5);
        engine.send("m", "{\"exampleId\":17.0,\"label\":-1}", 6);

        assertThat(engine.reasons()).isEmpty();
        assertThat(engine.events(Topic.PREDICTIONS))
                .extracting(prediction -> prediction.get("exampleId").toString())
                .containsExactly("17");
        assertThat(engine.events(Topic.MISTAKES))
                .extracting(mistake -> mistake.get("exampleId").toString())
                .containsExactly("17");
    }

    @Test
    void shouldGiveTheFirstDeadLetterATimeThatRetentionKeeps() {
        engine.tick(4);
        engine.send("m", "{\"features\":[1]}", 1_767_225_600);

        // the clock of the test begins in 1970, and has advanced by a second
        assertThat(engine.records(Topic.DEAD_LETTERS))
                .extracting(TestRecord::timestamp)
                .containsExactly(1_000L);
    }

    /** Tools with records of a fixed type write null for a missing field. */
    @Test
    void shouldReadNullAsMissing() {
        engine.send(
                "m",
                "{\"id\":null,\"label\":1,\"features\":{\"a\":2,\"b\":null},\"weight\":null,\"timestamp\":null}",
                7);
        engine.send("m", "{\"features\":{\"a\":1,\"b\":1}}", 8);

        assertThat(engine.reasons()).isEmpty();
        assertThat(engine.records(Topic.PREDICTIONS))
                .extracting(TestRecord::timestamp)
                .containsExactly(7L, 8L);
        engine.send("m", "{\"features\":{\"a\":1,\"b\":1}}", 8);
        // the weights are 2 for a, 1 for the bias, and none for b
        assertThat(engine.events(Topic.PREDICTIONS).get(0).get("score")).isEqualTo(3.0);
    }

    @Test
    void shouldSayWhatIsWrongAndWhatToDo() {
        engine.send("m", "{\"features\":{\"fare\":NaN}}", 5);

        List<TestRecord<byte[], byte[]>> letters = engine.records(Topic.DEAD_LETTERS);
        assertThat(letters).extracting(letter -> EngineDriver.reason(letter)).containsExactly("MALFORMED_JSON");
        assertThat(EngineDriver.message(letters.get(0)))
                .startsWith("value must be one JSON object, got: NaN as feature fare, which JSON does not have (leave");
    }

    /** All letters beyond ASCII became the same one, and different ids the same id. */
    @Test
    void shouldRefuseOtherEncodings() {
        for (String json :
                List.of("{\"id\":\"größe\",\"features\":[1]}", "{\"features\":{\"größe\":1},\"weight\":null}")) {
            engine.send("m", json.getBytes(StandardCharsets.ISO_8859_1), 5);
            engine.send("m", json.getBytes(StandardCharsets.UTF_8), 5);
            engine.send("m", json.getBytes(StandardCharsets.UTF_16LE), 5);
        }
        // the replacement character itself, in UTF-8
        engine.send("m", "{\"id\":\"\ufffd\",\"features\":[1]}", 5);

        assertThat(engine.messages())
                .containsOnly(
                        "value must be one JSON object, got: bytes that are not UTF-8 (in ISO 8859-1 or windows-1252?)")
                .hasSize(2);
        assertThat(engine.records(Topic.PREDICTIONS)).hasSize(5);
    }

    @Test
    void shouldReadWholeSurrogatePairs() {
        engine.send(
                "m", "{\"id\":\"\\ud83d\\ude00\",\"label\":\"\\ud83d\\ude00\",\"features\":{\"\\ud83d\\ude00\":1}}", 5);

        assertThat(engine.reasons()).isEmpty();
    }
}
