package io.perceptronstreams.weights;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.TableContract;
import java.util.Arrays;
import org.junit.jupiter.api.Nested;

/** The tables of weights, with indices that a client has chosen. */
final class WeightTablesTest {
    @Nested
    final class OfEntries extends TableContract {
        @Override
        protected double visitedSlots(int[] keys) {
            Entries entries = new Entries(1);
            for (int key : keys) {
                entries.insert(key);
            }
            return 1 + (double) entries.distances() / keys.length;
        }
    }

    @Nested
    final class OfEntriesOfExamples extends TableContract {
        private static final int FEATURES = 40;

        @Override
        protected double visitedSlots(int[] keys) {
            Entries entries = new Entries(1);
            for (int from = 0; from < keys.length; from += FEATURES) {
                FeatureVector x = new FeatureVector().resetSparse();
                Arrays.stream(keys, from, Math.min(keys.length, from + FEATURES))
                        .sorted()
                        .forEach(index -> x.append(index, 1));
                if (!entries.insert(x, entries.find(x, x.places()))) {
                    Arrays.stream(x.indices(), 0, x.size()).forEach(entries::insert);
                }
                assertThat(entries.find(x, x.places())).isZero();
            }
            assertThat(entries.size()).isEqualTo(keys.length);
            return 1 + (double) entries.distances() / keys.length;
        }
    }

    @Nested
    final class OfRestoredEntries extends TableContract {
        @Override
        protected double visitedSlots(int[] keys) {
            Entries entries = new Entries(1);
            entries.restore(keys, new double[keys.length]);
            return 1 + (double) entries.distances() / keys.length;
        }
    }

    @Nested
    final class OfFarChunks extends TableContract {
        @Override
        protected double visitedSlots(int[] keys) {
            FarChunks chunks = new FarChunks();
            for (int key : keys) {
                chunks.add(key);
            }
            return 1 + (double) chunks.distances() / keys.length;
        }
    }
}
