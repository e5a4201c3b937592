package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.serde.JsonTimestamp;
import io.perceptronstreams.serde.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;

/** The settings models.max and models.idle.ms. */
@EngineSettings("models.idle.ms=1000")
class ModelQuotaTest {
    private final EngineDriver engine;

    ModelQuotaTest(EngineDriver engine) {
        this.engine = engine;
    }

    private void learn(String model, long timestamp) {
        engine.send(model, "{\"id\":\"1\",\"label\":1,\"features\":[1,2]}", timestamp);
    }

    private void command(String model, String action, long timestamp) {
        engine.send(model, "{\"action\":\"" + action + "\"}", timestamp);
    }

    /** Names and causes of the statuses of models that were deleted, since the last call. */
    private List<String> deleted() {
        List<String> deleted = new ArrayList<>();
        for (TestRecord<byte[], byte[]> record : engine.records(Topic.MODELS)) {
            GenericRecord status = engine.decode(record.value());
            if (status.get("state").toString().equals("DELETED")) {
                deleted.add(Utils.utf8(record.key()) + " " + status.get("cause"));
            }
        }
        return deleted;
    }

    @Test
    @EngineSettings("models.max=2")
    void shouldRefuseAModelTooManyAndSayWhatToDo() {
        learn("a", 1);
        learn("b", 2);
        learn("c", 3);
        learn("a", 4);
        TestRecord<byte[], byte[]> letter = engine.letter();
        assertThat(Utils.utf8(letter.key())).isEqualTo("c");
        assertThat(EngineDriver.reason(letter)).isEqualTo("TOO_MANY_MODELS");
        assertThat(EngineDriver.message(letter))
                .isEqualTo("a partition must have at most 2 models, got 2 and one more, 'c' (delete models, have idle"
                        + " ones deleted by models.idle.ms, or raise models.max)");
        assertThat(engine.records(Topic.PREDICTIONS)).hasSize(3);
    }

    @Test
    @EngineSettings("models.max=1")
    void shouldRefuseEveryRecordThatCreatesAModel() {
        learn("a", 1);
        command("a", "SNAPSHOT", 2);
        byte[] chunk = engine.records(Topic.WEIGHTS).get(0).value();
        engine.send("b", "{\"action\":\"CONFIGURE\",\"settings\":{}}", 3);
        engine.send("b", chunk, 4);
        assertThat(engine.reasons()).containsExactly("TOO_MANY_MODELS", "TOO_MANY_MODELS");
        // they create none
        engine.send("a", chunk, 5);
        command("b", "FREEZE", 6);
        engine.send(
                BadRecord.utf8("b"),
                chunk,
                new RecordHeaders().add("perceptron-import-as", BadRecord.utf8("comparator")),
                7);
        assertThat(engine.reasons()).containsExactly("INVALID_COMMAND", "INVALID_WEIGHTS");
    }

    @Test
    @EngineSettings("models.max=1")
    void shouldMakeRoomByDeleteUntilTheModelComesBack() {
        learn("a", 1);
        command("a", "DELETE", 2);
        learn("b", 3);
        assertThat(engine.reasons()).isEmpty();
        learn("a", 4);
        engine.send("a", "{\"action\":\"CONFIGURE\",\"settings\":{}}", 5);
        assertThat(engine.reasons()).containsExactly("TOO_MANY_MODELS", "TOO_MANY_MODELS");
        command("b", "DELETE", 6);
        learn("a", 7);
        learn("b", 8);
        assertThat(engine.reasons()).containsExactly("TOO_MANY_MODELS");
    }

    @Test
    @EngineSettings("models.max=2")
    void shouldCountNeitherModelsThatNeverCameToBeNorOnesTwice() {
        engine.send("x", "{\"id\":\"1\",\"label\":7,\"features\":[1]}", 1);
        engine.send("x", "{\"action\":\"CONFIGURE\",\"settings\":{\"h\":-1}}", 2);
        command("a", "CONFIGURE", 3);
        engine.send("a", "{\"action\":\"CONFIGURE\",\"settings\":{}}", 4);
        learn("a", 5);
        command("a", "RESET", 6);
        engine.reload();
        learn("a", 7);
        learn("b", 8);
        assertThat(engine.reasons()).doesNotContain("TOO_MANY_MODELS");
        learn("c", 9);
        assertThat(engine.reasons()).containsExactly("TOO_MANY_MODELS");
    }

    @Test
    @EngineSettings("models.max=1")
    void shouldNotCountAModelWhoseFirstExampleIsRefused() {
        engine.send("a", "{\"id\":\"1\",\"label\":-1,\"weight\":1e300,\"features\":[1e20]}", 1);
        learn("b", 2);
        learn("c", 3);
        assertThat(engine.reasons()).containsExactly("SCORE_OVERFLOW", "TOO_MANY_MODELS");
    }

    @Test
    void shouldDeleteModelsThatAreIdleTheLongestIdleFirst() {
        learn("b", 0);
        learn("a", 0);
        learn("c", 500);
        learn("b", 500);
        learn("d", 999);
        assertThat(deleted()).isEmpty();
        learn("d", 1000);
        assertThat(deleted()).containsExactly("a EXPIRED");
        learn("d", 3000);
        assertThat(deleted()).containsExactly("c EXPIRED", "b EXPIRED");
        learn("a", 3001);
        learn("a", 4001);
        assertThat(deleted()).containsExactly("d EXPIRED");
    }

    @Test
    void shouldSendWhatADeleteSends() {
        for (String model : List.of("commanded", "idle")) {
            engine.send(model, "{\"action\":\"CONFIGURE\",\"settings\":{\"h\":2,\"predict\":\"averaged\"}}", 1);
            learn(model, 2);
            command(model, "SNAPSHOT", 3);
        }
        engine.records(Topic.MODELS);
        engine.records(Topic.WEIGHTS);
        engine.reload();
        command("commanded", "DELETE", 1003);
        List<TestRecord<byte[], byte[]>> statuses = engine.records(Topic.MODELS);
        assertThat(statuses).extracting(each -> Utils.utf8(each.key())).containsExactly("commanded", "idle");
        GenericRecord commanded = engine.decode(statuses.get(0).value());
        GenericRecord idle = engine.decode(statuses.get(1).value());
        assertThat(idle.get("cause")).hasToString("EXPIRED");
        assertThat(idle.get("epoch")).isEqualTo(1L);
        idle.put("cause", commanded.get("cause"));
        assertThat(idle).isEqualTo(commanded);
        for (Topic topic : List.of(Topic.COUNTS, Topic.WEIGHTS)) {
            List<TestRecord<byte[], byte[]>> records = engine.records(topic);
            assertThat(records).extracting(each -> Utils.utf8(each.key())).containsExactly("commanded", "idle");
            if (topic == Topic.COUNTS) {
                GenericRecord first = engine.decode(records.get(0).value());
                GenericRecord second = engine.decode(records.get(1).value());
                // the offset of their first record
                second.put("countsSince", first.get("countsSince"));
                assertThat(second).isEqualTo(first);
            } else {
                assertThat(records.get(1).value()).isEqualTo(records.get(0).value());
            }
        }
        assertThat(statuses.get(1).timestamp()).isEqualTo(1003);
        learn("idle", 1004);
        GenericRecord status = engine.events(Topic.MODELS).get(0);
        assertThat(status.get("cause")).hasToString("FIRST_EXAMPLE");
        assertThat(status.get("epoch")).isEqualTo(1L);
        assertThat(status.get("settings").toString()).contains("predict=last");
    }

    @Test
    void shouldNotPassOnTheHeadersOfARecordOfAnotherModel() {
        learn("a", 0);
        engine.records(Topic.MODELS);
        engine.send(
                BadRecord.utf8("b"),
                BadRecord.utf8("{\"id\":\"1\",\"label\":1,\"features\":[1]}"),
                new RecordHeaders().add("trace", new byte[] {1}),
                1000);
        List<TestRecord<byte[], byte[]>> statuses = engine.records(Topic.MODELS);
        assertThat(statuses).extracting(each -> Utils.utf8(each.key())).containsExactly("b", "a");
        assertThat(statuses.get(0).headers().lastHeader("trace")).isNotNull();
        assertThat(statuses.get(1).headers()).isEmpty();
    }

    @Test
    void shouldDeleteAHundredModelsAtMostAfterARecord() {
        IntStream.range(0, 250).forEach(k -> learn("m" + k, k / 100));
        learn("m7", 900);
        assertThat(deleted()).isEmpty();
        learn("n", 1900);
        assertThat(deleted()).hasSize(100).startsWith("m0 EXPIRED").doesNotContain("m7 EXPIRED");
        // a refused record is a record, too
        learn("", 0);
        assertThat(deleted()).hasSize(100);
        learn("n", 0);
        assertThat(deleted()).hasSize(50).endsWith("m7 EXPIRED");
        learn("n", 1900);
        assertThat(deleted()).isEmpty();
    }

    @Test
    void shouldGoByTheTimeOfThePartitionAndNotOfTheRecord() {
        learn("a", 5000);
        learn("late", 100);
        learn("a", 5999);
        assertThat(deleted()).isEmpty();
        learn("a", 6000);
        assertThat(deleted()).containsExactly("late EXPIRED");
    }

    @Test
    void shouldHaveRefusedRecordsPassTimeButNotThoseWithoutOne() {
        learn("a", 0);
        engine.send(BadRecord.utf8("b"), BadRecord.utf8("nonsense"), new RecordHeaders(), JsonTimestamp.END);
        assertThat(deleted()).isEmpty();
        engine.send("b", "nonsense", 1000);
        assertThat(deleted()).containsExactly("a EXPIRED");
    }

    /** Brokers do not limit a time that is in the value. */
    @Test
    void shouldNotPassTimeByAFarTimestampInJson() {
        learn("a", 0);
        engine.send("a", "{\"features\":[1],\"timestamp\":\"2199-01-01T00:00:00Z\"}", 999);
        engine.send("b", "{\"features\":[1],\"timestamp\":\"2199-01-01T00:00:00Z\"}", 999);
        assertThat(deleted()).isEmpty();
    }

    /** A client may send the timestamp -1, and brokers take it. */
    @Test
    void shouldNotPassTimeByAFarTimestampInJsonOfARecordWithoutOne() {
        learn("a", 0);
        byte[] far = BadRecord.utf8("{\"features\":[1],\"timestamp\":\"2199-01-01T00:00:00Z\"}");
        engine.send(BadRecord.utf8("b"), far, new RecordHeaders(), -1);
        assertThat(deleted()).isEmpty();
        assertThat(engine.reasons()).containsExactly("INVALID_TIMESTAMP");
    }

    @Test
    void shouldNotCountARefusedRecordAsSeen() {
        learn("a", 0);
        engine.send("a", "nonsense", 1000);
        assertThat(deleted()).containsExactly("a EXPIRED");
    }

    @Test
    void shouldKeepAModelWhoseOwnRecordComesLate() {
        learn("a", 0);
        learn("a", 100_000);
        engine.send("a", "{\"id\":\"1\",\"features\":[1]}", 200_000);
        command("a", "FREEZE", 300_000);
        assertThat(deleted()).isEmpty();
    }

    @Test
    void shouldDeleteFrozenAndQuarantinedModels() {
        learn("a", 0);
        command("a", "FREEZE", 0);
        engine.send("b", BadRecords.QUARANTINE[0], 0);
        engine.send("b", BadRecords.QUARANTINE[1], 0);
        assertThat(engine.reasons()).containsExactly("MODEL_QUARANTINED");
        learn("c", 1000);
        assertThat(deleted()).containsExactly("a EXPIRED", "b EXPIRED");
    }

    @Test
    @EngineSettings({"models.max=1", "models.idle.ms=1000"})
    void shouldMakeRoomWhenAModelExpires() {
        learn("a", 0);
        learn("b", 999);
        assertThat(engine.reasons()).containsExactly("TOO_MANY_MODELS");
        // refused, and the time that it brings deletes the other one
        learn("b", 1000);
        assertThat(engine.reasons()).containsExactly("TOO_MANY_MODELS");
        learn("b", 1000);
        assertThat(engine.reasons()).isEmpty();
        assertThat(deleted()).containsExactly("a EXPIRED");
    }

    @Test
    void shouldFinishAnImportIntoAModelThatExpiresMeanwhile() {
        double[] features = new Random(3).doubles(45_000).toArray();
        engine.send("source", Wire.example(engine.id("Example"), Wire.dense(features)), 0);
        command("source", "SNAPSHOT", 1);
        List<TestRecord<byte[], byte[]>> chunks = engine.records(Topic.WEIGHTS);
        assertThat(chunks).hasSizeGreaterThan(1);
        learn("target", 2);
        deleted();
        for (TestRecord<byte[], byte[]> chunk : chunks) {
            engine.send("target", chunk.value(), 10_000);
        }
        assertThat(engine.reasons()).isEmpty();
        List<String> causes = engine.events(Topic.MODELS).stream()
                .map(status -> status.get("cause").toString())
                .toList();
        assertThat(causes).containsExactly("EXPIRED", "EXPIRED", "IMPORT");
    }
}
