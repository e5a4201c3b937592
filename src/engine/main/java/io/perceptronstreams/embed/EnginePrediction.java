package io.perceptronstreams.embed;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * Prediction of the engine for an example, made before the model learned from it: the main fields of the event
 * Prediction.
 *
 * @param id of the example
 * @param predicted predicted label as text; null while the model knows no class
 * @param score score of the predicted label; with two classes w·x
 * @param scores score of each class; empty unless the model is asked for them ({@code scores=true})
 * @param isCorrect whether the label was predicted; null if the example had none
 * @param updates number of updates of the model before this example; with {@code epoch} it identifies the weights that
 *     predicted
 * @param examples number of examples of the model in this epoch, with this one
 * @param epoch epoch of the model, which a reset or an import raises
 * @param probability probability that the label is right; null with {@code calibrate=none}
 * @param probabilities those of the labels in {@code scores}; empty without them
 * @param labelSet labels of which one is the true one in the share {@code coverage} of all predictions in the long run;
 *     none, or more than one, if the model is unsure; null unless {@code coverage} is set
 * @since 0.2.0
 */
@NullMarked
public record EnginePrediction(
        String id,
        @Nullable String predicted,
        double score,
        Map<String, Double> scores,
        @Nullable Boolean isCorrect,
        long updates,
        long examples,
        long epoch,
        @Nullable Double probability,
        Map<String, Double> probabilities,
        @Nullable List<String> labelSet) {}
