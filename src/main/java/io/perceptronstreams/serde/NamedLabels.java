package io.perceptronstreams.serde;

import io.perceptronstreams.example.Label;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Labels by their UTF-8 bytes, so that a stream that names its few classes over and over allocates none of them twice.
 *
 * <p>A table of fixed size in which a newer name drives out an older one of the same place: a flood of labels costs no memory.
 */
final class NamedLabels {
    private static final int SIZE = 256;

    private final byte[][] keys = new byte[SIZE][];
    private final Label.Named[] labels = new Label.Named[SIZE];

    Label.Named label(byte[] bytes, int start, int length) {
        int hash = length;
        for (int k = start; k < start + length; k++) {
            hash = 31 * hash + bytes[k];
        }
        int place = (hash ^ hash >>> 8 ^ hash >>> 16) & SIZE - 1;
        byte[] key = keys[place];
        if (key == null || !Arrays.equals(key, 0, key.length, bytes, start, start + length)) {
            keys[place] = Arrays.copyOfRange(bytes, start, start + length);
            labels[place] = new Label.Named(new String(bytes, start, length, StandardCharsets.UTF_8));
        }
        return labels[place];
    }
}
