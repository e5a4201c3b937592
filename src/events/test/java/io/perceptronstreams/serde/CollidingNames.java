package io.perceptronstreams.serde;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;

/** Names that have the same hash in the table of names of Jackson's byte parser, for every seed of that table. */
public final class CollidingNames {
    /** Inverse of 33 modulo 2^32. */
    private static final int INVERSE = 1_041_204_193;

    private CollidingNames() {}

    /** Names of eight letters, digits and signs; the hash of the two words a and b depends on mix(a) + 33·b alone. */
    public static List<String> of(int count, Random random) {
        Collection<String> names = new LinkedHashSet<>();
        while (names.size() < count) {
            int a = 0;
            for (int k = 0; k < 4; k++) {
                a = a << 8 | 'a' + random.nextInt(26);
            }
            int mixed = a + (a >>> 15);
            mixed ^= mixed >>> 9;
            int b = (0x12345678 - mixed) * INVERSE;
            String name = new String(ByteBuffer.allocate(8).putInt(a).putInt(b).array(), StandardCharsets.ISO_8859_1);
            if (name.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '"' && c != '\\')) {
                names.add(name);
            }
        }
        return List.copyOf(names);
    }
}
