package io.perceptronstreams.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class FeatureVectorTest {
    @Test
    void shouldSortByIndexAndAddTheValuesOfEqualIndices() {
        FeatureVector x = new FeatureVector().resetSparse();
        x.append(7, 1);
        x.append(3, 2);
        x.append(7, 4);
        x.append(Integer.MAX_VALUE, 8);
        x.append(0, 16);

        x.sortAndMerge();

        assertThat(features(x))
                .containsExactly(
                        Map.entry(0, 16.0), Map.entry(3, 2.0), Map.entry(7, 5.0), Map.entry(Integer.MAX_VALUE, 8.0));
        assertThat(x.size()).isEqualTo(4);
    }

    /** They kept the room of the largest vector at each place: twenty records of 900 KB filled a heap of 512 MB. */
    @Test
    void shouldNotKeepALargeVectorAtEachPlace() {
        Sequence sequence = new Sequence();
        Candidates candidates = new Candidates();
        long tokens = 0;
        long features = 0;
        for (int place = 0; place < 50; place++) {
            sequence.clear();
            candidates.clear();
            for (int k = 0; k <= place; k++) {
                sequence.append();
                candidates.append("y");
            }
            sequence.token(place).ensureCapacity(100_000);
            candidates.features(place).ensureCapacity(100_000);
            tokens = 0;
            features = 0;
            for (int k = 0; k <= place; k++) {
                tokens += sequence.token(k).room();
                features += candidates.features(k).room();
            }
            assertThat(tokens).isLessThan(FeatureVector.MAX_ROOM + 200_000);
            assertThat(features).isLessThan(FeatureVector.MAX_ROOM + 200_000);
        }
        assertThat(tokens).as("reused as long as it is little").isGreaterThan(200_000);
    }

    @Test
    void shouldGiveTheSameByRadix() {
        Random random = new Random(4);
        IndexSort sort = new IndexSort();
        for (int round = 0; round < 300; round++) {
            FeatureVector compared = new FeatureVector().resetSparse();
            FeatureVector byRadix = new FeatureVector().resetSparse();
            int bound = 1 << (1 + random.nextInt(30));
            for (int size = random.nextInt(1000); size > 0; size--) {
                int index = random.nextInt(20) == 0 ? Integer.MAX_VALUE - size : random.nextInt(bound);
                double value = random.nextGaussian();
                compared.append(index, value);
                byRadix.append(index, value);
            }
            compared.sortAndMerge();
            byRadix.sortAndMerge(sort);
            assertThat(features(byRadix)).as("round %d", round).isEqualTo(features(compared));
        }
    }

    @Test
    void shouldKeepAnIndexWhoseValuesCancel() {
        FeatureVector x = new FeatureVector().resetSparse();
        x.append(1, 0.5);
        x.append(1, -0.5);

        x.sortAndMerge();

        assertThat(features(x)).containsExactly(Map.entry(1, 0.0));
    }

    @Test
    void shouldStayEmptyWhenMerged() {
        FeatureVector x = new FeatureVector().resetSparse();

        x.sortAndMerge();

        assertThat(x.size()).isZero();
        assertThat(x.squaredNorm()).isZero();
    }

    @SeededTest
    void shouldMergeToTheSameBitsInWhateverOrderFeaturesCome(long seed) {
        Random random = new Random(seed);
        FeatureVector x = new FeatureVector();
        for (int round = 0; round < 200; round++) {
            List<Integer> order = new ArrayList<>();
            int[] indices = new int[random.nextInt(300)];
            double[] values = new double[indices.length];
            for (int k = 0; k < indices.length; k++) {
                order.add(k);
                // few indices, so that up to a dozen values of any magnitude fall together
                indices[k] = random.nextInt(25);
                values[k] = random.nextGaussian() * Math.pow(10, random.nextInt(30));
            }
            Map<Integer, Double> inOrder = merged(x, order, indices, values);
            Collections.shuffle(order, random);

            assertThat(merged(x, order, indices, values))
                    .as("seed %d, round %d", seed, round)
                    .isEqualTo(inOrder);
        }
    }

    private static Map<Integer, Double> merged(FeatureVector x, List<Integer> order, int[] indices, double[] values) {
        x.resetSparse();
        order.forEach(k -> x.append(indices[k], values[k]));
        x.sortAndMerge();
        return features(x);
    }

    @SeededTest
    void shouldHaveNormOneAfterScalingToUnitNorm(long seed) {
        Random random = new Random(seed);
        FeatureVector x = new FeatureVector();
        for (int round = 0; round < 200; round++) {
            x.resetDense();
            int size = 1 + random.nextInt(500);
            double magnitude = Math.pow(10, random.nextInt(200) - 100);
            for (int k = 0; k < size; k++) {
                x.append(random.nextGaussian() * magnitude);
            }

            x.scaleToUnitNorm();

            assertThat(Math.sqrt(x.squaredNorm()))
                    .as("seed %d, round %d", seed, round)
                    .isCloseTo(1, within(1e-12));
        }
    }

    @Test
    void shouldDivideByTheRootOfTheSumOfSquares() {
        FeatureVector x = new FeatureVector().resetDense();
        x.append(3);
        x.append(0);
        x.append(-4);

        x.scaleToUnitNorm();

        assertThat(features(x)).containsExactly(Map.entry(0, 3 / 5.0), Map.entry(1, 0.0), Map.entry(2, -4 / 5.0));
    }

    @Test
    void shouldLeaveZerosAsTheyAreWhenScaledToUnitNorm() {
        FeatureVector x = new FeatureVector().resetSparse();
        x.append(5, 0);

        x.scaleToUnitNorm();

        assertThat(features(x)).containsExactly(Map.entry(5, 0.0));
    }

    @Test
    void shouldRefuseToScaleAVectorWhoseNormOverflows() {
        FeatureVector x = new FeatureVector().resetDense();
        x.append(1e200);

        RejectedException rejection = catchThrowableOfType(RejectedException.class, x::scaleToUnitNorm);

        assertThat(rejection.reason()).isEqualTo(RejectReason.SCORE_OVERFLOW);
        assertThat(features(x)).containsExactly(Map.entry(0, 1e200));
    }

    @Test
    void shouldTakePositionsForIndicesWhereItIsDense() {
        FeatureVector x = new FeatureVector().resetSparse();
        x.append(9, 1);
        x.resetDense();
        x.append(1);

        assertThat(x.isDense()).isTrue();
        assertThat(x.index(0)).isZero();
    }

    @Test
    void shouldKeepWhatItHasWhenItGrows() {
        FeatureVector x = new FeatureVector().resetSparse();
        for (int k = 0; k < 1000; k++) {
            x.append(3 * k, k);
        }

        assertThat(x.size()).isEqualTo(1000);
        assertThat(x.index(999)).isEqualTo(2997);
        assertThat(x.values()[999]).isEqualTo(999);
    }

    @Test
    void shouldMergeAgainAfterItHasGrown() {
        FeatureVector x = new FeatureVector().resetSparse();
        x.append(2, 1);
        x.sortAndMerge();
        x.resetSparse();
        for (int k = 200; k > 0; k--) {
            x.append(k, k);
        }

        x.sortAndMerge();

        assertThat(x.size()).isEqualTo(200);
        assertThat(x.index(0)).isEqualTo(1);
        assertThat(x.values()[199]).isEqualTo(200);
    }

    private static Map<Integer, Double> features(FeatureVector x) {
        Map<Integer, Double> features = new TreeMap<>();
        for (int k = 0; k < x.size(); k++) {
            features.put(x.index(k), x.values()[k]);
        }
        return features;
    }
}
