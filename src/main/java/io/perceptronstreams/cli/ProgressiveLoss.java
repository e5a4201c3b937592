package io.perceptronstreams.cli;

import io.perceptronstreams.event.Prediction;
import java.util.Locale;

/**
 * Table of progressive loss: each prediction precedes learning from its example, so that the mean error estimates the
 * test error. A row at 1, 2, 4, 8, … examples, as in Vowpal Wabbit.
 */
final class ProgressiveLoss {
    static final String HEADER = String.format(
            "%12s %12s %10s %10s %10s %12s  %s",
            "examples", "labelled", "errors", "error rate", "since last", "score", "predicted");

    private long examples;
    private long labelled;
    private long errors;
    private long labelledAtRow;
    private long errorsAtRow;
    private long examplesAtRow;
    private long next = 1;

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
        String row = String.format(
                Locale.ROOT,
                "%12d %12d %10d %10s %10s %12.6g  %s",
                examples,
                labelled,
                errors,
                rate(errors, labelled),
                rate(errors - errorsAtRow, labelled - labelledAtRow),
                latest.getScore(),
                mark(latest));
        examplesAtRow = examples;
        labelledAtRow = labelled;
        errorsAtRow = errors;
        while (next <= examples) {
            next *= 2;
        }
        return row;
    }

    private static String mark(Prediction prediction) {
        String label = String.valueOf(prediction.getLabel());
        return Boolean.FALSE.equals(prediction.getCorrect()) ? label + " (wrong)" : label;
    }

    private static String rate(long errors, long labelled) {
        return labelled == 0 ? "-" : String.format(Locale.ROOT, "%.6f", (double) errors / labelled);
    }
}
