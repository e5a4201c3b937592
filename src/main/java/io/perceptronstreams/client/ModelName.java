package io.perceptronstreams.client;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Names of models: the record keys of all topics. */
public final class ModelName {
    private static final Pattern VALID = Pattern.compile("[A-Za-z0-9._-]{1,128}");

    private ModelName() {}

    /**
     * The name as a record key.
     *
     * @throws CommandFailedException if the engine would refuse it
     */
    public static byte[] key(String model) {
        if (!VALID.matcher(model).matches()) {
            throw CommandFailedException.wrongUsage(
                    "model name must be 1 to 128 letters, digits, '.', '_' and '-', got '" + model + "'");
        }
        return model.getBytes(StandardCharsets.UTF_8);
    }
}
