package io.perceptronstreams.serde;

import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.LearnerState;
import io.perceptronstreams.model.Counts;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.serde.EventEncoder.Origin;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Encodes a model as a WeightsSnapshot, in chunks under 512 KiB: first the exact state, then the readable weights, then
 * the names of features.
 *
 * <p>The first pass over the model counts the chunks, because each chunk contains their number; the second encodes
 * them. Both use the same {@code Cutter}. Cost: O(touched weights) in time, memory for one chunk. Not thread-safe.
 */
public final class SnapshotEncoder {
    // the rest of a chunk is for settings and counts, which every chunk repeats
    private static final int ITEM_BYTES = 450_000;

    private final int schemaId;
    private final boolean isJson;
    private final AvroWriter out = new AvroWriter();

    /**
     * Creates an encoder.
     *
     * @param schemaId of WeightsSnapshot in the registry
     * @param isJson true for JSON, false for Avro
     */
    public SnapshotEncoder(int schemaId, boolean isJson) {
        this.schemaId = schemaId;
        this.isJson = isJson;
    }

    /**
     * Encodes a model in one or more chunks.
     *
     * @param sink receives each chunk before the next one is encoded
     * @return the number of chunks
     */
    public int encode(Model model, Origin origin, Consumer<byte[]> sink) {
        int count = count(model);
        Cutter cutter = new Cutter(cost(), new Chunk(), (number, chunk) -> {
            write(model, origin, number, count, chunk);
            byte[] avro = out.toBytes();
            sink.accept(
                    isJson
                            ? EventJson.fromAvro(EventSchemas.schema("WeightsSnapshot"), avro, WireFormat.HEADER)
                            : avro);
        });
        return cutter.cut(model);
    }

    /** Number of chunks that {@link #encode} would write. Cost: O(touched weights) in time, no memory. */
    public int count(Model model) {
        return new Cutter(cost(), null, (number, chunk) -> {}).cut(model);
    }

    private Cost cost() {
        return isJson ? Cost.JSON : Cost.AVRO;
    }

    private void write(Model model, Origin origin, int number, int count, Chunk chunk) {
        Counts totals = model.totals();
        out.start(schemaId).writeLong(model.epoch()).writeLong(model.version());
        out.writeLong(origin.partition()).writeLong(origin.offset());
        out.writeLong(number).writeLong(count);
        out.writeLong(totals.examples()).writeLong(totals.labelled()).writeLong(totals.mistakes());
        out.writeString(model.algorithm().toString()).writeMap(model.settings().toMap());
        items(chunk.runs);
        out.writeLong(1)
                .writeLong(totals.errors())
                .writeLong(totals.marginMistakes())
                .writeDouble(totals.hingeLoss());
        out.writeArray(chunk.numbers).writeArray(chunk.names);
        items(chunk.pieces);
        items(chunk.featureNames);
    }

    private void items(List<? extends Item> items) {
        if (!items.isEmpty()) {
            out.writeLong(items.size());
            items.forEach(item -> item.write(out));
        }
        out.writeLong(0);
    }

    /** Maximum number of bytes of each part of a chunk. */
    private enum Cost {
        AVRO(1, 5, 26, 40, 21, 24, 11, 5),
        // a double has up to 25 characters and a comma; a character of a name up to six bytes
        JSON(6, 3, 28, 160, 64, 110, 34, 32);

        private final int nameByte;
        private final int name;
        private final int number;
        private final int run;
        private final int weight;
        private final int piece;
        private final int value;
        private final int featureName;

        Cost(int nameByte, int name, int number, int run, int weight, int piece, int value, int featureName) {
            this.nameByte = nameByte;
            this.name = name;
            this.number = number;
            this.run = run;
            this.weight = weight;
            this.piece = piece;
            this.value = value;
            this.featureName = featureName;
        }

        int of(String text) {
            return of(text.getBytes(StandardCharsets.UTF_8));
        }

        int of(byte[] utf8) {
            return name + nameByte * utf8.length;
        }
    }

    /** Item of an array of records. */
    private interface Item {
        void write(AvroWriter out);
    }

    /** Readable weights of one vector in one chunk. */
    private record Run(
            String name, double bias, double averagedBias, IntList indices, DoubleList weights, DoubleList averaged)
            implements Item {
        @Override
        public void write(AvroWriter out) {
            out.writeString(name).writeDouble(bias).writeDouble(averagedBias);
            indices.write(out);
            weights.write(out);
            averaged.write(out);
        }
    }

    /** Exact state of one block in one chunk. */
    private record Piece(int vector, int number, int length, IntList positions, DoubleList values) implements Item {
        @Override
        public void write(AvroWriter out) {
            out.writeLong(vector).writeLong(number).writeLong(length);
            positions.write(out);
            values.write(out);
        }
    }

    /** Name of a feature. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record FeatureName(int index, byte[] utf8) implements Item {
        @Override
        public void write(AvroWriter out) {
            out.writeLong(index).writeString(utf8);
        }
    }

    /** Contents of one chunk. */
    private static final class Chunk {
        private final List<String> numbers = new ArrayList<>();
        private final List<String> names = new ArrayList<>();
        private final List<Piece> pieces = new ArrayList<>();
        private final List<Run> runs = new ArrayList<>();
        private final List<FeatureName> featureNames = new ArrayList<>();

        void clear() {
            numbers.clear();
            names.clear();
            pieces.clear();
            runs.clear();
            featureNames.clear();
        }
    }

    /** Receives complete chunks. */
    @FunctionalInterface
    private interface ChunkSink {
        void accept(int number, Chunk chunk);
    }

    /** Cuts a model into chunks; a cut vector or block continues in the next chunk under the same name or number. */
    private static final class Cutter implements Learner.WeightVisitor {
        private final Cost cost;

        /** Reused for all chunks; null if they are only counted. */
        private final Chunk chunk;

        private final ChunkSink sink;
        private int chunks;
        private int bytes;

        // the current vector, and its part in the current chunk (null if chunks are only counted)
        private String name;
        private double bias;
        private double averagedBias;
        private int nameCost;
        private Run run;

        Cutter(Cost cost, Chunk chunk, ChunkSink sink) {
            this.cost = cost;
            this.chunk = chunk;
            this.sink = sink;
        }

        /** Cuts the whole model and returns the number of chunks. */
        int cut(Model model) {
            LearnerState state = model.learner().state();
            state.numbers().forEach(this::number);
            state.names().forEach(this::name);
            for (int vector = Model.STATISTICS; vector < model.vectors(); vector++) {
                int ofVector = vector;
                model.vector(vector).forEach((number, block) -> block(ofVector, number, block));
            }
            model.learner().forEachWeight(this);
            for (int number = 0; number < model.names().size(); number++) {
                featureName(model.names().name(number), model.hasher());
            }
            endChunk();
            return chunks;
        }

        private void endChunk() {
            sink.accept(chunks++, chunk);
            if (chunk != null) {
                chunk.clear();
            }
            bytes = 0;
        }

        /** Reserves bytes, in a new chunk if the current one is full; returns true if it is a new one. */
        private boolean isCut(int more) {
            boolean isCut = bytes + more > ITEM_BYTES && bytes > 0;
            if (isCut) {
                endChunk();
            }
            bytes += more;
            return isCut;
        }

        private void number(double number) {
            isCut(cost.number);
            if (chunk != null) {
                chunk.numbers.add(Double.toString(number));
            }
        }

        private void name(String each) {
            isCut(cost.of(each));
            if (chunk != null) {
                chunk.names.add(each);
            }
        }

        private void featureName(byte[] utf8, FeatureHasher hasher) {
            isCut(cost.featureName + cost.of(utf8));
            if (chunk != null) {
                chunk.featureNames.add(new FeatureName(hasher.shownIndex(utf8, 0, utf8.length), utf8));
            }
        }

        private void block(int vector, int number, double[] block) {
            isCut(cost.piece);
            Piece piece = piece(vector, number, block.length);
            for (int position = 0; position < block.length; position++) {
                // -0.0 is not 0 here
                if (Double.doubleToRawLongBits(block[position]) != 0) {
                    if (isCut(cost.value)) {
                        bytes += cost.piece;
                        piece = piece(vector, number, block.length);
                    }
                    if (piece != null) {
                        piece.positions.add(position);
                        piece.values.add(block[position]);
                    }
                }
            }
        }

        private Piece piece(int vector, int number, int length) {
            if (chunk == null) {
                return null;
            }
            Piece piece = new Piece(vector, number, length, new IntList(), new DoubleList());
            chunk.pieces.add(piece);
            return piece;
        }

        @Override
        public void vector(String ofName, double ofBias, double ofAveragedBias) {
            name = ofName;
            bias = ofBias;
            averagedBias = ofAveragedBias;
            nameCost = cost.of(name);
            isCut(cost.run + nameCost);
            beginRun();
        }

        private void beginRun() {
            if (chunk != null) {
                run = new Run(name, bias, averagedBias, new IntList(), new DoubleList(), new DoubleList());
                chunk.runs.add(run);
            }
        }

        @Override
        public void weight(int index, double weight, double averaged) {
            if (isCut(cost.weight)) {
                isCut(cost.run + nameCost);
                beginRun();
            }
            if (chunk != null) {
                run.indices.add(index);
                run.weights.add(weight);
                run.averaged.add(averaged);
            }
        }
    }
}
