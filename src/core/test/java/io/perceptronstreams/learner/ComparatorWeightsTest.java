package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.BlockVector;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Comparison of a model with pinned weights; the resulting bound is tested with the theorems. */
final class ComparatorWeightsTest {
    private final Model model = new Model();

    @Test
    void shouldPinThePresentWeights() {
        model.configure(Map.of("algorithm", "perceptron", "bias", "false"));
        process(1, 3, 4);
        model.configure(Map.of("comparator", "1"));
        // u = w = (3, 4): losses max(0, 1 - 3) and max(0, 1 + 4)
        process(1, 1, 0);
        process(-1, 0, 1);
        // w is (3, 3) now, u still (3, 4): loss max(0, 1 + 0.75 + 0)
        process(-1, 0.25, 0);

        ComparatorWeights u = model.pipeline().comparator();
        assertThat(u.squaredNorm()).isEqualTo(25);
        assertThat(u.startProduct()).isEqualTo(25);
        assertThat(u.startSquaredNorm()).isEqualTo(25);
        assertThat(u.examples()).isEqualTo(3);
        assertThat(u.updates()).isEqualTo(2);
        assertThat(u.hingeLoss()).isEqualTo(6.75);
        assertThat(u.squaredRadius()).isEqualTo(1);
    }

    @Test
    void shouldIncludeTheBias() {
        process(1, 2);
        model.configure(Map.of("comparator", "1"));
        process(-1, 1);

        // u = (2, bias 1): score 3
        assertThat(model.pipeline().comparator().squaredNorm()).isEqualTo(5);
        assertThat(model.pipeline().comparator().hingeLoss()).isEqualTo(4);
        assertThat(model.pipeline().comparator().squaredRadius()).isEqualTo(2);
    }

    @Test
    void shouldWaitForALaterVersion() {
        model.configure(Map.of("comparator", "2", "bias", "false"));
        process(1, 1);
        assertThat(model.pipeline().comparator()).isNull();
        process(1, 1);
        process(-1, 2);
        // two updates: w = 1 - 2
        assertThat(model.current().version()).isEqualTo(2);
        assertThat(model.pipeline().comparator().squaredNorm()).isEqualTo(1);
        assertThat(model.pipeline().comparator().examples()).isZero();
        process(1, 3);
        assertThat(model.pipeline().comparator().hingeLoss()).isEqualTo(4);
    }

    @Test
    void shouldRefuseAVersionThatIsPast() {
        process(1, 1);
        process(-1, 1);
        assertThatThrownBy(() -> model.configure(Map.of("comparator", "1", "h", "1")))
                .hasMessage("comparator must be the present version, 2, or a later one, got 1 (its weights are gone;"
                        + " import them from a snapshot)");
        assertThatThrownBy(() -> model.configure(Map.of("comparator", "imported")))
                .hasMessageContaining("an import of weights sets");
        assertThat(model.pipeline().settings().get(Settings.COMPARATOR)).isEmpty();
        assertThat(model.pipeline().settings().get(Settings.H)).isZero();
    }

    @Test
    void shouldEndTheComparisonWhereTheSettingIsEmptied() {
        // 513 features or more make five blocks of weights; fewer than 513 would make a small vector, which has none to
        // be
        // removed
        double[] features = new double[640];
        Arrays.fill(features, 1);
        process(1, features);
        model.configure(Map.of("comparator", "1"));
        Map<Integer, double[]> stored = new HashMap<>();
        model.pipeline().vector(1).drainChanged(stored::put);
        assertThat(stored).hasSize(5).doesNotContainValue(null);

        model.configure(Map.of("comparator", ""));

        assertThat(model.pipeline().comparator()).isNull();
        model.pipeline().vector(1).drainChanged(stored::put);
        assertThat(stored.values()).hasSize(5).containsOnlyNulls();
        process(-1, 1);
        assertThat(model.pipeline().learner().state().numbers()).hasSize(7);
    }

    @Test
    void shouldCountOnlyWhatIsLearnedFrom() {
        process(1, 1);
        model.configure(Map.of("comparator", "1"));
        Example unlabelled = Sample.dense(1, 1).example();
        unlabelled.setLabel(null);
        model.process(unlabelled, 0);
        model.freeze(true);
        process(-1, 1);
        model.freeze(false);
        assertThat(model.pipeline().comparator().examples()).isZero();
        process(-1, 1);
        assertThat(model.pipeline().comparator().examples()).isEqualTo(1);
    }

    @Test
    void shouldBeginAgainAfterAReset() {
        model.configure(Map.of("comparator", "1", "bias", "false"));
        process(1, 3);
        assertThat(model.pipeline().comparator().squaredNorm()).isEqualTo(9);
        model.reset(Map.of());
        assertThat(model.pipeline().comparator()).isNull();
        process(1, 2);
        assertThat(model.pipeline().comparator().squaredNorm()).isEqualTo(4);
    }

    @Test
    void shouldForgetTheLastComparisonWhereAnotherOneBegins() {
        model.configure(Map.of("algorithm", "perceptron", "bias", "false"));
        process(1, 3);
        model.configure(Map.of("comparator", "1"));
        process(-1, 1);
        assertThat(model.pipeline().comparator().hingeLoss()).isEqualTo(4);

        // from now on, u = 2
        model.configure(Map.of("comparator", "2"));
        requireNothingCounted();
        process(-1, 1);
        model.configure(Map.of("comparator", "4"));
        assertThat(model.pipeline().comparator()).isNull();
        process(-1, 2);

        assertThat(model.current().version()).isEqualTo(4);
        requireNothingCounted();
    }

    private void requireNothingCounted() {
        ComparatorWeights u = model.pipeline().comparator();
        assertThat(u.examples() + u.updates()).isZero();
        assertThat(u.hingeLoss() + u.stepLoss() + u.squaredRadius()).isZero();
        assertThat(u.largestStep() + u.largestH()).isZero();
        assertThat(u.smallestStep()).isInfinite();
    }

    @Test
    void shouldScaleTheBiasWithTheExample() {
        model.configure(Map.of("algorithm", "perceptron", "scale", "unit-norm-bias"));
        BlockVector u = new BlockVector(1);
        u.write(0, 0, 0.5);
        model.pipeline().compareWith(u, 2);
        // (3, 4) with the bias feature 1 has the length sqrt(26); u·x is (1.5 + 2)/sqrt(26)
        process(1, 3, 4);
        assertThat(model.pipeline().comparator().hingeLoss()).isCloseTo(1 - 3.5 / Math.sqrt(26), within(1e-15));
    }

    @Test
    void shouldTakeWeightsFromElsewhere() {
        model.configure(Map.of("algorithm", "perceptron"));
        process(1, 2, 1);
        BlockVector u = new BlockVector(1);
        u.write(1, 0, -3);
        u.write(5 * BlockVector.BLOCK, 0, 4);

        model.pipeline().compareWith(u, 0.5);

        ComparatorWeights pinned = model.pipeline().comparator();
        assertThat(model.pipeline().settings().get(Settings.COMPARATOR)).isEqualTo("imported");
        assertThat(pinned.squaredNorm()).isEqualTo(25.25);
        // w = (2, 1), bias 1
        assertThat(pinned.startProduct()).isEqualTo(-2.5);
        assertThat(pinned.startSquaredNorm()).isEqualTo(6);
        process(1, 0, 1);
        assertThat(pinned.hingeLoss()).isEqualTo(3.5);
        // other settings do not touch it, a reset forgets it
        model.configure(Map.of("h", "1"));
        assertThat(model.pipeline().comparator()).isSameAs(pinned);
        model.reset(Map.of());
        assertThat(model.pipeline().comparator()).isNull();
        assertThat(model.pipeline().settings().get(Settings.COMPARATOR)).isEmpty();
    }

    @Test
    void shouldTakeNoWeightsBeforeThereIsALearner() {
        assertThatThrownBy(() -> model.pipeline().compareWith(new BlockVector(1), 0))
                .hasMessageContaining("algorithm=perceptron");
        assertThat(model.pipeline().settings().get(Settings.COMPARATOR)).isEmpty();
    }

    @Test
    void shouldCountForTheLimitOfBlocks() {
        model.configure(Map.of("blocks.max", "3"));
        model.process(Sample.sparse(1, new int[] {0, 200}, new double[] {1, 1}).example(), 0);
        assertThatThrownBy(() -> model.configure(Map.of("comparator", "1")))
                .hasMessageContaining("room within blocks.max = 3, got 2 blocks beside the model's own 2");
        assertThat(model.pipeline().settings().get(Settings.COMPARATOR)).isEmpty();
        model.configure(Map.of("comparator", "2"));

        // the update to version 2 would have to pin two blocks
        RejectedException full = catchThrowableOfType(RejectedException.class, () -> process(-1, 1));
        assertThat(full.reason()).isEqualTo(RejectReason.MODEL_FULL);
        assertThat(full).hasMessageContaining("those of its comparator included");
        model.configure(Map.of("blocks.max", "4"));
        process(-1, 1);
        assertThat(model.pipeline().comparator()).isNotNull();
        // just room enough for the same weights again
        model.configure(Map.of("comparator", ""));
        model.configure(Map.of("comparator", "2"));
        assertThat(model.pipeline().comparator()).isNotNull();
        assertThatThrownBy(() -> model.process(
                        Sample.sparse(-1, new int[] {0, 400}, new double[] {9, 1})
                                .example(),
                        0))
                .hasMessageContaining("blocks.max = 4");
    }

    @Test
    void shouldSayNothingInsteadOfNonsenseWhereTheLossOverflows() {
        model.configure(Map.of("algorithm", "perceptron", "bias", "false"));
        BlockVector u = new BlockVector(1);
        u.write(0, 0, 1e200);
        u.write(1, 0, -1e200);
        model.pipeline().compareWith(u, 0);
        process(1, 1e120, 1e120);
        assertThat(model.pipeline().comparator().hingeLoss()).isInfinite();
        process(1, 1e120, 1e120);
        assertThat(model.pipeline().comparator().stepLoss()).isPositive().isInfinite();
    }

    /** Against sums kept apart. */
    @SeededTest
    void shouldAddUpTheHingeLossOfThePinnedWeights(long seed) {
        Random random = new Random(seed);
        model.configure(Map.of("bias", "false", "h", "1", "comparator", "20"));
        double[] u = null;
        double loss = 0;
        double stepLoss = 0;
        for (Sample sample : RandomStreams.noisy(random, 400, 300, 9)) {
            Sample weighted = sample.withWeight(1 + random.nextInt(3));
            if (u != null) {
                double each = Math.max(0, 1 - sample.y * sample.dot(u));
                loss += each;
                stepLoss += weighted.weight * each;
            }
            model.process(weighted.example(), 0);
            if (u == null && model.current().version() == 20) {
                u = new double[300];
                for (Map.Entry<Integer, Double> w : WeightSummary.ofWeights(
                                model.pipeline().learner())
                        .features()
                        .entrySet()) {
                    u[w.getKey()] = w.getValue();
                }
            }
        }
        ComparatorWeights pinned = model.pipeline().comparator();
        assertThat(pinned.hingeLoss()).as("seed %d", seed).isCloseTo(loss, within(1e-9 * loss));
        assertThat(pinned.stepLoss()).as("seed %d", seed).isCloseTo(stepLoss, within(1e-9 * stepLoss));
        assertThat(List.of(pinned.smallestStep(), pinned.largestStep())).isEqualTo(List.of(1.0, 3.0));
    }

    private void process(int y, double... values) {
        model.process(Sample.dense(y, values).example(), 0);
    }
}
