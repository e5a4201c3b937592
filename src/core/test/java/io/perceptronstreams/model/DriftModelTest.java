package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.drift.DriftSettings;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Bits;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.BlockVector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Actions of a model after a drift. */
final class DriftModelTest {
    private static final int CHANGE = 1500;
    private static final Map<String, String> SHADOW = Map.of("drift", "ddm", "drift.action", "shadow");

    private final Model model = new Model();
    private final Observed observed = Observed.of(model);
    private final List<Sample> turned = DriftStreams.turned(new Random(4), CHANGE, 10);
    private final List<Integer> alarms = new ArrayList<>();
    private final List<Integer> adaptations = new ArrayList<>();

    // Numbers of the examples that a shadow saw first.
    private final List<Integer> shadows = new ArrayList<>();

    /** A perceptron may turn round before it has made the 50 errors that Page-Hinkley usually waits for. */
    private static Map<String, String> quick(String detector) {
        return Map.of("drift", detector, "drift.threshold", detector.equals("page-hinkley") ? "10" : "auto");
    }

    private void run(List<Sample> samples) {
        for (int k = 0; k < samples.size(); k++) {
            EpochModel before = shadow(model);
            Example example = samples.get(k).example();
            model.use(example, k, null, null);
            if (model.drift().alarm() != null) {
                alarms.add(k);
            }
            if (shadow(model) != before && shadow(model) != null) {
                shadows.add(k + 1);
            }
            if (model.adapt() != null) {
                adaptations.add(k);
            }
        }
    }

    private static Model learned(List<Sample> samples, Map<String, String> settings) {
        Model fresh = new Model();
        fresh.configure(settings);
        for (int k = 0; k < samples.size(); k++) {
            fresh.process(samples.get(k).example(), k);
        }
        return fresh;
    }

    /** Off centre, and of another length. */
    private static Sample moved(Sample sample) {
        double[] values = sample.values.clone();
        double size = 1 + 2 * Math.abs(values[0]);
        for (int i = 0; i < values.length; i++) {
            values[i] = size * (values[i] + 0.05);
        }
        return Sample.dense(sample.y, values);
    }

    private static List<Object> bits(Model model) {
        return List.of(
                Bits.of(model.pipeline().learner()),
                Bits.of((BlockVector) model.pipeline().vector(Pipeline.STATISTICS)),
                Bits.of(model.counts().ofWeights().counts()));
    }

    @ParameterizedTest
    @CsvSource({"ddm, 100", "page-hinkley, 200", "adwin, 100"})
    void shouldRaiseAnAlarmSoonAfterTheConceptHasChanged(String detector, int delay) {
        model.configure(quick(detector));

        run(turned);

        assertThat(alarms).first().satisfies(at -> assertThat(at).isBetween(CHANGE, CHANGE + delay));
        assertThat(adaptations).isEmpty();
        assertThat(bits(model)).isEqualTo(bits(learned(turned, Map.of())));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ddm", "page-hinkley", "adwin"})
    void shouldForgetEverythingWhereTheActionIsReset(String detector) {
        model.configure(quick(detector));
        model.configure(Map.of("drift.action", "reset"));

        run(turned);

        assertThat(adaptations).isEqualTo(alarms).isNotEmpty();
        assertThat(model.current().epoch()).isEqualTo(alarms.size());
        int last = alarms.get(alarms.size() - 1);
        assertThat(bits(model)).isEqualTo(bits(learned(turned.subList(last + 1, turned.size()), Map.of())));
        assertThat(model.pipeline().settings().get(Settings.DRIFT_ACTION)).hasToString("RESET");
    }

    @ParameterizedTest
    @CsvSource({"ddm, none", "page-hinkley, standard", "adwin, unit-norm", "ddm, standard", "ddm, unit-norm-bias"})
    void shouldBeTheShadowAfterItHasTakenOver(String detector, String scale) {
        Map<String, String> plain = Map.of("scale", scale, "predict", "averaged", "survival.start", "0");
        model.configure(plain);
        model.configure(quick(detector));
        model.configure(Map.of("drift.action", "shadow"));

        List<Sample> samples = turned.stream().map(DriftModelTest::moved).toList();
        run(samples);

        assertThat(adaptations).hasSize(1);
        assertThat(adaptations.get(0)).isBetween(CHANGE, CHANGE + 400);
        int began = shadows.stream()
                .filter(at -> at < adaptations.get(0))
                .reduce((first, second) -> second)
                .orElseThrow();
        assertThat(bits(model)).isEqualTo(bits(learned(samples.subList(began, samples.size()), plain)));
    }

    @Test
    void shouldPredictAsIfThereWereNoShadowUntilItTakesOver() {
        Model plain = new Model();
        // an average turns round so slowly that the shadow wins
        Map<String, String> settings = Map.of("scale", "standard", "predict", "averaged");
        plain.configure(settings);
        model.configure(settings);
        model.configure(SHADOW);
        boolean hadShadow = false;
        for (int k = 0; k < turned.size(); k++) {
            List<Object> expected = Bits.of(plain.process(turned.get(k).example(), k));
            assertThat(Bits.of(model.use(turned.get(k).example(), k, null, null)))
                    .isEqualTo(expected);
            hadShadow |= shadow(model) != null;
            if (model.adapt() != null) {
                break;
            }
        }
        assertThat(hadShadow).isTrue();
        assertThat(model.current().epoch()).isPositive();
    }

    @Test
    void shouldBeginAShadowWhereAWeightIsForALabelThatDidNotCome() {
        // was refused as a fault of the user, and stopped the engine at every restart
        model.configure(Map.of("class.weights", "-1:1,1:5"));
        model.configure(SHADOW);

        run(turned.stream()
                .map(sample -> Sample.dense(Math.max(0, sample.y), sample.values))
                .toList());

        assertThat(model.pipeline().shown()).containsEntry("negative.label", "auto:0");
        assertThat(shadows).isNotEmpty();
    }

    @Test
    void shouldBeBetterOffWithAResetOrAShadow() {
        long none = errorsAfterTheChange("none");
        assertThat(errorsAfterTheChange("reset")).isLessThan(none);
        assertThat(errorsAfterTheChange("shadow")).isLessThan(none);
    }

    private static long errorsAfterTheChange(String action) {
        // with many updates behind it, a perceptron needs as many to turn round
        List<Sample> samples = DriftStreams.changing(new Random(8), 2, 10_000, 20, 10);
        Model model = new Model();
        model.configure(Map.of("drift", "adwin", "drift.action", action, "predict", "averaged"));
        long errors = 0;
        for (int k = 0; k < samples.size(); k++) {
            errors += model.process(samples.get(k).example(), k).isError() && k >= 10_000 ? 1 : 0;
        }
        return errors;
    }

    @Test
    void shouldDropAShadowThatIsNotBetterAtTheLimit() {
        model.configure(SHADOW);
        model.configure(Map.of("drift.window", "20"));
        // random labels: no model is better for long
        List<Sample> samples = DriftStreams.changing(new Random(3), 1, 20_000, 5, 2);
        int dropped = 0;
        int age = 0;
        for (int k = 0; k < samples.size(); k++) {
            EpochModel before = shadow(model);
            model.use(samples.get(k).example(), k, null, null);
            age = shadow(model) == before && before != null ? age + 1 : 0;
            assertThat(age).isLessThanOrEqualTo(10 * 20);
            StatusCause adaptation = model.adapt();
            if (before != null && shadow(model) == null && adaptation == null) {
                dropped++;
                assertThat(observed.takeEnded()).contains(before.epoch());
            }
        }
        assertThat(dropped).isPositive();
    }

    @Test
    void shouldStartTheTrialAgainWhereItsWindowChanges() {
        model.configure(SHADOW);
        // the same features always: neither model is better
        Example example = Sample.sparse(1, new int[] {0}, new double[] {1}).example();
        for (int k = 0; shadow(model) == null; k++) {
            example.setLabel(k < 500 ? Label.PLUS_ONE : Label.MINUS_ONE);
            model.process(example, k);
        }
        EpochModel shadow = shadow(model);
        for (int k = 0; k < 900; k++) {
            model.process(example, k);
        }
        model.configure(Map.of("drift.window", "20"));

        for (int k = 0; k < 199; k++) {
            model.process(example, k);
        }
        assertThat(shadow(model)).isSameAs(shadow);
        model.process(example, 0);
        assertThat(shadow(model)).isNull();
    }

    @Test
    void shouldReplaceAShadowThatBeganWellBeforeAnAlarm() {
        model.configure(SHADOW);
        model.configure(Map.of("drift.window", "10", "drift.threshold", "1"));
        EpochModel replaced = null;
        List<Sample> samples = DriftStreams.changing(new Random(3), 1, 20_000, 5, 2);
        for (int k = 0; k < samples.size() && replaced == null; k++) {
            EpochModel before = shadow(model);
            model.use(samples.get(k).example(), k, null, null);
            // after ten times the window it would have to go anyway
            boolean isOnTrial = before != null && before.counts().totals().examples() < 10 * 10;
            if (model.drift().alarm() != null && isOnTrial && shadow(model) != before) {
                replaced = before;
                assertThat(shadow(model).counts().totals().examples()).isZero();
                assertThat(shadow(model).epoch()).isEqualTo(before.epoch() + 1);
                assertThat(observed.takeEnded()).endsWith(before.epoch());
            }
            model.adapt();
        }
        assertThat(replaced).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"reset", "shadow"})
    void shouldDetectButNotActWhileFrozen(String action) {
        model.configure(Map.of("drift", "ddm", "drift.action", action));
        run(turned.subList(0, CHANGE));
        model.freeze(true);
        List<Object> before = Bits.of(model.pipeline().learner());
        adaptations.clear();
        alarms.clear();
        shadows.clear();

        run(turned.subList(CHANGE, 2 * CHANGE));

        assertThat(alarms).isNotEmpty();
        assertThat(adaptations).isEmpty();
        assertThat(shadows).isEmpty();
        assertThat(Bits.of(model.pipeline().learner())).isEqualTo(before);
    }

    @Test
    void shouldLetTheShadowWaitWhileFrozen() {
        beginShadow();
        long seen = shadow(model).counts().totals().examples();
        model.freeze(true);

        run(turned.subList(0, 5));

        assertThat(shadow(model).counts().totals().examples()).isEqualTo(seen);
    }

    @ParameterizedTest
    @CsvSource({"drift, none", "drift, adwin", "drift.threshold, 2.5", "drift.action, none"})
    void shouldDropTheShadowWithTheSettingThatItCameFrom(String name, String value) {
        long epoch = beginShadow().epoch();
        observed.takeEnded();

        model.configure(Map.of(name, value));

        assertThat(shadow(model)).isNull();
        assertThat(observed.takeEnded()).containsExactly(epoch);
    }

    @Test
    void shouldLookForDriftsFromTheFirstExampleOnWhereTheDefaultsSaySo() {
        model.startWith(Settings.DEFAULTS.with(SHADOW));

        run(turned);

        assertThat(alarms).isNotEmpty();
    }

    @Test
    void shouldGiveTheShadowTheModelsSettings() {
        beginShadow();

        model.configure(Map.of("h", "0.25", "window.ms", "77"));

        assertThat(shadow(model).pipeline().settings().get(Settings.H)).isEqualTo(0.25);
        assertThat(shadow(model).pipeline().settings().get(Settings.WINDOW_MS)).isEqualTo(77);
        assertThat(shadow(model).pipeline().settings().drift().detector()).isEqualTo(DriftSettings.NONE.detector());
    }

    /** The model has seen a before b, its shadow b before a. */
    @Test
    void shouldDropAShadowThatCannotHaveTheModelsSettings() {
        model.configure(SHADOW);
        for (int k = 0; shadow(model) == null; k++) {
            process(k, k % 2 == 0 ^ k > CHANGE ? "a" : "b");
        }
        EpochModel shadow = shadow(model);
        process(0, "b");
        process(0, "a");
        assertThat(shadow(model)).isSameAs(shadow);
        assertThat(shadow.pipeline().learner().state().names()).containsExactly("b", "a");

        model.configure(Map.of("classes", "a,b,c"));

        assertThat(model.pipeline().settings().get(Settings.CLASSES)).containsExactly("a", "b", "c");
        assertThat(shadow(model)).isNull();
    }

    private void process(int k, String label) {
        Example example = Sample.sparse(1, new int[] {k % 2}, new double[] {1}).example();
        example.setLabel(new Label.ClassName(label));
        model.process(example, k);
    }

    @Test
    void shouldCountTheShadowAsHeap() {
        beginShadow();
        long ofShadow = shadow(model).heapBytes();
        long both = model.heapBytes();

        model.configure(Map.of("drift", "none"));

        assertThat(model.heapBytes()).isEqualTo(both - ofShadow);
    }

    @Test
    void shouldNeverUseAnEpochTwice() {
        beginShadow();
        long ofShadow = shadow(model).epoch();

        model.reset(Map.of());

        assertThat(model.current().epoch()).isGreaterThan(ofShadow);
        assertThat(shadow(model)).isNull();
        assertThat(observed.takeEnded()).contains(0L, ofShadow);
    }

    @Test
    void shouldNotBeWatchedByDefault() {
        run(turned);

        assertThat(model.drift().isOn()).isFalse();
        assertThat(alarms).isEmpty();
    }

    @Test
    void shouldNotTellAnAlarmTwice() {
        model.configure(Map.of("drift", "ddm"));
        for (int k = 0; model.drift().alarm() == null; k++) {
            model.process(turned.get(k).example(), k);
        }
        Example unlabelled = turned.get(0).example();
        unlabelled.setLabel(null);

        model.process(unlabelled, 0);

        assertThat(model.drift().alarm()).isNull();
    }

    private static EpochModel shadow(Model model) {
        Challenger shadow = model.challengers().find(Challenger.DRIFT);
        return shadow == null ? null : shadow.model();
    }

    /** Runs until there is a shadow. */
    private EpochModel beginShadow() {
        model.configure(SHADOW);
        for (int k = 0; shadow(model) == null || shadow(model).counts().totals().examples() < 5; k++) {
            model.process(turned.get(k).example(), k);
        }
        return shadow(model);
    }
}
