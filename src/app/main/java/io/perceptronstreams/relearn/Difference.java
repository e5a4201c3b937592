package io.perceptronstreams.relearn;

import io.perceptronstreams.log.NamedSnapshot;

/**
 * The first difference between what a model has sent and what its log gives; a result, not a failure of the program.
 */
public final class Difference extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String sent;
    private final String relearned;

    /**
     * @param sent event in the topic as JSON; null if it is missing
     * @param relearned event of the run as JSON; null if there is none
     */
    Difference(String message, String sent, String relearned) {
        super(message, null, false, false);
        this.sent = sent;
        this.relearned = relearned;
    }

    /**
     * Returns this difference with a reason that the program cannot exclude: the model had no records before the first
     * one.
     */
    Difference because(String reason) {
        return new Difference(
                reason + ". If the model had no records before, this is a difference: " + getMessage(),
                sent,
                relearned);
    }

    /** Returns this difference with commands and weights that may be its cause; this one if there are none. */
    Difference taking(Places unsigned) {
        return unsigned.isEmpty()
                ? this
                : new Difference(
                        getMessage() + "; the run has taken commands or weights without a valid signature and without a"
                                + " dead letter, at " + unsigned
                                + ", which the engine may have refused (--without-unsigned leaves them out)",
                        sent,
                        relearned);
    }

    /**
     * Returns this difference with what a run from a named snapshot lacks, which may be its cause; this one from the
     * beginning.
     */
    Difference since(NamedSnapshot start) {
        return start == null
                ? this
                : new Difference(
                        getMessage() + "; a run from a named snapshot lacks " + NamedSnapshot.LACKED
                                + ": if the model had any of these at offset " + start.offset()
                                + ", that may be the cause",
                        sent,
                        relearned);
    }

    /** The event in the topic as JSON; null if it is missing. */
    public String sent() {
        return sent;
    }

    /** The event of the run as JSON; null if there is none. */
    public String relearned() {
        return relearned;
    }
}
