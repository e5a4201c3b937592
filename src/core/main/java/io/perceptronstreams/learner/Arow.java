package io.perceptronstreams.learner;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.settings.Settings;

/**
 * Adaptive regularization of weights (Crammer, Kulesza and Dredze 2009) with a diagonal covariance: each weight has a
 * variance, initially 1, and smaller variances give smaller steps.
 *
 * <p>Let u = w·x, v = sum of variance[i]·x[i]^2 and l = max(0, 1 - y·u). If l > 0: w[i] += l/(v +
 * r)·y·variance[i]·x[i], then 1/variance[i] += x[i]^2/r, the diagonal of the paper's formula for the inverse
 * covariance. This solves the paper's problem exactly over diagonal matrices. With {@code diagonal=covariance}
 * variance[i] -= variance[i]^2·x[i]^2/(v + r) instead, the diagonal of the formula for the covariance. A score y·u <= 0
 * is a mistake, one between 0 and 1 a margin mistake. For large r the rule approaches Passive-Aggressive II with C =
 * 1/(2r).
 *
 * <p>The weight of an example divides r: it multiplies both prices, 1/(2r), of the paper's problem. The learner does
 * not use h and eta. Cost and state: see {@link VarianceLearner}.
 */
public final class Arow extends VarianceLearner {
    public Arow(Settings settings) {
        configure(settings);
    }

    @Override
    protected void evaluate(FeatureVector x, int sign, Outcome outcome) {
        predict(x, outcome);
        labels().compare(sign, 1, false, outcome);
    }

    @Override
    protected void correct(FeatureVector x, int sign, double weight, Outcome outcome) {
        if (outcome.kind != Outcome.Kind.CORRECT) {
            double r = settings().get(Settings.R) / weight;
            double variance = variance(x);
            // v = 0: x has no features to update
            double step = variance == 0 ? 0 : sign * outcome.hingeLoss / (variance + r);
            move(x, step, r, "raise r");
            outcome.updated = true;
        }
        norm().observe(squaredLength());
    }

    @Override
    public String name() {
        return "AROW";
    }
}
