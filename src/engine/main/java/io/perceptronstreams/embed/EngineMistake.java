package io.perceptronstreams.embed;

import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * Mistake or margin mistake of a model of the engine, or a label that corrects another one, with its counts after it:
 * the main fields of the event Mistake.
 *
 * @param id of the example
 * @param label true label as text
 * @param predicted predicted label as text; null while the model knew no class
 * @param isMarginMistake true if the label was predicted, but with too small a margin; a score of 0 is a mistake
 * @param score score of the predicted label; with two classes w·x
 * @param margin score of the true label minus the largest other score; with two classes the score times the label
 * @param mistakes number of mistakes of the model in this epoch
 * @param updates number of updates of the model
 * @param labelled number of its examples with a label
 * @param examples number of its examples
 * @param epoch epoch of the model; -1 in events of engines that did not write it
 * @param source source of the label, if it came after its example and named one
 * @param replaced label that this one corrects, as text; null for a mistake. Then the weights may be right by it
 * @param errorChange what the correction adds to the errors of the model: -1, 0 or 1; 0 for a mistake
 * @since 0.2.0
 */
@NullMarked
public record EngineMistake(
        String id,
        String label,
        @Nullable String predicted,
        boolean isMarginMistake,
        double score,
        double margin,
        long mistakes,
        long updates,
        long labelled,
        long examples,
        long epoch,
        @Nullable String source,
        @Nullable String replaced,
        int errorChange) {}
