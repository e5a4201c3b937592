package io.perceptronstreams.learner;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.settings.Settings;

/**
 * Soft confidence-weighted learning: each weight has a variance, initially 1, and a margin is large enough if it is so
 * with the probability {@code confidence}.
 *
 * <p>SCW-I of Wang, Zhao and Hoi 2012, proposition 1, with the diagonal of the inverse covariance, as Crammer, Dredze
 * and Kulesza 2009 have it in {@link Arow}. Let m = y·u, v = sum of variance[i]·x[i]^2, phi = {@link NormalQuantile} of
 * confidence, psi = 1 + phi^2/2 and zeta = 1 + phi^2. If m < phi·sqrt(v): alpha = min(C, (-m·psi + sqrt(m^2·phi^4/4 +
 * v·phi^2·zeta))/(v·zeta)), but at least 0; s = (sqrt(alpha^2·v^2·phi^2 + 4v) - alpha·v·phi)/2; w[i] +=
 * alpha·y·variance[i]·x[i], then 1/variance[i] += alpha·phi/s·x[i]^2. A score y·u <= 0 is a mistake, one between 0 and
 * phi·sqrt(v) a margin mistake.
 *
 * <p>The weight of an example multiplies C, the price of its loss. Cost and state: see {@link VarianceLearner}.
 */
public final class Scw extends VarianceLearner {
    private double phi;

    // Of the last evaluated example.
    private double variance;

    public Scw(Settings settings) {
        configure(settings);
    }

    @Override
    public void configure(Settings changed) {
        super.configure(changed);
        phi = NormalQuantile.of(changed.get(Settings.CONFIDENCE));
    }

    @Override
    protected void evaluate(FeatureVector x, int sign, Outcome outcome) {
        predict(x, outcome);
        variance = variance(x);
        labels().compare(sign, phi * Math.sqrt(variance), false, outcome);
    }

    @Override
    protected void correct(FeatureVector x, int sign, double weight, Outcome outcome) {
        if (outcome.kind != Outcome.Kind.CORRECT) {
            update(x, sign, weight, outcome.margin);
            outcome.updated = true;
        }
        norm().observe(squaredLength());
    }

    private void update(FeatureVector x, int sign, double weight, double m) {
        double v = variance;
        // v = 0: x has no features to update, or their squares underflow
        double alpha = v == 0 ? 0 : Math.min(settings().get(Settings.C) * weight, Math.max(0, unbounded(m, v)));
        double half = alpha * v * phi / 2;
        // (sqrt(4·half^2 + 4v) - 2·half)/2 without a difference of nearly equal numbers
        double s = v / (Math.sqrt(half * half + v) + half);
        // alpha = 0: nothing moves; s is 0/0 if v = 0
        double r = alpha == 0 ? Double.POSITIVE_INFINITY : s / (alpha * phi);
        move(x, sign * alpha, r, "lower c");
    }

    /** alpha without C. */
    private double unbounded(double m, double v) {
        double square = phi * phi;
        double root = Math.sqrt(m * m * square * square / 4 + v * square * (1 + square));
        return (root - m * (1 + square / 2)) / (v * (1 + square));
    }

    @Override
    public String name() {
        return "SCW";
    }
}
