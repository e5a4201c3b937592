package io.perceptronstreams.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.perceptronstreams.example.FeatureVector;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SyntheticStreamTest {
    private final SyntheticStream stream = SyntheticStream.ofSparse(1, 1 << 14);

    @Test
    void shouldGiveTheSameExamplesForTheSameSeed() {
        SyntheticStream again = SyntheticStream.ofSparse(1, 1 << 14);
        for (int k = 0; k < 100; k++) {
            stream.next();
            again.next();
            assertThat(again.example(14, 0)).isEqualTo(stream.example(14, 0));
        }
    }

    @Test
    void shouldGiveDifferentFeaturesInAscendingOrderAndOfLengthOne() {
        for (int k = 0; k < 100; k++) {
            stream.next();
            for (int bits : new int[] {14, 24}) {
                List<Integer> indices = indices(stream.example(bits, 0));
                assertThat(indices)
                        .hasSize(SyntheticStream.NON_ZEROS)
                        .doesNotHaveDuplicates()
                        .isSorted();
                assertThat(indices).allMatch(index -> index >= 0 && index < 1 << bits);
                assertThat(values(stream.example(bits, 0)).stream()
                                .mapToDouble(value -> value * value)
                                .sum())
                        .isCloseTo(1, within(1e-12));
            }
        }
    }

    @Test
    void shouldSpreadTheSameFeaturesOverMoreIndices() {
        Set<Integer> narrow = new HashSet<>();
        Set<Integer> wide = new HashSet<>();
        for (int k = 0; k < 2000; k++) {
            stream.next();
            narrow.addAll(indices(stream.example(14, 0)));
            wide.addAll(indices(stream.example(24, 0)));
            assertThat(values(stream.example(24, 0)))
                    .containsExactlyInAnyOrderElementsOf(values(stream.example(14, 0)));
        }
        assertThat(wide).hasSameSizeAs(narrow);
        assertThat(wide.stream().mapToInt(index -> index).max().orElseThrow()).isGreaterThan(1 << 23);
    }

    /** Indices must not be easier for a cache or a hash table than hashed names. */
    @Test
    void shouldSpreadFeaturesAsAtRandom() {
        Set<Integer> wide = new HashSet<>();
        for (int k = 0; k < 2000; k++) {
            stream.next();
            wide.addAll(indices(stream.example(24, 0)));
        }
        int slots = 1 << 15;
        double expected = slots * (1 - Math.pow(1 - 1.0 / slots, wide.size()));
        for (int factor : new int[] {1, 0x9e3779b1, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f}) {
            long used = wide.stream()
                    .mapToInt(index -> factor == 1 ? index >>> 9 : (index * factor) >>> 17)
                    .distinct()
                    .count();
            assertThat((double) used).as("factor %x", factor).isCloseTo(expected, withinPercentage(2));
        }
    }

    @Test
    void shouldTurnTheFractionOfLabelsAskedForAndNothingElse() {
        int turned = 0;
        for (int k = 0; k < 4000; k++) {
            stream.next();
            GenericRecord easy = stream.example(14, 0);
            GenericRecord hard = stream.example(14, 0.25);
            turned += easy.get("label").equals(hard.get("label")) ? 0 : 1;
            assertThat(hard.get("features")).isEqualTo(easy.get("features"));
        }
        // 1000 are expected; six standard deviations of 27
        assertThat(turned).isBetween(836, 1164);
    }

    @Test
    void shouldTurnMoreLabelsOnlyBesidesThoseTurnedAlready() {
        for (int k = 0; k < 4000; k++) {
            stream.next();
            if (stream.label(0.1) != stream.label(0)) {
                assertThat(stream.label(0.2)).isEqualTo(stream.label(0.1));
            }
        }
    }

    @Test
    void shouldShowTheLearnerWhatTheEventHas() {
        FeatureVector vector = new FeatureVector();
        stream.next();
        stream.fill(vector);

        GenericRecord example = stream.example(14, 0);
        assertThat(vector.size()).isEqualTo(SyntheticStream.NON_ZEROS);
        for (int k = 0; k < vector.size(); k++) {
            assertThat(vector.index(k)).isEqualTo(indices(example).get(k));
            assertThat(vector.values()[k]).isEqualTo(values(example).get(k));
        }
    }

    @Test
    void shouldGiveDenseExamplesLabelledByAHyperplane() {
        SyntheticStream dense = SyntheticStream.ofDense(1, 30);
        FeatureVector vector = new FeatureVector();
        Perceptron perceptron = new Perceptron();
        for (int k = 0; k < 20_000; k++) {
            dense.next();
            dense.fill(vector);
            GenericRecord example = dense.example(dense.bits(), 0);
            assertThat(vector.isDense()).isTrue();
            assertThat(vector.size()).isEqualTo(30);
            assertThat(values(example))
                    .containsExactly(
                            Arrays.stream(vector.values()).limit(30).boxed().toArray(Double[]::new));
            perceptron.learn(vector.values(), dense.label(0), k >= 10_000);
        }
        // separable by 0.3 of a deviation: a perceptron makes few mistakes in the end
        assertThat(perceptron.mistakes).isLessThan(20);
    }

    /** The plain algorithm over arrays. */
    private static final class Perceptron {
        private final double[] weights = new double[30];
        private int mistakes;

        void learn(double[] x, int label, boolean isCounted) {
            double score = 0;
            for (int k = 0; k < weights.length; k++) {
                score += weights[k] * x[k];
            }
            if (score * label <= 0) {
                mistakes += isCounted ? 1 : 0;
                for (int k = 0; k < weights.length; k++) {
                    weights[k] += label * x[k];
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"256, 8", "16384, 14", "16385, 15", "4194304, 22"})
    void shouldHaveIndicesOfAsFewBitsAsItsFeaturesNeed(int live, int bits) {
        SyntheticStream other = SyntheticStream.ofSparse(1, live);
        assertThat(other.bits()).isEqualTo(bits);

        int largest = 0;
        for (int k = 0; k < 200; k++) {
            other.next();
            List<Integer> indices = indices(other.example(bits, 0));
            assertThat(indices)
                    .hasSize(SyntheticStream.NON_ZEROS)
                    .doesNotHaveDuplicates()
                    .isSorted();
            largest = Math.max(largest, indices.get(indices.size() - 1));
        }
        assertThat(largest).isBetween(1 << (bits - 1), (1 << bits) - 1);
    }

    @SuppressWarnings("unchecked") // the schema says so
    private static List<Integer> indices(GenericRecord example) {
        return List.copyOf((List<Integer>) ((GenericRecord) example.get("features")).get("indices"));
    }

    @SuppressWarnings("unchecked") // the schema says so
    private static List<Double> values(GenericRecord example) {
        return List.copyOf((List<Double>) ((GenericRecord) example.get("features")).get("values"));
    }
}
