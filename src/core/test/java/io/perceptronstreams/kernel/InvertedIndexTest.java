package io.perceptronstreams.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.example.TableContract;
import io.perceptronstreams.learner.Sample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

final class InvertedIndexTest {
    private final InvertedIndex index = new InvertedIndex();

    // Features of all frequencies, so that columns are sparse, dense, and change from one to the other and back.
    @SeededTest
    void shouldGiveTheBitsOfThePlainInnerProduct(long seed) {
        Random random = new Random(seed);
        List<Sample> bySlot = new ArrayList<>();
        double[] dots = new double[1000];
        for (int round = 0; round < 1500; round++) {
            int slot = random.nextInt(1 + Math.min(bySlot.size(), 20 + round / 5));
            if (slot == bySlot.size()) {
                bySlot.add(null);
            }
            if (bySlot.get(slot) != null) {
                index.remove(slot, bySlot.get(slot).vector());
                bySlot.set(slot, null);
            }
            if (random.nextInt(5) > 0) {
                bySlot.set(slot, sample(random));
                index.add(slot, bySlot.get(slot).vector(), bySlot.size());
            }
            Sample x = sample(random);

            index.dots(x.vector(), bySlot.size(), dots);

            for (int k = 0; k < bySlot.size(); k++) {
                assertThat(dots[k]).isEqualTo(bySlot.get(k) == null ? 0 : dot(x, bySlot.get(k)));
            }
        }
    }

    /** Feature k in about 1/k of all vectors, with gaps that make hashes collide. */
    private static Sample sample(Random random) {
        List<Integer> indices = new ArrayList<>();
        for (int k = 1; k < 60; k++) {
            if (random.nextInt(k) == 0) {
                indices.add(64 * k);
            }
        }
        double[] values = new double[indices.size()];
        for (int k = 0; k < values.length; k++) {
            values[k] = random.nextGaussian();
        }
        return Sample.sparse(1, indices.stream().mapToInt(i -> i).toArray(), values);
    }

    private static double dot(Sample x, Sample z) {
        double sum = 0;
        for (int k = 0; k < x.indices.length; k++) {
            for (int l = 0; l < z.indices.length; l++) {
                if (x.indices[k] == z.indices[l]) {
                    sum += x.values[k] * z.values[l];
                }
            }
        }
        return sum;
    }

    // With a budget and ever new features, memory would else only grow.
    @Test
    void shouldForgetFeaturesThatNoVectorHasAnyMore() {
        FeatureVector x = new FeatureVector();
        for (int n = 0; n < 100_000; n++) {
            x.resetSparse().append(n * 7, 1);
            index.add(0, x, 1);
            index.remove(0, x);
        }

        assertThat(index.heapBytes()).isLessThan(1000);
    }

    @Test
    void shouldTakeLittleMoreThanTheNumbersForSparseData() {
        FeatureVector x = new FeatureVector();
        for (int slot = 0; slot < 1000; slot++) {
            x.resetSparse().append(0, 1);
            for (int k = 0; k < 20; k++) {
                x.append(1 + slot * 20 + k, 1);
            }
            index.add(slot, x, slot + 1);
        }

        // 20,000 columns of one pair, and one of 1,000 values
        assertThat(index.heapBytes()).isLessThan(3_000_000);
    }

    @Nested
    final class OfChosenFeatures extends TableContract {
        @Override
        protected double visitedSlots(int[] keys) {
            int[] ascending = keys.clone();
            Arrays.sort(ascending);
            double[] values = new double[keys.length];
            Arrays.fill(values, 1);
            InvertedIndex chosen = new InvertedIndex();
            chosen.add(0, Sample.sparse(1, ascending, values).vector(), 1);
            return 1 + (double) chosen.distances() / keys.length;
        }
    }
}
