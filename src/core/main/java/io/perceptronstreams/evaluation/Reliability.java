package io.perceptronstreams.evaluation;

import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.state.StoredBits;
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

    /*
     * Probabilities are summed in hundredths, for which fewer bits are stored. Each is rounded at a place that goes
     * through all millionths of a hundredth: so sums of any probabilities have no bias. The sum of n equal ones is
     * off by a few hundredths, of n different ones by some 0.004 times the root of n.
     */
    private static final int PARTS = 100;

    private static final int MILLIONTHS = Outcome.UNIT / PARTS;

    // about these millionths divided by the golden ratio, and a multiple of neither 2 nor 5
    private static final int STRIDE = 6_181;

    // For each range: labelled examples, those whose event came true, and the sum of their probabilities.
    private long[] sums = NOTHING;

    /**
     * A range of probabilities.
     *
     * @param examples labelled examples with such a probability
     * @param probability their mean probability: within 0.005 of one example, mostly 0.0001 of a thousand
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
        int place = (int) ((MILLIONTHS / 2 + sums[at] * STRIDE) % MILLIONTHS);
        sums[at]++;
        sums[at + 1] += outcome.isError() == isNegative ? 1 : 0;
        sums[at + 2] += (p + place) / MILLIONTHS;
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
                        sums[at], (double) sums[at + 2] / sums[at] / PARTS, (double) sums[at + 1] / sums[at]));
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

    /**
     * Writes or restores the counts, in few bits.
     *
     * @param compared number of labelled examples with a probability: with few exceptions those of all ranges
     */
    void exchange(StoredBits bits, long compared) {
        boolean isCounted = bits.flag(!isEmpty());
        if (bits.isReading()) {
            sums = isCounted ? new long[3 * BINS] : NOTHING;
        }
        StoredBits.Kind examples = new StoredBits.Kind(8);
        StoredBits.Kind others = new StoredBits.Kind(0);
        StoredBits.Kind events = new StoredBits.Kind(4);
        StoredBits.Kind distances = new StoredBits.Kind(8);
        long left = compared;
        for (int at = 0; at < sums.length; at += 3) {
            boolean isLast = at == sums.length - 3;
            sums[at] = isLast ? bits.near(others, left, sums[at]) : bits.unsigned(examples, sums[at]);
            left -= sums[at];
            if (sums[at] > 0) {
                // as many as are likely in the middle of the range, and the distance of both sums
                long likely = sums[at] * (2L * at / 3 + 1) / (2 * BINS);
                sums[at + 1] = bits.near(events, likely, sums[at + 1]);
                sums[at + 2] = bits.near(distances, PARTS * sums[at + 1], sums[at + 2]);
            }
        }
    }

    /** Writes or restores the counts; probabilities in millionths. */
    public void exchange(StoredFields fields) {
        long[] millionths = sums.clone();
        for (int at = 2; at < sums.length; at += 3) {
            millionths[at] *= MILLIONTHS;
        }
        long[] stored = fields.counts(millionths);
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
            for (int at = 2; at < sums.length; at += 3) {
                sums[at] = (sums[at] + MILLIONTHS / 2) / MILLIONTHS;
            }
        }
    }
}
