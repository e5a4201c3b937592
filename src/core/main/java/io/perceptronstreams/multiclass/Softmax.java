package io.perceptronstreams.multiclass;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.learner.BlockLimits;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Sgd;
import io.perceptronstreams.learner.StateFields;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.Blocks;
import io.perceptronstreams.weights.SparseRows;
import java.util.ArrayList;
import java.util.List;

/**
 * Softmax regression by stochastic gradient descent: the loss is -log p_y, where p_c = exp(w_c·x) / (sum of exp(w_k·x)
 * over all classes k) is the probability of class c (multinomial logistic regression; Bishop 2006, section 4.3.4).
 *
 * <p>Let d_c be the weight of the example times p_c - 1 for the true class and times p_c for others. The k-th update
 * adds -f·d_c·x[i] to w_c[i] for all classes; f is eta, eta/sqrt(k), or eta/sqrt(G_c[i]), where G_c[i] sums
 * (d_c·x[i])^2 over all updates, this one included (AdaGrad, Duchi, Hazan and Singer 2011).
 *
 * <p>With {@code implicit} (Kulis and Bartlett 2010) the p_c are those after the update: the step minimizes the loss
 * plus the sum of (w'_c[i] - w_c[i])^2/(2·f), see {@link ClassProbabilities#afterStep}; G still sums the squares of the
 * usual steps.
 *
 * <p>A lead of 0 or less is a mistake, one below 1 a margin mistake; larger leads have updates, too, which count as
 * updates only. A new class has the score 0 in its first example. The first example of all changes no vector: its class
 * has the probability 1. Scores, averages, ties and names of classes are those of {@link MulticlassPerceptron}.
 *
 * <p>Cost: O(non-zeros of x · classes) per prediction and per update; allocates new rows only. State: that of {@link
 * MulticlassPerceptron}, the number of updates and, with AdaGrad, G of the features (vector 2) and of the bias (vector
 * 3).
 */
public final class Softmax extends MulticlassPerceptron {
    private final boolean isAdaptive;

    // G, one row per feature, and one of the bias; empty without AdaGrad.
    private final SparseRows squares = SparseRows.withoutAverages();
    private final SparseRows biasSquares = SparseRows.withoutAverages();
    private final List<Blocks> blocks;
    private double updates;

    private double eta;
    private boolean isShrinking;
    private boolean isImplicit;

    // Of the present update, by class: d_c; the factor of the change, which has d_c of the step in it; and with
    // implicit
    // probabilities and growths of the scores by a step of gradient 1.
    private double[] gradients = new double[0];
    private double[] moves = new double[0];
    private double[] probabilities = new double[0];
    private double[] slopes = new double[0];

    // Of growth() and change(): the change of a weight and G after it.
    private double nextChange;
    private double nextSquares;

    public Softmax(Settings settings) {
        super(settings);
        isAdaptive = Sgd.isAdaptive(settings);
        List<Blocks> all = new ArrayList<>(super.blocks());
        if (isAdaptive) {
            all.add(squares);
            all.add(biasSquares);
        }
        blocks = List.copyOf(all);
        norm().forget();
        use(settings);
    }

    @Override
    public void configure(Settings changed) {
        Sgd.requireRate(isAdaptive, changed);
        super.configure(changed);
        use(changed);
    }

    private void use(Settings settings) {
        eta = settings.get(Settings.ETA);
        isShrinking = settings.get(Settings.RATE) == Settings.Rate.INVERSE_SQRT;
        isImplicit = settings.get(Settings.IMPLICIT);
    }

    @Override
    double hinge() {
        return 1;
    }

    @Override
    boolean isInclusive() {
        return false;
    }

    @Override
    int survivalStart() {
        // every example makes an update: with 0 none would count
        return 1;
    }

    @Override
    boolean correct(FeatureVector x, double weight, int truth, int rival, Outcome outcome) {
        int count = Math.max(count(), truth + 1);
        if (gradients.length < count) {
            gradients = new double[SparseRows.roundedUp(count)];
            moves = new double[gradients.length];
            probabilities = new double[gradients.length];
            slopes = new double[gradients.length];
        }
        readScores(count);
        ClassProbabilities.fromScores(probabilities, count);
        if (!writeGradients(truth, count, weight, gradients)) {
            return false;
        }
        double rate = isShrinking ? eta / Math.sqrt(updates + 1) : eta;
        System.arraycopy(gradients, 0, moves, 0, count);
        if (isImplicit && writeSlopes(x, count, rate * weight)) {
            readScores(count);
            ClassProbabilities.afterStep(probabilities, slopes, truth, count);
            writeGradients(truth, count, weight, moves);
        }
        for (int c = 0; c < count; c++) {
            moves[c] *= -rate;
        }
        double squaredNorm = norm().after(growth(x, count), moves[truth], "lower eta");
        requireRoom(weights().rows().numbers() + squares.numbers(), newNumbers(x, count));
        change(x, count);
        updates++;
        norm().replace(squaredNorm);
        return true;
    }

    private void readScores(int count) {
        for (int c = 0; c < count; c++) {
            probabilities[c] = c < count() ? score(c) : 0;
        }
    }

    /**
     * Writes d_c of all classes from the probabilities.
     *
     * @return false if all are 0
     */
    private boolean writeGradients(int truth, int count, double weight, double[] into) {
        // p_y - 1 would be 0 where p_y is nearly 1
        double others = 0;
        for (int c = 0; c < count; c++) {
            into[c] = weight * probabilities[c];
            others += c == truth ? 0 : probabilities[c];
        }
        into[truth] = -weight * others;
        return into[truth] != 0;
    }

    /**
     * Writes how far a step of gradient 1 and this rate moves the score of each class.
     *
     * @return false if a number is not finite
     */
    private boolean writeSlopes(FeatureVector x, int count, double rate) {
        for (int c = 0; c < count; c++) {
            moves[c] = rate;
            slopes[c] = 0;
        }
        for (int k = 0; k < x.size(); k++) {
            double value = x.values()[k];
            if (value != 0) {
                addSlopes(squares.find(x.index(k)), value, count);
            }
        }
        if (hasBias()) {
            addSlopes(biasSquares.find(0), x.bias(), count);
        }
        double sum = 0;
        for (int c = 0; c < count; c++) {
            sum += slopes[c];
            moves[c] = gradients[c];
        }
        return Double.isFinite(sum);
    }

    private void addSlopes(double[] ofSquares, double value, int count) {
        for (int c = 0; c < count; c++) {
            advance(ofSquares, c, value);
            slopes[c] += value * nextChange;
        }
    }

    /** Computes the change of a weight by the present update, and G after it. */
    private void advance(double[] ofSquares, int c, double value) {
        if (isAdaptive) {
            double slope = gradients[c] * value;
            nextSquares = (ofSquares != null && c < ofSquares.length ? ofSquares[c] : 0) + slope * slope;
            // 0: the square is below all doubles
            nextChange = nextSquares == 0 ? 0 : moves[c] * (value / Math.sqrt(nextSquares));
        } else {
            nextChange = moves[c] * value;
        }
    }

    /** Growth of the sum of all |w_c|^2 by the present update; not finite if a number would not be. Changes nothing. */
    private double growth(FeatureVector x, int count) {
        double growth = 0;
        for (int k = 0; k < x.size(); k++) {
            double value = x.values()[k];
            if (value != 0) {
                growth += growth(weights().rows().find(x.index(k)), squares.find(x.index(k)), value, count);
            }
        }
        return hasBias() ? growth + growth(weights().biases().find(0), biasSquares.find(0), x.bias(), count) : growth;
    }

    private double growth(double[] row, double[] ofSquares, double value, int count) {
        double growth = 0;
        for (int c = 0; c < count; c++) {
            advance(ofSquares, c, value);
            // 0 · number is NaN if the number is not finite
            growth += ClassWeights.growth(row, c, nextChange, survived()) + 0 * nextSquares;
        }
        return growth;
    }

    /** Number of numbers that {@link #change} would allocate for features. */
    private long newNumbers(FeatureVector x, int count) {
        long sum = weights().newNumbers(x, count);
        for (int k = 0; isAdaptive && k < x.size(); k++) {
            sum += x.values()[k] == 0 ? 0 : squares.newNumbers(x.index(k), count);
        }
        return sum;
    }

    private void change(FeatureVector x, int count) {
        for (int k = 0; k < x.size(); k++) {
            double value = x.values()[k];
            if (value != 0) {
                double[] ofSquares = isAdaptive ? squares.touch(x.index(k), count) : null;
                change(weights().rows().touch(x.index(k), count), ofSquares, value, count);
            }
        }
        if (hasBias()) {
            double[] ofSquares = isAdaptive ? biasSquares.touch(0, count) : null;
            change(weights().biases().touch(0, count), ofSquares, x.bias(), count);
        }
    }

    private void change(double[] row, double[] ofSquares, double value, int count) {
        int columns = SparseRows.columns(row);
        for (int c = 0; c < count; c++) {
            advance(ofSquares, c, value);
            row[c] += nextChange;
            row[columns + c] += survived() * nextChange;
            if (isAdaptive) {
                ofSquares[c] = nextSquares;
            }
        }
    }

    @Override
    void exchangeOwn(StateFields fields) {
        updates = fields.count(updates);
    }

    @Override
    public List<Blocks> blocks() {
        return blocks;
    }

    @Override
    public void checkBlock(int vector, int number, int length) {
        super.checkBlock(vector % 2, number, length);
        if (vector >= 2) {
            BlockLimits.requireLength(length, SparseRows.roundedUp(count()));
        }
    }

    @Override
    public long heapBytes() {
        return super.heapBytes() + 4L * Double.BYTES * gradients.length;
    }

    @Override
    public String name() {
        return "softmax regression";
    }
}
