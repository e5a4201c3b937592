package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.model.Model;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.weights.BlockVector;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Causes and bounds of statuses, and the quarantine of models with corrupt state. */
@ExtendWith(EngineExtension.class)
class StatusTest {
    private final EngineDriver engine;

    StatusTest(EngineDriver engine) {
        this.engine = engine;
    }

    @Test
    void shouldSendAStatusWithATenthExampleAtLeastASecondOfEventTimeAfterTheLast() {
        configure("window.ms", "1000000", 0);
        learn(1, "[1]", 5_000);
        learn(8, 6_000);
        assertThat(causes()).containsExactly("CONFIGURE 0", "FIRST_EXAMPLE 5000");
        learn(1, "[1]", 6_000);
        learn(9, 7_500);
        // a tenth example, too early
        learn(1, "[1]", 6_999);
        learn(9, 7_500);
        assertThat(causes()).containsExactly("TIME 6000");
        learn(1, "[1]", 7_500);
        learn(10, 30_000);
        assertThat(causes()).containsExactly("TIME 7500", "TIME 30000");
    }

    @Test
    void shouldCountTheSecondFromTheLastExampleInAnyStatus() {
        configure("window.ms", "10000", 0);
        learn(1, "[1]", 5_000);
        learn(8, 5_500);
        // the time of a command is another one
        command("FREEZE", 900_000_000);
        learn(1, "[1]", 6_100);
        // the first 20 are two full windows, the next one ends at 10 s
        learn(11, 6_900);
        learn(1, "[1]", 10_000);
        learn(9, 10_999);
        assertThat(causes())
                .containsExactly("CONFIGURE 0", "FIRST_EXAMPLE 5000", "FREEZE 900000000", "TIME 6900", "WINDOW 10000");
    }

    private void learn(int times, long time) {
        for (int k = 0; k < times; k++) {
            learn(1, "[1]", time);
        }
    }

    // The chart of a trial over 4,000 rows, sent in a second, had one point.
    @Test
    void shouldSendAStatusWithEachWindowOfAModelWithChallengers() {
        learn(1, "[1]", 5_000);
        learn(29, 5_000);
        assertThat(causes()).containsExactly("FIRST_EXAMPLE 5000");
        engine.send("m", "{\"action\":\"CHALLENGE\",\"settings\":{\"challenger\":\"c\",\"h\":\"1\"}}", 900_000);
        learn(30, 5_000);

        List<GenericRecord> statuses = engine.events(Topic.MODELS);
        assertThat(statuses)
                .extracting(
                        status -> status.get("cause").toString(),
                        status -> status.get("examples"),
                        status -> ((List<?>) status.get("challengers")).size())
                .containsExactly(
                        tuple("CHALLENGED", 30L, 1),
                        tuple("WINDOW", 40L, 1),
                        tuple("WINDOW", 50L, 1),
                        tuple("WINDOW", 60L, 1));
    }

    // "Last event" was 3 min ago of one model and 300 d ago of another, of the same file.
    @Test
    void shouldHaveTheTimeOfTheNewestExampleApartFromThatOfCommands() {
        configure("h", "1", 900_000_000);
        learn(1, "[1]", 5_000);
        learn(9, 4_000);
        command("FREEZE", 900_000_001);
        engine.reload();
        command("RESET", 900_000_002);
        command("DELETE", 900_000_003);
        configure("h", "1", 900_000_004);
        assertThat(engine.events(Topic.MODELS))
                .extracting(status -> status.get("cause").toString(), status -> status.get("lastExample"))
                .containsExactly(
                        tuple("CONFIGURE", null),
                        tuple("FIRST_EXAMPLE", 5_000L),
                        tuple("FREEZE", 5_000L),
                        tuple("RESET", 5_000L),
                        tuple("DELETE", null),
                        tuple("CONFIGURE", null));
    }

    // The counts of a model were those of its last status for ever once its traffic had stopped.
    @Test
    void shouldSendAStatusWhenAModelHasBeenSilentForASecond() {
        for (int k = 0; k < 300; k++) {
            learn(k % 2 == 0 ? 1 : -1, "[1]", 5_000);
        }
        engine.send("other", "{\"id\":\"1\",\"label\":1,\"features\":[1]}", 5_001);
        assertThat(causes()).containsExactly("FIRST_EXAMPLE 5000", "FIRST_EXAMPLE 5001");
        engine.tick(4);
        assertThat(causes()).isEmpty();

        engine.tick(1);

        List<GenericRecord> statuses = engine.events(Topic.MODELS);
        assertThat(statuses)
                .extracting(status -> status.get("cause").toString(), status -> status.get("examples"))
                // nothing is new about the other one
                .containsExactly(tuple("IDLE", 300L));
        assertThat(statuses.get(0).get("offset")).isEqualTo(299L);
        engine.tick(20);
        assertThat(causes()).isEmpty();
    }

    // A restored model had the scores of the new window only; one in memory changes with the next label.
    @Test
    void shouldHaveTheSameAreaUnderTheCurveAfterARestartAlthoughTheWindowWasLowered() {
        for (boolean isRestarted : new boolean[] {false, true}) {
            String model = isRestarted ? "restarted" : "running";
            engine.send(model, "{\"action\":\"CONFIGURE\",\"settings\":{\"auc.window\":\"40\"}}", 0);
            for (int k = 0; k < 40; k++) {
                engine.send(
                        model, "{\"id\":\"1\",\"label\":" + (k % 3 - 1 | 1) + ",\"features\":[" + k * 7 % 5 + "]}", 1);
            }
            engine.send(model, "{\"action\":\"CONFIGURE\",\"settings\":{\"auc.window\":\"4\"}}", 2);
            if (isRestarted) {
                engine.reload();
            }
        }
        engine.records(Topic.MODELS);
        List<Object> areas = new ArrayList<>();
        for (int label = 0; label < 2; label++) {
            for (String model : List.of("running", "restarted")) {
                String known = label == 0 ? "" : "\"label\":1,";
                engine.send(model, "{\"id\":\"2\"," + known + "\"features\":[1]}", 5_000 + 5_000L * label);
                engine.send(model, "{\"action\":\"TICK\"}", 5_000 + 5_000L * label);
                GenericRecord metrics =
                        (GenericRecord) engine.events(Topic.MODELS).get(0).get("metrics");
                areas.add(metrics.get("auc"));
            }
        }
        assertThat(areas.get(0)).isNotNull().isEqualTo(areas.get(1)).isNotEqualTo(areas.get(2));
        assertThat(areas.get(2)).isEqualTo(areas.get(3));
    }

    @Test
    void shouldNotCountAnIdleStatusAsOneOfEventTime() {
        learn(1, "[1]", 5_000);
        learn(8, 5_500);
        engine.tick(5);
        assertThat(causes()).containsExactly("FIRST_EXAMPLE 5000", "IDLE 5500");
        // as without the silence
        learn(1, "[1]", 6_000);
        learn(1, "[1]", 6_100);
        assertThat(causes()).containsExactly("TIME 6000");
        // each record begins a new second
        for (int k = 0; k < 5; k++) {
            learn(1, "[1]", 6_200);
            engine.tick(4);
        }
        assertThat(causes()).isEmpty();
        engine.tick(1);
        assertThat(causes()).containsExactly("IDLE 6200");
    }

    @Test
    void shouldSendTheStatusOfASilentModelThatIsNotInMemory() {
        learn(1, "[1]", 5_000);
        learn(-1, "[2]", 5_001);
        engine.reload();
        engine.tick(4);
        assertThat(causes()).containsExactly("FIRST_EXAMPLE 5000", "IDLE 5001");
        learn(1, "[1]", 5_002);
        engine.reload();
        // the record above is of a copy that is gone
        learn(1, "[1]", 5_003);
        engine.tick(5);
        assertThat(causes()).containsExactly("IDLE 5003");
    }

    // The refused record had moved the model on: no status of a silent model any more, and after a restart one with
    // the offset of the refused record and the time of the record before.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldSendTheStatusOfASilentModelWhoseLastRecordWasRefused(boolean isRestarted) {
        configure("await.labels.ms", "300", 0);
        learn(1, "[1]", 5_000);
        engine.send("m", "{\"id\":\"waits\",\"features\":[1]}", 5_100);
        engine.send("m", "{\"id\":\"wrong\",\"label\":7,\"features\":[1]}", 5_200);
        engine.send("m", "{\"id\":\"wrong\",\"label\":7,\"features\":[1]}", 5_500);
        if (isRestarted) {
            engine.reload();
        }
        engine.tick(5);
        assertThat(causes()).containsExactly("CONFIGURE 0", "FIRST_EXAMPLE 5000", "IDLE 5500");
    }

    @Test
    void shouldSendOneStatusWhereSeveralAreDue() {
        configure("window.ms", "1", 0);
        learn(1, "[1]", 5_000);
        learn(1, "[1]", 9_000);
        assertThat(causes()).containsExactly("CONFIGURE 0", "FIRST_EXAMPLE 5000", "WINDOW 9000");
    }

    @Test
    void shouldNotMindExamplesThatComeLate() {
        configure("window.ms", "1000000", 0);
        learn(1, "[1]", 9_000);
        learn(8, 10_000);
        learn(1, "[1]", 2_000);
        learn(9, 10_000);
        learn(1, "[1]", 9_999);
        learn(9, 10_000);
        learn(1, "[1]", 10_000);
        // a command is no example
        command("THAW", 3_000);
        learn(10, 10_001);
        learn(10, 11_000);
        assertThat(causes())
                .containsExactly("CONFIGURE 0", "FIRST_EXAMPLE 9000", "TIME 10000", "THAW 3000", "TIME 11000");
    }

    @Test
    void shouldSendNoStatusForARecordThatIsRefused() {
        learn(1, "[1]", 5_000);
        learn(7, "[1]", 9_000);
        assertThat(causes()).containsExactly("FIRST_EXAMPLE 5000");
    }

    @Test
    void shouldRememberTheLastStatusWhenAModelIsReadBack() {
        learn(1, "[1]", 5_000);
        engine.reload();
        learn(9, 5_999);
        engine.reload();
        learn(10, 6_000);
        assertThat(causes()).containsExactly("FIRST_EXAMPLE 5000", "TIME 6000");
    }

    @Test
    void shouldTellTheBoundOnTheMargin() {
        configure("bias", "false", 0);
        assertThat(status().get("gammaUpperBound")).isNull();
        learn(1, "[3,4]", 1);
        learn(-1, "[3,0]", 2);
        command("SNAPSHOT", 3);
        // w = (0, 4) after two updates
        assertThat(status().get("gammaUpperBound")).isEqualTo(2.0);
    }

    @Test
    void shouldCompareWithPinnedWeightsAcrossRestarts() {
        configure("bias", "false", 0);
        learn(1, "[3,4]", 1);
        configure("comparator", "2", 2);
        assertThat(status().get("comparator")).isNull();
        engine.reload();
        learn(-1, "[3,0]", 3);
        engine.reload();
        // u = w = (0, 4): losses 1 + 4, then 0 (score 4, label +1)
        learn(-1, "[0,1]", 4);
        engine.reload();
        learn(1, "[0,1]", 5);
        engine.reload();
        command("SNAPSHOT", 6);

        GenericRecord comparator = (GenericRecord) status().get("comparator");
        assertThat(comparator.get("labelled")).isEqualTo(2L);
        assertThat(comparator.get("updates")).isEqualTo(1L);
        assertThat(comparator.get("norm")).isEqualTo(4.0);
        assertThat(comparator.get("hingeLoss")).isEqualTo(5.0);
        // X = 16·1, L = 5, a = 16, start 16·16 - 16²: 5 - 16 + 8 + sqrt(5·16 + (8 - 16)²)
        assertThat((double) comparator.get("bound")).isCloseTo(9, within(1e-12));
    }

    @Test
    void shouldForgetThePinnedWeightsInTheStore() {
        // a dense example of this size makes blocks of weights: a small vector lies in the header
        learn(1, "[3,4" + ",0".repeat(62) + "]", 1);
        configure("comparator", "1", 2);
        long blocks = records();
        configure("comparator", "", 3);
        engine.reload();
        learn(-1, "[1]", 4);
        command("SNAPSHOT", 5);
        assertThat(status().get("comparator")).isNull();
        assertThat(blocks).isEqualTo(3);
        // a header and the tombstone of the block; then header and block of w; then the header
        assertThat(engine.changelog().stream().filter(record -> record.value() == null))
                .hasSize(1);
    }

    /** How many different records the changelog has brought so far. */
    private long records() {
        return engine.changelog().stream()
                .map(record -> new String(record.key(), StandardCharsets.ISO_8859_1))
                .distinct()
                .count();
    }

    @Test
    void shouldRefuseAComparatorThatIsPast() {
        learn(1, "[1]", 1);
        configure("comparator", "0", 2);
        assertThat(engine.reasons()).containsExactly("INVALID_COMMAND");
    }

    @Test
    void shouldQuarantineAModelWhoseStoredWeightsAreCorrupt() {
        for (int k = 0; k < 10; k++) {
            learn(k % 2 == 0 ? 1 : -1, "[1,2,-1]", k);
        }
        // what a flipped bit would do to a stored block
        Model model = engine.model("m");
        ((BlockVector) model.pipeline().vector(0)).write(1, 0, 1e9);
        command("FREEZE", 20);
        command("THAW", 20);
        engine.reload();
        engine.records(Topic.MODELS);
        learn(-1, "[1,2,-1]", 30);
        learn(1, "[0,0,1]", 31);

        assertThat(engine.reasons()).containsExactly("MODEL_QUARANTINED", "MODEL_QUARANTINED");
        List<GenericRecord> alerts = engine.events(Topic.ALERTS);
        assertThat(alerts).hasSize(1);
        assertThat(alerts.get(0).get("message").toString())
                .startsWith("a score must be at most |w|·|x| = ")
                .endsWith("(the stored weights are corrupt, or this is a bug; reset the model)");
        assertThat(causes()).containsExactly("QUARANTINED 30");
        command("RESET", 40);
        learn(1, "[1]", 41);
        assertThat(engine.reasons()).isEmpty();
        assertThat(causes()).containsExactly("RESET 40", "FIRST_EXAMPLE 41");
    }

    @Test
    void shouldStayInQuarantineAcrossRestarts() {
        learn(1, "[1]", 1);
        Model model = engine.model("m");
        ((BlockVector) model.pipeline().vector(0)).write(0, 0, -1e9);
        learn(1, "[1]", 2);
        engine.reload();
        learn(1, "[1]", 3);
        assertThat(engine.reasons()).containsExactly("MODEL_QUARANTINED", "MODEL_QUARANTINED");
        assertThat(engine.events(Topic.ALERTS)).hasSize(1);
    }

    private void configure(String name, String value, long time) {
        engine.send("m", BadRecords.configure(name, value), time);
    }

    private void command(String action, long time) {
        engine.send("m", "{\"action\":\"" + action + "\"}", time);
    }

    private void learn(int label, String features, long time) {
        engine.send("m", "{\"id\":\"l\",\"label\":" + label + ",\"features\":" + features + "}", time);
    }

    /** Cause and time of the statuses since the last call. */
    private List<String> causes() {
        List<String> causes = new ArrayList<>();
        engine.records(Topic.MODELS)
                .forEach(record -> causes.add(engine.decode(record.value()).get("cause") + " " + record.timestamp()));
        return causes;
    }

    private GenericRecord status() {
        return engine.last(Topic.MODELS);
    }
}
