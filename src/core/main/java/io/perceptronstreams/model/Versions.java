package io.perceptronstreams.model;

import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.state.StoredFields;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Snapshots of a model that have a name, in the order of their publication. Never changed.
 *
 * <p>A named snapshot is published under the key {@code model@name}, and never again under the same name unless it was
 * removed: imports, resets and the deletion of the model keep it.
 */
public record Versions(List<Version> all) {
    /** Maximum number. */
    public static final int MAX = 100;

    /** A model without named snapshots. */
    public static final Versions NONE = new Versions(List.of());

    /** Keys of the command SNAPSHOT. */
    static final String NAME = "name";

    public static final String DROP = "drop";

    /** Between the names of model and snapshot in a record key; no name of a model contains it. */
    public static final char SEPARATOR = '@';

    /** Beginning of the names of snapshots before a rollback; the offset of the model's latest status follows. */
    public static final String BEFORE_ROLLBACK = "before-rollback-";

    /** The rule for names in words. */
    public static final String RULE = "1 to 64 characters of A-Z a-z 0-9 . _ -";

    private static final Pattern VALID = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    private static final int FIXED_BYTES = 120;

    /**
     * A named snapshot.
     *
     * @param epoch of the model
     * @param updates of the model in this epoch
     * @param offset of the record with the command
     * @param chunks number of chunks
     */
    public record Version(String name, long epoch, long updates, long offset, int chunks) {
        private static final Version NONE = new Version("", 0, 0, 0, 0);

        private Version exchange(StoredFields fields) {
            return new Version(
                    fields.text(name),
                    fields.unsigned(epoch),
                    fields.unsigned(updates),
                    fields.signed(offset),
                    fields.upTo(Integer.MAX_VALUE, chunks));
        }
    }

    /**
     * The settings of a command SNAPSHOT.
     *
     * @param name of the snapshot; null for one without a name
     * @param isDrop true to remove it
     */
    record Command(String name, boolean isDrop) {
        /** @throws IllegalArgumentException if there are other settings, or values */
        static Command of(Map<String, String> settings) {
            String name = settings.get(NAME);
            String drop = settings.getOrDefault(DROP, "false");
            if (settings.isEmpty()) {
                return new Command(null, false);
            }
            if (!Set.of(NAME, DROP).containsAll(settings.keySet())) {
                throw new IllegalArgumentException("the settings of SNAPSHOT must be " + NAME + " and " + DROP
                        + ", got " + new TreeSet<>(settings.keySet()));
            }
            if (name == null || !isValid(name)) {
                throw new IllegalArgumentException(NAME + " must be " + RULE + ", got "
                        + (name == null ? "none" : "'" + Utf8Slice.shortened(name, 80) + "'"));
            }
            if (!drop.equals("true") && !drop.equals("false")) {
                throw new IllegalArgumentException(
                        DROP + " must be true or false, got '" + Utf8Slice.shortened(drop, 80) + "'");
            }
            return new Command(name, drop.equals("true"));
        }
    }

    /** Keeps an unmodifiable copy. */
    public Versions {
        all = List.copyOf(all);
    }

    /** Returns true for a valid name. */
    public static boolean isValid(String name) {
        return VALID.matcher(name).matches();
    }

    /**
     * Record key of the first chunk of a named snapshot; the other keys continue it with {@code /} and the number of
     * the chunk.
     */
    public static String key(String model, String name) {
        return model + SEPARATOR + name;
    }

    /** Returns the named snapshot, or null. */
    public Version find(String name) {
        return all.stream().filter(each -> each.name.equals(name)).findFirst().orElse(null);
    }

    /**
     * Checks that a snapshot may have a name.
     *
     * @param model its name, for the message
     * @throws IllegalArgumentException if the name is used, or there are {@link #MAX} others
     */
    void requireRoom(String name, String model) {
        if (find(name) != null) {
            throw new IllegalArgumentException("the name of a snapshot must be new, got '" + name
                    + "' again (take another one, or remove it: perceptron versions untag " + model + " " + name + ")");
        }
        if (all.size() >= MAX) {
            throw new IllegalArgumentException("a model must have at most " + MAX + " named snapshots, got one more, '"
                    + name + "' (perceptron versions list " + model + " lists them, perceptron versions untag " + model
                    + " NAME removes one for ever)");
        }
    }

    /** Returns the named snapshot. @throws IllegalArgumentException if there is none */
    Version require(String name) {
        Version found = find(name);
        if (found == null) {
            throw new IllegalArgumentException("a named snapshot must exist to be removed, got '" + name + "' (there "
                    + (all.isEmpty()
                            ? "are none"
                            : "are "
                                    + String.join(
                                            ", ",
                                            all.stream().map(Version::name).toList()))
                    + ")");
        }
        return found;
    }

    public Versions with(Version added) {
        return new Versions(Stream.concat(all.stream(), Stream.of(added)).toList());
    }

    Versions without(Version removed) {
        return new Versions(all.stream().filter(each -> !each.equals(removed)).toList());
    }

    /** Writes these versions, or returns those that are read. */
    public Versions exchange(StoredFields fields) {
        int count = fields.count(5, all.size());
        if (count == 0) {
            return NONE;
        }
        List<Version> exchanged = new ArrayList<>(count);
        for (int k = 0; k < count; k++) {
            exchanged.add((fields.isReading() ? Version.NONE : all.get(k)).exchange(fields));
        }
        return new Versions(exchanged);
    }

    /** Estimated heap, in bytes. */
    long heapBytes() {
        return (long) FIXED_BYTES * all.size();
    }
}
