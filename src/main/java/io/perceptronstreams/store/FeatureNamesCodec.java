package io.perceptronstreams.store;

import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.model.FeatureNameTable;
import io.perceptronstreams.state.StoredFields;
import io.perceptronstreams.state.UnreadableModelException;
import java.util.function.IntFunction;

/**
 * Encodes the names of a model's features, which are stored in records apart from the header.
 *
 * <p>Part p holds the names 128p to 128p + 127, so a new name writes one part only. Layout of a part: the byte 1, the
 * number of names, unsigned, and each name as the number of its bytes, unsigned, and its UTF-8. The header holds the
 * total number of names. A part is smaller than 33 KiB, because a name has at most 256 bytes.
 */
final class FeatureNamesCodec {
    /** Receives parts to be written. */
    @FunctionalInterface
    interface Sink {
        /** Accepts a part; null if it is to be removed. */
        void accept(int part, byte[] names);
    }

    private static final int PART = NamesCodec.PART;
    private static final int FORM = 1;

    private FeatureNamesCodec() {}

    /** Passes every part that differs from the stored one and marks the names as stored. */
    static void drainChanged(FeatureNameTable names, Sink sink) {
        int parts = NamesCodec.parts(names.size());
        if (names.firstChanged() < Math.max(names.size(), names.stored())) {
            for (int part = names.firstChanged() / PART; part < parts; part++) {
                sink.accept(part, encode(names, part));
            }
            for (int part = parts; part < NamesCodec.parts(names.stored()); part++) {
                sink.accept(part, null);
            }
            names.markStored();
        }
    }

    static byte[] encode(FeatureNameTable names, int part) {
        int end = Math.min(names.size(), (part + 1) * PART);
        StoredFields out = new StoredFields();
        out.form(FORM, "part of names of features");
        out.unsigned(end - part * PART);
        for (int number = part * PART; number < end; number++) {
            out.bytes(names.name(number));
        }
        return out.toBytes();
    }

    /**
     * Restores names up to the first part that is missing or has a wrong number of names.
     *
     * @param count expected number of names
     * @param parts maps a number to a part, or to null if it is missing
     * @throws UnreadableModelException if a part is invalid
     */
    static void restore(FeatureNameTable names, FeatureHasher hasher, int count, IntFunction<byte[]> parts) {
        while (names.size() < count) {
            byte[] part = parts.apply(names.size() / PART);
            if (part == null || !restore(names, hasher, Math.min(PART, count - names.size()), new StoredFields(part))) {
                break;
            }
        }
        names.markStored();
    }

    private static boolean restore(FeatureNameTable names, FeatureHasher hasher, int count, StoredFields in) {
        in.form(FORM, "part of names of features");
        if (in.count(1, 0) != count) {
            return false;
        }
        for (int k = 0; k < count; k++) {
            byte[] name = in.bytes(null);
            UnreadableModelException.ifRefused("valid names of features", () -> names.append(name, hasher));
        }
        in.requireEnd();
        return true;
    }
}
