package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.BlockVector;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Learners with a variance for every weight: AROW and SCW. */
final class ConfidenceTest {
    private final Outcome outcome = new Outcome();

    private static Learner learner(Algorithm algorithm, Map<String, String> changes) {
        Map<String, String> all = new HashMap<>(changes);
        all.put("algorithm", algorithm.toString());
        return algorithm.create(Settings.DEFAULTS.with(all));
    }

    private void learn(Learner learner, int y, double weight, double... values) {
        learner.learn(Sample.dense(y, values).vector(), Label.of(y), weight, outcome);
    }

    @ParameterizedTest
    @EnumSource(names = {"AROW", "SCW"})
    void shouldTreatTheBiasAsOneMoreFeature(Algorithm algorithm) {
        Learner with = learner(algorithm, Map.of());
        Learner without = learner(algorithm, Map.of("bias", "false"));
        for (int y : new int[] {1, -1, -1, 1}) {
            learn(with, y, 1, y + 0.5);
            learn(without, y, 1, y + 0.5, 1);
        }

        BlockVector weights = (BlockVector) without.blocks().get(0);
        assertThat(with.state().numbers()).startsWith(weights.read(1, 0), weights.read(1, 1));
        assertThat(with.weightNorm()).isEqualTo(without.weightNorm());
        assertThat(with.radius()).isEqualTo(without.radius());
    }

    /** AROW divides r by it, SCW multiplies C. */
    @ParameterizedTest
    @CsvSource({"AROW, r, 2, 1", "SCW, c, 0.05, 0.1"})
    void shouldHeedTheWeightOfAnExample(Algorithm algorithm, String setting, String ofHeavy, String ofLight) {
        Learner heavy = learner(algorithm, Map.of(setting, ofHeavy));
        Learner light = learner(algorithm, Map.of(setting, ofLight));
        learn(heavy, 1, 2, 3, 4);
        learn(light, 1, 1, 3, 4);

        assertThat(Bits.of(heavy)).isEqualTo(Bits.of(light));
    }

    @ParameterizedTest
    @EnumSource(names = {"AROW", "SCW"})
    void shouldChangeNothingWhereThereIsNothingToMove(Algorithm algorithm) {
        Learner learner = learner(algorithm, Map.of("bias", "false"));

        learn(learner, 1, 1);
        learn(learner, 1, 1, 0);

        assertThat(outcome.kind()).isEqualTo(Outcome.Kind.MISTAKE);
        assertThat(learner.weightNorm()).isZero();
        assertThat(learner.blocks().get(0).count()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "AROW, predict, averaged",
        "AROW, h, 1",
        "AROW, c, 2",
        "SCW, h, 1",
        "SCW, eta, 2",
        "SCW, r, 2",
        "SCW, predict, averaged",
        "SCW, average.halflife, 9",
        "SCW, loss, hinge"
    })
    void shouldRefuseSettingsThatItDoesNotHeed(Algorithm algorithm, String name, String value) {
        assertThatThrownBy(
                        () -> Settings.DEFAULTS.with(Map.of(name, value)).requireUsedBy(algorithm, Settings.DEFAULTS))
                .hasMessageStartingWith(name + " must be ")
                .hasMessageContaining(" with algorithm=" + algorithm + ", got ");
    }
}
