package io.perceptronstreams.multiclass;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.learner.Bits;
import io.perceptronstreams.learner.LearnerState;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.settings.Settings;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Labels, settings and updates that a multiclass perceptron refuses, and the limits of its size. */
final class MulticlassRefusalsTest {
    private final Outcome outcome = new Outcome();

    @Test
    void shouldRefuseALabelFloodInsteadOfGrowing() {
        MulticlassPerceptron learner = multiclass(Map.of("classes.max", "3"));
        for (String name : List.of("a", "b", "c")) {
            learn(learner, name, 1);
        }
        List<Object> before = Bits.of(learner);

        RejectedException rejection = rejection(learner, new Label.ClassName("d"), 1);

        assertThat(rejection.reason()).isEqualTo(RejectReason.MODEL_FULL);
        assertThat(rejection)
                .hasMessage("a model must not have more than classes.max = 3 classes, got one more: the string 'd'"
                        + " (raise classes.max, or name the classes by classes=A,B,…)");
        assertThat(Bits.of(learner)).isEqualTo(before);
        learn(learner, "a", 1);
    }

    @Test
    void shouldBoundTheBytesOfAllNames() {
        MulticlassPerceptron learner = multiclass(Map.of("classes.max", "10000"));
        int classes = 0;
        RejectedException rejection = null;
        while (rejection == null && classes < 10_000) {
            // 4 digits and 252 times two bytes
            Label y = new Label.ClassName((1000 + classes) + "é".repeat(252));
            rejection = catchThrowableOfType(RejectedException.class, () -> learner.learn(vector(), y, 1, outcome));
            classes += rejection == null ? 1 : 0;
        }

        // 262,144 / 508
        assertThat(classes).isEqualTo(516);
        assertThat(rejection.reason()).isEqualTo(RejectReason.MODEL_FULL);
        assertThat(rejection).hasMessageContaining("must not have more than 262144 bytes");
        assertThat(learner.state().names()).hasSize(516);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a\nb", "\u0000", "\u0085"})
    void shouldRefuseNamesThatAreNone(String name) {
        MulticlassPerceptron learner = multiclass(Map.of());

        RejectedException rejection = rejection(learner, new Label.ClassName(name), 1);

        assertThat(rejection.reason()).isEqualTo(RejectReason.INVALID_LABEL);
        assertThat(rejection)
                .hasMessageStartingWith(
                        "a class must have a name of 1 to 256 characters, none of them a control character, got the string '")
                .hasMessageNotContaining("\n");
        assertThat(learner.state().names()).isEmpty();
    }

    @Test
    void shouldRefuseALabelThatIsNoneOfTheGivenClasses() {
        assertThat(rejection(multiclass(Map.of("classes", "red,blue")), new Label.ClassName("green"), 1))
                .hasMessage("label must be one of the model's 2 classes [red, blue], got the string 'green'");
        assertThat(rejection(multiclass(Map.of("classes", "0,1,2,3,4,5,6,7,8,9,a")), Label.of(10), 1))
                .hasMessage("label must be one of the model's 11 classes [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], …, got 10");
        assertThat(rejection(multiclass(Map.of()), new Label.Tags(List.of("a")), 1))
                .hasMessage("label must be a string or an int for a model of several classes, got tags [a]");
    }

    @Test
    void shouldRefuseFeaturesThatAreNoVector() {
        assertThatThrownBy(() -> multiclass(Map.of()).predict(new Sequence(), outcome))
                .isInstanceOf(RejectedException.class)
                .hasMessage("features must be dense, sparse or named for a model of several classes, got a Sequence");
    }

    @Test
    void shouldTakeMoreClassesButNoOthers() {
        MulticlassPerceptron learner = multiclass(Map.of());
        learner.configure(Settings.DEFAULTS.with(Map.of("classes", "x,y")));
        learner.configure(Settings.DEFAULTS.with(Map.of("classes", "a,b")));
        assertThat(learner.state().names()).containsExactly("a", "b");
        learn(learner, "b", 1);

        learner.configure(Settings.DEFAULTS.with(Map.of("classes", "a,b,c")));
        assertThatThrownBy(() -> learner.configure(Settings.DEFAULTS.with(Map.of("classes", "b,a,c"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("classes must begin with those that the model has, in their order, the first being"
                        + " [a, b, c] (reset the model first)");
        assertThat(learner.state().names()).containsExactly("a", "b", "c");
        // from now on they come as they are seen
        learner.configure(Settings.DEFAULTS);
        learn(learner, "d", 1);
        assertThat(learner.state().names()).containsExactly("a", "b", "c", "d");
    }

    @Test
    void shouldRefuseSettingsThatItWouldNotHeed() {
        assertThatThrownBy(() -> Settings.DEFAULTS
                        .with(Map.of("labels", "ham,spam"))
                        .requireUsedBy(Algorithm.MULTICLASS, Settings.DEFAULTS))
                .hasMessageStartingWith(
                        "labels must be empty with algorithm=multiclass, got 'ham,spam' (used by perceptron, pa, pa-i,")
                .hasMessageEndingWith("; labels= empties it)");
        assertThatThrownBy(() -> multiclass(Map.of("classes", "a,b,c", "classes.max", "2")))
                .hasMessage("classes must not be more than classes.max = 2, got 3");
    }

    @Test
    void shouldRejectScoresThatOverflow() {
        MulticlassPerceptron learner = multiclass(Map.of("bias", "false", "classes", "a,b"));
        learn(learner, "b", 0.9e154);

        assertThat(rejection(learner, new Label.ClassName("b"), 1, 1e155).reason())
                .isEqualTo(RejectReason.SCORE_OVERFLOW);
        // both scores are finite, their difference is not
        assertThat(rejection(learner, new Label.ClassName("b"), 1, 1.2e154).reason())
                .isEqualTo(RejectReason.SCORE_OVERFLOW);
    }

    @ParameterizedTest
    @CsvSource({
        // weight · x; a weight's square; the sum of two squares; the square of the bias, x being empty
        "1e308, 10",
        "2e154, 1",
        "1e154, 1",
        "2e154, ''",
    })
    void shouldRefuseAnUpdateAndChangeNothingWhereTheWeightsWouldOverflow(double weight, String x) {
        MulticlassPerceptron learner = multiclass(Map.of("classes", "a,b"));
        learn(learner, "b", 1, 2);
        learner.blocks().get(0).drainChanged((index, row) -> {});
        List<Object> before = Bits.of(learner);
        FeatureVector vector = x.isEmpty() ? vector() : vector(Double.parseDouble(x));

        RejectedException rejection = catchThrowableOfType(
                RejectedException.class, () -> learner.learn(vector, new Label.ClassName("a"), weight, outcome));

        assertThat(rejection.reason()).isEqualTo(RejectReason.SCORE_OVERFLOW);
        assertThat(Bits.of(learner)).isEqualTo(before);
        learner.blocks().get(0).drainChanged((index, row) -> assertThat(index).isNull());
    }

    @ParameterizedTest
    @CsvSource({"false, 1", "true, ''"})
    void shouldRefuseAnUpdateWhereTheSumOfAnAverageWouldOverflow(String bias, String x) {
        MulticlassPerceptron learner = multiclass(Map.of("bias", bias));
        // C = 1e200
        learner.restore(new LearnerState(List.of(1e200, 0.0, 0.0, 0.0, 0.0), List.of()));
        FeatureVector vector = x.isEmpty() ? vector() : vector(Double.parseDouble(x));

        RejectedException rejection = catchThrowableOfType(
                RejectedException.class, () -> learner.learn(vector, new Label.ClassName("a"), 1e120, outcome));

        assertThat(rejection.reason()).isEqualTo(RejectReason.SCORE_OVERFLOW);
        assertThat(learner.state().names()).isEmpty();
    }

    @Test
    void shouldRejectAnUpdateThatNeedsMoreNumbersThanAllowed() {
        // 256 numbers: 32 rows of 8
        MulticlassPerceptron learner = multiclass(Map.of("blocks.max", "1", "bias", "false", "classes", "a,b"));
        double[] values = new double[32];
        Arrays.fill(values, 1);
        learn(learner, "b", values);
        // a mistake, for a wins ties, but zeros need no row
        learn(learner, "b", new double[33]);
        assertThat(outcome.isUpdated()).isTrue();
        List<Object> before = Bits.of(learner);
        double[] more = new double[33];
        more[32] = 1;

        RejectedException rejection = rejection(learner, new Label.ClassName("b"), 1, more);

        assertThat(rejection.reason()).isEqualTo(RejectReason.MODEL_FULL);
        assertThat(rejection).hasMessageContaining("blocks.max · 256 = 256 numbers");
        assertThat(Bits.of(learner)).isEqualTo(before);
        learn(learner, "a", values);
        assertThat(outcome.isUpdated()).isTrue();
    }

    @Test
    void shouldRefuseAStateThatIsNotItsOwn() {
        assertThatThrownBy(() -> multiclass(Map.of()).restore(new LearnerState(List.of(1.0, 2.0), List.of("a"))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> multiclass(Map.of()).restore(new LearnerState(List.of(1.0, -2.0, 0.0), List.of())))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static FeatureVector vector(double... values) {
        return Sample.dense(1, values).vector();
    }

    private RejectedException rejection(MulticlassPerceptron learner, Label y, double weight, double... values) {
        return catchThrowableOfType(RejectedException.class, () -> learner.learn(vector(values), y, weight, outcome));
    }

    private RejectedException rejection(MulticlassPerceptron learner, Label y, double weight) {
        return rejection(learner, y, weight, new double[] {1});
    }

    private void learn(MulticlassPerceptron learner, String y, double... values) {
        learner.learn(vector(values), new Label.ClassName(y), 1, outcome);
    }

    private static MulticlassPerceptron multiclass(Map<String, String> settings) {
        return new MulticlassPerceptron(Settings.DEFAULTS.with(settings));
    }
}
