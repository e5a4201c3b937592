package io.perceptronstreams.cli;

import io.perceptronstreams.client.Columns;
import io.perceptronstreams.event.Prediction;
import java.util.Locale;

/**
 * Table of progressive loss: each prediction precedes learning from its example, so that the mean error estimates the
 * test error. A row at 1, 2, 4, 8, … examples, as in Vowpal Wabbit.
 */
final class ProgressiveLoss {
    private final Columns<Prediction> table = new Columns<Prediction>()
            .add("examples", "%12d", latest -> this.examples)
            .add("labelled", " %12d", latest -> this.labelled)
            .add("errors", " %10d", latest -> this.errors)
            .add("error rate", " %10.6f", latest -> rate(this.errors, this.labelled))
            .add(
                    "since last",
                    " %10.6f",
                    latest -> rate(this.errors - this.errorsAtRow, this.labelled - this.labelledAtRow))
            .add("score", " %12.6g", Prediction::getScore)
            .add("predicted", "  %s", ProgressiveLoss::mark);

    private long examples;
    private long labelled;
    private long errors;
    private long labelledAtRow;
    private long errorsAtRow;
    private long examplesAtRow;
    private long next = 1;

    String header() {
        return table.header();
    }

    /** Counts a Prediction; returns true if a row is due. */
    boolean add(Prediction prediction) {
        examples++;
        if (prediction.getCorrect() != null) {
            labelled++;
            errors += prediction.getCorrect() ? 0 : 1;
        }
        return examples == next;
    }

    /** Returns true if examples were counted since the last row. */
    boolean isRowOpen() {
        return examples > examplesAtRow;
    }

    /** Returns the current row; the next is due at twice as many examples. */
    String row(Prediction latest) {
        String row = table.row(latest);
        examplesAtRow = examples;
        labelledAtRow = labelled;
        errorsAtRow = errors;
        while (next <= examples) {
            next *= 2;
        }
        return row;
    }

    /** The label, with what the prediction has beside it. */
    private static String mark(Prediction prediction) {
        StringBuilder mark = new StringBuilder(String.valueOf(prediction.getLabel()));
        if (prediction.getProbability() != null) {
            mark.append(String.format(Locale.ROOT, " p=%.4f", prediction.getProbability()));
        }
        if (prediction.getLabelSet() != null && prediction.getLabelSet().size() != 1) {
            mark.append(" unsure");
        }
        if (prediction.getDecision() != null) {
            mark.append(" decision ")
                    .append(prediction.getDecision())
                    .append(prediction.getWithheld() ? " withheld" : "");
        }
        return mark.append(Boolean.FALSE.equals(prediction.getCorrect()) ? " (wrong)" : "")
                .toString();
    }

    private static Double rate(long errors, long labelled) {
        return labelled == 0 ? null : (Double) ((double) errors / labelled);
    }
}
