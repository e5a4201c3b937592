package io.perceptronstreams.evaluation;

import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.state.StoredFields;
import java.util.ArrayList;
import java.util.List;

/**
 * How often what was given a probability came true, by ten ranges of the probability: the reliability diagram.
 *
 * <p>With two classes the event is the positive class, with several that the predicted label is right. Cost: O(1) per
 * example. Not thread-safe.
 */
public final class Reliability {
    /** Number of ranges, each as wide as the others. */
    public static final int BINS = 10;

    private static final long[] NOTHING = {};

    // For each range: labelled examples, those whose event came true, and the sum of their probabilities in millionths.
    private long[] sums = NOTHING;

    /**
     * A range of probabilities.
     *
     * @param examples labelled examples with such a probability
     * @param probability their mean probability
     * @param rate share of them whose event came true
     */
    public record Range(long examples, double probability, double rate) {}

    /**
     * Counts a labelled example with a probability.
     *
     * @param isNegative true if the predicted label is the negative one of two
     */
    void add(Outcome outcome, boolean isNegative) {
        sums = sums.length == 0 ? new long[3 * BINS] : sums;
        int p = ofEvent(outcome.millionths(), isNegative);
        int at = range(p);
        sums[at]++;
        sums[at + 1] += outcome.isError() == isNegative ? 1 : 0;
        sums[at + 2] += p;
    }

    /** Replaces the label of a counted example. */
    void correct(Correction made, boolean isNegative) {
        if (sums.length > 0 && made.wasError() != made.isError()) {
            sums[range(ofEvent(made.millionths(), isNegative)) + 1] += made.isError() == isNegative ? 1 : -1;
        }
    }

    private static int ofEvent(int millionths, boolean isNegative) {
        return isNegative ? Outcome.UNIT - millionths : millionths;
    }

    private static int range(int p) {
        return 3 * Math.min(BINS - 1, (int) ((long) p * BINS / Outcome.UNIT));
    }

    /** Returns true if nothing is counted. */
    public boolean isEmpty() {
        return sums.length == 0;
    }

    /** The ranges that have examples, in ascending order. */
    public List<Range> ranges() {
        if (sums.length == 0) {
            return List.of();
        }
        List<Range> ranges = new ArrayList<>();
        for (int at = 0; at < sums.length; at += 3) {
            if (sums[at] > 0) {
                ranges.add(new Range(
                        sums[at], (double) sums[at + 2] / sums[at] / Outcome.UNIT, (double) sums[at + 1] / sums[at]));
            }
        }
        return ranges;
    }

    /**
     * Expected calibration error: the mean over all examples of the distance between mean probability and rate of their
     * range (Naeini, Cooper and Hauskrecht 2015); NaN without an example.
     */
    public static double expectedError(List<Range> ranges) {
        double distance = 0;
        long examples = 0;
        for (Range each : ranges) {
            distance += each.examples * Math.abs(each.probability - each.rate);
            examples += each.examples;
        }
        return distance / examples;
    }

    /** Writes or restores the counts. */
    public void exchange(StoredFields fields) {
        long[] stored = fields.counts(sums);
        if (!fields.isReading()) {
            return;
        }
        if (stored.length > 3 * BINS) {
            throw fields.fault("have " + BINS + " ranges of probabilities", stored.length + " counts");
        }
        sums = NOTHING;
        if (stored.length > 0) {
            sums = new long[3 * BINS];
            System.arraycopy(stored, 0, sums, 0, stored.length);
        }
    }
}
