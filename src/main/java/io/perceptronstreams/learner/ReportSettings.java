package io.perceptronstreams.learner;

/**
 * Settings of what a model reports, which change no prediction and no weight.
 *
 * @param aucWindow number of last scores of which the area under the ROC curve is reported; 0: none
 * @param explain maximum number of parts of a score or margin in a Mistake; 0: none
 */
public record ReportSettings(int aucWindow, int explain) {
    /** Maximum of {@link #aucWindow}: the scores are part of the header of a model. */
    public static final int MAX_AUC_WINDOW = 2_000;

    /** Maximum of {@link #explain}. */
    public static final int MAX_EXPLAIN = 100;
}
