package io.perceptronstreams.algorithm;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.TwoClassLabels;
import io.perceptronstreams.settings.LearnedException;
import io.perceptronstreams.settings.Setting;
import io.perceptronstreams.settings.Settings;
import java.util.ArrayList;
import java.util.List;

/**
 * Rules for the labels of a two-class model: the settings with which it accepts others, and the names its ints may get.
 */
public final class LabelRules {
    private LabelRules() {}

    /**
     * Adds the settings with which the model accepts a label to the message that refuses it.
     *
     * @param refusal of an example whose features are a vector
     * @param seen labels that the model has learned
     * @param settings that the user has set
     * @return the exception itself if the label is not the cause, or the model is not one of two classes
     */
    public static RejectedException withRemedy(
            RejectedException refusal, Label y, List<String> seen, Settings settings, Algorithm algorithm) {
        // other messages of this reason are about the settings
        if (refusal.reason() != RejectReason.INVALID_LABEL
                || !refusal.getMessage().startsWith("label must be ")
                || !algorithm.uses(Settings.LABELS)
                || y == null
                || y instanceof Label.Tags) {
            return refusal;
        }
        boolean isInts = settings.get(Settings.LABELS).isEmpty();
        if (isInts && (y.equals(Label.ZERO) || y.equals(Label.MINUS_ONE))) {
            // 0/1 and -1/1 are mixed: the message names the setting; no command that would discard what is learned
            return seen.size() < 2
                    ? refusal
                    : new RejectedException(
                            refusal.reason(),
                            refusal.getMessage() + " (a third label needs algorithm=multiclass from a reset on)");
        }
        String multiclass = multiclass(settings, algorithm);
        String remedy;
        if (seen.isEmpty()) {
            // no change that commands would repeat as it is: A and B are no names
            // 1 before 2 would be accepted, and 2 has the same remedy then
            boolean isTwo = isInts && y instanceof Label.Int number && number.value() == 2;
            remedy = isTwo
                    ? "if the labels are 1 and 2 set labels=1,2; if there are others set " + multiclass
                    : "for other labels set " + multiclass
                            + (isInts ? "; for two classes labels=A,B with their names, the negative one first" : "");
        } else if (seen.size() == 1 && isInts && y instanceof Label.Int number) {
            int other = Integer.parseInt(seen.get(0));
            remedy = "if the labels are " + Math.min(other, number.value()) + " and " + Math.max(other, number.value())
                    + ", reset with labels=" + Math.min(other, number.value()) + "," + Math.max(other, number.value())
                    + "; if there are more, reset with " + multiclass;
        } else {
            remedy = "for more than two labels reset with " + multiclass;
        }
        return new RejectedException(refusal.reason(), refusal.getMessage() + " (" + remedy + ")");
    }

    /** The changes that make a model one of several classes. */
    private static String multiclass(Settings settings, Algorithm algorithm) {
        Algorithm wanted = algorithm.ofSeveralClasses();
        List<String> changes = new ArrayList<>(List.of(Settings.ALGORITHM.name() + "=" + wanted));
        for (Setting<?> setting : Settings.all()) {
            boolean isDefault = settings.isDefault(setting);
            boolean isVoted =
                    setting.equals(Settings.PREDICT) && settings.get(Settings.PREDICT) == Settings.Predict.VOTED;
            if (isVoted || (!isDefault && !wanted.uses(setting))) {
                changes.add(setting.name() + "=" + (isVoted ? "averaged" : setting.defaultText()));
            }
        }
        return String.join(" ", changes);
    }

    /**
     * Checks that the names of a change spell the ints that a model has learned, each in its place.
     *
     * @param seen labels that the model has learned
     * @throws IllegalArgumentException if they do not
     */
    public static void requireSpelled(Settings present, Settings changed, List<String> seen) {
        List<String> names = changed.get(Settings.LABELS);
        if (names.isEmpty() || !present.get(Settings.LABELS).isEmpty()) {
            return;
        }
        for (String label : seen) {
            int y = Integer.parseInt(label);
            if (!TwoClassLabels.isSpelled(names.get(y > 0 ? 1 : 0), y)) {
                String got = String.join(",", names);
                throw new LearnedException(
                        "labels must spell the labels that the model has learned, " + String.join(" and ", seen)
                                + ", those up to 0 first, got " + got,
                        "to discard what it has learned, reset with labels=" + got);
            }
        }
    }

    /**
     * Checks that names of two classes are not given to a model whose labels, or algorithm, are others.
     *
     * @param present settings before
     * @param algorithm of a model that has learned
     * @throws IllegalArgumentException if they are
     */
    public static void requireUnnamed(Settings present, Settings changed, Algorithm algorithm) {
        List<String> names = changed.get(Settings.LABELS);
        if (algorithm.uses(Settings.LABELS) || names.isEmpty() || names.equals(present.get(Settings.LABELS))) {
            return;
        }
        String got = String.join(",", names);
        throw new LearnedException(
                "labels must be empty with algorithm=" + algorithm + " once a model has seen labels, got " + got,
                "to discard what it has learned, reset with algorithm=auto labels=" + got);
    }
}
