package io.perceptronstreams.embed;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Examples and labels of a program as bytes, from which equal ones are made again: for those that wait, and for those
 * that are learned again after a crash. Stored: the first byte is the version of the form.
 */
final class InputBytes {
    private static final int VERSION = 1;
    private static final int LABEL = 0;
    private static final int NAMED = 1;
    private static final int INDEXED = 2;
    private static final int DENSE = 3;

    private static final int NO_LABEL = 0;
    private static final int NUMBER = 1;
    private static final int NAME = 2;

    private InputBytes() {}

    static byte[] of(LearnInput input) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            if (input instanceof LearnLabel label) {
                out.writeByte(LABEL);
                writeText(out, label.exampleId());
                writeLabel(out, label.label());
            } else {
                write(out, (LearnExample) input);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return bytes.toByteArray();
    }

    private static void write(DataOutputStream out, LearnExample example) throws IOException {
        out.writeByte(example.dense() != null ? DENSE : example.indexed().isEmpty() ? NAMED : INDEXED);
        writeText(out, example.id());
        writeLabel(out, example.label());
        out.writeDouble(example.weight());
        if (example.dense() != null) {
            out.writeInt(example.dense().size());
            for (double value : example.dense()) {
                out.writeDouble(value);
            }
        } else if (!example.indexed().isEmpty()) {
            out.writeInt(example.indexed().size());
            for (Map.Entry<Integer, Double> feature : example.indexed().entrySet()) {
                out.writeInt(feature.getKey());
                out.writeDouble(feature.getValue());
            }
        } else {
            out.writeInt(example.named().size());
            for (Map.Entry<String, Double> feature : example.named().entrySet()) {
                writeText(out, feature.getKey());
                out.writeDouble(feature.getValue());
            }
        }
    }

    private static void writeText(DataOutputStream out, String text) throws IOException {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(utf8.length);
        out.write(utf8);
    }

    private static void writeLabel(DataOutputStream out, Object label) throws IOException {
        if (label == null) {
            out.writeByte(NO_LABEL);
        } else if (label instanceof Integer number) {
            out.writeByte(NUMBER);
            out.writeInt(number);
        } else {
            out.writeByte(NAME);
            writeText(out, (String) label);
        }
    }

    /** @throws IllegalStateException if these are not bytes of {@link #of} */
    static LearnInput read(byte[] bytes) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            int version = in.readByte();
            if (version != VERSION) {
                throw new IllegalStateException("a stored input must have version " + VERSION + ", got " + version);
            }
            int kind = in.readByte();
            return kind == LABEL ? readLabelInput(in) : readExample(in, kind);
        } catch (IOException e) {
            throw new IllegalStateException("a stored input must be complete, got " + bytes.length + " bytes", e);
        }
    }

    private static LearnLabel readLabelInput(DataInputStream in) throws IOException {
        String id = readText(in);
        Object label = readLabel(in);
        return label instanceof Integer number ? LearnLabel.of(id, number) : LearnLabel.of(id, (String) label);
    }

    private static LearnExample readExample(DataInputStream in, int kind) throws IOException {
        LearnExample example = LearnExample.of(readText(in));
        Object label = readLabel(in);
        if (label instanceof Integer number) {
            example.label(number);
        } else if (label != null) {
            example.label((String) label);
        }
        example.weight(in.readDouble());
        int size = in.readInt();
        if (kind == DENSE) {
            double[] values = new double[size];
            for (int k = 0; k < size; k++) {
                values[k] = in.readDouble();
            }
            return example.features(values);
        }
        for (int k = 0; k < size; k++) {
            if (kind == INDEXED) {
                int index = in.readInt();
                example.feature(index, in.readDouble());
            } else {
                String name = readText(in);
                example.feature(name, in.readDouble());
            }
        }
        return example;
    }

    private static String readText(DataInputStream in) throws IOException {
        return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
    }

    private static Object readLabel(DataInputStream in) throws IOException {
        return switch (in.readByte()) {
            case NUMBER -> in.readInt();
            case NAME -> readText(in);
            default -> null;
        };
    }
}
