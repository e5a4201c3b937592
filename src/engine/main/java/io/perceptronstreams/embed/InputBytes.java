package io.perceptronstreams.embed;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Encodes examples and labels of a program: those that wait, and those that are learned again after a crash. The bytes
 * are stored; the first is the version of the encoding. Not thread-safe.
 */
final class InputBytes {
    private static final byte VERSION = 1;
    private static final byte LABEL = -1;

    private static final byte NO_LABEL = 0;
    private static final byte NUMBER = 1;
    private static final byte NAME = 2;
    private static final byte TAGS = 3;

    private ByteBuffer out = ByteBuffer.allocate(1 << 10);

    /** Encodes an input. Cost: O(its size). */
    byte[] of(LearnInput input) {
        out.clear();
        write(VERSION);
        if (input instanceof LearnLabel label) {
            write(LABEL);
            writeText(label.exampleId());
            writeLabel(label.label());
            writeText(label.source() == null ? "" : label.source());
            boolean isKnowable = label.knowableAt() != null;
            write((byte) (isKnowable ? 1 : 0));
            if (isKnowable) {
                room(Long.BYTES).putLong(label.knowableAt());
            }
        } else {
            writeExample((LearnExample) input);
        }
        return Arrays.copyOf(out.array(), out.position());
    }

    private void writeExample(LearnExample example) {
        write(example.kind().code());
        writeText(example.id());
        writeLabel(example.label());
        room(Double.BYTES).putDouble(example.weight());
        switch (example.kind()) {
            case NAMED -> writeNamed(example.named());
            case INDEXED -> {
                int size = example.size();
                room(Integer.BYTES + size * (Integer.BYTES + Double.BYTES));
                out.putInt(size);
                out.asIntBuffer().put(example.indices(), 0, size);
                out.position(out.position() + size * Integer.BYTES);
                writeValues(example);
            }
            case DENSE -> {
                room(Integer.BYTES + example.size() * Double.BYTES).putInt(example.size());
                writeValues(example);
            }
            case SEQUENCE -> {
                writeInt(example.tokens().size());
                example.tokens().forEach(this::writeTexts);
            }
            case CANDIDATES -> {
                writeInt(example.candidates().size());
                example.candidates().forEach(each -> {
                    writeText(each.output());
                    writeNamed(each.features());
                });
            }
        }
    }

    private void writeValues(LearnExample example) {
        out.asDoubleBuffer().put(example.values(), 0, example.size());
        out.position(out.position() + example.size() * Double.BYTES);
    }

    private void writeNamed(Map<String, Double> named) {
        writeInt(named.size());
        for (Map.Entry<String, Double> feature : named.entrySet()) {
            writeText(feature.getKey());
            room(Double.BYTES).putDouble(feature.getValue());
        }
    }

    private void writeTexts(List<?> texts) {
        writeInt(texts.size());
        texts.forEach(text -> writeText((String) text));
    }

    private void writeText(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        room(Integer.BYTES + utf8.length).putInt(utf8.length).put(utf8);
    }

    private void writeLabel(Object label) {
        if (label == null) {
            write(NO_LABEL);
        } else if (label instanceof Integer number) {
            write(NUMBER);
            writeInt(number);
        } else if (label instanceof List<?> tags) {
            write(TAGS);
            writeTexts(tags);
        } else {
            write(NAME);
            writeText((String) label);
        }
    }

    private void write(byte value) {
        room(1).put(value);
    }

    private void writeInt(int value) {
        room(Integer.BYTES).putInt(value);
    }

    private ByteBuffer room(int bytes) {
        if (out.remaining() < bytes) {
            out = ByteBuffer.wrap(Arrays.copyOf(out.array(), Math.addExact(out.position(), bytes) + out.capacity()))
                    .position(out.position());
        }
        return out;
    }

    /**
     * Decodes an input.
     *
     * @throws IllegalStateException if these are not bytes of {@link #of}
     */
    static LearnInput read(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        try {
            int version = in.get();
            if (version != VERSION) {
                throw new IllegalStateException("a stored input must have version " + VERSION + ", got " + version);
            }
            byte kind = in.get();
            return kind == LABEL ? readLabelInput(in) : readExample(in, LearnExample.Kind.of(kind));
        } catch (BufferUnderflowException e) {
            throw new IllegalStateException("a stored input must be complete, got " + bytes.length + " bytes", e);
        }
    }

    private static LearnLabel readLabelInput(ByteBuffer in) {
        String id = readText(in);
        Object label = readLabel(in);
        LearnLabel read = label instanceof Integer number
                ? LearnLabel.of(id, number)
                : label instanceof List<?> tags
                        ? LearnLabel.ofTags(id, tags.toArray(String[]::new))
                        : LearnLabel.of(id, (String) label);
        String source = readText(in);
        read = source.isEmpty() ? read : read.withSource(source);
        return in.get() == 0 ? read : read.withKnowableAt(in.getLong());
    }

    private static LearnExample readExample(ByteBuffer in, LearnExample.Kind kind) {
        LearnExample example = LearnExample.of(readText(in));
        Object label = readLabel(in);
        if (label instanceof Integer number) {
            example.label(number);
        } else if (label instanceof List<?> tags) {
            example.tags(tags.toArray(String[]::new));
        } else {
            example.label((String) label);
        }
        example.weight(in.getDouble());
        int size = in.getInt();
        switch (kind) {
            case NAMED -> readNamed(in, size).forEach(example::feature);
            case INDEXED -> {
                int[] indices = new int[size];
                in.asIntBuffer().get(indices);
                in.position(in.position() + size * Integer.BYTES);
                for (int index : indices) {
                    example.feature(index, in.getDouble());
                }
            }
            case DENSE -> {
                double[] values = new double[size];
                in.asDoubleBuffer().get(values);
                example.features(values);
            }
            case SEQUENCE -> {
                for (int k = 0; k < size; k++) {
                    example.token(readTexts(in).toArray(String[]::new));
                }
            }
            case CANDIDATES -> {
                for (int k = 0; k < size; k++) {
                    String output = readText(in);
                    example.candidate(output, readNamed(in, in.getInt()));
                }
            }
        }
        return example;
    }

    private static Map<String, Double> readNamed(ByteBuffer in, int size) {
        Map<String, Double> named = new LinkedHashMap<>();
        for (int k = 0; k < size; k++) {
            String name = readText(in);
            named.put(name, in.getDouble());
        }
        return named;
    }

    private static List<String> readTexts(ByteBuffer in) {
        int size = in.getInt();
        List<String> texts = new ArrayList<>();
        for (int k = 0; k < size; k++) {
            texts.add(readText(in));
        }
        return texts;
    }

    private static String readText(ByteBuffer in) {
        byte[] utf8 = new byte[in.getInt()];
        in.get(utf8);
        return new String(utf8, StandardCharsets.UTF_8);
    }

    private static Object readLabel(ByteBuffer in) {
        return switch (in.get()) {
            case NUMBER -> in.getInt();
            case NAME -> readText(in);
            case TAGS -> readTexts(in);
            default -> null;
        };
    }
}
