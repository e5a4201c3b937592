package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureCrosser;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Sample;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Models of crossed features. */
final class CrossesModelTest {
    /**
     * Of two vectors of zeros and ones with n ones in common, bias, features and pairs have 1 + n + n(n-1)/2 = 1 + n/2
     * + n²/2 in common: crosses of all pairs are the same as this kernel, and all numbers are halves.
     */
    @Test
    void shouldScoreAsTheKernelOfAllPairs() {
        Model crossing = new Model();
        crossing.configure(Map.of("crosses", "_*_", "hash.bits", "30"));
        Model kernel = new Model();
        kernel.configure(Map.of("kernel", "1 + 0.5*linear + 0.5*linear*linear", "bias", "false"));
        FeatureCrosser crosser = new FeatureCrosser();
        Random random = new Random(11);
        int updates = 0;
        for (int k = 0; k < 2_000; k++) {
            int[] ones = random.ints(8, 0, 30).distinct().sorted().toArray();
            double[] values = IntStream.of(ones).mapToDouble(any -> 1).toArray();
            // the parity of the first bits, with noise
            int y = (ones[0] + ones.length + random.nextInt(10) / 9) % 2 * 2 - 1;
            Sample sample = Sample.sparse(y, ones, values);
            Outcome byKernel = kernel.process(sample.example(), 0);
            Example example = sample.example();
            crosser.apply(crossing.pipeline().hasher(), example.vector());
            assertThat(example.vector().size()).isEqualTo(ones.length * (ones.length + 1) / 2);
            Outcome byCrosses = crossing.process(example, 0);
            assertThat(byCrosses.score()).as("example %d", k).isEqualTo(byKernel.score());
            updates += byCrosses.isUpdated() ? 1 : 0;
        }
        assertThat(updates).isBetween(100, 1_900);
    }
}
