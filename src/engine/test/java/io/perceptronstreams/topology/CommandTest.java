package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.settings.Settings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.util.Utf8;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(EngineExtension.class)
class CommandTest {
    private final EngineDriver engine;

    CommandTest(EngineDriver engine) {
        this.engine = engine;
    }

    @AfterEach
    void stop() {
        assertThat(engine.reasons()).isEmpty();
    }

    @Test
    void shouldTellEverythingOfAModelAfterACommand() {
        learn(1, "[3,4]");
        configure("h", "2");
        learn(-1, "[0,0]");
        status();
        configure("eta", "0.5");

        GenericRecord status = status();
        assertThat(shown(status, "state")).isEqualTo("LIVE");
        assertThat(shown(status, "cause")).isEqualTo("CONFIGURE");
        assertThat(status.get("partition")).isEqualTo(0);
        assertThat(status.get("offset")).isEqualTo(3L);
        assertThat(status.get("epoch")).isEqualTo(0L);
        assertThat(shown(status, "algorithm")).isEqualTo("perceptron");
        Map<String, String> settings = new HashMap<>(
                Settings.DEFAULTS.with(Map.of("h", "2", "eta", "0.5")).toMap());
        // decided by the label -1
        settings.put("negative.label", "auto:-1");
        assertThat(((Map<?, ?>) status.get("settings"))
                        .entrySet().stream()
                                .collect(Collectors.toMap(
                                        entry -> entry.getKey().toString(),
                                        entry -> entry.getValue().toString())))
                .isEqualTo(settings);
        assertThat(status.get("updates")).isEqualTo(2L);
        assertThat(status.get("examples")).isEqualTo(2L);
        assertThat(status.get("labelled")).isEqualTo(2L);
        // predicted +1 at score 0 (right) and at score 1, the bias (wrong)
        assertThat(status.get("errors")).isEqualTo(1L);
        assertThat(status.get("mistakes")).isEqualTo(2L);
        assertThat(status.get("marginMistakes")).isEqualTo(0L);
        // max(0, 0 - 0) with h = 0, max(0, 2 + 1) with h = 2
        assertThat(status.get("hingeLoss")).isEqualTo(3.0);
        // w = (3, 4) from the first, bias 1 - 1
        assertThat(status.get("weightNorm")).isEqualTo(5.0);
        assertThat(status.get("radius")).isEqualTo(Math.sqrt(26));
        assertThat(status.get("rerouted")).isEqualTo(0L);
    }

    @Test
    void shouldLearnFromMarginMistakesWithH() {
        learn(1, "[1]");
        configure("h", "3");
        learn(1, "[1]");
        learn(1, "[1]");
        // scores 0, then 2 < 3 (a margin mistake), then 4
        assertThat(engine.events(Topic.MISTAKES))
                .extracting(event -> shown(event, "kind"))
                .containsExactly("MISTAKE", "MARGIN_MISTAKE");
    }

    @Test
    void shouldCountAMarginOfHItselfWithHInclusive() {
        configure("h", "2");
        learn(1, "[1]");
        learn(1, "[1]");
        assertThat(engine.events(Topic.MISTAKES)).hasSize(1);
        configure("h.inclusive", "true");
        learn(1, "[1]");
        assertThat(engine.events(Topic.MISTAKES)).hasSize(1);
    }

    @Test
    void shouldEmitTheAveragedPredictionWithPredictAveraged() {
        configure("predict", "averaged");
        learn(1, "[1]");
        learn(1, "[1]");
        learn(1, "[1]");
        learn(-1, "[3]");
        engine.records(Topic.MISTAKES);
        engine.records(Topic.PREDICTIONS);
        learn(1, "[1]");
        // w, bias: (1, 1) for 3 examples, then (-2, 0) for one: mean (0.25, 0.75); score of w: -2, of the mean: 1
        GenericRecord prediction = engine.events(Topic.PREDICTIONS).get(0);
        assertThat(prediction.get("label")).isEqualTo(1);
        assertThat(prediction.get("score")).isEqualTo(1.0);
        assertThat(prediction.get("correct")).isEqualTo(true);
        GenericRecord mistake = engine.events(Topic.MISTAKES).get(0);
        assertThat(mistake.get("score")).isEqualTo(-2.0);
        assertThat(mistake.get("margin")).isEqualTo(-2.0);
        assertThat(mistake.get("predicted")).isEqualTo(1);
    }

    /**
     * Weights and bias by hand: w = 0.5 and 0.25 with eta; (1, 1) survived the second example only, (-2, 0) none, so
     * that the mean is (1, 1); w = (0.6, 0.8) and 1 with unit norm; with scale=standard mean 2 and deviation 1 before,
     * 3 and sqrt(8/3) then.
     */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            eta=0.25                             | 1 [2]               | [4]     | 2.25
            bias=false                           | 1 [2]               | [1]     | 2
            survival.start=0, predict=averaged   | 1 [1], 1 [1], -1 [3] | [1]    | 2
            scale=unit-norm                      | 1 [3,4]             | [30,40] | 2
            scale=standard                       | null [1], 1 [3]     | [5]     | 2.224744871391589
            """)
    void shouldLearnBySettings(String settings, String examples, String features, double score) {
        for (String setting : settings.split(", ", -1)) {
            configure(setting.split("=", -1)[0], setting.split("=", -1)[1]);
        }
        for (String example : examples.split(", ", -1)) {
            learn(example.split(" ", -1)[0], example.split(" ", -1)[1]);
        }
        assertThat((double) score(features)).isCloseTo(score, within(1e-12));
    }

    @Test
    void shouldHashIntoAsManyBitsAsSaid() {
        configure("hash.bits", "1");
        // four names in two places: at least two collide
        engine.send("m", "{\"id\":\"1\",\"label\":1,\"features\":{\"a\":1,\"b\":1,\"c\":1,\"d\":1}}", 1);
        engine.send("m", "{\"action\":\"SNAPSHOT\"}", 2);
        GenericRecord vector =
                (GenericRecord) ((List<?>) engine.events(Topic.WEIGHTS).get(0).get("vectors")).get(0);
        assertThat((List<?>) vector.get("indices"))
                .allSatisfy(index -> assertThat((Integer) index).isLessThan(2));
    }

    @Test
    void shouldForgetWhatWasLearnedButNotTheSettingsOnReset() {
        configure("eta", "2");
        learn(1, "[1]");
        command("RESET");
        GenericRecord status = status();
        assertThat(shown(status, "cause")).isEqualTo("RESET");
        assertThat(status.get("epoch")).isEqualTo(1L);
        assertThat(status.get("examples")).isEqualTo(0L);
        assertThat(status.get("weightNorm")).isEqualTo(0.0);
        assertThat(score("[1]")).isEqualTo(0.0);
        learn(1, "[1]");
        assertThat(score("[1]")).isEqualTo(4.0);
    }

    @Test
    void shouldChangeSettingsOnReset() {
        configure("labels", "0,1");
        learn(1, "[1]");
        engine.send("m", "{\"action\":\"RESET\",\"settings\":{\"algorithm\":\"multiclass\",\"labels\":\"\"}}", 2);
        GenericRecord status = status();
        assertThat(shown(status, "algorithm")).isEqualTo("multiclass");
        assertThat(status.get("epoch")).isEqualTo(1L);
        learn(2, "[1]");
        assertThat(shown(status(), "cause")).isEqualTo("FIRST_EXAMPLE");
    }

    @Test
    void shouldCloseTheWindowOnReset() {
        learn(1, "[1]");
        command("RESET");
        GenericRecord count = engine.events(Topic.COUNTS).get(0);
        assertThat(count.get("examples")).isEqualTo(1L);
        assertThat(count.get("totalMistakes")).isEqualTo(1L);
        learn(1, "[1]");
        command("RESET");
        assertThat(engine.events(Topic.COUNTS).get(0).get("totalMistakes")).isEqualTo(1L);
    }

    @Test
    void shouldBeginANewModelWithDefaultsAfterDelete() {
        configure("eta", "2");
        learn(1, "[1]");
        command("DELETE");
        GenericRecord deleted = status();
        assertThat(shown(deleted, "state")).isEqualTo("DELETED");
        assertThat(deleted.get("epoch")).isEqualTo(1L);
        learn(1, "[1]");
        GenericRecord created = status();
        assertThat(shown(created, "state")).isEqualTo("LIVE");
        assertThat(shown(created, "cause")).isEqualTo("FIRST_EXAMPLE");
        assertThat(created.get("epoch")).isEqualTo(1L);
        assertThat(created.get("examples")).isEqualTo(1L);
        assertThat(score("[1]")).isEqualTo(2.0);
    }

    @Test
    void shouldConfigureADeletedModelAnew() {
        configure("eta", "2");
        command("DELETE");
        configure("h", "1");
        GenericRecord status = status();
        assertThat(shown(status, "state")).isEqualTo("LIVE");
        assertThat(((Map<?, ?>) status.get("settings")).get(new Utf8("eta"))).hasToString("1.0");
    }

    @Test
    void shouldPredictAndCountButNotLearnWhileFrozen() {
        learn(1, "[1]");
        command("FREEZE");
        assertThat(shown(status(), "state")).isEqualTo("FROZEN");
        engine.records(Topic.MISTAKES);
        learn(-1, "[1]");
        GenericRecord mistake = engine.events(Topic.MISTAKES).get(0);
        assertThat(mistake.get("mistakes")).isEqualTo(2L);
        assertThat(mistake.get("updates")).isEqualTo(1L);
        assertThat(score("[1]")).isEqualTo(2.0);
        command("THAW");
        assertThat(shown(status(), "state")).isEqualTo("LIVE");
        learn(-1, "[1]");
        assertThat(score("[1]")).isEqualTo(0.0);
    }

    private void configure(String name, String value) {
        engine.send("m", BadRecords.configure(name, value), 1);
    }

    private void command(String action) {
        engine.send("m", "{\"action\":\"" + action + "\"}", 1);
    }

    private void learn(int label, String features) {
        learn(Integer.toString(label), features);
    }

    private void learn(String label, String features) {
        engine.send("m", "{\"id\":\"l\",\"label\":" + label + ",\"features\":" + features + "}", 1);
    }

    private void predict(String features) {
        engine.send("m", "{\"id\":\"p\",\"features\":" + features + "}", 1);
    }

    private Object score(String features) {
        predict(features);
        return engine.last(Topic.PREDICTIONS).get("score");
    }

    /** The last status since the last call. */
    private GenericRecord status() {
        return engine.last(Topic.MODELS);
    }

    private static String shown(GenericRecord event, String field) {
        return event.get(field).toString();
    }
}
