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
}
