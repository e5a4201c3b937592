package io.perceptronstreams.learner;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;
import java.util.ArrayList;
import java.util.List;

/**
 * Two-class perceptron: on a mistake (y·u <= 0) or a margin mistake (0 < y·u < h) adds eta·weight·y·x to w; u = w·x.
 *
 * <p>h = 0 is the perceptron (Rosenblatt 1958), h = 1 the margin perceptron (Hardt and Recht 2021; with {@code h.inclusive} that of
 * Harvey 2018), eta the step of subgradient descent on the hinge loss. A score of 0 predicts +1, and is a mistake for both labels.
 * Mistakes of the perceptron: at most (R/gamma)^2 on any stream with |x| <= R that some unit vector separates with margin gamma, in
 * any order (Novikoff 1962; Bartlett, theorem 2.1).
 *
 * <p>Averaged (Freund and Schapire 1999): the emitted label is the sign of the survival-weighted sum of all weight vectors so
 * far, the present one with the count it has; the updates stay those of w. The average is always kept, so that {@code
 * predict} may change at any time and means the whole stream.
 *
 * <p>Cost: O(non-zeros of x) per call, no allocation but new blocks. State: w and the average in blocks (vector 0),
 * the weights it is compared with (vector 1), and the numbers of {@link #state}.
 */
final class Perceptron implements Learner {
    /** The rule that this class is named after. */
    private static final class HingeRule implements UpdateRule {
        @Override
        public void requireFit(Settings settings) {}

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

    // C, the sum of all survival counts; a whole number.
    private double survivals;
    private double squaredRadius;
    private final NormCheck ledger = new NormCheck();
    private final ComparatorWeights pinned = new ComparatorWeights();

    // |x|^2 with the bias feature of the example scored last.
    private double squaredLength;

    Perceptron(Settings settings) {
        this(settings, new HingeRule());
    }

    /** A learner that differs from the perceptron in when it makes updates, and how large ones. */
    Perceptron(Settings settings, UpdateRule rule) {
        this.rule = rule;
        configure(settings);
    }

    @Override
    public void configure(Settings settings) {
        TwoClassLabels.requireNoClasses(settings);
        settings.requireNoSupport();
        rule.requireFit(settings);
        this.settings = settings;
        hinge = rule.hinge(settings);
        labels = new TwoClassLabels(settings.labels());
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
        evaluate(TwoClassLabels.vector(features), y, outcome);
    }

    private void evaluate(FeatureVector x, Label y, Outcome outcome) {
        int sign = labels.sign(y);
        predict(x, outcome);
        labels.compare(sign, hinge, settings.isHInclusive(), outcome);
    }

    @Override
    public void learn(Features features, Label y, double weight, Outcome outcome) {
        FeatureVector x = TwoClassLabels.vector(features);
        evaluate(x, y, outcome);
        if (outcome.kind == Outcome.Kind.CORRECT) {
            survivals += 1;
        } else {
            double step = rule.step(settings, weight, outcome.hingeLoss, squaredLength);
            update(x, step, labels.sign(y), outcome.margin);
            survivals += settings.survivalStart();
            outcome.updated = true;
        }
        squaredRadius = Math.max(squaredRadius, squaredLength);
        if (pinned.isPinned()) {
            pinned.add(
                    x,
                    settings.bias(),
                    squaredLength,
                    labels.sign(y),
                    settings.eta() * weight,
                    settings.h(),
                    outcome.updated);
        } else if (outcome.updated && pinned.countDown()) {
            pinned.pin(weights.blocks(), bias, weights, bias, ledger.squaredNorm());
        }
    }

    private void update(FeatureVector x, double size, int sign, double margin) {
        double step = size * sign;
        double newBias = settings.bias() ? bias + step : bias;
        double growth = weights.growth(x, step, survivals) + (newBias - bias) * (newBias + bias);
        double newBiasAverage = settings.bias() ? biasAverage + survivals * step : biasAverage;
        // 0 · newBiasAverage is 0 where it is finite and NaN where not
        ledger.check(size, margin, squaredLength, growth + 0 * newBiasAverage);
        pinned.requireRoom(weights, x, settings.blocksMax());
        weights.addScaled(x, step, survivals);
        bias = newBias;
        biasAverage = newBiasAverage;
        ledger.enter(size, margin, squaredLength, growth);
    }

    /** The numbers are bias, the bias's average sum, C, |w|^2, R^2, and what {@link NormCheck} and {@link ComparatorWeights} keep besides. */
    @Override
    public LearnerState state() {
        List<Double> numbers = new ArrayList<>(List.of(
                bias, biasAverage, survivals, ledger.squaredNorm(), squaredRadius, ledger.most(), ledger.steps()));
        if (pinned.isWanted()) {
            numbers.addAll(pinned.numbers());
        }
        return new LearnerState(numbers, List.of());
    }

    @Override
    public void restore(LearnerState state) {
        List<Double> numbers = state.numbers();
        boolean isMine = List.of(5, 7, 7 + ComparatorWeights.NUMBERS).contains(numbers.size())
                && state.names().isEmpty();
        if (!isMine || !numbers.subList(0, 5).stream().allMatch(Double::isFinite) || !(numbers.get(2) >= 0)) {
            throw new IllegalArgumentException(
                    "the state of a two-class perceptron must be five numbers that are finite, those of its ledger and of"
                            + " its comparator, and no names, got " + numbers.size() + " numbers and "
                            + state.names().size() + " names");
        }
        bias = numbers.get(0);
        biasAverage = numbers.get(1);
        survivals = numbers.get(2);
        squaredRadius = numbers.get(4);
        boolean hasLedger = numbers.size() > 5;
        // a state from before there was a ledger: nothing is known of its updates, and nothing can be checked
        ledger.restore(
                numbers.get(3),
                hasLedger ? numbers.get(5) : Double.POSITIVE_INFINITY,
                hasLedger ? numbers.get(6) : Double.NaN);
        pinned.restore(hasLedger ? numbers.subList(7, numbers.size()) : List.of());
    }

    @Override
    public int vectors() {
        return 2;
    }

    @Override
    public Blocks vector(int number) {
        return switch (number) {
            case 0 -> weights.blocks();
            case 1 -> pinned.blocks();
            default ->
                throw new IllegalArgumentException("the two-class perceptron has vectors 0 and 1 only, not " + number);
        };
    }

    @Override
    public double weightNorm() {
        return Math.sqrt(ledger.squaredNorm());
    }

    @Override
    public void pin(long updates) {
        if (updates < 0) {
            pinned.clear();
        } else if (!(rule instanceof HingeRule)) {
            // other steps depend on the data: with them the hinge loss of u bounds no number of updates
            Learner.super.pin(updates);
        } else if (updates > 0) {
            pinned.expect(updates);
        } else {
            pin(weights.blocks(), bias);
        }
    }

    @Override
    public void pin(BlockVector u, double uBias) {
        if (!(rule instanceof HingeRule)) {
            Learner.super.pin(u, uBias);
        }
        if (u.count() + (long) weights.blocks().count() > settings.blocksMax()) {
            throw new IllegalArgumentException("comparator must have room within blocks.max = " + settings.blocksMax()
                    + ", got " + u.count() + " blocks beside the model's own "
                    + weights.blocks().count()
                    + " (raise blocks.max)");
        }
        pinned.pin(u, uBias, weights, bias, ledger.squaredNorm());
    }

    @Override
    public ComparatorWeights pinned() {
        return pinned.isPinned() ? pinned : null;
    }

    @Override
    public double steps() {
        return ledger.steps();
    }

    @Override
    public double radius() {
        return Math.sqrt(squaredRadius);
    }

    @Override
    public void forEachWeight(WeightVisitor visitor) {
        visitor.vector("", bias, Weights.average(bias, biasAverage, survivals));
        weights.forEach(survivals, visitor);
    }
}
