package io.perceptronstreams.store;

import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.model.Challenger;
import io.perceptronstreams.model.EpochModel;
import io.perceptronstreams.model.FeatureNameTable;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.state.StoredFields;
import io.perceptronstreams.state.UnreadableModelException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.ObjIntConsumer;

/**
 * The names of a model that are stored in records apart from its header: names of its learner (classes or tags), and of
 * its features; determines which parts must be written.
 *
 * <p>Part p holds the names 128p to 128p + 127, so a commit with a new name writes one part only. Layout of a part: the
 * byte 1, the number of names, unsigned, and the names. The header holds the total number of names. A part is smaller
 * than 97 KiB, because a name of a learner has at most 256 UTF-16 units, and a name of a feature 256 bytes.
 *
 * <p>Learners append names; settings can replace them before the first update; a reset, an import and a takeover start
 * a new epoch. Names of learners are therefore compared with the stored ones: O(names), mostly of identical references.
 * Names of other epochs are dropped; their records are removed with the range of the epoch.
 *
 * <p>Memory: a list of references per model with names. Not thread-safe.
 */
final class StoredNames {
    private static final int FORM = 1;
    private static final int PART = 128;

    /** Receives parts to be written. */
    @FunctionalInterface
    interface Sink {
        /** Accepts an encoded part; null removes the part. */
        void accept(long epoch, int part, byte[] names);
    }

    // names of the learners of the model and its challengers, by epoch
    private Map<Long, List<String>> byEpoch = Map.of();

    /** Marks names of a learner as stored. */
    void add(long epoch, List<String> names) {
        if (!names.isEmpty()) {
            byEpoch = new HashMap<>(byEpoch);
            byEpoch.put(epoch, List.copyOf(names));
        }
    }

    /** Passes every part of the learners' names that differs from the stored one and marks it as stored. */
    void drainChanged(Model model, Sink sink) {
        Map<Long, List<String>> before = byEpoch;
        byEpoch = Map.of();
        drain(before, model.current(), sink);
        for (Challenger each : model.challengers().all()) {
            drain(before, each.model(), sink);
        }
    }

    private void drain(Map<Long, List<String>> before, EpochModel model, Sink sink) {
        long epoch = model.epoch();
        List<String> stored = before.getOrDefault(epoch, List.of());
        List<String> names = model.pipeline().learner().state().names();
        int same = 0;
        while (same < Math.min(names.size(), stored.size()) && names.get(same).equals(stored.get(same))) {
            same++;
        }
        drain(epoch, same, names.size(), stored.size(), part -> encode(names, part), sink);
        add(epoch, names);
    }

    /** Passes every part of the names of features that differs from the stored one and marks it as stored. */
    static void drainFeatures(long epoch, FeatureNameTable names, Sink sink) {
        int first = names.firstChanged();
        drain(epoch, first, names.size(), names.stored(), part -> encode(names, part), sink);
        names.markStored();
    }

    private static void drain(long epoch, int first, int size, int stored, IntFunction<byte[]> parts, Sink sink) {
        if (first < Math.max(size, stored)) {
            for (int part = first / PART; part < Math.max(parts(size), parts(stored)); part++) {
                sink.accept(epoch, part, part < parts(size) ? parts.apply(part) : null);
            }
        }
    }

    /** Number of parts of {@code count} names. */
    static int parts(int count) {
        return count / PART + (count % PART == 0 ? 0 : 1);
    }

    static byte[] encode(List<String> names, int part) {
        return encode(names.size(), part, (out, number) -> out.text(names.get(number)));
    }

    static byte[] encode(FeatureNameTable names, int part) {
        return encode(names.size(), part, (out, number) -> out.bytes(names.name(number)));
    }

    private static byte[] encode(int size, int part, ObjIntConsumer<StoredFields> name) {
        int end = Math.min(size, (part + 1) * PART);
        StoredFields out = new StoredFields();
        out.form(FORM, "part of names");
        out.unsigned(end - part * PART);
        for (int number = part * PART; number < end; number++) {
            name.accept(out, number);
        }
        return out.toBytes();
    }

    /**
     * Reads names of a learner up to the first part that is missing or has a wrong number of names.
     *
     * @param count expected number of names
     * @param parts maps a number to a part, or to null if it is missing
     * @return fewer than {@code count} names if some are missing
     * @throws UnreadableModelException if a part is invalid
     */
    static List<String> decode(int count, IntFunction<byte[]> parts) {
        List<String> names = new ArrayList<>();
        decode(count, parts, in -> names.add(in.text(null)));
        return names;
    }

    /** Restores names of features, as {@link #decode}. */
    static void restore(FeatureNameTable names, FeatureHasher hasher, int count, IntFunction<byte[]> parts) {
        decode(count, parts, in -> {
            byte[] name = in.bytes(null);
            UnreadableModelException.ifRefused("valid names of features", () -> names.append(name, hasher));
        });
        names.markStored();
    }

    private static void decode(int count, IntFunction<byte[]> parts, Consumer<StoredFields> name) {
        for (int part = 0; part < parts(count); part++) {
            byte[] stored = parts.apply(part);
            if (stored == null) {
                return;
            }
            StoredFields in = new StoredFields(stored);
            in.form(FORM, "part of names");
            int names = in.count(1, 0);
            if (names != Math.min(PART, count - part * PART)) {
                return;
            }
            for (int k = 0; k < names; k++) {
                name.accept(in);
            }
            in.requireEnd();
        }
    }
}
