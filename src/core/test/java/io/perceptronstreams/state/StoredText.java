package io.perceptronstreams.state;

import java.util.HexFormat;
import java.util.function.Consumer;

/** Stored fields of one part of a model, as hexadecimal digits. */
public final class StoredText {
    private StoredText() {}

    /** Returns what a part writes. */
    public static String of(Consumer<StoredFields> part) {
        StoredFields fields = new StoredFields();
        part.accept(fields);
        return HexFormat.of().formatHex(fields.toBytes());
    }

    /** Restores a part from what it has written. */
    public static void restore(String text, Consumer<StoredFields> part) {
        StoredFields fields = new StoredFields(HexFormat.of().parseHex(text));
        part.accept(fields);
        fields.requireEnd();
    }
}
