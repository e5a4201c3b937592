package io.perceptronstreams.embed;

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
 * @param margin score of the true label minus the largest other score; with two classes the score of the last weights
 *     times the label
 * @param isError true if the predicted label is not the true one
 * @param isUpdated true if the weights have changed
 * @since 0.2.0
 */
@NullMarked
public record LearnResult(
        String id,
        @Nullable String predicted,
        double score,
        @Nullable String label,
        double margin,
        boolean isError,
        boolean isUpdated) {}
