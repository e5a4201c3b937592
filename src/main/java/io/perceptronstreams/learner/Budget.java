package io.perceptronstreams.learner;

import java.util.BitSet;

/**
 * Chooses the support vectors that must leave so that one more does not exceed the budget.
 *
 * <p>Choosing changes nothing that is stored, so that an example can still be rejected after it. Draws at random are numbered: the
 * n-th is SplitMix64's n-th output for the seed (Steele, Lea and Flood 2014), so that their number is all there is to store.
 */
final class Budget {
    private static final long GAMMA = 0x9E3779B97F4A7C15L;

    private final Support support;
    private final BitSet leaving = new BitSet();
    private double draws;
    private int drawn;
    private long units;

    Budget(Support support) {
        this.support = support;
    }

    /** Chooses; more than one only after the budget was lowered. Cost: O(support) for each. */
    void choose(Settings settings, Kernel kernel) {
        leaving.clear();
        drawn = 0;
        units = 0;
        int excess = settings.budget() == 0 ? 0 : support.size() + 1 - settings.budget();
        for (int chosen = 0; chosen < excess; chosen++) {
            int slot = switch (settings.budgetPolicy()) {
                case OLDEST -> support.slot(chosen);
                case SMALLEST -> smallest(kernel);
                case RANDOM -> random(support.size() - chosen, settings.seed());
            };
            leaving.set(slot);
            units += support.unitsOf(slot);
        }
    }

    /** The slots chosen last. */
    BitSet leaving() {
        return leaving;
    }

    /** How many blocks of 128 the vectors chosen last fill. */
    long units() {
        return units;
    }

    /** Removes the vectors chosen last, and returns the survival counts that are lost with them. */
    double removeChosen() {
        draws += drawn;
        return leaving.isEmpty() ? 0 : support.remove(leaving);
    }

    private int smallest(Kernel kernel) {
        int smallest = -1;
        double least = Double.POSITIVE_INFINITY;
        for (int place = 0; place < support.size(); place++) {
            int slot = support.slot(place);
            double alpha = support.coefficients()[slot];
            double zz = support.squaredNorms()[slot];
            double size = alpha * alpha * kernel.at(zz, zz, zz);
            if (!leaving.get(slot) && (smallest < 0 || size < least)) {
                smallest = slot;
                least = size;
            }
        }
        return smallest;
    }

    private int random(int remaining, long seed) {
        // 31 random bits scaled down: chances differ by less than one in 2^31 / remaining
        int left = (int) (((draw(seed) >>> 33) * remaining) >>> 31);
        int place = 0;
        while (leaving.get(support.slot(place)) || left-- > 0) {
            place++;
        }
        return support.slot(place);
    }

    private long draw(long seed) {
        drawn++;
        long z = seed + ((long) draws + drawn) * GAMMA;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }

    /** How many numbers were drawn; with the seed, the state of the generator. */
    double draws() {
        return draws;
    }

    void setDraws(double draws) {
        this.draws = draws;
    }
}
