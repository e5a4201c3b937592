package io.perceptronstreams.settings;

/** Change of a setting that needs a model which has learned nothing. */
public final class LearnedException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final String fault;

    /**
     * Creates an exception.
     *
     * @param fault what must be, and what was found
     * @param remedy reset of the model
     */
    public LearnedException(String fault, String remedy) {
        super(fault + " (" + remedy + ")");
        this.fault = fault;
    }

    /** Returns the same fault with a remedy other than a reset. */
    public IllegalArgumentException withRemedy(String remedy) {
        return new IllegalArgumentException(fault + " (" + remedy + ")", this);
    }
}
