package io.perceptronstreams.learner;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.example.Utf8Slice;
import java.util.List;

/** Labels of the two-class learners: maps them to -1 and +1, and compares scores with them. */
final class TwoClassLabels {
    private final Label negative;
    private final Label positive;
    private final List<String> names;
    private final List<Label> both;
    private final double[] scores = new double[2];

    /**
     * Creates the mapping.
     *
     * @param names of -1 and of +1; empty: the labels are the ints
     */
    TwoClassLabels(List<String> names) {
        this.names = names;
        negative = names.isEmpty() ? Label.MINUS_ONE : new Label.ClassName(names.get(0));
        positive = names.isEmpty() ? Label.PLUS_ONE : new Label.ClassName(names.get(1));
        both = List.of(negative, positive);
    }

    /** The label for a score; 0 predicts +1. */
    Label predicted(double score) {
        return score >= 0 ? positive : negative;
    }

    /**
     * Returns -1 or +1.
     *
     * @throws RejectedException if the label is neither of the two
     */
    int sign(Label y) {
        if (y.equals(positive)) {
            return 1;
        }
        if (y.equals(negative)) {
            return -1;
        }
        if (!names.isEmpty() && y instanceof Label.Int) {
            // an int names the label that it spells
            int at = names.indexOf(y.toString());
            if (at >= 0) {
                return 2 * at - 1;
            }
        }
        throw new RejectedException(
                RejectReason.INVALID_LABEL,
                names.isEmpty()
                        ? "label must be the int -1 or +1, got " + describe(y)
                                + " (set labels=A,B to name the two classes)"
                        : "label must be one of " + names + ", got " + describe(y));
    }

    /** A label for an error message. */
    static String describe(Label y) {
        // a message is one line
        String shown = Utf8Slice.shortened(y.toString(), 80).replaceAll("\\p{Cntrl}", "?");
        return y instanceof Label.Int
                ? shown
                : y instanceof Label.ClassName ? "the string '" + shown + "'" : "tags " + shown;
    }

    /**
     * Writes a prediction.
     *
     * @param emitted the score whose sign is emitted: by the weights that predict, or by their sum
     * @param shown the same as a mean
     * @param u the score by the weights that learn
     */
    void predict(double emitted, double shown, double u, Settings settings, Outcome outcome) {
        outcome.predict(predicted(emitted), shown, u);
        if (settings.isPredictScores()) {
            // + 0.0 turns -0 into 0
            scores[0] = -shown + 0.0;
            scores[1] = shown;
            outcome.addScores(both, scores);
        }
    }

    /** Compares a prediction with the true label, -1 or +1, under the settings' hinge. */
    void compare(int sign, Settings settings, Outcome outcome) {
        compare(sign, settings.h(), settings.isHInclusive(), outcome);
    }

    /** Compares a prediction with the true label, -1 or +1, under the hinge h. */
    void compare(int sign, double h, boolean isHInclusive, Outcome outcome) {
        // + 0.0 turns -0, the result of -1 · 0, into 0
        double margin = sign * outcome.score + 0.0;
        outcome.margin = margin;
        outcome.hingeLoss = Math.max(0, h - margin);
        outcome.error = outcome.predicted != (sign > 0 ? positive : negative);
        outcome.kind = margin <= 0
                ? Outcome.Kind.MISTAKE
                : margin < h || (isHInclusive && margin == h) ? Outcome.Kind.MARGIN_MISTAKE : Outcome.Kind.CORRECT;
    }

    /**
     * Returns the features of a two-class example.
     *
     * @throws RejectedException if they are of another kind
     */
    static FeatureVector vector(Features features) {
        if (features instanceof FeatureVector vector) {
            return vector;
        }
        throw new RejectedException(
                RejectReason.UNSUPPORTED_FEATURES,
                "features must be dense, sparse or named for a two-class model, got "
                        + (features instanceof Sequence ? "a Sequence" : "Candidates"));
    }
}
