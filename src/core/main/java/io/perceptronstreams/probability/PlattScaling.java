package io.perceptronstreams.probability;

import io.perceptronstreams.state.StoredBits;
import java.util.Arrays;

/**
 * Probability of an event by a score, learned online: a logistic function (Platt 1999) whose parameters follow by
 * recursive Newton steps (Gupta and Ramdas 2023, with the second derivative in place of the squared gradient; of a
 * batch, Lin, Lin and Weng 2007 search along each step, which one label does not allow), and behind it a correction
 * by what came true of late in ten ranges of the probability (calibeating, Foster and Hart 2021).
 *
 * <p>The score u is divided by the mean size of scores m, this one included, because scores grow with the number of
 * updates, at a rate that depends on the learner. The log-odds are a + b·f + c·s with f = 2u/(|u| + m): bounded, so
 * that no single score decides. s is the sign of a score of two classes: near 0, scores of learners that make updates
 * on mistakes only are least what they seem. With x = (1, f, s), the error e of the probability p, and H the discounted
 * sum of p(1 - p)·x·x' plus 1 on its diagonal, the parameters move by H^-1·x·e.
 *
 * <p>Without forgetting, probabilities are wrong on streams without drift, too: the learner's own scores change their
 * meaning while it learns. The state is 30 numbers, rounded so that few bits are stored. Cost: O(1), an exponential and
 * some 60 products per example. Not thread-safe.
 */
final class PlattScaling {
    /** Number of numbers of {@link #state}. */
    static final int NUMBERS = 30;

    /** Labels after which the mean size of scores, and their number, forget. */
    private static final double MEMORY = 1_000;

    // sums of scores, and leads of one before another, do not overflow
    private static final double MAX_SIZE = 1e300;

    /** A size that is this many times the mean counts as that: one score must not count for a long time. */
    private static final double MAX_OUTLIER = 100;

    private static final double MAX_ODDS = 12;
    private static final double KEPT_OF_CURVATURE = 0.998;
    private static final double KEPT_OF_RANGES = 0.999;
    private static final int RANGES = 10;

    /** Labels of a range that give half of its correction. */
    private static final double SHRINKAGE = 10;

    /*
     * How numbers are rounded. Parameters, to the nearest: steps of a sure and right prediction below 2^-17 are lost,
     * so log-odds stop growing where an error has that probability. H, to the nearest: a sum is off by at most
     * 2^-11/(1 - 0.998) < 0.25, and a symmetric 3 × 3 matrix of such numbers has no eigenvalue of size 0.75 or more, so
     * that H stays above 0.25 times the identity. Sums of errors more coarsely, for there are ten, but at a place that
     * goes through a period of 256 labels: in the mean nothing is lost, however small the errors are.
     */
    private static final int PARTS_OF_PARAMETER = 1 << 16;

    private static final int PARTS_OF_H = 1 << 10;
    private static final int PARTS_OF_ERROR = 1 << 6;
    private static final int PERIOD = 256;
    private static final int COUNT_BITS = 11;

    // about 256 divided by the golden ratio, and odd, so that it goes through all places
    private static final int STRIDE = 157;

    /** Larger ones nothing can have led to, but for the mean size. */
    private static final double MAX_STATE = 1e12;

    // Labels of a range after which their discounted number, within 0.3 of its limit, stays; and that number by labels.
    private static final int MAX_LABELS = 1 << 13;
    private static final double[] DISCOUNTED = new double[MAX_LABELS + 1];

    static {
        for (int labels = 1; labels <= MAX_LABELS; labels++) {
            DISCOUNTED[labels] = KEPT_OF_RANGES * DISCOUNTED[labels - 1] + 1;
        }
    }

    // Places in the state: number of labels, above MEMORY without whole periods; mean size of scores; parameters a, b
    // and c; sums of w, w·f, w·s, w·f² and w·f·s for w = p(1 - p); by range the sum of errors, and the discounted
    // number of labels.
    private static final int COUNT = 0;
    private static final int SIZE = 1;
    private static final int A = 2;
    private static final int B = 3;
    private static final int C = 4;
    private static final int W = 5;
    private static final int WF = 6;
    private static final int WS = 7;
    private static final int WFF = 8;
    private static final int WFS = 9;
    private static final int ERRORS = 10;
    private static final int LABELS = ERRORS + RANGES;

    private final double[] state = new double[NUMBERS];

    // by range, up to MAX_LABELS
    private final int[] labels = new int[RANGES];

    // of the state: 1 through the labels of the mean size with the next one, and the correction of each range
    private double rate = 1;
    private final double[] corrections = new double[RANGES];

    // Of the last forecast.
    private double size;
    private double f;
    private double s;
    private double p;

    /**
     * Starts with what is usual for a learner.
     *
     * @param isOfTwo true for scores of two classes, false for leads of the predicted one of several
     */
    void start(boolean isOfTwo) {
        state[A] = isOfTwo ? 0 : -1;
        state[B] = isOfTwo ? 3 : 2;
    }

    /**
     * Probability of the event at a score; between 0 and 1.
     *
     * @param isSigned true for the score of two classes, whose sign counts
     */
    double probability(double score, boolean isSigned) {
        double u = Math.max(-MAX_SIZE, Math.min(MAX_SIZE, score));
        double of = Math.abs(u);
        double before = state[SIZE];
        double most = before > 0 ? MAX_OUTLIER * before : MAX_SIZE;
        size = before + (Math.min(of, most) - before) * rate;
        f = size > 0 ? 2 * (u / (of + size)) : 0;
        s = !isSigned ? 0 : u >= 0 ? 1 : -1;
        double odds = state[A] + state[B] * f + state[C] * s;
        p = Logistic.probability(Math.max(-MAX_ODDS, Math.min(MAX_ODDS, odds)));
        double place = RANGES * p - 0.5;
        int below = (int) Math.floor(place);
        double share = place - below;
        double correction =
                (1 - share) * corrections[Math.max(0, below)] + share * corrections[Math.min(RANGES - 1, below + 1)];
        // towards an end at most nine tenths of the way
        return correction < 0 ? Math.max(p + correction, p / 10) : Math.min(p + correction, 1 - (1 - p) / 10);
    }

    private void correct(int range) {
        corrections[range] = state[ERRORS + range] / (state[LABELS + range] + SHRINKAGE);
    }

    /** Mean size of scores at the last forecast, its own included. */
    double size() {
        return size;
    }

    /** Learns whether the event of the last forecast came true. */
    void learn(boolean isTrue) {
        double error = (isTrue ? 1 : 0) - p;
        double w = p * (1 - p);
        double wf = w * f;
        add(W, w);
        add(WF, wf);
        add(WS, w * s);
        add(WFF, wf * f);
        add(WFS, wf * s);
        move(error);
        learnRange(error);
        state[SIZE] = Logistic.rounded(size);
        int count = (int) state[COUNT];
        state[COUNT] = count == MEMORY + PERIOD - 1 ? MEMORY : count + 1;
        setRate();
    }

    private void add(int place, double number) {
        state[place] = Logistic.rounded(KEPT_OF_CURVATURE * state[place] + number, PARTS_OF_H);
    }

    private void learnRange(double error) {
        int range = Math.min(RANGES - 1, (int) (RANGES * p));
        double place = (((((int) state[COUNT]) * STRIDE) & (PERIOD - 1)) + 0.5) / PERIOD;
        double sum = KEPT_OF_RANGES * state[ERRORS + range] + error;
        state[ERRORS + range] = Math.floor(sum * PARTS_OF_ERROR + place) / PARTS_OF_ERROR;
        labels[range] = Math.min(MAX_LABELS, labels[range] + 1);
        state[LABELS + range] = DISCOUNTED[labels[range]];
        correct(range);
    }

    private void setRate() {
        rate = 1 / Math.min(MEMORY, state[COUNT] + 1);
    }

    /** Adds H^-1·x·error to the parameters, by cofactors: the determinant is positive. */
    private void move(double error) {
        double h11 = state[W] + 1;
        double h12 = state[WF];
        double h13 = state[WS];
        double h22 = state[WFF] + 1;
        double h23 = state[WFS];
        // s² is 1, or s is 0, and this one cancels out
        double h33 = h11;
        double c11 = h22 * h33 - h23 * h23;
        double c12 = h13 * h23 - h12 * h33;
        double c13 = h12 * h23 - h13 * h22;
        double c22 = h11 * h33 - h13 * h13;
        double c23 = h12 * h13 - h11 * h23;
        double c33 = h11 * h22 - h12 * h12;
        double step = error / (h11 * c11 + h12 * c12 + h13 * c13);
        shift(A, step * (c11 + c12 * f + c13 * s));
        shift(B, step * (c12 + c22 * f + c23 * s));
        shift(C, step * (c13 + c23 * f + c33 * s));
    }

    private void shift(int place, double step) {
        state[place] = Logistic.rounded(state[place] + step, PARTS_OF_PARAMETER);
    }

    /** Returns true if restored numbers are finite, and such that the next ones will be. */
    boolean isValid() {
        for (int place = 0; place < NUMBERS; place++) {
            boolean isSum = place >= ERRORS && place < LABELS;
            boolean isSigned =
                    isSum || place == A || place == B || place == C || place == WF || place == WS || place == WFS;
            // a rounded mean size may be a little above
            double most = place == COUNT ? MEMORY + PERIOD - 1 : place == SIZE ? 2 * MAX_SIZE : MAX_STATE;
            if (!(Math.abs(state[place]) <= most) || (state[place] < 0 && !isSigned)) {
                return false;
            }
        }
        // H is positive definite, and stays so
        double h11 = state[W] + 1;
        double h22 = state[WFF] + 1;
        double of12 = h11 * h22 - state[WF] * state[WF];
        double of23 = h22 * h11 - state[WFS] * state[WFS];
        double c12 = state[WS] * state[WFS] - state[WF] * h11;
        double c13 = state[WF] * state[WFS] - state[WS] * h22;
        double determinant = h11 * of23 + state[WF] * c12 + state[WS] * c13;
        return of12 > 0 && determinant > 0 && determinant < Double.POSITIVE_INFINITY;
    }

    /** What was learned; not to be changed. */
    double[] state() {
        return state;
    }

    /** Restores the first numbers of an array, which may have been rounded in another way. */
    void restore(double[] stored) {
        System.arraycopy(stored, 0, state, 0, NUMBERS);
        state[COUNT] = Math.rint(state[COUNT]);
        state[SIZE] = Logistic.rounded(state[SIZE]);
        for (int place = A; place < NUMBERS; place++) {
            if (place < LABELS) {
                state[place] = Logistic.rounded(state[place], parts(place));
            } else if (state[place] >= 0) {
                labels[place - LABELS] = labels(state[place]);
                state[place] = DISCOUNTED[labels[place - LABELS]];
            }
        }
        derive();
    }

    private static int parts(int place) {
        return place < W ? PARTS_OF_PARAMETER : place < ERRORS ? PARTS_OF_H : PARTS_OF_ERROR;
    }

    /** The number of labels whose discounted number is nearest. */
    private static int labels(double discounted) {
        int found = Arrays.binarySearch(DISCOUNTED, discounted);
        if (found >= 0) {
            return found;
        }
        int above = Math.min(MAX_LABELS, -found - 1);
        return discounted - DISCOUNTED[above - 1] < DISCOUNTED[above] - discounted ? above - 1 : above;
    }

    private void derive() {
        setRate();
        for (int range = 0; range < RANGES; range++) {
            correct(range);
        }
    }

    /** Writes or restores the state. */
    void exchange(StoredBits bits) {
        state[COUNT] = Math.min(MEMORY + PERIOD - 1, (double) bits.raw(COUNT_BITS, (long) state[COUNT]));
        state[SIZE] = Logistic.exchange(bits, state[SIZE]);
        StoredBits.Kind parameters = new StoredBits.Kind(18);
        StoredBits.Kind sums = new StoredBits.Kind(16);
        StoredBits.Kind errors = new StoredBits.Kind(10);
        for (int place = A; place < LABELS; place++) {
            StoredBits.Kind kind = place < W ? parameters : place < ERRORS ? sums : errors;
            state[place] = Logistic.exchange(bits, kind, state[place], parts(place));
        }
        StoredBits.Kind ends = new StoredBits.Kind(8);
        for (int range = 0; range < RANGES; range++) {
            // from the nearer end, because many have reached it
            int given = labels[range];
            long folded = bits.unsigned(ends, given <= MAX_LABELS / 2 ? 2L * given : 2L * (MAX_LABELS - given) + 1);
            int stored = (int) Math.min(MAX_LABELS, folded >>> 1);
            labels[range] = (folded & 1) == 0 ? stored : MAX_LABELS - stored;
            state[LABELS + range] = DISCOUNTED[labels[range]];
        }
        if (bits.isReading()) {
            derive();
        }
    }
}
