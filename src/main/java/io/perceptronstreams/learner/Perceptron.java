package io.perceptronstreams.learner;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;
import java.util.List;

/**
 * Two-class perceptron: on a mistake (y·u <= 0) or a margin mistake (0 < y·u < h) adds eta·weight·y·x to w; u = w·x.
 *
 * <p>h = 0 is the perceptron (Rosenblatt 1958), h = 1 the margin perceptron (Hardt and Recht 2021; with {@code
 * h.inclusive} that of Harvey 2018), eta the step of subgradient descent on the hinge loss. A score of 0 predicts +1,
 * and is a mistake for both labels. Mistakes of the perceptron: at most (R/gamma)^2 on any stream with |x| <= R that
 * some unit vector separates with margin gamma, in any order (Novikoff 1962; Bartlett, theorem 2.1).
 *
 * <p>Averaged (Freund and Schapire 1999): emits the sign of the survival-weighted sum of all weight vectors so far; the
 * updates stay those of w. The average is always kept, so {@code predict} may change at any time.
 *
 * <p>Cost: O(non-zeros of x) per call; allocates new blocks only. State: w and the average in blocks (vector 0), the
 * pinned weights (vector 1), and a few numbers.
 */
final class Perceptron implements Learner, HasComparator {
    /** Rule of the perceptron and the margin perceptron. */
    private static final class HingeRule implements UpdateRule {
        @Override
        public double hinge(Settings settings) {
            return settings.h();
        }

        @Override
        public double step(Settings settings, double weight, double loss, double squaredLength) {
            return settings.eta() * weight;
        }
    }

    private final UpdateRule rule;
    private final Weights weights = new Weights();
    private Settings settings;
    private TwoClassLabels labels;
    private double hinge;

    private double bias;
    private double biasAverage;

    // C, the sum of all survival counts; an integer.
    private double survivals;
    private final NormCheck norm = new NormCheck();
    private final ComparatorWeights pinned = new ComparatorWeights();
    private final List<Blocks> blocks = List.of(weights.blocks(), pinned.blocks());

    // |x|^2, bias feature included, of the last scored example.
    private double squaredLength;

    Perceptron(Settings settings) {
        this(settings, new HingeRule());
    }

    /** Creates a learner with another rule. */
    Perceptron(Settings settings, UpdateRule rule) {
        this.rule = rule;
        configure(settings);
    }

    @Override
    public void configure(Settings settings) {
        if (settings.needsSupport()) {
            throw new IllegalArgumentException(
                    "kernel, budget and predict=voted need algorithm=kernel, which must be set before a"
                            + " model has seen labels (reset the model first)");
        }
        this.settings = settings;
        hinge = rule.hinge(settings);
        labels = new TwoClassLabels(settings);
    }

    @Override
    public void predict(Features features, Outcome outcome) {
        predict(TwoClassLabels.vector(features), outcome);
    }

    private void predict(FeatureVector x, Outcome outcome) {
        double u = weights.dot(x);
        squaredLength = weights.squaredLength();
        if (settings.bias()) {
            u += bias;
            squaredLength += 1;
        }
        double emitted = settings.predict() == Settings.Predict.LAST ? u : averagedSum(x, u);
        if (!Double.isFinite(u) || !Double.isFinite(emitted) || !Double.isFinite(squaredLength)) {
            throw new RejectedException(
                    RejectReason.SCORE_OVERFLOW,
                    "score and norm of an example must be finite, got an overflow (scale its features down)");
        }
        boolean isSum = settings.predict() != Settings.Predict.LAST && survivals > 0;
        labels.predict(emitted, isSum ? emitted / survivals : emitted, u, settings, outcome);
    }

    /** The survival-weighted sum of the scores of all weight vectors. */
    private double averagedSum(FeatureVector x, double u) {
        double a = weights.dotAverage(x);
        if (settings.bias()) {
            a += biasAverage;
        }
        return survivals * u - a;
    }

    @Override
    public void evaluate(Features features, Label y, Outcome outcome) {
        evaluate(TwoClassLabels.vector(features), labels.sign(y), outcome);
    }

    private void evaluate(FeatureVector x, int sign, Outcome outcome) {
        predict(x, outcome);
        labels.compare(sign, hinge, settings.isHInclusive(), outcome);
    }

    @Override
    public void learn(Features features, Label y, double weight, Outcome outcome) {
        FeatureVector x = TwoClassLabels.vector(features);
        int sign = labels.sign(y);
        evaluate(x, sign, outcome);
        if (outcome.kind == Outcome.Kind.CORRECT) {
            survivals += 1;
        } else {
            double step = rule.step(settings, weight, outcome.hingeLoss, squaredLength);
            update(x, step, sign, outcome.margin);
            survivals += settings.survivalStart();
            outcome.updated = true;
        }
        norm.observe(squaredLength);
        if (pinned.isPinned()) {
            pinned.add(x, settings.bias(), squaredLength, sign, settings.eta() * weight, settings.h(), outcome.updated);
        } else if (outcome.updated && pinned.countDown()) {
            pinned.pin(weights.blocks(), bias, weights, bias, norm.squaredNorm());
        }
    }

    private void update(FeatureVector x, double size, int sign, double margin) {
        double step = size * sign;
        double newBias = settings.bias() ? bias + step : bias;
        double growth = weights.growth(x, step, survivals) + (newBias - bias) * (newBias + bias);
        double newBiasAverage = settings.bias() ? biasAverage + survivals * step : biasAverage;
        // 0 · newBiasAverage is NaN if newBiasAverage is not finite
        norm.check(size, margin, squaredLength, growth + 0 * newBiasAverage);
        pinned.requireRoom(weights, x, settings.blocksMax());
        weights.addScaled(x, step, survivals);
        bias = newBias;
        biasAverage = newBiasAverage;
        norm.enter(size, margin, squaredLength, growth);
    }

    @Override
    public String name() {
        return "a two-class perceptron";
    }

    @Override
    public void exchange(StateFields fields) {
        bias = fields.finite(bias);
        biasAverage = fields.finite(biasAverage);
        survivals = fields.notNegative(survivals);
        norm.exchangeSquares(fields);
        if (fields.isReading() && !fields.hasNext()) {
            // form 1 stores neither B nor the steps
            norm.forget();
            return;
        }
        norm.exchangeSums(fields);
        if (fields.isReading() ? fields.hasNext() : pinned.isWanted()) {
            pinned.exchange(fields);
        }
    }

    @Override
    public List<Blocks> blocks() {
        return blocks;
    }

    @Override
    public NormCheck norm() {
        return norm;
    }

    @Override
    public void pin(long updates) {
        if (updates < 0) {
            pinned.clear();
        } else if (updates > 0) {
            pinned.expect(updates);
        } else {
            pin(weights.blocks(), bias);
        }
    }

    @Override
    public void pin(BlockVector u, double uBias) {
        if (u.count() + (long) weights.blocks().count() > settings.blocksMax()) {
            throw new IllegalArgumentException("comparator must have room within blocks.max = " + settings.blocksMax()
                    + ", got " + u.count() + " blocks beside the model's own "
                    + weights.blocks().count()
                    + " (raise blocks.max)");
        }
        pinned.pin(u, uBias, weights, bias, norm.squaredNorm());
    }

    @Override
    public ComparatorWeights pinned() {
        return pinned.isPinned() ? pinned : null;
    }

    @Override
    public void forEachWeight(WeightVisitor visitor) {
        visitor.vector("", bias, Weights.average(bias, biasAverage, survivals));
        weights.forEach(survivals, visitor);
    }
}
