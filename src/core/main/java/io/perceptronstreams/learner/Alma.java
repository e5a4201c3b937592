package io.perceptronstreams.learner;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.Blocks;
import java.util.List;

/**
 * Approximately maximal margin: the perceptron on normalized examples, with shrinking steps and |w| <= 1.
 *
 * <p>ALMA_2(alpha; B, C) of Gentile 2001, figure 1, with B = sqrt(8)/alpha and C = c·sqrt(2); c = 1 is the choice of
 * its theorem 3. Let x' = x/|x| and u = w·x'. The k-th update is made if y·u <= (1 - alpha)·B/sqrt(k): it adds
 * weight·C/sqrt(k)·y·x' to w, then divides w by |w| if |w| > 1. A score y·u <= 0 is a mistake, any other update a
 * margin mistake. If a unit vector separates the normalized examples with margin gamma, there are O(1/(alpha·gamma)^2)
 * updates, and the final w has margin (1 - alpha)·gamma.
 *
 * <p>Cost: O(non-zeros of x) per call; allocates new blocks only. State: v in lane 0 of blocks (vector 0), where
 * w = scale·v, and the numbers of {@link #exchange}. No average. An example without features and bias changes nothing.
 */
public final class Alma extends TwoClassLearner {
    private static final double B = Math.sqrt(8);
    private static final double ROOT = Math.sqrt(2);

    private final BiasedWeights v = new BiasedWeights();
    private final List<Blocks> blocks = List.of(v.blocks());

    // w = scale·v: a division of all weights changes the scale only.
    private double scale = 1;
    private double updates;

    private double alpha;

    // |x|, bias feature included, of the last scored example.
    private double length;

    public Alma(Settings settings) {
        norm().forget();
        configure(settings);
    }

    @Override
    public void configure(Settings changed) {
        super.configure(changed);
        alpha = changed.get(Settings.ALPHA);
    }

    @Override
    protected void predict(FeatureVector x, Outcome outcome) {
        double dot = v.dot(x, hasBias());
        length = Math.sqrt(v.squaredLength());
        double u = length == 0 ? 0 : scale * dot / length;
        requireFinite(u);
        requireFinite(length);
        labels().predict(u, u, u, outcome);
    }

    @Override
    protected void evaluate(FeatureVector x, int sign, Outcome outcome) {
        predict(x, outcome);
        labels().compare(sign, (1 - alpha) * B / alpha / Math.sqrt(updates + 1), true, outcome);
    }

    @Override
    protected void correct(FeatureVector x, int sign, double weight, Outcome outcome) {
        if (outcome.kind != Outcome.Kind.CORRECT) {
            if (length > 0) {
                update(x, sign, weight * settings().get(Settings.C) * ROOT / Math.sqrt(updates + 1));
            }
            outcome.updated = true;
        }
        norm().observe(length * length);
    }

    private void update(FeatureVector x, int sign, double size) {
        double step = sign * size / length / scale;
        double growth = v.growth(x, hasBias(), step, 0);
        double squaredNorm = norm().after(scale * growth * scale, size, "lower c");
        v.unbiased().requireRoom(x, settings().get(Settings.BLOCKS_MAX));
        v.addScaled(x, hasBias(), step, 0);
        updates++;
        if (squaredNorm > 1) {
            scale /= Math.sqrt(squaredNorm);
        }
        norm().replace(Math.min(1, squaredNorm));
        if (scale < 0x1p-64) {
            // exact; prevents an overflow of v
            v.multiply(0x1p-64);
            scale *= 0x1p64;
        }
    }

    @Override
    public void explain(Features x, Label y, Outcome outcome, Evidence evidence) {
        v.explain(
                TwoClassLabels.vector(x),
                hasBias(),
                length == 0 ? 0 : scale / length,
                labels().sign(y),
                outcome.margin,
                evidence);
    }

    @Override
    public String name() {
        return "ALMA";
    }

    @Override
    public void exchange(StateFields fields) {
        scale = fields.square(scale);
        v.bias = fields.finite(v.bias);
        updates = fields.count(updates);
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
