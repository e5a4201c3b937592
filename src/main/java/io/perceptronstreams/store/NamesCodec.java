package io.perceptronstreams.store;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * The names of a learner's state, its classes or tags, in records apart from the header.
 *
 * <p>Part p holds the names 128p to 128p + 127, so that a new name costs a commit the part it lies in, and not all names. Layout of a
 * part: the byte 1, the number of names, unsigned, and the names as strings of {@link ByteWriter}. The header holds the number of all
 * names.
 *
 * <p>Size of a part: below 97 KiB, since no name that a learner takes has more than 256 UTF-16 units.
 */
final class NamesCodec {
    /** Names in a part. */
    static final int PART = 128;

    private static final int FORM = 1;

    private NamesCodec() {}

    /** How many parts so many names take. */
    static int parts(int count) {
        return count / PART + (count % PART == 0 ? 0 : 1);
    }

    static byte[] encode(List<String> names, int part) {
        List<String> inPart = names.subList(part * PART, Math.min(names.size(), (part + 1) * PART));
        ByteWriter out = new ByteWriter();
        out.writeByte(FORM);
        out.writeUnsigned(inPart.size());
        inPart.forEach(out::writeString);
        return out.copyFrom(0);
    }

    /**
     * Reads names up to the first part that is missing or does not hold as many names as it must.
     *
     * @param count how many names there must be
     * @param parts a part by its number, null where there is none
     * @return fewer than {@code count} names if some are missing
     * @throws UnreadableModelException if a part is none
     */
    static List<String> decode(int count, IntFunction<byte[]> parts) {
        List<String> names = new ArrayList<>();
        while (names.size() < count) {
            byte[] part = parts.apply(names.size() / PART);
            if (part == null) {
                return names;
            }
            List<String> inPart = decode(part);
            if (inPart.size() != Math.min(PART, count - names.size())) {
                return names;
            }
            names.addAll(inPart);
        }
        return names;
    }

    private static List<String> decode(byte[] part) {
        ByteReader in = new ByteReader(part);
        int form = in.readByte();
        if (form != FORM) {
            throw in.fault("have names of form " + FORM, form + ", written by a newer engine?");
        }
        List<String> names = new ArrayList<>();
        for (int left = in.readCount(1); left > 0; left--) {
            names.add(in.readString());
        }
        in.requireEnd();
        return names;
    }
}
