package io.perceptronstreams.weights;

import io.perceptronstreams.example.TableContract;
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
