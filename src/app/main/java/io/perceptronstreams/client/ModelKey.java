package io.perceptronstreams.client;

import io.perceptronstreams.model.ModelName;
import java.nio.charset.StandardCharsets;

/** Record keys of models. */
public final class ModelKey {
    private ModelKey() {}

    /**
     * Returns the record key of a model.
     *
     * @throws CommandFailedException if the name is invalid
     */
    public static byte[] of(String model) {
        byte[] key = model.getBytes(StandardCharsets.UTF_8);
        if (!ModelName.isValid(key)) {
            throw CommandFailedException.wrongUsage("model name must be " + ModelName.RULE + ", got '" + model + "'");
        }
        return key;
    }

    /**
     * Like {@link #of}, for a model that may be created. A name that begins with a hyphen is valid in the log, but
     * looks like an option: other commands take it only after {@code --}.
     *
     * @throws CommandFailedException if the name is invalid, or begins with a hyphen
     */
    public static byte[] ofNew(String model) {
        if (model.startsWith("-")) {
            throw CommandFailedException.wrongUsage(
                    "model name must not begin with -, got '" + model + "' (commands would take it for an option)");
        }
        return of(model);
    }
}
