package io.perceptronstreams.drift;

import io.perceptronstreams.state.StoredFields;
import java.util.function.DoubleUnaryOperator;

/**
 * Anytime-valid test between two models that predict the same examples: is the challenger better than the champion?
 *
 * <p>Examples are compared in rounds that grow. In each round y is the number of examples that only the champion got
 * wrong, minus the number that only the challenger got wrong; S is the sum of y over the rounds, Q that of y², and ρ =
 * 10·step. At the end of a round
 *
 * <pre>L = S²/(2(Q + ρ)) - ln((Q + ρ)/ρ)/2</pre>
 *
 * and the challenger is better if S > 0 and L >= ln(1/α), worse if S < 0 and L >= ln(1/α). A verdict stays, and nothing
 * counts after it.
 *
 * <p>With {@link Rules#byBunches} there is a second test, of {@link Bunches} of disagreements: it decides where these
 * are few and come in bunches, whose squares make Q large. Each of both tests has half of α, and the verdict is that of
 * the first to have one.
 *
 * <p>Promise: if, given the past, y of a round is as likely as -y, and so is y of a bunch, a verdict ever comes with
 * probability at most α, however long the trial lasts and however often it is read. exp(λS - λ²Q/2) is then a
 * supermartingale for every λ (de la Peña 1999); its mixture over λ ~ N(0, 1/ρ) is e^L (Robbins 1970), which ever
 * reaches 1/α with probability at most α (Ville 1939). Nothing is assumed about the examples within a round: mistakes
 * may come in runs, as long as runs do not last much longer than a round. Rounds grow so that runs of any length do so
 * in the end.
 *
 * <p>Not promised: anything about models of which one is better for a long while and the other one later; about the
 * cost of errors; about several trials at once, each of which has its own α; and a verdict at all, if the models differ
 * little.
 *
 * <p>Cost: O(1) per example, nine numbers, 13 more of bunches, an object for each round. L is computed by StrictMath,
 * and S and Q are exact below 2^53, so that a replay has the same bits on every machine. Not thread-safe.
 */
public final class Trial {
    /** Result of the trial so far. */
    public enum Verdict {
        OPEN,
        BETTER,
        WORSE
    }

    /** Growth of the rounds. */
    public enum Growth {
        /** Round k has step·k examples. */
        LINEAR {
            @Override
            long end(long round, long step) {
                return step * (round * (round + 1) / 2);
            }
        },
        /**
         * Round k has step·k²/10 examples, 2k² with a step of 20, for streams on which one model is better for
         * thousands of examples, and then the other. If the step is no multiple of 10, the end of each round is rounded
         * down.
         */
        SQUARE {
            @Override
            long end(long round, long step) {
                return step * (round * (round + 1) * (2 * round + 1) / 6) / 10;
            }
        };

        /** Number of examples in the first {@code round} rounds. */
        abstract long end(long round, long step);
    }

    /**
     * Rules of a trial, which do not change while it lasts.
     *
     * @param warmup examples before the first round, which do not count: a new challenger begins with errors of a
     *     beginner
     * @param step examples of the first round; 10 or more if the rounds grow as squares
     * @param alpha probability of a verdict about equally good models
     * @param limit examples, with those of the warm-up, after which a trial without a verdict is over; 0: none
     * @param byBunches true for a second test, of bunches of disagreements; each of both has half of alpha then
     */
    public record Rules(long warmup, long step, Growth growth, double alpha, long limit, boolean byBunches) {
        public Rules {
            if (warmup < 0 || limit < 0) {
                throw new IllegalArgumentException(
                        "warmup and limit of a trial must be >= 0, got " + warmup + " and " + limit);
            }
            long least = growth == Growth.SQUARE ? MIN_SQUARE_STEP : 1;
            if (step < least) {
                throw new IllegalArgumentException(
                        "step of a trial must be >= " + least + ", got " + step + " (growth " + growth + ")");
            }
            if (!(alpha > 0 && alpha < 1)) {
                throw new IllegalArgumentException("alpha of a trial must be between 0 and 1, got " + alpha);
            }
        }

        /** Rules of a trial by rounds alone. */
        public Rules(long warmup, long step, Growth growth, double alpha, long limit) {
            this(warmup, step, growth, alpha, limit, false);
        }
    }

    /** Minimum step of rounds that grow as squares. */
    public static final long MIN_SQUARE_STEP = 10;

    // Factor of the examples so far beyond which no verdict is in sight.
    private static final double MAX_FACTOR = 1 << 20;

    private final Rules rules;
    private final double threshold;

    // Logarithm of the number of tests that share alpha.
    private final double logTests;

    // Number of the present round, from 1, and examples so far.
    private long round = 1;
    private long examples;

    // y of the present round; S and Q of those that are over.
    private long difference;
    private long sum;
    private long squares;

    // Null if the trial began before they were stored.
    private RoundSides sides = RoundSides.NONE;

    // Null without a test of them.
    private final Bunches bunches;

    private Verdict verdict = Verdict.OPEN;

    public Trial(Rules rules) {
        this.rules = rules;
        threshold = StrictMath.log(1 / rules.alpha);
        logTests = rules.byBunches ? StrictMath.log(2) : 0;
        bunches = rules.byBunches ? new Bunches(rules.growth, rules.step) : null;
    }

    /** Compares both models on an example, and returns the verdict after it. */
    public Verdict add(boolean isChampionWrong, boolean isChallengerWrong) {
        if (verdict != Verdict.OPEN) {
            return verdict;
        }
        examples++;
        if (examples > rules.warmup) {
            long counted = examples - rules.warmup;
            boolean isEnd = bunches != null
                    && isChampionWrong != isChallengerWrong
                    && bunches.add(counted, isChampionWrong ? 1 : -1);
            difference += (isChampionWrong ? 1 : 0) - (isChallengerWrong ? 1 : 0);
            if (counted == rules.growth.end(round, rules.step)) {
                endRound();
                isEnd = true;
            }
            if (isEnd) {
                decide();
            }
        }
        return verdict;
    }

    private void endRound() {
        sides = sides == null ? null : sides.with(difference);
        sum += difference;
        squares += difference * difference;
        difference = 0;
        round++;
    }

    private void decide() {
        int side = logEvidenceOfRounds(1) >= threshold ? Long.signum(sum) : 0;
        if (side == 0 && logEvidenceOfBunches(1) >= threshold) {
            side = bunches.side();
        }
        verdict = side == 0 ? Verdict.OPEN : side > 0 ? Verdict.BETTER : Verdict.WORSE;
    }

    /** L, for the sum and the sum of squares of the differences y. */
    static double logEvidence(double sum, double squares, long step) {
        double rho = 10.0 * step;
        return sum * sum / (2 * (squares + rho)) - 0.5 * StrictMath.log((squares + rho) / rho);
    }

    /**
     * Evidence of the rounds, to be compared with the threshold, after some times as many rounds that go on as they
     * have.
     */
    private double logEvidenceOfRounds(double factor) {
        return logEvidence(factor * sum, factor * squares, rules.step) - logTests;
    }

    /** The same of the bunches; negative infinity without them. */
    private double logEvidenceOfBunches(double factor) {
        return bunches == null ? Double.NEGATIVE_INFINITY : bunches.logEvidenceAt(factor) - logTests;
    }

    /**
     * Evidence that the models differ, at the end of the last round; with bunches that of the test that has more of it,
     * less log10 of 2: log10 of a number to be compared with 1/α; may be negative.
     */
    public double evidence() {
        return Math.max(logEvidenceOfRounds(1), logEvidenceOfBunches(1)) / StrictMath.log(10);
    }

    /** The evidence to be reached for a verdict: log10 of 1/α. */
    public double neededEvidence() {
        return threshold / StrictMath.log(10);
    }

    /** Sides of the rounds that are over; null if the trial was begun by a version that did not count them. */
    public RoundSides sides() {
        return sides;
    }

    /** Number of rounds that are over. */
    public long rounds() {
        return round - 1;
    }

    /**
     * Estimated number of further examples until the verdict, if S and Q, or the bunches, grow as they have done; 0
     * after the verdict, -1 if there is none in sight.
     */
    public long remaining() {
        if (verdict != Verdict.OPEN) {
            return 0;
        }
        long ofRounds = sum == 0 ? -1 : remaining(this::logEvidenceOfRounds, rules.growth.end(round - 1, rules.step));
        long ofBunches = bunches == null || bunches.side() == 0
                ? -1
                : remaining(this::logEvidenceOfBunches, examples - rules.warmup);
        return ofRounds < 0 || ofBunches < 0 ? Math.max(ofRounds, ofBunches) : Math.min(ofRounds, ofBunches);
    }

    /**
     * Estimated number of further examples until the evidence after some times as many as those counted is enough; -1
     * if none is.
     */
    private long remaining(DoubleUnaryOperator evidenceAt, long counted) {
        double high = 1;
        while (evidenceAt.applyAsDouble(high) < threshold) {
            high *= 2;
            if (high > MAX_FACTOR) {
                return -1;
            }
        }
        double low = high / 2;
        for (int k = 0; k < 30; k++) {
            double middle = (low + high) / 2;
            if (evidenceAt.applyAsDouble(middle) < threshold) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return (long) StrictMath.ceil((high - 1) * counted);
    }

    public Verdict verdict() {
        return verdict;
    }

    /** Number of examples that were compared, with those of the warm-up, until the verdict. */
    public long examples() {
        return examples;
    }

    /** Returns true if there is no verdict, and will be none because the limit is reached. */
    public boolean isExpired() {
        return verdict == Verdict.OPEN && rules.limit > 0 && examples >= rules.limit;
    }

    /** Writes or restores the sides of the rounds, which {@link #exchange} leaves out. */
    public void exchangeSides(StoredFields fields) {
        sides = RoundSides.exchange(fields, sides);
    }

    /** Writes or restores the bunches, if there is a test of them, which {@link #exchange} leaves out. */
    public void exchangeBunches(StoredFields fields) {
        if (bunches != null) {
            bunches.exchange(fields);
            decide();
        }
    }

    /**
     * Writes or restores the numbers but the sides of the rounds and the bunches; the rules are stored by their owner.
     */
    public void exchange(StoredFields fields) {
        round = fields.unsigned(round);
        examples = fields.unsigned(examples);
        difference = fields.signed(difference);
        sum = fields.signed(sum);
        squares = fields.unsigned(squares);
        if (fields.isReading()) {
            sides = round == 1 ? RoundSides.NONE : null;
        }
        decide();
    }
}
