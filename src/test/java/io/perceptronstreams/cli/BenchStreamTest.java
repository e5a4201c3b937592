package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

class BenchStreamTest {
    private final BenchStream stream = new BenchStream(1, 0);

    @Test
    void shouldGiveTheSameExamplesForTheSameSeed() {
        BenchStream again = new BenchStream(1, 0);
        for (int k = 0; k < 100; k++) {
            stream.next();
            again.next();
            assertThat(again.example(14)).isEqualTo(stream.example(14));
        }
    }

    @Test
    void shouldGiveDifferentFeaturesInAscendingOrderAndOfLengthOne() {
        for (int k = 0; k < 100; k++) {
            stream.next();
            for (int bits : new int[] {14, 24}) {
                List<Integer> indices = indices(stream.example(bits));
                assertThat(indices)
                        .hasSize(BenchStream.NON_ZEROS)
                        .doesNotHaveDuplicates()
                        .isSorted();
                assertThat(indices).allMatch(index -> index >= 0 && index < 1 << bits);
                assertThat(values(stream.example(bits)).stream()
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
            narrow.addAll(indices(stream.example(14)));
            wide.addAll(indices(stream.example(24)));
            assertThat(values(stream.example(24))).containsExactlyInAnyOrderElementsOf(values(stream.example(14)));
        }
        assertThat(wide).hasSameSizeAs(narrow);
        assertThat(wide.stream().mapToInt(index -> index).max().orElseThrow()).isGreaterThan(1 << 23);
    }

    /** A cache or a table that hashes them must not have it easier than with hashed names. */
    @Test
    void shouldSpreadFeaturesAsAtRandom() {
        Set<Integer> wide = new HashSet<>();
        for (int k = 0; k < 2000; k++) {
            stream.next();
            wide.addAll(indices(stream.example(24)));
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
    void shouldTurnRoundTheFractionOfLabelsThatIsNoise() {
        BenchStream noisy = new BenchStream(1, 0.25);
        long turned = IntStream.range(0, 4000)
                .filter(k -> {
                    stream.next();
                    noisy.next();
                    return !stream.example(14)
                            .get("label")
                            .equals(noisy.example(14).get("label"));
                })
                .count();
        // 1000 are expected; six standard deviations of 27
        assertThat(turned).isBetween(836L, 1164L);
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
