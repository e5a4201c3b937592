package io.perceptronstreams.learner;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.Blocks;
import java.util.List;

/**
 * Relaxed online maximum margin algorithm (ROMMA) of Li and Long 2002: an approximation of the weights of largest
 * margin, by one example at a time.
 *
 * <p>An update replaces w by the shortest w' with y·(w'·x) >= 1 for its example and w'·w >= |w|^2, one constraint that
 * follows from those of all earlier examples. With m = y·(w·x) and D = |x|^2·|w|^2 - m^2 that is w' = c·w + d·y·x, c =
 * (|x|^2·|w|^2 - m)/D, d = |w|^2·(1 - m)/D. Where m >= |x|^2·|w|^2, as at the start, the first constraint implies the
 * second: w' = y·x/|x|^2. The same w' is taken where x is a negative multiple of y·w: there no w' meets both
 * constraints, and no hyperplane through 0 separates the examples.
 *
 * <p>An update is made on a mistake, m <= 0; with {@code aggressive=true} wherever m < 1. If some u has y·(u·x) >= 1 on
 * all examples, there are at most R^2·|u|^2 mistakes, as with the perceptron (Li and Long 2002): u meets both
 * constraints, so |w| <= |u|, and each mistake raises |w|^2 by at least 1/R^2. Weights of examples are not in the
 * paper: a weight below 1 moves w by that fraction of the way to w', a weight above 1 counts as 1.
 *
 * <p>Cost: O(non-zeros of x) per call, O(weights) where w' = y·x/|x|^2 replaces earlier weights; allocates new blocks
 * only. State: v in lane 0 of blocks (vector 0), where w = scale·v, and the numbers of {@link #exchange}. No average.
 * An example without features and bias changes nothing.
 */
public final class Romma extends TwoClassLearner {
    /** Smallest D relative to |x|^2·|w|^2: below it x counts as a multiple of w. */
    private static final double PARALLEL = 1e-12;

    /** Remedy of an overflow, besides smaller examples. */
    private static final String REMEDY = "reset the model";

    private final BiasedWeights v = new BiasedWeights();
    private final List<Blocks> blocks = List.of(v.blocks());

    // w = scale·v: a multiple of all weights changes the scale only.
    private double scale = 1;
    private double h;

    // |x|^2, bias feature included, of the last scored example.
    private double squaredLength;

    public Romma(Settings settings) {
        norm().forget();
        configure(settings);
    }

    @Override
    public void configure(Settings changed) {
        super.configure(changed);
        h = changed.get(Settings.AGGRESSIVE) ? 1 : 0;
    }

    @Override
    protected void predict(FeatureVector x, Outcome outcome) {
        double u = scale * v.dot(x, hasBias());
        squaredLength = v.squaredLength();
        requireFinite(u);
        requireFinite(squaredLength);
        labels().predict(u, u, u, outcome);
    }

    @Override
    protected void evaluate(FeatureVector x, int sign, Outcome outcome) {
        predict(x, outcome);
        labels().compare(sign, h, false, outcome);
    }

    @Override
    protected void correct(FeatureVector x, int sign, double weight, Outcome outcome) {
        if (outcome.kind != Outcome.Kind.CORRECT) {
            if (squaredLength > 0) {
                update(x, sign, outcome.margin, Math.min(1, weight));
            }
            outcome.updated = true;
        }
        norm().observe(squaredLength);
    }

    /** Moves w by a fraction of the way to c·w + d·y·x. */
    private void update(FeatureVector x, int sign, double margin, double fraction) {
        double product = squaredLength * norm().squaredNorm();
        double difference = product - margin * margin;
        double c = 0;
        double d = 1 / squaredLength;
        if (margin < product && difference > PARALLEL * product) {
            c = (product - margin) / difference;
            d = norm().squaredNorm() * (1 - margin) / difference;
        }
        double factor = 1 + fraction * (c - 1);
        double size = fraction * d;
        v.unbiased().requireRoom(x, settings().get(Settings.BLOCKS_MAX));
        if (factor == 0) {
            // nothing is left of w
            norm().after(size * size * squaredLength - norm().squaredNorm(), size, REMEDY);
            v.multiply(0);
            scale = 1;
            v.growth(x, hasBias(), sign * size, 0);
            v.addScaled(x, hasBias(), sign * size, 0);
            norm().replace(size * size * squaredLength);
            return;
        }
        double step = sign * size / (factor * scale);
        double growth = scale * v.growth(x, hasBias(), step, 0) * scale;
        double squaredNorm = factor * norm().after(growth, size, REMEDY) * factor;
        requireFinite(squaredNorm);
        v.addScaled(x, hasBias(), step, 0);
        scale *= factor;
        norm().replace(squaredNorm);
        rescale();
    }

    /** Keeps the scale near 1, exactly; prevents an overflow of v. */
    private void rescale() {
        while (scale < 0x1p-64) {
            v.multiply(0x1p-64);
            scale *= 0x1p64;
        }
        while (scale > 0x1p64) {
            v.multiply(0x1p64);
            scale *= 0x1p-64;
        }
    }

    @Override
    public void explain(Features x, Label y, Outcome outcome, Evidence evidence) {
        v.explain(TwoClassLabels.vector(x), hasBias(), scale, labels().sign(y), outcome.margin, evidence);
    }

    @Override
    public String name() {
        return "ROMMA";
    }

    @Override
    public void exchange(StateFields fields) {
        scale = fields.square(scale);
        v.bias = fields.finite(v.bias);
        norm().exchangeSquares(fields);
    }

    @Override
    public List<Blocks> blocks() {
        return blocks;
    }

    @Override
    public void forEachWeight(WeightVisitor visitor) {
        v.forEachScaled(scale, visitor);
    }
}
