package io.perceptronstreams.kernel;

import io.perceptronstreams.learner.StateFields;
import io.perceptronstreams.settings.Kernel;
import io.perceptronstreams.settings.Settings;
import java.util.BitSet;

/** Chooses the support vectors to remove when another one is added, to keep the budget. */
final class Budget {
    /*
     * At most MAX_LEAVING vectors leave with an update, and if the support is large as few as MAX_EVALUATIONS allows,
     * but at least two: each removal costs as much as a score, and the work for one record must stay bounded. After the
     * budget was lowered the support therefore exceeds it for some updates.
     *
     * Choosing changes no state, so the example can still be rejected. Random draws are numbered: the n-th is
     * SplitMix64's n-th output for the seed (Steele, Lea and Flood 2014), so only their number is stored.
     */
    /** Maximum number of vectors removed per update. */
    static final int MAX_LEAVING = 16;

    /** Maximum number of kernel evaluations per update for removals, if more than two vectors are removed. */
    static final int MAX_EVALUATIONS = 1 << 18;

    private static final long GAMMA = 0x9E3779B97F4A7C15L;

    private final SupportSet support;
    private final BitSet leaving = new BitSet();

    // Slots of the smallest vectors and their alpha^2·K(x,x), ascending.
    private final int[] smallest = new int[MAX_LEAVING];
    private final double[] sizes = new double[MAX_LEAVING];
    private double draws;
    private int drawn;
    private long units;

    Budget(SupportSet support) {
        this.support = support;
    }

    /** Chooses the vectors. Cost: O(support) per vector with budget.policy=random, O(support) in all otherwise. */
    void choose(Settings settings, Kernel kernel) {
        leaving.clear();
        drawn = 0;
        units = 0;
        int count = count(settings);
        if (settings.get(Settings.BUDGET_POLICY) == Settings.BudgetPolicy.SMALLEST && count > 0) {
            findSmallest(count, kernel);
        }
        for (int chosen = 0; chosen < count; chosen++) {
            int slot = switch (settings.get(Settings.BUDGET_POLICY)) {
                case OLDEST -> support.slot(chosen);
                case SMALLEST -> smallest[chosen];
                case RANDOM -> random(support.size() - chosen, settings.get(Settings.SEED));
            };
            leaving.set(slot);
            units += support.unitsOf(slot);
        }
    }

    private int count(Settings settings) {
        int excess = settings.get(Settings.BUDGET) == 0
                ? 0
                : Math.max(0, support.size() + 1 - settings.get(Settings.BUDGET));
        int affordable = MAX_EVALUATIONS / Math.max(1, support.size());
        return Math.min(excess, Math.max(2, Math.min(MAX_LEAVING, affordable)));
    }

    /** Slots of the chosen vectors. */
    BitSet leaving() {
        return leaving;
    }

    /** Number of blocks of 128 in the chosen vectors. */
    long units() {
        return units;
    }

    /** Removes the chosen vectors; returns the survival counts that are lost with them. */
    double removeChosen() {
        draws += drawn;
        return leaving.isEmpty() ? 0 : support.remove(leaving);
    }

    /** Finds the vectors with the smallest alpha^2·K(x,x) in one pass; ties go to the oldest. */
    private void findSmallest(int count, Kernel kernel) {
        int found = 0;
        for (int place = 0; place < support.size(); place++) {
            int slot = support.slot(place);
            double alpha = support.coefficients()[slot];
            double zz = support.squaredNorm(slot);
            double size = alpha * alpha * kernel.at(zz, zz, zz);
            if (found == count && !(size < sizes[count - 1])) {
                continue;
            }
            int at = found < count ? found++ : count - 1;
            for (; at > 0 && size < sizes[at - 1]; at--) {
                sizes[at] = sizes[at - 1];
                smallest[at] = smallest[at - 1];
            }
            sizes[at] = size;
            smallest[at] = slot;
        }
    }

    private int random(int remaining, long seed) {
        // 31 random bits, scaled: probabilities differ by less than one in 2^31 / remaining
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

    /** Exchanges the number of draws. */
    void exchange(StateFields fields) {
        draws = fields.count(draws);
    }
}
