package io.perceptronstreams.serde;

import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.event.EmittedCounts;
import io.perceptronstreams.event.FeatureName;
import io.perceptronstreams.event.SnapshotState;
import io.perceptronstreams.event.WeightBlock;
import io.perceptronstreams.event.WeightVector;
import io.perceptronstreams.event.WeightsSnapshot;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.LearnerState;
import io.perceptronstreams.model.EpochCounts;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.Pipeline;
import io.perceptronstreams.serde.EventEncoder.Origin;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;
import org.apache.avro.generic.PrimitivesArrays.DoubleArray;
import org.apache.avro.generic.PrimitivesArrays.IntArray;

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

    private final EventWriter writer;
    private final boolean isJson;

    /**
     * Creates an encoder.
     *
     * @param schemaId of WeightsSnapshot in the registry
     * @param isJson true for JSON, false for Avro
     */
    public SnapshotEncoder(int schemaId, boolean isJson) {
        this.writer = new EventWriter(EventSchemas.schema(Topic.WEIGHTS), schemaId);
        this.isJson = isJson;
    }

    /**
     * Encodes a model in one or more chunks.
     *
     * @param isNamed true to add what runs need that start from it: what the model has emitted, if that is not what the
     *     weights have, since when, and the number of its last epoch
     * @param sink receives each chunk, with its number from 0, before the next one is encoded
     * @return the number of chunks
     */
    public int encode(Model model, Origin origin, boolean isNamed, ObjIntConsumer<byte[]> sink) {
        return cut(
                model,
                isNamed ? named(model, origin) : empty(model, origin),
                true,
                chunk -> sink.accept(isJson ? EventJson.bytes(chunk) : writer.write(chunk), chunk.getChunk()));
    }

    /**
     * Cuts a model into one or more chunks.
     *
     * @param sink receives each chunk, which is valid until it returns
     * @return the number of chunks
     */
    public int cut(Model model, Origin origin, Consumer<WeightsSnapshot> sink) {
        return cut(model, empty(model, origin), true, sink);
    }

    /**
     * Cuts a model as {@link #cut(Model, Origin, Consumer)}, without the readable weights, which are in its state, too.
     */
    public int cutState(Model model, Origin origin, Consumer<WeightsSnapshot> sink) {
        return cut(model, empty(model, origin), false, sink);
    }

    private int cut(Model model, WeightsSnapshot chunk, boolean isReadable, Consumer<WeightsSnapshot> sink) {
        chunk.setChunks(new Cutter(cost(), null, isReadable, () -> {}).cut(model));
        return new Cutter(cost(), chunk, isReadable, () -> sink.accept(chunk)).cut(model);
    }

    /** Number of chunks that {@link #encode} would write. Cost: O(touched weights) in time, no memory. */
    public int count(Model model) {
        return new Cutter(cost(), null, true, () -> {}).cut(model);
    }

    private Cost cost() {
        return isJson ? Cost.JSON : Cost.AVRO;
    }

    /** Returns a chunk with the fields that are common to all chunks. */
    private static WeightsSnapshot empty(Model model, Origin origin) {
        Counts totals = model.counts().ofWeights().counts();
        return WeightsSnapshot.newBuilder()
                .setEpoch(model.current().epoch())
                .setUpdates(model.current().version())
                .setPartition(origin.partition())
                .setOffset(origin.offset())
                .setChunk(0)
                .setChunks(0)
                .setExamples(totals.examples())
                .setLabelled(totals.labelled())
                .setMistakes(totals.mistakes())
                .setAlgorithm(model.pipeline().algorithm().toString())
                .setSettings(model.pipeline().shown())
                .setVectors(new ArrayList<>())
                .setState(SnapshotState.newBuilder()
                        .setErrors(totals.errors())
                        .setMarginMistakes(totals.marginMistakes())
                        .setHingeLoss(totals.hingeLoss())
                        .setNumbers(new ArrayList<>())
                        .setNames(new ArrayList<>())
                        .setCalibration(new ArrayList<>())
                        .setBlocks(new ArrayList<>())
                        .build())
                .setFeatureNames(new ArrayList<>())
                .build();
    }

    private static WeightsSnapshot named(Model model, Origin origin) {
        WeightsSnapshot chunk = empty(model, origin);
        EpochCounts counts = model.counts();
        chunk.setEmitted(counts.isOfSeveralWeights() ? emitted(counts.totals()) : null);
        chunk.setLastEpoch(model.lastEpoch() > chunk.getEpoch() ? model.lastEpoch() : null);
        chunk.setCountsSince(counts.since() < 0 ? null : counts.since());
        return chunk;
    }

    private static EmittedCounts emitted(Counts totals) {
        return new EmittedCounts(
                totals.examples(),
                totals.labelled(),
                totals.errors(),
                totals.mistakes(),
                totals.marginMistakes(),
                totals.hingeLoss());
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

    /** Cuts a model into chunks; a cut vector or block continues in the next chunk under the same name or number. */
    private static final class Cutter implements Learner.WeightVisitor {
        private final Cost cost;

        /** Reused for all chunks; null if they are only counted. */
        private final WeightsSnapshot chunk;

        private final boolean isReadable;

        /** Called for each complete chunk. */
        private final Runnable sink;

        private int chunks;
        private int bytes;

        // the current vector, and its part in the current chunk (null if chunks are only counted)
        private String name;
        private double bias;
        private double averagedBias;
        private int nameCost;
        private WeightVector part;

        Cutter(Cost cost, WeightsSnapshot chunk, boolean isReadable, Runnable sink) {
            this.cost = cost;
            this.chunk = chunk;
            this.isReadable = isReadable;
            this.sink = sink;
        }

        /** Cuts the whole model and returns the number of chunks. */
        int cut(Model model) {
            LearnerState state = model.pipeline().learner().state();
            state.numbers().forEach(this::number);
            state.names().forEach(this::name);
            model.current().calibrationNumbers().forEach(this::calibration);
            for (int vector = Pipeline.STATISTICS; vector < model.pipeline().vectors(); vector++) {
                int ofVector = vector;
                model.pipeline().vector(vector).forEach((number, block) -> block(ofVector, number, block));
            }
            if (isReadable) {
                model.pipeline().learner().forEachWeight(this);
            }
            for (int number = 0; number < model.pipeline().names().size(); number++) {
                featureName(
                        model.pipeline().names().name(number), model.pipeline().hasher());
            }
            endChunk();
            return chunks;
        }

        private void endChunk() {
            sink.run();
            chunks++;
            bytes = 0;
            if (chunk != null) {
                chunk.setChunk(chunks);
                chunk.getVectors().clear();
                chunk.getFeatureNames().clear();
                chunk.getState().getNumbers().clear();
                chunk.getState().getNames().clear();
                chunk.getState().getCalibration().clear();
                chunk.getState().getBlocks().clear();
            }
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
                chunk.getState().getNumbers().add(Double.toString(number));
            }
        }

        private void calibration(double number) {
            isCut(cost.number);
            if (chunk != null) {
                chunk.getState().getCalibration().add(Double.toString(number));
            }
        }

        private void name(String each) {
            isCut(cost.of(each));
            if (chunk != null) {
                chunk.getState().getNames().add(each);
            }
        }

        private void featureName(byte[] utf8, FeatureHasher hasher) {
            isCut(cost.featureName + cost.of(utf8));
            if (chunk != null) {
                String text = new String(utf8, StandardCharsets.UTF_8);
                chunk.getFeatureNames().add(new FeatureName(hasher.shownIndex(utf8, 0, utf8.length), text));
            }
        }

        private void block(int vector, int number, double[] block) {
            isCut(cost.piece);
            int left = 0;
            for (double value : block) {
                // -0.0 is not 0 here
                left += Double.doubleToRawLongBits(value) != 0 ? 1 : 0;
            }
            WeightBlock piece = piece(vector, number, block.length, left);
            for (int position = 0; position < block.length; position++) {
                if (Double.doubleToRawLongBits(block[position]) != 0) {
                    if (isCut(cost.value)) {
                        bytes += cost.piece;
                        piece = piece(vector, number, block.length, left);
                    }
                    left--;
                    if (piece != null) {
                        add(piece.getPositions(), position);
                        add(piece.getValues(), block[position]);
                    }
                }
            }
        }

        private WeightBlock piece(int vector, int number, int length, int capacity) {
            if (chunk == null) {
                return null;
            }
            WeightBlock piece =
                    new WeightBlock(vector, number, length, NumberLists.ints(capacity), NumberLists.doubles(capacity));
            chunk.getState().getBlocks().add(piece);
            return piece;
        }

        @Override
        public void vector(String ofName, double ofBias, double ofAveragedBias) {
            name = ofName;
            bias = ofBias;
            averagedBias = ofAveragedBias;
            nameCost = cost.of(name);
            isCut(cost.run + nameCost);
            beginPart();
        }

        private void beginPart() {
            if (chunk != null) {
                part = WeightVector.newBuilder()
                        .setName(name)
                        .setBias(bias)
                        .setAveragedBias(averagedBias)
                        .setIndices(NumberLists.ints(0))
                        .setWeights(NumberLists.doubles(0))
                        .setAveraged(NumberLists.doubles(0))
                        .build();
                chunk.getVectors().add(part);
            }
        }

        @Override
        public void weight(int index, double weight, double averaged) {
            if (isCut(cost.weight)) {
                isCut(cost.run + nameCost);
                beginPart();
            }
            if (chunk != null) {
                add(part.getIndices(), index);
                add(part.getWeights(), weight);
                add(part.getAveraged(), averaged);
            }
        }

        private static void add(List<Integer> ints, int value) {
            ((IntArray) ints).add(ints.size(), value);
        }

        private static void add(List<Double> doubles, double value) {
            ((DoubleArray) doubles).add(doubles.size(), value);
        }
    }
}
