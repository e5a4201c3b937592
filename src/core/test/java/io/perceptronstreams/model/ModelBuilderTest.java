package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.perceptronstreams.evaluation.Counts;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ModelBuilderTest {
    static ModelBuilder builder(Map<String, String> settings, String algorithm, Counts totals) {
        return new ModelBuilder(new WeightsChunk.Header(
                0,
                totals.updates(),
                0,
                0,
                1,
                totals.examples(),
                totals.labelled(),
                totals.mistakes(),
                algorithm,
                settings,
                totals.errors(),
                totals.marginMistakes(),
                totals.hingeLoss(),
                null));
    }

    private static final double[] STATE = new double[7];

    /** Otherwise a later epoch would have the number of the present one. */
    @Test
    void shouldRefuseALastEpochBeforeThatOfTheModel() {
        ModelBuilder model = new ModelBuilder(new WeightsChunk.Header(
                3, 0, 0, 0, 1, 0, 0, 0, "perceptron", Map.of(), 0, 0, 0, new WeightsChunk.Named(null, 2L, null)));
        model.addState(STATE, List.of());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> model.finish(Model.absent()))
                .withMessage("lastEpoch must be at least epoch 3, got 2");
    }

    @Test
    void shouldNotTakeMoreMemoryThanTheSettingsAllow() {
        ModelBuilder model = builder(Map.of("blocks.max", "3"), "perceptron", new Counts());
        model.addState(STATE, List.of());
        // 2^20 and 640 for each block of blocks.max, in blocks of 256
        int most = ((1 << 20) + 3 * 640) / 256;
        for (int number = 0; number < most; number++) {
            model.addBlock(0, number, 256, new int[] {0}, new double[] {1});
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> model.addBlock(0, most, 256, new int[] {0}, new double[] {1}))
                .withMessageContaining("blocks.max = 3");
    }

    // Blocks without values took as much memory as blocks.max allowed, which is part of the snapshot.
    @Test
    void shouldNotTakeMoreMemoryThanTheValuesNeed() {
        ModelBuilder model = builder(Map.of("blocks.max", "16777216"), "perceptron", new Counts());
        model.addState(STATE, List.of());
        model.addBlock(0, 0, 256, new int[] {0, 7}, new double[] {1, 2});
        // 2^17 and 384 for each value
        int most = ((1 << 17) + 2 * 384) / 256;
        for (int number = 1; number < most; number++) {
            model.addBlock(0, number, 256, new int[0], new double[0]);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> model.addBlock(0, most, 256, new int[0], new double[0]))
                .withMessageContaining("a model with 2 values must not have more than 131840 numbers in its blocks");
    }

    @Test
    void shouldRefuseStateBehindBlocks() {
        ModelBuilder model = builder(Map.of(), "perceptron", new Counts());
        model.addState(STATE, List.of());
        model.addBlock(0, 1, 256, new int[0], new double[0]);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> model.addState(new double[1], List.of()))
                .withMessageContaining("before the blocks");
    }

    @Test
    void shouldRefuseAnAlgorithmThatIsNotThatOfTheSettings() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder(Map.of("algorithm", "perceptron"), "auto", new Counts()))
                .withMessageContaining("algorithm must be that of the settings, perceptron, got auto");
    }

    // A RESET of such a model threw after it had cleared the counts.
    @Test
    void shouldRefuseSettingsThatCannotBeConfigured() {
        for (String algorithm : List.of("multiclass", "auto")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() ->
                            builder(Map.of("algorithm", algorithm, "comparator", "5"), "multiclass", new Counts()))
                    .withMessageContaining("comparator must be empty");
        }
        builder(Map.of("comparator", "5"), "perceptron", new Counts());
        builder(Map.of("comparator", "imported"), "perceptron", new Counts());
    }
}
