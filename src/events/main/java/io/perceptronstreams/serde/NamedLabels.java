package io.perceptronstreams.serde;

import io.perceptronstreams.example.Label;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Cache of labels by their UTF-8 bytes, so that repeated class names are not allocated again.
 *
 * <p>A direct-mapped table of fixed size: a new name replaces the one in its slot, so that many labels cost no memory.
 */
final class NamedLabels {
    private static final int SIZE = 256;

    private final byte[][] keys = new byte[SIZE][];
    private final Label.ClassName[] labels = new Label.ClassName[SIZE];

    Label.ClassName label(byte[] bytes, int start, int length) {
        int hash = length;
        for (int k = start; k < start + length; k++) {
            hash = 31 * hash + bytes[k];
        }
        int slot = (hash ^ hash >>> 8 ^ hash >>> 16) & SIZE - 1;
        byte[] key = keys[slot];
        if (key == null || !Arrays.equals(key, 0, key.length, bytes, start, start + length)) {
            keys[slot] = Arrays.copyOfRange(bytes, start, start + length);
            labels[slot] = new Label.ClassName(new String(bytes, start, length, StandardCharsets.UTF_8));
        }
        return labels[slot];
    }
}
