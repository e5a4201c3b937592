package io.perceptronstreams.store;

import io.perceptronstreams.state.StoredFields;
import io.perceptronstreams.state.UnreadableModelException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Encodes the names of a learner (classes or tags), which are stored in records apart from the header.
 *
 * <p>Part p holds the names 128p to 128p + 127, so a commit with a new name writes one part only. Layout of a part: the
 * byte 1, the number of names, unsigned, and the names. The header holds the total number of
 * names. A part is smaller than 97 KiB, because a name has at most 256 UTF-16 units.
 */
final class NamesCodec {
    /** Names per part. */
    static final int PART = 128;

    private static final int FORM = 1;

    private NamesCodec() {}

    /** Number of parts of {@code count} names. */
    static int parts(int count) {
        return count / PART + (count % PART == 0 ? 0 : 1);
    }

    static byte[] encode(List<String> names, int part) {
        StoredFields out = new StoredFields();
        exchange(out, names.subList(part * PART, Math.min(names.size(), (part + 1) * PART)));
        return out.toBytes();
    }

    private static List<String> exchange(StoredFields fields, List<String> names) {
        fields.form(FORM, "part of names");
        return fields.texts(names);
    }

    /**
     * Reads names up to the first part that is missing or has a wrong number of names.
     *
     * @param count expected number of names
     * @param parts maps a number to a part, or to null if it is missing
     * @return fewer than {@code count} names if some are missing
     * @throws UnreadableModelException if a part is invalid
     */
    static List<String> decode(int count, IntFunction<byte[]> parts) {
        List<String> names = new ArrayList<>();
        while (names.size() < count) {
            byte[] part = parts.apply(names.size() / PART);
            if (part == null) {
                return names;
            }
            StoredFields in = new StoredFields(part);
            List<String> inPart = exchange(in, List.of());
            in.requireEnd();
            if (inPart.size() != Math.min(PART, count - names.size())) {
                return names;
            }
            names.addAll(inPart);
        }
        return names;
    }
}
