package io.perceptronstreams.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.perceptronstreams.client.ConfusionTable;
import io.perceptronstreams.client.TerminalText;
import io.perceptronstreams.model.ClassMetrics;
import io.perceptronstreams.model.ConfusionMatrix;
import io.perceptronstreams.model.EvaluationCounts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Metrics of {@code fit --test}, see docs/metrics.md: as lines of text, or as JSON with the names of the API. */
final class FitMetrics {
    private FitMetrics() {}

    /** Returns the lines; none for a model without classes. */
    static List<String> lines(EvaluationCounts counts) {
        List<String> lines = new ArrayList<>();
        ClassMetrics metrics = counts.metrics();
        if (metrics.isEmpty()) {
            return lines;
        }
        String row = "%-16s %10s %10s %10s %10s %10s %10s";
        lines.add(String.format(
                Locale.ROOT, row, "label", "examples", "predicted", "correct", "precision", "recall", "F1"));
        for (int k = 0; k < metrics.labels().size(); k++) {
            lines.add(String.format(
                    Locale.ROOT,
                    row,
                    TerminalText.sanitize(metrics.labels().get(k)),
                    metrics.seen(k),
                    metrics.predicted(k),
                    metrics.correct(k),
                    number(metrics.precision(k)),
                    number(metrics.recall(k)),
                    number(metrics.f1(k))));
        }
        String of = metrics.hasOther() ? " (of the " + metrics.labels().size() + " classes above)" : "";
        lines.add("balanced accuracy " + number(metrics.balancedAccuracy()) + ", macro F1 " + number(metrics.macroF1())
                + of + ", kappa " + number(metrics.kappa())
                + (Double.isNaN(metrics.auc()) ? "" : ", AUC " + number(metrics.auc())));
        lines.add("baselines: majority so far " + errors(metrics.majorityErrors(), metrics.compared())
                + ", kappa against it " + number(metrics.kappaMajority()) + "; same as last label "
                + errors(metrics.sameErrors(), metrics.compared()) + ", kappa against it "
                + number(metrics.kappaSame()));
        lines.add("confusion matrix (rows: true label, columns: predicted label):");
        ConfusionMatrix confusion = counts.confusion();
        lines.addAll(ConfusionTable.lines(metrics.labels(), cells(confusion), confusion.otherErrors()));
        return lines;
    }

    private static List<Long> cells(ConfusionMatrix confusion) {
        int side = confusion.size() + (confusion.hasOther() ? 1 : 0);
        List<Long> cells = new ArrayList<>();
        for (int k = 0; k < side * side; k++) {
            cells.add(confusion.count(k / side, k % side));
        }
        return cells;
    }

    private static String errors(long errors, long examples) {
        return String.format(Locale.ROOT, "%,d errors (%.2f %%)", errors, 100.0 * errors / examples);
    }

    private static String number(double value) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, "%.4f", value) : "-";
    }

    /** Writes the metrics as a field; null for a model without classes. */
    static void write(JsonGenerator json, String field, EvaluationCounts counts) throws IOException {
        ClassMetrics metrics = counts.metrics();
        if (metrics.isEmpty()) {
            json.writeNullField(field);
            return;
        }
        json.writeObjectFieldStart(field);
        json.writeArrayFieldStart("classes");
        for (int k = 0; k < metrics.labels().size(); k++) {
            json.writeStartObject();
            json.writeStringField("label", metrics.labels().get(k));
            json.writeNumberField("examples", metrics.seen(k));
            json.writeNumberField("predicted", metrics.predicted(k));
            json.writeNumberField("correct", metrics.correct(k));
            FitReport.write(json, "precision", metrics.precision(k));
            FitReport.write(json, "recall", metrics.recall(k));
            FitReport.write(json, "f1", metrics.f1(k));
            json.writeEndObject();
        }
        json.writeEndArray();
        FitReport.write(json, "balancedAccuracy", metrics.balancedAccuracy());
        FitReport.write(json, "macroF1", metrics.macroF1());
        FitReport.write(json, "kappa", metrics.kappa());
        json.writeNumberField("compared", metrics.compared());
        json.writeNumberField("comparedErrors", metrics.comparedErrors());
        json.writeNumberField("majorityErrors", metrics.majorityErrors());
        json.writeNumberField("sameErrors", metrics.sameErrors());
        FitReport.write(json, "kappaMajority", metrics.kappaMajority());
        FitReport.write(json, "kappaSame", metrics.kappaSame());
        FitReport.write(json, "auc", metrics.auc());
        json.writeObjectFieldStart("confusion");
        ConfusionMatrix confusion = counts.confusion();
        json.writeArrayFieldStart("counts");
        for (long count : cells(confusion)) {
            json.writeNumber(count);
        }
        json.writeEndArray();
        json.writeNumberField("otherErrors", confusion.otherErrors());
        json.writeEndObject();
        json.writeEndObject();
    }
}
