package io.perceptronstreams.monitor;

import io.perceptronstreams.event.ClassCount;
import io.perceptronstreams.event.Metrics;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Metrics of a ModelStatus or MistakeCount, see docs/metrics.md; those that are undefined are null.
 *
 * @param classes at most {@link #MAX_CLASSES}
 */
record MetricsView(
        List<ClassRow> classes,
        Double balancedAccuracy,
        Double macroF1,
        Double kappa,
        long compared,
        long comparedErrors,
        long majorityErrors,
        long sameErrors,
        Double kappaMajority,
        Double kappaSame,
        Double auc) {
    /** Labels with a row in the engine's largest confusion matrix, and all others. */
    static final int MAX_CLASSES = 33;

    /**
     * Counts of one class.
     *
     * @param label shortened; null for all labels without a row
     */
    record ClassRow(
            String label, long examples, long predicted, long correct, Double precision, Double recall, Double f1) {
        private static ClassRow of(ClassCount count, String label) {
            long examples = count.getExamples();
            long predicted = count.getPredicted();
            long correct = count.getCorrect();
            return new ClassRow(
                    label,
                    examples,
                    predicted,
                    correct,
                    History.share(correct, predicted),
                    History.share(correct, examples),
                    History.share(2 * correct, examples + predicted));
        }
    }

    /** Null if the event has none: it is of another kind of model, or of an older engine. */
    static MetricsView of(Metrics metrics) {
        if (metrics == null) {
            return null;
        }
        List<ClassCount> counts =
                metrics.getClasses().stream().limit(MAX_CLASSES).toList();
        List<String> names = Truncation.names(counts.stream()
                .map(ClassCount::getLabel)
                .filter(Objects::nonNull)
                .toList());
        List<ClassRow> classes = new ArrayList<>();
        for (ClassCount each : counts) {
            // that of all labels without a row is the last
            classes.add(ClassRow.of(each, each.getLabel() == null ? null : names.get(classes.size())));
        }
        return new MetricsView(
                List.copyOf(classes),
                metrics.getBalancedAccuracy(),
                metrics.getMacroF1(),
                metrics.getKappa(),
                metrics.getCompared(),
                metrics.getComparedErrors(),
                metrics.getMajorityErrors(),
                metrics.getSameErrors(),
                metrics.getKappaMajority(),
                metrics.getKappaSame(),
                metrics.getAuc());
    }

    /** Share of errors of predicting the commonest label so far; null without labels. */
    Double majorityError() {
        return History.share(majorityErrors, compared);
    }

    /** Share of errors of predicting the last label; null without labels. */
    Double sameError() {
        return History.share(sameErrors, compared);
    }
}
