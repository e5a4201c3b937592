package io.perceptronstreams.model;

import io.perceptronstreams.example.Label;
import java.util.ArrayList;
import java.util.List;

/**
 * Weighted majority vote about one example: of the labels that several models predict, the one whose voters have the
 * largest sum of weights.
 *
 * <p>A voter has the weight {@code BASE^errors} (Littlestone and Warmuth 1994, The Weighted Majority Algorithm), where
 * its wrong labels count the less, the longer ago they were: after {@link #HALF_LIFE} labels half as much, so that
 * another voter leads soon after a change (as Herbster and Warmuth 1998 ask for). Weights are made of labels alone, in
 * their order, with StrictMath: a replay has the same bits. Equal sums: the label that was added first.
 *
 * <p>Cost: O(voters · labels), one exponential for each voter. Not thread-safe.
 */
final class Vote {
    /** Factor of the weight for each wrong label. */
    static final double BASE = 0.8;

    /** Number of labels after which a wrong one counts half as much. */
    static final double HALF_LIFE = 1_000;

    /** Wrong labels that a member has more than the others where it begins to vote later than they did. */
    static final double BEGINNER = 10;

    private static final double KEPT = StrictMath.pow(0.5, 1 / HALF_LIFE);
    private static final double RATE = StrictMath.log(BASE);

    private final List<Label> labels = new ArrayList<>();
    private double[] sums = new double[8];
    private double total;

    /** Returns the discounted number of wrong labels after one more label. */
    static double after(double errors, boolean isWrong) {
        return errors * KEPT + (isWrong ? 1 : 0);
    }

    /**
     * Returns the weight of a voter, 1 for the best.
     *
     * @param errors its discounted number of wrong labels
     * @param least that of the best voter
     */
    static double weight(double errors, double least) {
        return StrictMath.exp(RATE * (errors - least));
    }

    void clear() {
        labels.clear();
        total = 0;
    }

    /** Adds the label of a voter; null, if it has none, counts for no label. */
    void add(Label label, double weight) {
        total += weight;
        if (label == null) {
            return;
        }
        int place = place(label);
        if (place < 0) {
            place = labels.size();
            labels.add(label);
            sums[place] = 0;
        }
        sums[place] += weight;
    }

    private int place(Label label) {
        for (int k = 0; k < labels.size(); k++) {
            if (labels.get(k).equals(label)) {
                return k;
            }
        }
        return -1;
    }

    /** The label of the vote; null if no voter has one. */
    Label winner() {
        int best = 0;
        for (int k = 1; k < labels.size(); k++) {
            best = sums[k] > sums[best] ? k : best;
        }
        return labels.isEmpty() ? null : labels.get(best);
    }

    /** The labels that have votes, in the order in which they were added first. */
    List<Label> labels() {
        return List.copyOf(labels);
    }

    /** Shares of the weights of all voters that {@link #labels} have, from 0 to 1. */
    double[] shares() {
        double[] shares = new double[labels.size()];
        for (int k = 0; k < shares.length; k++) {
            shares[k] = sums[k] / total;
        }
        return shares;
    }

    /** Share of the weights of all voters that a label has, from 0 to 1. */
    double share(Label label) {
        int place = label == null ? -1 : place(label);
        return place < 0 ? 0 : sums[place] / total;
    }

    /** Share of a label minus the largest share of another one, from -1 to 1. */
    double lead(Label label) {
        double other = 0;
        for (int k = 0; k < labels.size(); k++) {
            other = labels.get(k).equals(label) ? other : Math.max(other, sums[k] / total);
        }
        return share(label) - other;
    }
}
