package io.perceptronstreams.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.model.Model;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BenchCalibrationTest {
    private static final int FEW_FEATURES = 1024;
    /** Enough for {@link #FEW_FEATURES}. */
    private static final int FEW_EXAMPLES = 150_000;

    @Test
    @Tag("full")
    void shouldMakeOnePredictionInTenAMistakeAlsoLongAfterTheCalibration() {
        double turned = BenchCalibration.of(SyntheticStream.ofSparse(1, 1 << 14), 0.1, BenchCalibration.EXAMPLES)
                .turned();

        assertThat(turned).isBetween(0.03, 0.04);
        assertThat(rate(turned, 1 << 14, 1_500_000, 2_000_000)).isCloseTo(0.1, within(0.005));
    }

    @Test
    void shouldMeetAnotherFractionOfMistakes() {
        requireFraction(0.2);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.05, 0.4})
    @Tag("full")
    void shouldMeetOtherFractionsOfMistakes(double wanted) {
        requireFraction(wanted);
    }

    private static void requireFraction(double wanted) {
        BenchCalibration calibration =
                BenchCalibration.of(SyntheticStream.ofSparse(1, FEW_FEATURES), wanted, FEW_EXAMPLES);

        assertThat(calibration.mistakes()).isEqualTo(wanted);
        assertThat(rate(calibration.turned(), FEW_FEATURES, 150_000, 300_000)).isCloseTo(wanted, within(0.05 * wanted));
    }

    @Test
    void shouldTurnNoLabelWhereTheEasyStreamHasEnoughMistakesAlready() {
        BenchCalibration calibration = BenchCalibration.of(SyntheticStream.ofSparse(1, 1 << 18), 0.05, 20_000);

        assertThat(calibration.turned()).isZero();
        assertThat(calibration.mistakes()).isGreaterThan(0.05);
    }

    @Test
    void shouldGiveTheSameFractionForTheSameSeed() {
        assertThat(BenchCalibration.of(SyntheticStream.ofSparse(3, FEW_FEATURES), 0.1, 50_000))
                .isEqualTo(BenchCalibration.of(SyntheticStream.ofSparse(3, FEW_FEATURES), 0.1, 50_000))
                .isNotEqualTo(BenchCalibration.of(SyntheticStream.ofSparse(4, FEW_FEATURES), 0.1, 50_000));
    }

    /** Mistakes per example of the engine's learner in a range of examples. */
    private static double rate(double turned, int live, int from, int to) {
        SyntheticStream stream = SyntheticStream.ofSparse(1, live);
        Model model = new Model();
        Example example = new Example();
        int mistakes = 0;
        for (int done = 0; done < to; done++) {
            stream.next();
            stream.fill(example.vector());
            example.setLabel(stream.label(turned) > 0 ? Label.PLUS_ONE : Label.MINUS_ONE);
            boolean isMistake = model.process(example, done).kind() == Outcome.Kind.MISTAKE;
            mistakes += isMistake && done >= from ? 1 : 0;
        }
        return (double) mistakes / (to - from);
    }
}
