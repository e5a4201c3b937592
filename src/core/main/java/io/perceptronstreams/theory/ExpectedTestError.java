package io.perceptronstreams.theory;

/**
 * The expected error on one more example is at most 3/(γ²(N+1)).
 *
 * <p>Assumes: N examples and the next one drawn independently from one distribution, in which some unit vector has
 * margin γ with probability 1; |x| = 1; the margin perceptron (h = 1, step 1) run until it makes no update. The
 * expectation is over the draw of all N + 1 examples. Any order that does not look at the examples will do, file order
 * and shuffled ones included: the example to come is then thought to be inserted at a random place.
 *
 * <p>Source: Hardt and Recht 2021, chapter 3. The proof uses 3/γ² only as a bound on the updates on N + 1 examples:
 * with another such bound k, for instance {@link MistakeBound}, the error is at most k/(N+1).
 */
public final class ExpectedTestError {
    public static final Theorem THEOREM = new Theorem(
            "expected test error",
            "P(error) <= 3/(gamma^2 (N+1)); in general k/(N+1) where k bounds the updates",
            "Hardt and Recht 2021, chapter 3",
            "examples drawn independently from one distribution, which some unit vector separates with margin gamma with"
                    + " probability 1; the run went on until it made no update");

    private ExpectedTestError() {}

    /**
     * k/(N+1).
     *
     * @param maxUpdates k
     */
    public static double fromUpdates(double maxUpdates, long examples) {
        return maxUpdates / (examples + 1.0);
    }
}
