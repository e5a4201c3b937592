package io.perceptronstreams.drift;

import io.perceptronstreams.drift.Trial.Growth;
import io.perceptronstreams.state.StoredFields;

/**
 * Anytime-valid test between two models on bunches of disagreements, the second one of a {@link Trial}: a few bunches
 * decide it, which the squares of its rounds do not let them.
 *
 * <p>A disagreement is an example that only one of the models got wrong. Bunch k begins with a disagreement, and ends
 * before the first later one
 *
 * <ul>
 *   <li>that comes after a pause: {@value #PAUSE} times as many examples as is typical between two disagreements, or
 *   <li>that begins a run to the side with which the bunch began, if the bunch has lasted {@value #LENGTH} times as
 *       long as round k of the trial, or longer. So a run to one side and the next one to the other are of the same
 *       bunch.
 * </ul>
 *
 * <p>Typical is the geometric mean over the trial so far, in which the latest {@value #MEMORY} gaps count for most;
 * there is no pause before {@value #MIN_GAPS} of them. Let y be the number of examples in a bunch that only the
 * champion got wrong, minus the number that only the challenger got wrong; bunches with y = 0 are passed over. With the
 * mean m of |y| of bunches 1 to j, t_j = tanh(2·y_j/m), and b_j = (t_1 + … + t_(j-1))/j, the wealth is the product of
 * all 1 + b_j·t_j: a gambler bets the share |b_j| of it on the side that has been ahead (the bet of Krichevsky and
 * Trofimov 1981, for outcomes between -1 and 1 as in Orabona and Pál 2016). A bunch doubles it at most, however large
 * it is.
 *
 * <p>Promise: if, given the past and |y|, y of a bunch is as likely as -y, the wealth is a martingale, and ever reaches
 * 1/a with probability at most a (Ville 1939). That is so for runs of any length that come to either side by chance, or
 * in turn with lengths of the same distribution; and for bunches with a pause between them, if the side of each is a
 * matter of chance. Bunches grow with the rounds, so that runs that are not all to one side are shorter than a bunch in
 * the end.
 *
 * <p>Cost: O(1) per example, a logarithm per disagreement. All numbers are computed by StrictMath, so that a replay has
 * the same bits on every machine. Not thread-safe.
 */
final class Bunches {
    /** Factor of the typical gap between two disagreements from which it is a pause. */
    private static final int PAUSE = 16;

    private static final double LOG_PAUSE = StrictMath.log(PAUSE);

    /** Number of gaps of which the geometric mean is. */
    private static final int MEMORY = 16;

    private static final int MIN_GAPS = 8;

    /**
     * Minimum length of a bunch that no pause ends, in rounds: with less, runs that are mostly to one side decide it
     * too often.
     */
    private static final int LENGTH = 3;

    /** Slope of t at 0. With more, large bunches count as small ones; with less, a single large one for all others. */
    private static final int SLOPE = 2;

    private final Growth growth;
    private final long step;

    // Numbers of the examples of the first and the latest disagreement of the bunch; 0 before the first of the trial.
    private long start;
    private long latest;

    // Sides of both: 1 if only the champion was wrong, -1 if only the challenger.
    private int startSide;
    private int latestSide;

    // Number of the present bunch, from 1, and its y.
    private long number = 1;
    private long difference;

    // Mean of the logarithm of the gaps, and how many there were, up to MEMORY.
    private double logGap;
    private int gaps;

    // Of the bunches that are over: how many have y != 0, the sums of y, of |y| and of t, and the logarithm of the
    // wealth.
    private long decided;
    private long sum;
    private long absoluteSum;
    private double bets;
    private double logWealth;

    Bunches(Growth growth, long step) {
        this.growth = growth;
        this.step = step;
    }

    /**
     * Adds a disagreement.
     *
     * @param example its number, from 1
     * @param side 1 if only the champion was wrong, -1 if only the challenger
     * @return true if a bunch has ended before it
     */
    boolean add(long example, int side) {
        boolean isEnd = start > 0 && isEnd(example, side);
        if (isEnd) {
            end();
        }
        if (start == 0 || isEnd) {
            start = example;
            startSide = side;
        }
        latest = example;
        latestSide = side;
        difference += side;
        return isEnd;
    }

    private boolean isEnd(long example, int side) {
        double gap = StrictMath.log((double) (example - latest));
        boolean isPause = gaps >= MIN_GAPS && gap > LOG_PAUSE + logGap;
        gaps = Math.min(gaps + 1, MEMORY);
        logGap += (gap - logGap) / gaps;
        boolean isNewRun = side == startSide && side != latestSide;
        boolean isLong = example - start >= LENGTH * (growth.end(number, step) - growth.end(number - 1, step));
        return isPause || (isNewRun && isLong);
    }

    private void end() {
        if (difference != 0) {
            decided++;
            absoluteSum += Math.abs(difference);
            double outcome = StrictMath.tanh(SLOPE * (double) difference * decided / absoluteSum);
            logWealth += StrictMath.log1p(bets / decided * outcome);
            bets += outcome;
            sum += difference;
        }
        difference = 0;
        number++;
    }

    /**
     * Side that is ahead by its disagreements and by the bets: 1 for the challenger, -1 for the champion, 0 if these
     * contradict.
     */
    int side() {
        int ahead = Long.signum(sum);
        return ahead == StrictMath.signum(bets) ? ahead : 0;
    }

    /** Logarithm of the wealth; negative infinity if no side is ahead. */
    double logEvidence() {
        return side() == 0 ? Double.NEGATIVE_INFINITY : logWealth;
    }

    /**
     * Estimates the same after some times as many bunches, if these go on as they have: this is the growth of a bet on
     * a mean of t that is known.
     */
    double logEvidenceAt(double factor) {
        if (factor == 1 || side() == 0) {
            return logEvidence();
        }
        double mean = bets / decided;
        double each = ((1 + mean) * StrictMath.log1p(mean) + (1 - mean) * StrictMath.log1p(-mean)) / 2;
        return logEvidence() + (factor - 1) * decided * each - StrictMath.log(factor) / 2;
    }

    /** Writes or restores the numbers; growth and step are stored by the owner of the trial. */
    void exchange(StoredFields fields) {
        start = fields.unsigned(start);
        latest = fields.unsigned(latest);
        startSide = (int) fields.signed(startSide);
        latestSide = (int) fields.signed(latestSide);
        number = fields.unsigned(number);
        difference = fields.signed(difference);
        logGap = fields.number(logGap);
        gaps = fields.upTo(MEMORY, gaps);
        decided = fields.unsigned(decided);
        sum = fields.signed(sum);
        absoluteSum = fields.unsigned(absoluteSum);
        bets = fields.number(bets);
        logWealth = fields.number(logWealth);
    }
}
