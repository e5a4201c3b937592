package io.perceptronstreams.monitor;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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

    /**
     * Counts of one class.
     *
     * @param label shortened; null for all labels without a row
     */
    record ClassRow(String label, long seen, long predicted, long correct, Double precision, Double recall, Double f1) {
        private static ClassRow of(GenericRecord count, String label) {
            long seen = (Long) count.get("seen");
            long predicted = (Long) count.get("predicted");
            long correct = (Long) count.get("correct");
            return new ClassRow(
                    label,
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
        List<GenericRecord> counts = new ArrayList<>();
        ((List<?>) record.get("classes")).stream().limit(MAX_CLASSES).forEach(each -> counts.add((GenericRecord) each));
        List<String> names = Truncation.names(counts.stream()
                .map(each -> each.get("label"))
                .filter(Objects::nonNull)
                .map(Object::toString)
                .toList());
        List<ClassRow> classes = new ArrayList<>();
        for (GenericRecord each : counts) {
            // that of all labels without a row is the last
            classes.add(ClassRow.of(each, each.get("label") == null ? null : names.get(classes.size())));
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
