package io.perceptronstreams.learner;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.settings.LearnedException;
import io.perceptronstreams.settings.Settings;
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
 * <p>The classes may have hinges of their own (uneven margins; Li, Zaragoza, Herbrich, Shawe-Taylor and Kandola 2002).
 *
 * <p>Averaged (Freund and Schapire 1999): emits the sign of the survival-weighted sum of all weight vectors so far; the
 * updates stay those of w. The average is always kept, so {@code predict} may change at any time.
 *
 * <p>Cost: O(non-zeros of x) per call; allocates new blocks only. State: w and the average in blocks (vector 0), the
 * pinned weights (vector 1), and a few numbers.
 */
public final class Perceptron extends TwoClassLearner implements HasComparator {
    /** Rule of the perceptron and the margin perceptron. */
    private static final class HingeRule implements UpdateRule {
        @Override
        public double hinge(Settings settings, int y, NormCheck norm) {
            return settings.hinge(y);
        }

        @Override
        public double step(Settings settings, double weight, double loss, double squaredLength) {
            return settings.get(Settings.ETA) * weight;
        }
    }

    private static final UpdateRule HINGE = new HingeRule();

    private final UpdateRule rule;
    private final BiasedWeights weights = new BiasedWeights();
    private final ComparatorWeights pinned = new ComparatorWeights();
    private final List<Blocks> blocks = List.of(weights.blocks(), pinned.blocks());
    private double hingePositive;
    private double hingeNegative;
    private boolean isInclusive;

    private final Survivals survivals = new Survivals();

    public Perceptron(Settings settings) {
        this(settings, HINGE);
    }

    /** Creates a learner with another rule. */
    public Perceptron(Settings settings, UpdateRule rule) {
        this.rule = rule;
        configure(settings);
    }

    @Override
    public void configure(Settings changed) {
        if (changed.needsSupport()) {
            throw new LearnedException(
                    "kernel, budget and predict=voted need algorithm=kernel, which must be set before a"
                            + " model has seen labels",
                    "reset the model first");
        }
        super.configure(changed);
        survivals.configure(changed);
        isInclusive = rule.isInclusive(changed);
        computeHinges();
    }

    private void computeHinges() {
        hingePositive = rule.hinge(settings(), 1, norm());
        hingeNegative = rule.hinge(settings(), -1, norm());
    }

    @Override
    protected void predict(FeatureVector x, Outcome outcome) {
        boolean hasBias = hasBias();
        boolean isLast = isLast();
        double u = weights.dot(x, hasBias);
        // the survival-weighted sum of the scores of all weight vectors
        double emitted = isLast ? u : survivals.sum() * u - weights.dotAverage(x, hasBias);
        requireFinite(u);
        requireFinite(emitted);
        requireFinite(weights.squaredLength());
        boolean isSum = !isLast && survivals.sum() > 0;
        labels().predict(emitted, isSum ? emitted / survivals.sum() : emitted, u, outcome);
    }

    @Override
    protected void evaluate(FeatureVector x, int sign, Outcome outcome) {
        predict(x, outcome);
        labels().compare(sign, hinge(sign), isInclusive, outcome);
    }

    private double hinge(int sign) {
        return sign > 0 ? hingePositive : hingeNegative;
    }

    @Override
    protected void correct(FeatureVector x, int sign, double weight, Outcome outcome) {
        Settings settings = settings();
        double squaredLength = weights.squaredLength();
        if (outcome.kind == Outcome.Kind.CORRECT) {
            survive(1);
        } else {
            update(x, rule.step(settings, weight, outcome.hingeLoss, squaredLength), sign, outcome.margin);
            survive(settings.get(Settings.SURVIVAL_START));
            outcome.updated = true;
        }
        norm().observe(squaredLength);
        if (pinned.isPinned()) {
            pinned.add(
                    x,
                    hasBias(),
                    squaredLength,
                    sign,
                    settings.get(Settings.ETA) * weight,
                    hinge(sign),
                    outcome.updated);
        } else if (outcome.updated && pinned.countDown()) {
            begin(weights.blocks(), weights.bias);
        }
    }

    private void survive(int count) {
        if (survivals.add(count)) {
            weights.multiplyAverage(Survivals.SHRINKAGE);
        }
    }

    private void update(FeatureVector x, double size, int sign, double margin) {
        boolean hasBias = hasBias();
        double squaredLength = weights.squaredLength();
        double growth = weights.growth(x, hasBias, size * sign, survivals.sum());
        norm().check(size, margin, squaredLength, growth);
        pinned.requireRoom(weights.unbiased(), x, settings().get(Settings.BLOCKS_MAX));
        weights.addScaled(x, hasBias, size * sign, survivals.sum());
        norm().enter(size, margin, squaredLength, growth);
        computeHinges();
    }

    @Override
    public void explain(Features x, Label y, Outcome outcome, Evidence evidence) {
        weights.explain(TwoClassLabels.vector(x), hasBias(), 1, labels().sign(y), outcome.margin, evidence);
    }

    @Override
    public String name() {
        return "a two-class perceptron";
    }

    @Override
    public void exchange(StateFields fields) {
        weights.bias = fields.finite(weights.bias);
        weights.biasAverage = fields.finite(weights.biasAverage);
        survivals.exchangeSum(fields);
        norm().exchangeSquares(fields);
        norm().exchangeSums(fields);
        survivals.exchangeUnit(fields, ComparatorWeights.NUMBERS);
        if (fields.isReading() ? fields.hasNext() : pinned.isWanted()) {
            pinned.exchange(fields);
        }
        computeHinges();
    }

    @Override
    public List<Blocks> blocks() {
        return blocks;
    }

    @Override
    public void pin(long updates) {
        if (updates < 0) {
            pinned.clear();
        } else if (updates > 0) {
            pinned.expect(updates);
        } else {
            pin(weights.blocks(), weights.bias);
        }
    }

    @Override
    public void pin(BlockVector u, double uBias) {
        if (u.count() + (long) weights.blocks().count() > settings().get(Settings.BLOCKS_MAX)) {
            throw new IllegalArgumentException("comparator must have room within blocks.max = "
                    + settings().get(Settings.BLOCKS_MAX)
                    + ", got " + u.count() + " blocks beside the model's own "
                    + weights.blocks().count()
                    + " (raise blocks.max)");
        }
        begin(u, uBias);
    }

    private void begin(BlockVector u, double uBias) {
        pinned.pin(u, uBias, weights.unbiased(), weights.bias, norm().squaredNorm());
    }

    @Override
    public ComparatorWeights pinned() {
        return pinned.isPinned() ? pinned : null;
    }

    @Override
    public void forEachWeight(WeightVisitor visitor) {
        weights.forEach(survivals.sum(), visitor);
    }
}
