package io.perceptronstreams.monitor;

import java.util.ArrayList;
import java.util.List;
import org.apache.avro.generic.GenericRecord;

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

    private static final int MAX_LABEL = 64;

    /**
     * Counts of one class.
     *
     * @param label shortened; null for all labels without a row
     */
    record ClassRow(String label, long seen, long predicted, long correct, Double precision, Double recall, Double f1) {
        private static ClassRow of(GenericRecord count) {
            Object label = count.get("label");
            long seen = (Long) count.get("seen");
            long predicted = (Long) count.get("predicted");
            long correct = (Long) count.get("correct");
            return new ClassRow(
                    label == null ? null : Truncation.text(label.toString(), MAX_LABEL),
                    seen,
                    predicted,
                    correct,
                    History.share(correct, predicted),
                    History.share(correct, seen),
                    History.share(2 * correct, seen + predicted));
        }
    }

    /** Null if the event has none: it is of another kind of model, or of an older engine. */
    static MetricsView of(Event event, String field) {
        if (!event.value().hasField(field) || !(event.value().get(field) instanceof GenericRecord record)) {
            return null;
        }
        List<ClassRow> classes = new ArrayList<>();
        for (Object each : (List<?>) record.get("classes")) {
            if (classes.size() < MAX_CLASSES) {
                classes.add(ClassRow.of((GenericRecord) each));
            }
        }
        return new MetricsView(
                List.copyOf(classes),
                (Double) record.get("balancedAccuracy"),
                (Double) record.get("macroF1"),
                (Double) record.get("kappa"),
                (Long) record.get("compared"),
                (Long) record.get("comparedErrors"),
                (Long) record.get("majorityErrors"),
                (Long) record.get("sameErrors"),
                (Double) record.get("kappaMajority"),
                (Double) record.get("kappaSame"),
                (Double) record.get("auc"));
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
