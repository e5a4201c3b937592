package io.perceptronstreams.learner;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.weights.Blocks;
import io.perceptronstreams.weights.SparseRows;
import java.util.List;

/**
 * Perceptron for several classes: a weight vector w_c for each, predicts the class with the largest score w_c·x.
 *
 * <p>On a mistake adds eta·weight·x to the vector of the true class and takes it from that of the class with the largest score
 * (Collins 2002 with the classes as candidates; Duda and Hart 1973, Kesler's construction). Likewise, with the best other
 * class, on a margin mistake: the true class has the largest score, but leads by less than h. Ties go to the class that was seen
 * first. With {@code classes} given: where some vectors, whose squared lengths add up to 1, give every example's class a lead of
 * gamma, there are at most 2(R/gamma)^2 mistakes, since Kesler's vectors have length sqrt(2)·|x| (Collins 2002). Classes
 * that come as they are seen are outside of that theorem: an update for a new one may be made at a positive margin.
 *
 * <p>Classes become known as they are seen, the first time one is learned from, or all at once and in their order by the setting
 * {@code classes}. While none is known there is no prediction. A label that is not known yet is a mistake; its vector starts at
 * 0. Where no other class is known nothing is taken away, and there is no margin. Ints stand for the names that they spell.
 *
 * <p>Averaged: the emitted class has the largest survival-weighted sum of all scores so far, that of a new class having been 0; the
 * updates stay those of w. The average is always kept, so that {@code predict} may change at any time.
 *
 * <p>Cost: O(non-zeros of x · classes) to predict, O(non-zeros of x) to update; no allocation but new rows. State: a {@link SparseRows} of
 * features (vector 0) and one of the bias (vector 1), the classes, and a few numbers.
 */
final class MulticlassPerceptron implements Learner {
    /** Numbers in rows that count as one block of blocks.max, as a block of the two-class learners has them. */
    private static final int BLOCK = 256;

    private final Classes classes = new Classes();
    private final ClassWeights weights = new ClassWeights();
    private Settings settings;

    // C, the sum of all survival counts; a whole number.
    private double survivals;
    private final NormCheck norm = new NormCheck();
    private final List<Blocks> blocks = List.of(weights.rows(), weights.biases());

    // Of the example scored last: |x|^2 with the bias feature, all scores, and the numbers of the class that has the
    // largest and
    // of the one that was emitted.
    private double squaredLength;
    private double[] scores = new double[0];
    private double[] averaged = new double[0];
    private int best;
    private int emitted;

    MulticlassPerceptron(Settings settings) {
        configure(settings);
    }

    @Override
    public void configure(Settings changed) {
        classes.configure(changed, hasLearned());
        settings = changed;
    }

    private boolean hasLearned() {
        boolean hasSeenClasses = settings != null && settings.classes().isEmpty() && classes.size() > 0;
        return hasSeenClasses
                || survivals > 0
                || norm.squaredRadius() > 0
                || weights.biases().count() > 0;
    }

    @Override
    public void predict(Features features, Outcome outcome) {
        predict(vector(features), outcome);
    }

    private void predict(FeatureVector x, Outcome outcome) {
        squaredLength = x.squaredNorm() + (settings.bias() ? 1 : 0);
        int count = classes.size();
        best = -1;
        emitted = -1;
        if (count == 0) {
            requireFinite(squaredLength);
            outcome.predictNothing();
            return;
        }
        if (scores.length < count) {
            scores = new double[SparseRows.roundedUp(count)];
            averaged = new double[scores.length];
        }
        weights.score(x, settings.bias(), scores);
        requireFinite(squaredLength + zeroWhereFinite(scores, count));
        best = argmax(scores, count, -1);
        emitted = best;
        double[] shown = scores;
        if (settings.predict() == Settings.Predict.AVERAGED) {
            average(x, count);
            shown = averaged;
        }
        outcome.predict(classes.label(emitted), shown[emitted], scores[best]);
        if (settings.isPredictScores()) {
            outcome.addScores(classes.labels(), shown);
        }
    }

    /** Finds the class with the largest survival-weighted sum of scores, then makes means of the sums. */
    private void average(FeatureVector x, int count) {
        weights.scoreAverage(x, settings.bias(), averaged);
        for (int c = 0; c < count; c++) {
            averaged[c] = survivals * scores[c] - averaged[c];
        }
        requireFinite(zeroWhereFinite(averaged, count));
        emitted = argmax(averaged, count, -1);
        for (int c = 0; c < count && survivals > 0; c++) {
            averaged[c] /= survivals;
        }
    }

    /** The number of the largest value but that of {@code except}, the first one of equals; -1 where there is none. */
    private static int argmax(double[] values, int count, int except) {
        int largest = -1;
        for (int c = 0; c < count; c++) {
            if (c != except && (largest < 0 || values[c] > values[largest])) {
                largest = c;
            }
        }
        return largest;
    }

    private static double zeroWhereFinite(double[] values, int count) {
        double sum = 0;
        for (int c = 0; c < count; c++) {
            sum += 0 * values[c];
        }
        return sum;
    }

    private static void requireFinite(double value) {
        if (!Double.isFinite(value)) {
            throw new RejectedException(
                    RejectReason.SCORE_OVERFLOW,
                    "scores and norm of an example must be finite, got an overflow (scale its features down)");
        }
    }

    @Override
    public void evaluate(Features features, Label y, Outcome outcome) {
        evaluate(vector(features), classes.find(y, !settings.classes().isEmpty()), outcome);
    }

    /** Returns the best other class, the first seen of equals; -1 where there is none. */
    private int evaluate(FeatureVector x, int truth, Outcome outcome) {
        predict(x, outcome);
        outcome.error = truth < 0 || emitted != truth;
        int rival = argmax(scores, classes.size(), truth);
        double margin = rival < 0 ? 0 : (truth < 0 ? 0 : scores[truth]) - scores[rival];
        requireFinite(margin);
        double h = settings.h();
        outcome.margin = margin;
        outcome.hingeLoss = rival < 0 ? 0 : Math.max(0, h - margin);
        if (truth < 0 || best != truth) {
            outcome.kind = Outcome.Kind.MISTAKE;
        } else if (rival >= 0 && (margin < h || (settings.isHInclusive() && margin == h))) {
            outcome.kind = Outcome.Kind.MARGIN_MISTAKE;
        }
        return rival;
    }

    @Override
    public void learn(Features features, Label y, double weight, Outcome outcome) {
        FeatureVector x = vector(features);
        int truth = classes.find(y, !settings.classes().isEmpty());
        int rival = evaluate(x, truth, outcome);
        if (outcome.kind == Outcome.Kind.CORRECT) {
            survivals += 1;
        } else {
            if (truth < 0) {
                classes.requireRoom(List.of(y.toString()), settings.classesMax());
            }
            update(x, settings.eta() * weight, truth < 0 ? classes.size() : truth, rival, outcome.margin);
            if (truth < 0) {
                classes.add(y.toString());
            }
            survivals += settings.survivalStart();
            outcome.updated = true;
        }
        norm.observe(squaredLength);
    }

    private void update(FeatureVector x, double step, int truth, int rival, double margin) {
        double growth = weights.growth(x, settings.bias(), step, survivals, truth, rival);
        // of f(x,y) - f(x,y*), which has x once for each of the two classes
        double squaredDifference = rival < 0 ? squaredLength : 2 * squaredLength;
        norm.check(step, margin, squaredDifference, growth);
        long newNumbers = weights.newNumbers(x, truth, rival);
        if (newNumbers > 0 && weights.rows().numbers() + newNumbers > (long) BLOCK * settings.blocksMax()) {
            throw new RejectedException(
                    RejectReason.MODEL_FULL,
                    "the rows of a model must not have more than blocks.max · " + BLOCK + " = "
                            + (long) BLOCK * settings.blocksMax()
                            + " numbers (raise blocks.max, or hash names into fewer bits)");
        }
        weights.addScaled(x, settings.bias(), step, survivals, truth, rival);
        norm.enter(step, margin, squaredDifference, growth);
        if (rival < 0) {
            // the margin is one of differences, and there was nothing to differ from
            norm.loseSteps();
        }
    }

    private static FeatureVector vector(Features features) {
        if (features instanceof FeatureVector vector) {
            return vector;
        }
        throw new RejectedException(
                RejectReason.UNSUPPORTED_FEATURES,
                "features must be dense, sparse or named for a model of several classes, got "
                        + (features instanceof Sequence ? "a Sequence" : "Candidates"));
    }

    @Override
    public LearnerState state() {
        StateNumbers numbers = StateNumbers.writer();
        exchange(numbers);
        return new LearnerState(numbers.written(), classes.names());
    }

    @Override
    public void restore(LearnerState state) {
        StateNumbers numbers = StateNumbers.reader(state, "a multiclass perceptron");
        exchange(numbers);
        numbers.requireEnd();
        classes.restore(state.names(), settings);
    }

    private void exchange(StateNumbers numbers) {
        survivals = numbers.notNegative(survivals);
        norm.exchangeSquares(numbers);
        norm.exchangeSums(numbers);
    }

    @Override
    public List<Blocks> blocks() {
        return blocks;
    }

    @Override
    public NormCheck norm() {
        return norm;
    }

    /** A row has the columns of known classes; the bias has one row. */
    @Override
    public void checkBlock(int vector, int number, int length) {
        BlockLimits.requireRow(number, length, vector == 0 ? Long.MAX_VALUE : 1, classes.size());
    }

    @Override
    public long heapBytes() {
        return classes.heapBytes() + 8L * (scores.length + averaged.length);
    }

    @Override
    public void forEachWeight(WeightVisitor visitor) {
        for (int c = 0; c < classes.size(); c++) {
            weights.forEach(c, classes.label(c).toString(), survivals, visitor);
        }
    }
}
