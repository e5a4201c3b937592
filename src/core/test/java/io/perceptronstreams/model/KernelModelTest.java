package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.settings.Settings;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a model gets support vectors, and when it no longer can. */
final class KernelModelTest {
    private Model model;

    @BeforeEach
    void create() {
        model = new Model();
    }

    private Outcome learn(int y, double... x) {
        return model.process(Sample.dense(y, x).example(), 0);
    }

    @Test
    void shouldTakeTheDualFormForAKernelOnceALabelDecides() {
        model.configure(Map.of("kernel", "rbf(g=1)"));
        assertThat(model.pipeline().algorithm()).isEqualTo(Algorithm.AUTO);

        learn(1, 1);

        assertThat(model.pipeline().algorithm()).isEqualTo(Algorithm.KERNEL);
    }

    @Test
    void shouldTakeTheDualFormForVotesOnceALabelDecides() {
        model.configure(Map.of("predict", "voted", "labels", "ham,spam"));
        Example example = Sample.dense(1, 1).example();
        example.setLabel(new Label.ClassName("spam"));

        model.process(example, 0);

        assertThat(model.pipeline().algorithm()).isEqualTo(Algorithm.KERNEL);
    }

    @Test
    void shouldTakeTheFormThatTheSettingsNeedUntilALabelIsSeen() {
        model.configure(Map.of("algorithm", "perceptron"));
        assertThat(model.pipeline().algorithm()).isEqualTo(Algorithm.PERCEPTRON);
        Example unlabelled = Sample.dense(1, 1).example();
        unlabelled.setLabel(null);
        model.process(unlabelled, 0);

        model.configure(Map.of("predict", "voted"));
        assertThat(model.pipeline().algorithm()).isEqualTo(Algorithm.KERNEL);
        model.configure(Map.of("predict", "averaged"));
        assertThat(model.pipeline().algorithm()).isEqualTo(Algorithm.PERCEPTRON);
        model.configure(Map.of("kernel", "linear"));
        assertThat(model.pipeline().algorithm()).isEqualTo(Algorithm.KERNEL);
    }

    @Test
    void shouldRefuseVotesAndKernelsOnceItHasLearnedWithoutSupportVectors() {
        learn(1, 1);
        Settings before = model.pipeline().settings();

        for (Map<String, String> changes : List.of(
                Map.of("predict", "voted"),
                Map.of("kernel", "linear"),
                Map.of("budget", "5"),
                Map.of("algorithm", "perceptron", "predict", "voted"))) {
            assertThatThrownBy(() -> model.configure(changes))
                    .hasMessage(
                            "kernel, budget and predict=voted need algorithm=kernel, which must be set before a model has"
                                    + " seen labels (reset the model first)");
        }
        assertThatThrownBy(() -> model.configure(Map.of("algorithm", "kernel")))
                .hasMessageContaining("algorithm must stay perceptron");
        assertThat(model.pipeline().settings()).isEqualTo(before);
        model.reset(Map.of());
        model.configure(Map.of("predict", "voted"));
        assertThat(learn(-1, 1).predictedScore()).isZero();
        assertThat(learn(-1, 1).predictedScore()).as("one vote").isEqualTo(-1);
    }

    @Test
    void shouldStayDualWhateverWayItPredictsAfterwards() {
        model.configure(Map.of("algorithm", "perceptron", "predict", "voted"));
        learn(-1, 1);

        model.configure(Map.of("predict", "last"));
        assertThat(model.pipeline().algorithm()).isEqualTo(Algorithm.KERNEL);
        assertThat(learn(-1, 1).predictedScore()).as("u, bias included").isEqualTo(-2);
        model.configure(Map.of("predict", "voted"));
        assertThat(learn(-1, 1).predictedScore()).isEqualTo(-1);
    }

    @Test
    void shouldChooseItsFormAnewAfterAReset() {
        model.configure(Map.of("algorithm", "perceptron", "predict", "voted"));
        learn(-1, 1);
        model.configure(Map.of("predict", "last"));

        model.reset(Map.of());

        assertThat(model.pipeline().algorithm()).isEqualTo(Algorithm.PERCEPTRON);
    }

    @Test
    void shouldKeepTheFormThatItsSettingsNeedAfterAReset() {
        model.configure(Map.of("algorithm", "perceptron", "predict", "voted"));
        learn(-1, 1);

        model.reset(Map.of());

        assertThat(model.pipeline().algorithm()).isEqualTo(Algorithm.KERNEL);
        assertThat(learn(1, 1).isUpdated()).isTrue();
    }

    @Test
    void shouldRefuseVotesAndKernelsForOtherAlgorithms() {
        for (String algorithm : List.of("multiclass", "pa", "arow")) {
            assertThatThrownBy(() -> model.configure(Map.of("algorithm", algorithm, "kernel", "linear")))
                    .as(algorithm)
                    .hasMessage("kernel must be empty with algorithm=" + algorithm
                            + ", got 'linear' (used by perceptron, kernel; kernel= empties it)");
        }
    }
}
