package io.perceptronstreams.learner;

/**
 * Settings for labels that come after their examples, and for examples that come twice.
 *
 * @param awaitLabelsMs how long an example without a label waits for it, in ms of the model's stream time; 0: not at all
 * @param awaitExamplesMs how long a label waits for its example, in the same time
 * @param awaitLabelsMax maximum number of waiting examples and labels
 * @param labelDefault text of the label of an example whose label has not come in time; empty for none
 * @param dedupeLast number of last examples whose ids must not come again; 0: no check
 */
public record LabelSettings(
        long awaitLabelsMs, long awaitExamplesMs, int awaitLabelsMax, String labelDefault, int dedupeLast) {
    /** Number of last ids that are kept to tell the reason of a refused label, where {@link #dedupeLast} is 0. */
    private static final int LABEL_IDS = 10_000;

    /** Returns true if the model keeps examples or ids. */
    public boolean isOn() {
        return awaitLabelsMs > 0 || dedupeLast > 0;
    }

    /** Number of last ids that the model keeps. */
    public int ids() {
        return dedupeLast > 0 ? dedupeLast : awaitLabelsMs > 0 ? LABEL_IDS : 0;
    }
}
