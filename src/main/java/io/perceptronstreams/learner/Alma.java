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
final class Alma implements Learner {
    private static final double B = Math.sqrt(8);
    private static final double C = Math.sqrt(2);

    private final Weights weights = new Weights();
    private final List<Blocks> blocks = List.of(weights.blocks());
    private final NormCheck norm = new NormCheck();
    private Settings settings;
    private TwoClassLabels labels;

    // w = scale·v: a division of all weights changes the scale only.
    private double scale = 1;
    private double bias;
    private double updates;

    // |x|, bias feature included, of the last scored example.
    private double length;

    Alma(Settings settings) {
        norm.forget();
        configure(settings);
    }

    @Override
    public void configure(Settings changed) {
        settings = changed;
        labels = new TwoClassLabels(changed);
    }

    @Override
    public void predict(Features features, Outcome outcome) {
        predict(TwoClassLabels.vector(features), outcome);
    }

    private void predict(FeatureVector x, Outcome outcome) {
        double dot = weights.dot(x);
        double squaredLength = weights.squaredLength();
        if (settings.bias()) {
            dot += bias;
            squaredLength += 1;
        }
        length = Math.sqrt(squaredLength);
        double u = length == 0 ? 0 : scale * dot / length;
        if (!Double.isFinite(u) || !Double.isFinite(length)) {
            throw new RejectedException(
                    RejectReason.SCORE_OVERFLOW,
                    "score and norm of an example must be finite, got an overflow (scale its features down)");
        }
        labels.predict(u, u, u, settings, outcome);
    }

    @Override
    public void evaluate(Features features, Label y, Outcome outcome) {
        evaluate(TwoClassLabels.vector(features), labels.sign(y), outcome);
    }

    private void evaluate(FeatureVector x, int sign, Outcome outcome) {
        predict(x, outcome);
        double hinge = (1 - settings.alpha()) * B / settings.alpha() / Math.sqrt(updates + 1);
        labels.compare(sign, hinge, true, outcome);
    }

    @Override
    public void learn(Features features, Label y, double weight, Outcome outcome) {
        FeatureVector x = TwoClassLabels.vector(features);
        int sign = labels.sign(y);
        evaluate(x, sign, outcome);
        if (outcome.kind != Outcome.Kind.CORRECT) {
            if (length > 0) {
                update(x, sign, weight * settings.c() * C / Math.sqrt(updates + 1));
            }
            outcome.updated = true;
        }
        norm.observe(length * length);
    }

    private void update(FeatureVector x, int sign, double size) {
        double step = sign * size / length / scale;
        double newBias = settings.bias() ? bias + step : bias;
        double growth = weights.growth(x, step, 0) + (newBias - bias) * (newBias + bias);
        double squaredNorm = Math.max(0, norm.squaredNorm() + scale * growth * scale);
        if (!Double.isFinite(squaredNorm)) {
            throw new RejectedException(
                    RejectReason.MODEL_QUARANTINED,
                    "the weights must stay finite, got an overflow in an update by a step of " + size
                            + " (reset the model; scale the features or lower c)");
        }
        weights.requireRoom(x, settings.blocksMax());
        weights.addScaled(x, step, 0);
        bias = newBias;
        updates++;
        if (squaredNorm > 1) {
            scale /= Math.sqrt(squaredNorm);
        }
        norm.replace(Math.min(1, squaredNorm));
        if (scale < 0x1p-64) {
            // exact; prevents an overflow of v
            weights.blocks().multiply(0x1p-64);
            bias *= 0x1p-64;
            scale *= 0x1p64;
        }
    }

    @Override
    public String name() {
        return "ALMA";
    }

    @Override
    public void exchange(StateFields fields) {
        scale = fields.square(scale);
        bias = fields.finite(bias);
        updates = fields.count(updates);
        norm.exchangeSquares(fields);
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
    public void forEachWeight(WeightVisitor visitor) {
        visitor.vector("", scale * bias, 0);
        weights.blocks().forEach((number, block) -> {
            for (int i = 0; i < BlockVector.BLOCK; i++) {
                if (scale * block[i] != 0) {
                    visitor.weight((number << BlockVector.SHIFT) + i, scale * block[i], 0);
                }
            }
        });
    }
}
