package io.perceptronstreams.theory;

/**
 * The perceptron makes at most (R/γ)² mistakes on a separable stream, in any order and with any repetition.
 *
 * <p>Assumes: |x| at most R; some unit vector u* with y·(u*·x) at least γ > 0 for every example; h = 0; all steps
 * equal; w = 0 at the start. With several classes or structures, x is f(x,y) - f(x,y*) (Collins 2002); with a kernel,
 * R² is the largest K(x,x).
 *
 * <p>Source: Novikoff 1962; Bartlett, theorem 2.1; Lin 2021 with |w*| = 1/γ.
 */
public final class MistakeBound {
    public static final Theorem THEOREM = new Theorem(
            "mistake bound",
            "M <= (R/gamma)^2",
            "Novikoff 1962; Bartlett, theorem 2.1; Lin 2021",
            "some unit vector separates all examples with margin gamma > 0, |x| <= R, h = 0, all steps equal, w = 0 at the"
                    + " start");

    private MistakeBound() {}

    /**
     * (R/γ)².
     *
     * @param radius R
     * @param gamma margin > 0 of some unit vector
     */
    public static double of(double radius, double gamma) {
        return radius / gamma * (radius / gamma);
    }
}
