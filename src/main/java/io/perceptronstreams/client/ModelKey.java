package io.perceptronstreams.client;

import io.perceptronstreams.model.ModelName;
import java.nio.charset.StandardCharsets;

/** Record keys of models. */
public final class ModelKey {
    private ModelKey() {}

    /**
     * The name of a model as a record key.
     *
     * @throws CommandFailedException if the engine would refuse it
     */
    public static byte[] of(String model) {
        byte[] key = model.getBytes(StandardCharsets.UTF_8);
        if (!ModelName.isValid(key)) {
            throw CommandFailedException.wrongUsage("model name must be " + ModelName.RULE + ", got '" + model + "'");
        }
        return key;
    }
}
