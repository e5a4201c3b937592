package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.settings.Settings;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Weights to compare with, of models that have them and of models that do not. */
class LinearWeightsTest {
    private static Model learned(Map<String, String> settings) {
        Model model = new Model();
        model.configure(settings);
        Example example = new Example();
        example.vector().resetSparse().append(0, 2);
        example.vector().append(1, -3);
        example.setLabel(new Label.Int(-1));
        model.process(example, 0);
        return model;
    }

    private static LinearWeights weights(Model model) {
        return LinearWeights.of(model, model.pipeline().settings().get(Settings.HASH_BITS));
    }

    @Test
    void shouldBeTheSameOfALinearKernel() {
        for (Map<String, String> settings :
                List.of(Map.<String, String>of(), Map.of("kernel", "linear"), Map.of("predict", "voted"))) {
            LinearWeights weights = weights(learned(settings));
            assertThat(weights.bias()).isEqualTo(-1);
            assertThat(weights.weights().read(0, 0)).isEqualTo(-2);
            assertThat(weights.weights().read(1, 0)).isEqualTo(3);
        }
    }

    @Test
    void shouldRefuseTheCoefficientsOfAnotherKernel() {
        assertThatThrownBy(() -> weights(learned(Map.of("kernel", "rbf(g=1)"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("weights to compare with must be those of features, got coefficients of examples with"
                        + " kernel=rbf(g=1)");
    }
}
