package io.perceptronstreams.embed;

import io.perceptronstreams.learner.Outcome;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * Prediction for an example, made before any update, and its comparison with the label.
 *
 * <p>With a label that came late, {@code predicted} and {@code isError} are of the prediction that was made without it;
 * score, margin and update are of the weights at the label.
 *
 * @param id of the example
 * @param predicted predicted label, an int in its shortest form, a class name, or tags such as {@code [DET, NOUN]};
 *     null while the model knows no class
 * @param score score of the predicted label, by the averaged weights if they predict
 * @param label true label; null if the example had none, and then the following are 0 or false
 * @param replaced label that this one corrects, which an earlier result has; null if it corrects none
 * @param margin score of the true label minus the largest other score; with two classes the score of the last weights
 *     times the label
 * @param isError true if the predicted label is not the true one
 * @param isUpdated true if the weights have changed
 * @param probability probability that the predicted label is right; null with {@code calibrate=none}
 * @param labelSet labels of which one is the true one in the share {@code coverage} of all predictions in the long run;
 *     none, or more than one, if the model is unsure; null unless {@code coverage} is set
 * @since 0.2.0
 */
@NullMarked
public record LearnResult(
        String id,
        @Nullable String predicted,
        double score,
        @Nullable String label,
        @Nullable String replaced,
        double margin,
        boolean isError,
        boolean isUpdated,
        @Nullable Double probability,
        @Nullable List<String> labelSet) {
    /** Copies an outcome. */
    static LearnResult of(String id, @Nullable String label, @Nullable String replaced, Outcome outcome) {
        return new LearnResult(
                id,
                outcome.isAbstained() ? null : outcome.predicted().toString(),
                outcome.predictedScore(),
                label,
                replaced,
                outcome.margin(),
                outcome.isError(),
                outcome.isUpdated(),
                outcome.hasProbability() ? outcome.probability() : null,
                outcome.labelSet() == null
                        ? null
                        : outcome.labelSet().stream().map(Object::toString).toList());
    }
}
