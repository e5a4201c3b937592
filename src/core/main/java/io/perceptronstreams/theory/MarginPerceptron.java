package io.perceptronstreams.theory;

/**
 * The margin perceptron makes at most 3/γ² updates on separable unit vectors and ends with a margin of at least γ/3.
 *
 * <p>Assumes: |x| at most 1; some unit vector u* with y·(u*·x) at least γ > 0 for every example; h = 1, step 1 and w =
 * 0 at the start; for the margin, passes until one makes no update. Whether y·(w·x) = 1 is a margin mistake (Harvey) or
 * not (Hardt and Recht) does not matter.
 *
 * <p>Sources: Hardt and Recht 2021, chapter 3; Harvey 2018, theorem 2.1. Their proofs give more: an update adds at most
 * eta²·R² + 2·eta·h to |w|² and at least eta·γ to w·u*, hence (R² + 2h/eta)/γ² updates for any R, h and eta; the final
 * y·(w·x) is at least h, hence the margin at least h·γ/(eta·R² + 2h). For R = h = eta = 1 these are 3/γ² and γ/3,
 * for h = 0 {@link MistakeBound}.
 */
public final class MarginPerceptron {
    public static final Theorem THEOREM = new Theorem(
            "margin perceptron",
            "M <= 3/gamma^2 and margin(w) >= gamma/3; in general M <= (R^2 + 2h/eta)/gamma^2 and margin(w) >="
                    + " h·gamma/(eta·R^2 + 2h)",
            "Hardt and Recht 2021, chapter 3; Harvey 2018, theorem 2.1",
            "some unit vector separates all examples with margin gamma > 0, |x| <= R (R = 1 for 3/gamma^2), h > 0 (1), all"
                    + " steps equal (1), w = 0 at the start; for the margin, a last pass without update");

    private MarginPerceptron() {}

    /** Bound on the updates: (R² + 2h/eta)/γ². */
    public static double updates(double radius, double h, double eta, double gamma) {
        return (radius * radius + 2 * h / eta) / (gamma * gamma);
    }

    /** Bound on the final margin: h·γ/(eta·R² + 2h). */
    public static double margin(double radius, double h, double eta, double gamma) {
        return h * gamma / (eta * radius * radius + 2 * h);
    }

    /** Bound on γ from the final margin: {@link #margin} solved for γ. */
    public static double largestGamma(double radius, double h, double eta, double marginReached) {
        return marginReached * (eta * radius * radius + 2 * h) / h;
    }
}
