package io.perceptronstreams.serde;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.model.WeightsChunk;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Decodes a chunk of weights from Avro binary of the current schema. Checks lengths, not values. */
final class SnapshotDecoder {
    private static final int[] NO_INTS = new int[0];
    private static final double[] NO_DOUBLES = new double[0];

    private final AvroReader in;

    /** @param in positioned at the first field */
    SnapshotDecoder(AvroReader in) {
        this.in = in;
    }

    /**
     * Checks the length of a chunk, before it is decoded.
     *
     * @throws RejectedException if it is too long
     */
    static void checkLength(int bytes) {
        if (bytes > WeightsChunk.MAX_BYTES) {
            throw new RejectedException(
                    RejectReason.INVALID_WEIGHTS,
                    "a chunk must have at most " + WeightsChunk.MAX_BYTES + " bytes, got " + bytes
                            + " (cut the weights into more chunks)");
        }
    }

    /** Reads all fields, in schema order. */
    WeightsChunk decode(byte[] bytes) {
        long epoch = in.readLong();
        long version = in.readLong();
        int partition = in.readInt();
        long offset = in.readLong();
        int chunk = in.readInt();
        int chunks = in.readInt();
        long seen = in.readLong();
        long labelled = in.readLong();
        long mistakes = in.readLong();
        String algorithm = string(bytes);
        Map<String, String> settings = settings(bytes);
        skipVectors();
        if (in.readInt() != 1) {
            throw new RejectedException(
                    RejectReason.INVALID_WEIGHTS,
                    "weights must contain the exact state of the model, got readable weights only (make a new snapshot"
                            + " and export it without --top)");
        }
        WeightsChunk.Header header = new WeightsChunk.Header(
                epoch,
                version,
                partition,
                offset,
                chunks,
                seen,
                labelled,
                mistakes,
                algorithm,
                settings,
                in.readLong(),
                in.readLong(),
                in.readDouble());
        WeightsChunk decoded =
                new WeightsChunk(header, chunk, numbers(bytes), strings(bytes), blocks(), featureNames(bytes));
        in.end();
        return decoded;
    }

    private Map<String, String> settings(byte[] bytes) {
        Map<String, String> settings = new LinkedHashMap<>();
        for (int count = in.readBlockCount(2); count != 0; count = in.readBlockCount(2)) {
            for (int k = 0; k < count; k++) {
                String name = string(bytes);
                settings.put(name, string(bytes));
            }
        }
        return settings;
    }

    private void skipVectors() {
        for (int count = in.readBlockCount(20); count != 0; count = in.readBlockCount(20)) {
            for (int k = 0; k < count; k++) {
                in.skipString();
                in.skip(2 * Double.BYTES);
                skipInts();
                skipDoubles();
                skipDoubles();
            }
        }
    }

    private void skipInts() {
        for (int count = in.readBlockCount(1); count != 0; count = in.readBlockCount(1)) {
            for (int k = 0; k < count; k++) {
                in.readInt();
            }
        }
    }

    private void skipDoubles() {
        for (int count = in.readBlockCount(Double.BYTES); count != 0; count = in.readBlockCount(Double.BYTES)) {
            in.skip(count * Double.BYTES);
        }
    }

    private List<WeightsChunk.Block> blocks() {
        List<WeightsChunk.Block> blocks = new ArrayList<>();
        for (int count = in.readBlockCount(5); count != 0; count = in.readBlockCount(5)) {
            for (int k = 0; k < count; k++) {
                blocks.add(new WeightsChunk.Block(in.readInt(), in.readInt(), in.readInt(), ints(), doubles()));
            }
        }
        return blocks;
    }

    private List<WeightsChunk.FeatureName> featureNames(byte[] bytes) {
        List<WeightsChunk.FeatureName> names = new ArrayList<>();
        for (int count = in.readBlockCount(2); count != 0; count = in.readBlockCount(2)) {
            for (int k = 0; k < count; k++) {
                int index = in.readInt();
                int start = in.skipString();
                names.add(new WeightsChunk.FeatureName(index, Arrays.copyOfRange(bytes, start, in.position())));
            }
        }
        return names;
    }

    private int[] ints() {
        int[] ints = NO_INTS;
        int size = 0;
        for (int count = in.readBlockCount(1); count != 0; count = in.readBlockCount(1)) {
            if (size + count > ints.length) {
                ints = Arrays.copyOf(ints, Math.max(size + count, 2 * size));
            }
            in.readInts(ints, size, count);
            size += count;
        }
        return size == ints.length ? ints : Arrays.copyOf(ints, size);
    }

    private double[] numbers(byte[] bytes) {
        try {
            return strings(bytes).stream().mapToDouble(Double::parseDouble).toArray();
        } catch (NumberFormatException e) {
            throw new RejectedException(
                    RejectReason.INVALID_WEIGHTS, "numbers of a learner must be doubles, got: " + e.getMessage());
        }
    }

    private double[] doubles() {
        double[] doubles = NO_DOUBLES;
        int size = 0;
        for (int count = in.readBlockCount(Double.BYTES); count != 0; count = in.readBlockCount(Double.BYTES)) {
            if (size + count > doubles.length) {
                doubles = Arrays.copyOf(doubles, Math.max(size + count, 2 * size));
            }
            in.readDoubles(doubles, size, count);
            size += count;
        }
        return size == doubles.length ? doubles : Arrays.copyOf(doubles, size);
    }

    private List<String> strings(byte[] bytes) {
        List<String> strings = new ArrayList<>();
        for (int count = in.readBlockCount(1); count != 0; count = in.readBlockCount(1)) {
            for (int k = 0; k < count; k++) {
                strings.add(string(bytes));
            }
        }
        return strings;
    }

    private String string(byte[] bytes) {
        int start = in.skipString();
        return new String(bytes, start, in.position() - start, StandardCharsets.UTF_8);
    }
}
