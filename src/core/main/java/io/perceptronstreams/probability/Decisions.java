package io.perceptronstreams.probability;

import io.perceptronstreams.learner.Decision;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.settings.AlertLimit;
import io.perceptronstreams.settings.Threshold;
import io.perceptronstreams.state.StoredFields;
import java.util.Arrays;

/**
 * Decides between two classes by probability and costs (Elkan 2001), under a limit of alerts, and counts what the
 * decisions have cost once their labels are known.
 *
 * <p>An alert is a decision for the positive class. Of those above the limit of a period of event time the decision is
 * withheld: nothing is to be done, as with a decision for the negative class. Periods move on only: an example of an
 * earlier one counts in the latest. Cost: O(1) per example. Not thread-safe.
 */
public final class Decisions {
    /*
     * For the best threshold in hindsight, probabilities are counted between these. They are closer near 0 and 1, where
     * the probability lies at which a decision turns if costs differ much.
     */
    private static final int[] EDGES = {
        1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 300_000, 400_000, 500_000, 600_000, 700_000,
        800_000, 900_000, 950_000, 980_000, 990_000, 995_000, 998_000, 999_000
    };

    // Places of counts; behind them, for each range of probabilities, labelled examples of -1 and of +1.
    private static final int FALSE_ALARMS = 0;
    private static final int MISSES = 1;
    private static final int NEGATIVES = 2;
    private static final int POSITIVES = 3;
    private static final int WITHHELD = 4;
    private static final int RANGES = 5;

    private static final int ALL = RANGES + 2 * (EDGES.length + 1);
    private static final long[] NOTHING = new long[ALL];

    // made with the first decision: most models make none
    private long[] counts = NOTHING;

    // Start of the last period that had an alert, in ms, and its alerts.
    private long start = Long.MIN_VALUE;
    private long alerts;

    /**
     * Decides for a prediction of two classes.
     *
     * @param isPositive true if the predicted label is +1; that is the decision unless it is by cost
     * @param time event time, in ms
     */
    public Decision decide(Outcome outcome, boolean isPositive, Threshold threshold, AlertLimit limit, long time) {
        boolean isByCost = threshold.isByCost() && outcome.hasProbability();
        if (outcome.isAbstained() || (!isByCost && limit.isNone())) {
            return Decision.NONE;
        }
        boolean isAlert =
                isByCost ? ofPositive(outcome, isPositive) >= threshold.probability() * Outcome.UNIT : isPositive;
        if (!isAlert || limit.isNone()) {
            return isAlert ? Decision.POSITIVE : Decision.NEGATIVE;
        }
        long now = limit.period().start(time);
        if (now > start) {
            start = now;
            alerts = 0;
        }
        if (alerts >= limit.count()) {
            increment(WITHHELD);
            return Decision.WITHHELD;
        }
        alerts++;
        return Decision.POSITIVE;
    }

    private static int ofPositive(Outcome outcome, boolean isPositive) {
        return isPositive ? outcome.millionths() : Outcome.UNIT - outcome.millionths();
    }

    /**
     * Counts the label of an example with a decision.
     *
     * @param outcome as it was emitted
     * @param isPositive true if the emitted label is +1
     */
    public void count(Outcome outcome, boolean isPositive) {
        boolean isTrue = isPositive != outcome.isError();
        boolean isAlert = outcome.decision() == Decision.POSITIVE;
        increment(isTrue ? POSITIVES : NEGATIVES);
        if (isAlert != isTrue) {
            increment(isAlert ? FALSE_ALARMS : MISSES);
        }
        if (outcome.hasProbability()) {
            increment(RANGES + 2 * range(ofPositive(outcome, isPositive)) + (isTrue ? 1 : 0));
        }
    }

    /**
     * Replaces the label of a counted example.
     *
     * @param outcome as it was emitted, compared with the other label
     * @param isPositive true if the emitted label is +1
     * @param wasError true if the emitted label was wrong by the label that was counted
     */
    public void correct(Outcome outcome, boolean isPositive, boolean wasError) {
        boolean wasTrue = isPositive != wasError;
        if (outcome.isError() == wasError || counts[wasTrue ? POSITIVES : NEGATIVES] == 0) {
            return;
        }
        boolean isAlert = outcome.decision() == Decision.POSITIVE;
        counts[wasTrue ? POSITIVES : NEGATIVES]--;
        if (isAlert != wasTrue) {
            counts[isAlert ? FALSE_ALARMS : MISSES]--;
        }
        if (outcome.hasProbability()) {
            counts[RANGES + 2 * range(ofPositive(outcome, isPositive)) + (wasTrue ? 1 : 0)]--;
        }
        count(outcome, isPositive);
    }

    @SuppressWarnings("ReferenceEquality") // the shared object itself
    private void increment(int place) {
        counts = counts == NOTHING ? new long[ALL] : counts;
        counts[place]++;
    }

    private static int range(int millionths) {
        int range = 0;
        while (range < EDGES.length && EDGES[range] <= millionths) {
            range++;
        }
        return range;
    }

    /** Returns true if nothing was decided yet that a label or limit has counted. */
    public boolean isEmpty() {
        return labelled() == 0 && withheld() == 0;
    }

    /** Labelled examples with a decision. */
    public long labelled() {
        return counts[NEGATIVES] + counts[POSITIVES];
    }

    /** Those decided for +1 whose label is -1. */
    public long falseAlarms() {
        return counts[FALSE_ALARMS];
    }

    /** Those decided for -1, or withheld, whose label is +1. */
    public long misses() {
        return counts[MISSES];
    }

    /** Alerts above the limit. */
    public long withheld() {
        return counts[WITHHELD];
    }

    /** What the decisions have cost, at these costs. */
    public double cost(Threshold costs) {
        return cost(costs, falseAlarms(), misses());
    }

    /** What it would have cost to decide always for +1. */
    public double costOfAlways(Threshold costs) {
        return cost(costs, counts[NEGATIVES], 0);
    }

    /** What it would have cost never to decide for +1. */
    public double costOfNever(Threshold costs) {
        return cost(costs, 0, counts[POSITIVES]);
    }

    private static double cost(Threshold costs, long falseAlarms, long misses) {
        return costs.falseAlarm() * falseAlarms + costs.miss() * misses;
    }

    /**
     * A fixed threshold, without a limit of alerts.
     *
     * @param probability the least one of +1 that it decides for +1; 0 for always, above 1 for never
     */
    public record Fixed(double probability, double cost) {}

    /** The cheapest fixed threshold in hindsight, of those at the ends of the ranges; the lowest of equal ones. */
    public Fixed bestFixed(Threshold costs) {
        long falseAlarms = 0;
        for (int range = 0; range <= EDGES.length; range++) {
            falseAlarms += counts[RANGES + 2 * range];
        }
        long misses = 0;
        Fixed best = new Fixed(0, cost(costs, falseAlarms, 0));
        for (int range = 0; range <= EDGES.length; range++) {
            falseAlarms -= counts[RANGES + 2 * range];
            misses += counts[RANGES + 2 * range + 1];
            double cost = cost(costs, falseAlarms, misses);
            if (cost < best.cost) {
                double edge = range == EDGES.length ? Math.nextUp(1.0) : (double) EDGES[range] / Outcome.UNIT;
                best = new Fixed(edge, cost);
            }
        }
        return best;
    }

    /** Estimated heap of what grows, in bytes. */
    @SuppressWarnings("ReferenceEquality") // the shared object itself
    public long heapBytes() {
        return counts == NOTHING ? 0 : 8L * ALL;
    }

    /** Forgets all counts, but not the alerts of the period. */
    public void clear() {
        counts = NOTHING;
    }

    /** Writes or restores all. */
    public void exchange(StoredFields fields) {
        boolean hasPeriod = fields.flag(start != Long.MIN_VALUE);
        if (hasPeriod) {
            start = fields.signed(start);
            alerts = fields.unsigned(alerts);
        }
        long[] stored = fields.counts(counts);
        if (stored.length > ALL) {
            throw fields.fault("have " + ALL + " counts of decisions", stored.length);
        }
        if (fields.isReading() && stored.length > 0) {
            counts = Arrays.copyOf(stored, ALL);
        }
    }
}
