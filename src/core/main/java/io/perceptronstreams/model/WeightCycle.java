package io.perceptronstreams.model;

import io.perceptronstreams.learner.Learner;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Looks for a pass that ends with the weights of an earlier one, by Brent's algorithm (1980) on a digest of the
 * weights.
 *
 * <p>A training in file order then repeats the passes in between endlessly. Cost: O(weights) per pass, and a count per
 * example. Finds a cycle of p passes that begins after q passes within 3·(p + q).
 */
final class WeightCycle {
    private final int[] updates;
    private long saved;
    private int pass;
    private int savedPass;
    private int limit = 1;
    private boolean hasUpdates;
    private boolean isFound;
    private int foundPass;

    WeightCycle(int examples, Learner learner) {
        updates = new int[examples];
        saved = digest(learner);
    }

    void countUpdate(int position) {
        if (!isFound) {
            updates[position]++;
            hasUpdates = true;
        }
    }

    void endPass(Learner learner) {
        pass++;
        if (isFound) {
            return;
        }
        long digest = digest(learner);
        if (digest == saved && hasUpdates) {
            isFound = true;
            foundPass = pass;
        } else if (pass - savedPass == limit) {
            saved = digest;
            savedPass = pass;
            limit *= 2;
            Arrays.fill(updates, 0);
            hasUpdates = false;
        }
    }

    /** The cycle; null if none was found. */
    BatchTrainer.Cycle found() {
        if (!isFound) {
            return null;
        }
        SortedMap<Integer, Integer> counts = new TreeMap<>();
        for (int position = 0; position < updates.length; position++) {
            if (updates[position] > 0) {
                counts.put(position, updates[position]);
            }
        }
        return new BatchTrainer.Cycle(savedPass, foundPass, counts);
    }

    private static long digest(Learner learner) {
        long[] digest = {1};
        learner.forEachWeight(new Learner.WeightVisitor() {
            @Override
            public void vector(String name, double bias, double averagedBias) {
                add(bias);
            }

            @Override
            public void weight(int index, double weight, double averaged) {
                if (weight != 0) {
                    add(index);
                    add(weight);
                }
            }

            private void add(double number) {
                // 0.0 and -0.0 are the same weight
                digest[0] = (digest[0] ^ Double.doubleToRawLongBits(number + 0.0)) * 0x9E3779B97F4A7C15L;
                digest[0] ^= digest[0] >>> 29;
            }
        });
        return digest[0];
    }
}
