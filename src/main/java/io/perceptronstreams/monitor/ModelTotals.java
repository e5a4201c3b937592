package io.perceptronstreams.monitor;

/**
 * Totals of one or more models in their current epochs.
 *
 * @param pending examples that wait for their labels
 * @param pendingAgeMs largest age of these, in event time
 */
record ModelTotals(
        long examples,
        long labelled,
        long errors,
        long mistakes,
        long marginMistakes,
        long updates,
        long rerouted,
        long late,
        long unlabelled,
        long defaulted,
        long pending,
        long pendingAgeMs) {
    static final ModelTotals NONE = new ModelTotals(0, 0, 0, 0, 0, 0, 0, null);

    /** @param labels null without labels apart from examples */
    ModelTotals(
            long examples,
            long labelled,
            long errors,
            long mistakes,
            long marginMistakes,
            long updates,
            long rerouted,
            LabelsView labels) {
        this(
                examples,
                labelled,
                errors,
                mistakes,
                marginMistakes,
                updates,
                rerouted,
                labels == null ? 0 : labels.late(),
                labels == null ? 0 : labels.unlabelled(),
                labels == null ? 0 : labels.defaulted(),
                labels == null ? 0 : labels.pending(),
                labels == null || labels.ageMs() == null ? 0 : labels.ageMs());
    }

    ModelTotals plus(ModelTotals other) {
        return new ModelTotals(
                examples + other.examples,
                labelled + other.labelled,
                errors + other.errors,
                mistakes + other.mistakes,
                marginMistakes + other.marginMistakes,
                updates + other.updates,
                rerouted + other.rerouted,
                late + other.late,
                unlabelled + other.unlabelled,
                defaulted + other.defaulted,
                pending + other.pending,
                Math.max(pendingAgeMs, other.pendingAgeMs));
    }
}
