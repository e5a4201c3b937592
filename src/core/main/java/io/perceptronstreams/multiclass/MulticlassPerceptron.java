package io.perceptronstreams.multiclass;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.learner.BlockLimits;
import io.perceptronstreams.learner.Evidence;
import io.perceptronstreams.learner.HasEvidence;
import io.perceptronstreams.learner.NormCheck;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.StateFields;
import io.perceptronstreams.learner.Survivals;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.Blocks;
import io.perceptronstreams.weights.SparseRows;
import java.util.List;

/**
 * Perceptron for several classes: a weight vector w_c per class; predicts the class with the largest score w_c·x.
 *
 * <p>On a mistake, adds eta·weight·x to the vector of the true class and subtracts it from that with the largest score
 * (Collins 2002 with the classes as candidates; Duda and Hart 1973, Kesler's construction). On a margin mistake, where
 * the true class leads by less than h, subtracts it from the best other class. Ties go to the class that was seen
 * first.
 *
 * <p>Averaged: emits the class with the largest survival-weighted sum of all scores so far; the updates stay those of
 * w. The average is always kept, so {@code predict} may change at any time.
 *
 * <p>Cost: O(non-zeros of x · classes) per prediction, O(non-zeros of x) per update; allocates new rows only. State:
 * {@link SparseRows} of features (vector 0) and of the bias (vector 1), the classes, and a few numbers.
 */
public class MulticlassPerceptron implements HasEvidence {
    /*
     * 1. Classes. The setting classes defines all classes in their order; otherwise a class is added when it is first
     * learned from. Without classes there is no prediction. A label of a new class is a mistake; its vector starts at
     * 0, and its earlier scores count as 0 in the average. With one class nothing is subtracted, and there is no
     * margin. An int label names the class that it spells.
     *
     * 2. Bound. If the setting classes is given, and some vectors whose squared lengths add up to 1 give the true class
     * of every example a lead of gamma, there are at most 2(R/gamma)^2 mistakes, since Kesler's vectors have length
     * sqrt(2)·|x| (Collins 2002). The theorem does not cover classes that are added later: an update for a new one may
     * be made at a positive margin.
     */
    /** Numbers in rows that count as one block of blocks.max, as many as in a block of a two-class learner. */
    private static final int BLOCK = 256;

    private final Classes classes = new Classes();
    private final ClassWeights weights = new ClassWeights();
    private Settings settings;
    private boolean hasBias;
    private boolean isAveraged;
    private int maxScores;

    private final Survivals survivals = new Survivals();
    private final NormCheck norm = new NormCheck();
    private final ClassChange change = new ClassChange();
    private final List<Blocks> blocks = List.of(weights.rows(), weights.biases());

    // Of the last scored example: |x|^2 with the bias feature, all scores, the number of the class with the largest
    // score, and that of the emitted class.
    private double squaredLength;
    private double[] scores = new double[0];
    private double[] averaged = new double[0];
    private int best;
    private int emitted;

    public MulticlassPerceptron(Settings settings) {
        use(settings);
    }

    @Override
    public void configure(Settings changed) {
        use(changed);
    }

    private void use(Settings changed) {
        classes.configure(changed, hasLearned());
        settings = changed;
        hasBias = changed.get(Settings.BIAS);
        isAveraged = changed.get(Settings.PREDICT) == Settings.Predict.AVERAGED;
        maxScores = changed.get(Settings.PREDICT_SCORES);
        survivals.configure(changed);
    }

    private boolean hasLearned() {
        boolean hasSeenClasses =
                settings != null && settings.get(Settings.CLASSES).isEmpty() && classes.size() > 0;
        return hasSeenClasses
                || survivals.sum() > 0
                || norm.squaredRadius() > 0
                || weights.biases().count() > 0;
    }

    @Override
    public void predict(Features features, Outcome outcome) {
        predict(vector(features), outcome);
    }

    private void predict(FeatureVector x, Outcome outcome) {
        squaredLength = x.squaredNorm() + (hasBias ? x.bias() * x.bias() : 0);
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
        weights.score(x, hasBias, scores);
        requireFinite(squaredLength + zeroWhereFinite(scores, count));
        best = argmax(scores, count, -1);
        emitted = best;
        double[] shown = scores;
        if (isAveraged) {
            average(x, count);
            shown = averaged;
        }
        outcome.predict(classes.label(emitted), shown[emitted], scores[best]);
        outcome.chosenFrom(classes.labels(), shown);
        if (maxScores > 0) {
            outcome.addScores(classes.labels(), shown, maxScores);
        }
    }

    /** Finds the class with the largest survival-weighted sum of scores, then divides the sums to get means. */
    private void average(FeatureVector x, int count) {
        weights.scoreAverage(x, hasBias, averaged);
        for (int c = 0; c < count; c++) {
            averaged[c] = survivals.sum() * scores[c] - averaged[c];
        }
        requireFinite(zeroWhereFinite(averaged, count));
        emitted = argmax(averaged, count, -1);
        for (int c = 0; c < count && survivals.sum() > 0; c++) {
            averaged[c] /= survivals.sum();
        }
    }

    /** The number of the largest value except {@code except}, the lowest on a tie; -1 if there is none. */
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
        evaluate(vector(features), classes.find(y), outcome);
    }

    /** Returns the best other class, the first seen on a tie; -1 if there is none. */
    private int evaluate(FeatureVector x, int truth, Outcome outcome) {
        predict(x, outcome);
        outcome.error = truth < 0 || emitted != truth;
        int rival = argmax(scores, classes.size(), truth);
        double margin = rival < 0 ? 0 : (truth < 0 ? 0 : scores[truth]) - scores[rival];
        requireFinite(margin);
        double h = hinge();
        outcome.margin = margin;
        outcome.hingeLoss = rival < 0 ? 0 : Math.max(0, h - margin);
        if (truth < 0 || best != truth) {
            outcome.kind = Outcome.Kind.MISTAKE;
        } else if (rival >= 0 && (margin < h || (isInclusive() && margin == h))) {
            outcome.kind = Outcome.Kind.MARGIN_MISTAKE;
        }
        return rival;
    }

    @Override
    public void learn(Features features, Label y, double weight, Outcome outcome) {
        FeatureVector x = vector(features);
        int truth = classes.find(y);
        int rival = evaluate(x, truth, outcome);
        explainIfAsked(features, y, outcome);
        if (truth < 0) {
            classes.requireRoom(List.of(y.toString()));
        }
        if (correct(x, weight, truth < 0 ? classes.size() : truth, rival, outcome) || truth < 0) {
            survive(survivalStart());
            outcome.updated = true;
        } else {
            survive(1);
        }
        if (truth < 0) {
            classes.add(y.toString());
        }
        norm.observe(squaredLength);
    }

    /**
     * Corrects the weights if the outcome requires it.
     *
     * @param truth number of the true class; {@link #count} for a new one
     * @param rival number of the best other class, -1 if there is none
     * @return whether this is an update, even if all its steps are 0
     */
    boolean correct(FeatureVector x, double weight, int truth, int rival, Outcome outcome) {
        if (outcome.kind == Outcome.Kind.CORRECT) {
            return false;
        }
        update(x, weight, truth, rival);
        return true;
    }

    /** How often a vector counts in the average with the example that made it. */
    int survivalStart() {
        return settings.get(Settings.SURVIVAL_START);
    }

    @Override
    public void explain(Features features, Label y, Outcome outcome, Evidence evidence) {
        int truth = classes.find(y);
        int rival = argmax(scores, classes.size(), truth);
        if (rival >= 0) {
            weights.explain(vector(features), hasBias, truth, rival, evidence);
        }
        evidence.end(outcome.margin);
    }

    private void survive(int count) {
        if (survivals.add(count)) {
            weights.multiplyAverages(Survivals.SHRINKAGE);
        }
    }

    /** The lead below which the true class makes a margin mistake. */
    double hinge() {
        return settings.get(Settings.H);
    }

    /** Returns true if a lead of {@link #hinge} is a margin mistake, too. */
    boolean isInclusive() {
        return settings.get(Settings.H_INCLUSIVE);
    }

    /**
     * Chooses the steps of an update: that of the true class first, then those of others, whose sum is its negative.
     *
     * @param change is empty
     * @param truth number of the true class; {@link #count} for a new one
     * @param rival number of the best other class, -1 if there is none
     */
    void choose(ClassChange change, int truth, int rival, double weight) {
        double step = settings.get(Settings.ETA) * weight;
        change.add(truth, step);
        if (rival >= 0) {
            change.add(rival, -step);
        }
    }

    final Settings settings() {
        return settings;
    }

    final ClassWeights weights() {
        return weights;
    }

    /** C, the factor of a change in the averages' sums. */
    final double survived() {
        return survivals.sum();
    }

    final boolean hasBias() {
        return hasBias;
    }

    @Override
    public long cost(Features x) {
        return x.count() * Math.max(1, count());
    }

    /** Number of known classes. */
    final int count() {
        return classes.size();
    }

    /** Score of a class in the last example. */
    final double score(int c) {
        return scores[c];
    }

    /** |x|^2 of the last example, with the bias feature. */
    final double squaredLength() {
        return squaredLength;
    }

    private void update(FeatureVector x, double weight, int truth, int rival) {
        change.clear();
        choose(change, truth, rival, weight);
        if (change.size() == 0) {
            return;
        }
        // The change of all vectors is step·d; d is the mean of f(x,y) - f(x,c) over the classes c by their steps.
        double step = change.step(0);
        double own = truth < count() ? scores[truth] : 0;
        double margin = 0;
        double squares = 0;
        for (int k = 1; k < change.size(); k++) {
            // a weight may be so small that all steps are 0
            double share = change.size() == 2 ? 1 : -change.step(k) / step;
            margin += share * (own - scores[change.at(k)]);
            squares += share * share;
        }
        double squaredDifference = squaredLength + squares * squaredLength;
        double growth = weights.growth(x, hasBias, survivals.sum(), change);
        norm.check(step, margin, squaredDifference, growth);
        requireRoom(weights.rows().numbers(), weights.newNumbers(x, change.columns()));
        weights.addScaled(x, hasBias, survivals.sum(), change);
        norm.enter(step, margin, squaredDifference, growth);
        if (rival < 0) {
            // no other class: the update is not a difference, so steps bound no margin
            norm.loseSteps();
        }
    }

    /** Checks that rows with {@code numbers} numbers may get more. */
    final void requireRoom(long numbers, long newNumbers) {
        long most = (long) BLOCK * settings.get(Settings.BLOCKS_MAX);
        if (newNumbers > 0 && numbers + newNumbers > most) {
            throw new RejectedException(
                    RejectReason.MODEL_FULL,
                    "the rows of a model must not have more than blocks.max · " + BLOCK + " = " + most
                            + " numbers (raise blocks.max, or hash names into fewer bits)");
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
    public String name() {
        return "a multiclass perceptron";
    }

    @Override
    public void exchange(StateFields fields) {
        survivals.exchangeSum(fields);
        norm.exchangeSquares(fields);
        norm.exchangeSums(fields);
        exchangeOwn(fields);
        survivals.exchangeUnit(fields, 0);
        classes.exchange(fields, settings);
    }

    /** Writes or reads the numbers that only this learner has. */
    void exchangeOwn(StateFields fields) {}

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
        return classes.heapBytes() + 8L * (scores.length + averaged.length) + change.heapBytes();
    }

    @Override
    public void forEachWeight(WeightVisitor visitor) {
        for (int c = 0; c < classes.size(); c++) {
            weights.forEach(c, classes.label(c).toString(), survivals.sum(), visitor);
        }
    }
}
