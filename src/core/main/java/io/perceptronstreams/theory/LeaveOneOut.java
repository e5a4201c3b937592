package io.perceptronstreams.theory;

/**
 * The leave-one-out error is at most |S|/N, where S are the examples with an update, or with a wrong final prediction.
 *
 * <p>Assumes: an example without an update changes neither the weights nor the predictions of others. Then a training
 * in the same order without an example outside S ends with the same weights, which predict it correctly. The expected
 * error on one more example, drawn independently from the same distribution, is at most E|S|/(N+1), where S is that of
 * N+1 examples: each of them is equally likely to be the one left out. No margin is needed, and the run need not have
 * ended.
 *
 * <p>Source: the stability argument of Hardt and Recht 2021, chapter 3, before its last step bounds |S| by 3/γ².
 */
public final class LeaveOneOut {
    public static final Theorem THEOREM = new Theorem(
            "leave-one-out error",
            "leave-one-out error <= |S|/N; P(error) <= E|S|/(N+1)",
            "Hardt and Recht 2021, chapter 3, the proof of the test error",
            "an example without an update changes nothing; for P(error), independent examples");

    private LeaveOneOut() {}

    /**
     * |S|/N.
     *
     * @param support |S|
     * @param examples N
     */
    public static double of(long support, long examples) {
        return (double) support / examples;
    }
}
