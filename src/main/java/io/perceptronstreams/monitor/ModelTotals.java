package io.perceptronstreams.monitor;

/**
 * Totals of one or more models in their current epochs.
 *
 * @param pending examples that wait for their labels
 * @param pendingAgeMs largest age of these, in event time
 * @param compared labelled examples on which models were compared with two baselines
 * @param kappa NaN where it is undefined, and of several models; the same of the two that follow
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
        long pendingAgeMs,
        long compared,
        long comparedErrors,
        long majorityErrors,
        long sameErrors,
        double kappa,
        double balancedAccuracy,
        double auc) {
    static final ModelTotals NONE = new ModelTotals(0, 0, 0, 0, 0, 0, 0, null, null);

    /**
     * @param labels null without labels apart from examples
     * @param metrics null without labels that are classes
     */
    ModelTotals(
            long examples,
            long labelled,
            long errors,
            long mistakes,
            long marginMistakes,
            long updates,
            long rerouted,
            LabelsView labels,
            MetricsView metrics) {
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
                labels == null || labels.ageMs() == null ? 0 : labels.ageMs(),
                metrics == null ? 0 : metrics.compared(),
                metrics == null ? 0 : metrics.comparedErrors(),
                metrics == null ? 0 : metrics.majorityErrors(),
                metrics == null ? 0 : metrics.sameErrors(),
                metrics == null ? Double.NaN : orNaN(metrics.kappa()),
                metrics == null ? Double.NaN : orNaN(metrics.balancedAccuracy()),
                metrics == null ? Double.NaN : orNaN(metrics.auc()));
    }

    private static double orNaN(Double number) {
        return number == null ? Double.NaN : number;
    }

    /** What the counters have grown by; those of a model that was reset, from 0 on. */
    ModelTotals since(ModelTotals before) {
        return new ModelTotals(
                growth(before.examples, examples),
                growth(before.labelled, labelled),
                growth(before.errors, errors),
                growth(before.mistakes, mistakes),
                growth(before.marginMistakes, marginMistakes),
                growth(before.updates, updates),
                growth(before.rerouted, rerouted),
                growth(before.late, late),
                growth(before.unlabelled, unlabelled),
                growth(before.defaulted, defaulted),
                0,
                0,
                growth(before.compared, compared),
                growth(before.comparedErrors, comparedErrors),
                growth(before.majorityErrors, majorityErrors),
                growth(before.sameErrors, sameErrors),
                Double.NaN,
                Double.NaN,
                Double.NaN);
    }

    private static long growth(long before, long now) {
        return now < before ? now : now - before;
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
                Math.max(pendingAgeMs, other.pendingAgeMs),
                compared + other.compared,
                comparedErrors + other.comparedErrors,
                majorityErrors + other.majorityErrors,
                sameErrors + other.sameErrors,
                Double.NaN,
                Double.NaN,
                Double.NaN);
    }
}
