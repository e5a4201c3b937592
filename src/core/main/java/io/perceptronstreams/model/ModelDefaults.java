package io.perceptronstreams.model;

import io.perceptronstreams.settings.Settings;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

/**
 * Settings of models to be created in a partition, and the record keys that stand for them.
 *
 * <p>They are changed by {@link ModelCommand.Action#DEFAULTS} at one place of each partition's log, so that a replay
 * creates the same models. No key is a valid {@link ModelName}, so no model can have it.
 */
public final class ModelDefaults {
    /** Record key of the command; its partition is the partition of its record, not of the hash of the key. */
    public static final String KEY = "*";

    private static final byte[] KEY_BYTES = KEY.getBytes(StandardCharsets.UTF_8);
    private static final String STATUS_PREFIX = KEY + "/";

    private ModelDefaults() {}

    /** Returns true if the record key is {@link #KEY}. */
    public static boolean isKey(byte[] key) {
        return Arrays.equals(key, KEY_BYTES);
    }

    /** Record key of the published defaults of a partition of the input. */
    public static String statusKey(int partition) {
        return STATUS_PREFIX + partition;
    }

    /** Returns the partition in a {@link #statusKey}; -1 for the name of a model. */
    public static int partition(byte[] key) {
        return key[0] == KEY_BYTES[0]
                ? Integer.parseInt(new String(key, StandardCharsets.UTF_8).substring(STATUS_PREFIX.length()))
                : -1;
    }

    /** Returns true for the key of published defaults; false for the name of a model, and for null. */
    public static boolean isStatusKey(String key) {
        return key != null && key.startsWith(STATUS_PREFIX);
    }

    /**
     * Returns the defaults after a change.
     *
     * @throws IllegalArgumentException if no model can be created with them
     */
    public static Settings changed(Settings current, Map<String, String> changes) {
        Settings changed = current.with(changes);
        new Model().configure(changed.toMap());
        return changed;
    }

    /** Returns a model that was created with defaults and has seen nothing. */
    public static Model model(Settings defaults) {
        Model model = new Model();
        model.startWith(defaults);
        return model;
    }
}
