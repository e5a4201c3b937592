package io.perceptronstreams.learner;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.settings.NegativeLabel;
import io.perceptronstreams.settings.Settings;
import java.util.List;

/** Labels of the two-class learners: maps them to -1 and +1, and compares scores with them. */
public final class TwoClassLabels {
    private final Label negative;
    private final Label positive;
    private final boolean isNegativeOpen;
    private final List<String> names;
    private final List<Label> both;
    private final double threshold;
    private final int maxScores;

    // Null without scores.
    private final double[] scores;

    /** The labels of a model with these settings: names, or ints. */
    TwoClassLabels(Settings settings) {
        names = settings.get(Settings.LABELS);
        negative = names.isEmpty() ? settings.get(Settings.NEGATIVE_LABEL).label() : new Label.ClassName(names.get(0));
        isNegativeOpen = settings.get(Settings.NEGATIVE_LABEL) == NegativeLabel.AUTO;
        positive = names.isEmpty() ? Label.PLUS_ONE : new Label.ClassName(names.get(1));
        both = List.of(negative, positive);
        maxScores = settings.get(Settings.PREDICT_SCORES);
        scores = maxScores > 0 ? new double[2] : null;
        threshold = settings.get(Settings.THRESHOLD).score();
    }

    /** The label of -1 or +1. */
    Label label(int sign) {
        return sign > 0 ? positive : negative;
    }

    /**
     * Returns -1 or +1.
     *
     * @throws RejectedException if the label is neither of the two
     */
    public int sign(Label y) {
        if (y.equals(positive)) {
            return 1;
        }
        if (y.equals(negative)) {
            return -1;
        }
        if (!names.isEmpty() && y instanceof Label.Int number) {
            for (int at = 0; at < names.size(); at++) {
                if (isSpelled(names.get(at), number.value())) {
                    return 2 * at - 1;
                }
            }
        }
        throw new RejectedException(RejectReason.INVALID_LABEL, rule(y) + ", got " + describe(y) + remedy(y));
    }

    /** Returns true if an int stands for a name: that of its digits; 0 and 1 also for false and true in any case. */
    public static boolean isSpelled(String name, int number) {
        return name.equals(Integer.toString(number))
                || (number == 0 && name.equalsIgnoreCase("false"))
                || (number == 1 && name.equalsIgnoreCase("true"));
    }

    private String rule(Label y) {
        if (!names.isEmpty()) {
            return "label must be one of " + names;
        }
        String ints = negative.equals(Label.ZERO) ? "0 or 1" : "-1 or +1";
        return "label must be the int "
                + (isOtherNegative(y) ? ints + " in this model" : isNegativeOpen ? "-1, 0 or 1" : ints);
    }

    private String remedy(Label y) {
        return names.isEmpty() && isOtherNegative(y)
                ? " (a model must not mix 0/1 and -1/+1; set negative.label=" + y + " if " + y + " is right)"
                : "";
    }

    /** Returns true for 0 where the negative label is -1, and the reverse. */
    private boolean isOtherNegative(Label y) {
        return y.equals(negative.equals(Label.ZERO) ? Label.MINUS_ONE : Label.ZERO);
    }

    /** A label for an error message. */
    public static String describe(Label y) {
        // a message is one line
        String shown = Utf8Slice.shortened(y.toString(), 80).replaceAll("\\p{Cntrl}", "?");
        return y instanceof Label.Int
                ? shown
                : y instanceof Label.ClassName ? "the string '" + shown + "'" : "tags " + shown;
    }

    /**
     * Writes a prediction: +1 if the score is not below the threshold, mostly 0.
     *
     * @param emitted the score whose sign is emitted: by the weights that predict, or by their sum
     * @param shown the same as a mean
     * @param u the score by the weights that learn
     */
    public void predict(double emitted, double shown, double u, Outcome outcome) {
        boolean isPositive = threshold == 0 ? emitted >= 0 : shown >= threshold;
        outcome.predict(label(isPositive ? 1 : -1), shown, u);
        outcome.chosenFrom(both, null);
        if (maxScores > 0) {
            // + 0.0 turns -0 into 0
            scores[0] = -shown + 0.0;
            scores[1] = shown;
            outcome.addScores(both, scores, maxScores);
        }
    }

    /** Compares a prediction with the true label, -1 or +1, under the hinge h. */
    public void compare(int sign, double h, boolean isHInclusive, Outcome outcome) {
        // + 0.0 turns -0, the result of -1 · 0, into 0
        double margin = sign * outcome.score + 0.0;
        outcome.margin = margin;
        outcome.hingeLoss = Math.max(0, h - margin);
        outcome.error = outcome.predicted != label(sign);
        Outcome.Kind kind = margin <= 0
                ? Outcome.Kind.MISTAKE
                : margin < h || (isHInclusive && margin == h) ? Outcome.Kind.MARGIN_MISTAKE : Outcome.Kind.CORRECT;
        if (outcome.kind != kind) {
            outcome.kind = kind;
        }
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
