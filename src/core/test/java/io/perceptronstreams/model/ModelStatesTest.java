package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.evaluation.CountingWindow;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.Bits;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.BlockVector;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A model that is frozen, reset, deleted or in quarantine. */
final class ModelStatesTest {
    private final Model model = new Model();

    @Test
    void shouldNotChangeStatisticsWhileFrozen() {
        model.configure(Map.of("scale", "standard"));
        process(Sample.dense(1, 2));
        model.freeze(true);
        List<Object> before = ModelTest.statistics(model);

        process(Sample.dense(1, 100));
        predict(Sample.dense(1, 50));

        assertThat(ModelTest.statistics(model)).isEqualTo(before);
    }

    @Test
    void shouldCompareAndCountButNotLearnWhileFrozen() {
        process(Sample.dense(1, 1));
        model.freeze(true);
        List<Object> before = Bits.of(model.pipeline().learner());

        Outcome outcome = process(Sample.dense(-1, 1));

        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.MISTAKE);
        assertThat(outcome.isUpdated()).isFalse();
        assertThat(Bits.of(model.pipeline().learner())).isEqualTo(before);
        assertThat(model.counts().totals().mistakes()).isEqualTo(2);
        assertThat(model.counts().totals().updates()).isEqualTo(1);
    }

    @Test
    void shouldLearnAgainAfterThawing() {
        model.freeze(true);
        process(Sample.dense(1, 1));
        model.freeze(false);

        assertThat(model.state()).isEqualTo(ModelState.LIVE);
        assertThat(process(Sample.dense(1, 1)).isUpdated()).isTrue();
    }

    @Test
    void shouldForgetAllButItsSettingsWhenReset() {
        model.configure(Map.of("scale", "standard", "h", "1"));
        process(Sample.dense(1, 1));
        process(Sample.dense(-1, 2));
        model.publications().countRerouted();

        model.reset(Map.of());

        assertThat(model.current().epoch()).isEqualTo(1);
        assertThat(model.current().version()).isZero();
        assertThat(model.publications().rerouted()).isZero();
        assertThat(model.counts().totals().examples()).isZero();
        assertThat(model.pipeline().settings().get(Settings.H)).isEqualTo(1);
        assertThat(ModelTest.statistics(model)).isEmpty();
        assertThat(model.pipeline().algorithm()).isEqualTo(Algorithm.AUTO);
        assertThat(Bits.of(model.pipeline().learner()))
                .isEqualTo(Bits.of(Algorithm.AUTO.create(model.pipeline().settings())));
    }

    @Test
    void shouldCallALabelAMistakeWhileFrozenWithoutALearner() {
        model.freeze(true);

        Outcome outcome = process(Sample.dense(1, 1));

        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.MISTAKE);
        assertThat(outcome.isError()).isTrue();
        assertThat(outcome.isUpdated()).isFalse();
        assertThat(model.pipeline().algorithm()).isEqualTo(Algorithm.AUTO);
    }

    @Test
    void shouldCloseItsWindowWithTheOldTotalsWhenReset() {
        Observed observed = Observed.of(model);
        process(Sample.dense(1, 1));

        model.reset(Map.of());

        CountingWindow.Closed closed = observed.closed();
        assertThat(closed.counts().examples()).isEqualTo(1);
        assertThat(closed.totals().updates()).isEqualTo(1);
        assertThat(model.counts().window().isOpen()).isFalse();
    }

    @Test
    void shouldForgetItsSettingsTooWhenDeleted() {
        model.configure(Map.of("h", "1"));
        process(Sample.dense(1, 1));

        model.delete();

        assertThat(model.state()).isEqualTo(ModelState.DELETED);
        assertThat(model.current().epoch()).isEqualTo(1);
        assertThat(model.pipeline().settings()).isEqualTo(Settings.DEFAULTS);
        assertThat(model.counts().totals().examples()).isZero();
    }

    @Test
    void shouldBecomeANewModelOfALaterEpochWithItsFirstExampleAfterBeingDeleted() {
        model.configure(Map.of("labels", "ham,spam"));
        process(Sample.dense(1, 1).example(), new Label.ClassName("ham"));
        model.delete();

        assertThat(process(Sample.dense(1, 1)).score()).isZero();

        assertThat(model.state()).isEqualTo(ModelState.LIVE);
        assertThat(model.current().epoch()).isEqualTo(1);
        assertThat(model.counts().totals().examples()).isEqualTo(1);
    }

    @Test
    void shouldBecomeANewModelWhenConfiguredAfterBeingDeleted() {
        model.delete();

        model.configure(Map.of("scale", "standard"));

        assertThat(model.state()).isEqualTo(ModelState.LIVE);
    }

    @Test
    void shouldStayDeletedWhereTheFirstExampleOrSettingIsRefused() {
        model.delete();

        assertThat(rejection(Sample.dense(1, 1e200)).reason()).isEqualTo(RejectReason.SCORE_OVERFLOW);
        assertThatThrownBy(() -> model.configure(Map.of("h", "-1"))).isInstanceOf(IllegalArgumentException.class);

        assertThat(model.state()).isEqualTo(ModelState.DELETED);
    }

    /** A weight of 1e154 took a model out of service for good, although its state was sound. */
    @ParameterizedTest
    @EnumSource(
            value = Algorithm.class,
            names = {"STRUCTURED", "SEQUENCE"},
            mode = EnumSource.Mode.EXCLUDE)
    void shouldStayLiveAndUnchangedWhereAnUpdateWouldOverflow(Algorithm algorithm) {
        model.configure(Map.of("algorithm", Settings.spelled(algorithm)));
        process(Sample.dense(1, 1));
        for (double weight : new double[] {1e154, 1e308}) {
            List<Object> before = ModelTest.everything(model);

            RejectedException rejection = rejection(Sample.dense(-1, 10).withWeight(weight));

            if (rejection == null) {
                // the steps of the others grow less than the weight
                assertThat(algorithm)
                        .isNotIn(
                                Algorithm.AUTO,
                                Algorithm.PERCEPTRON,
                                Algorithm.MULTICLASS,
                                Algorithm.KERNEL,
                                Algorithm.ALMA,
                                Algorithm.PDM);
                assertThat(model.pipeline().learner().weightNorm()).isFinite();
                continue;
            }
            assertThat(rejection.reason()).isEqualTo(RejectReason.SCORE_OVERFLOW);
            assertThat(rejection)
                    .hasMessageContaining("lower the weight of the example")
                    .hasMessageNotContaining("reset");
            assertThat(model.state()).isEqualTo(ModelState.LIVE);
            assertThat(ModelTest.everything(model)).isEqualTo(before);
        }
        process(Sample.dense(-1, 2));
    }

    @Test
    void shouldStayUndecidedWhereTheUpdateOfTheFirstLabelWouldOverflow() {
        assertThat(rejection(Sample.dense(-1, 10).withWeight(1e308)).reason()).isEqualTo(RejectReason.SCORE_OVERFLOW);
        assertThat(model.pipeline().algorithm()).isEqualTo(Algorithm.AUTO);
        assertThat(model.pipeline().settings()).isEqualTo(Settings.DEFAULTS);
    }

    @Test
    void shouldRefuseEverythingInQuarantineUntilItIsReset() {
        quarantine();

        assertThat(rejection(Sample.dense(1, 1)).reason()).isEqualTo(RejectReason.MODEL_QUARANTINED);
        assertThatThrownBy(() -> model.freeze(true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "a quarantined model must first be replaced, got one that is quarantined (promote a challenger,"
                                + " roll back, import weights, or reset it, which ends automatic challengers)");
        assertThatThrownBy(() -> model.freeze(false)).isInstanceOf(IllegalArgumentException.class);
        assertThat(model.state()).isEqualTo(ModelState.QUARANTINED);
        model.reset(Map.of());
        assertThat(process(Sample.dense(1, 1)).isUpdated()).isTrue();
    }

    @Test
    void shouldLeaveQuarantineWhenDeleted() {
        quarantine();

        model.delete();

        assertThat(model.state()).isEqualTo(ModelState.DELETED);
    }

    private void quarantine() {
        process(Sample.dense(1, 1));
        // what a flipped bit would do
        ((BlockVector) model.pipeline().vector(0)).write(0, 0, 1e9);
        rejection(Sample.dense(-1, 1));
        assertThat(model.state()).isEqualTo(ModelState.QUARANTINED);
    }

    private Outcome process(Sample sample) {
        return model.process(sample.example(), 0);
    }

    private void process(Example example, Label label) {
        example.setLabel(label);
        model.process(example, 0);
    }

    private Outcome predict(Sample sample) {
        Example example = sample.example();
        example.setLabel(null);
        return model.process(example, 0);
    }

    private RejectedException rejection(Sample sample) {
        return catchThrowableOfType(RejectedException.class, () -> process(sample));
    }
}
