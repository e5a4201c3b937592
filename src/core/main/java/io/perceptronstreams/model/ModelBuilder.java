package io.perceptronstreams.model;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.learner.BlockLimits;
import io.perceptronstreams.learner.LearnerState;
import io.perceptronstreams.probability.Calibration;
import io.perceptronstreams.settings.NegativeLabel;
import io.perceptronstreams.settings.Settings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Rebuilds a model from a snapshot; validates every value first.
 *
 * <p>Order: the learner's numbers and names, in any number of pieces; then its blocks, in ascending vector and number.
 * A block may come in several consecutive pieces. Every method throws {@link IllegalArgumentException} if the snapshot
 * is not valid; then the import must be abandoned.
 */
public final class ModelBuilder {
    // Of the learner, without its blocks; each learner checks its own number.
    private static final int MAX_STATE_NUMBERS = 1000;

    private static final int MAX_NUMBERS = 1 << 20;

    // Limit the length of blocks by the values that have arrived: one block of three lanes per value, a constant, and
    // for long rows with few values the numbers of a model with default settings.
    private static final int NUMBERS_OF_VALUE = BlockLimits.MAX_LANES;
    private static final int NUMBERS_FOR_NOTHING = 1 << 17;
    private static final long NUMBERS_OF_ROWS = 256L * Settings.DEFAULTS.get(Settings.BLOCKS_MAX);

    // Per block of blocks.max: 128 weights with their averages, and 128 features with three statistics.
    private static final long NUMBERS_OF_BLOCK = 256 + 384;

    private final WeightsChunk.Header header;
    private final Settings settings;
    private final NegativeLabel negative;
    private final Algorithm algorithm;
    private final List<Double> numbers = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private final List<Double> calibration = new ArrayList<>();

    // Both null before its numbers and names are complete.
    private EpochModel model;
    private Pipeline pipeline;
    private long numbersOfBlocks;
    private long valuesOfBlocks;

    // The incomplete block, if any.
    private double[] block;
    private int vector = Pipeline.STATISTICS;
    private int number = -1;
    private int nextPosition;

    /** Begins with the header of the snapshot; settings that it lacks have their defaults. */
    public ModelBuilder(WeightsChunk.Header header) {
        this.header = header;
        this.settings = Settings.DEFAULTS.with(header.settings());
        this.negative = NegativeLabel.ofDecision(header.settings().get(Settings.NEGATIVE_LABEL.name()));
        // the settings may have auto
        this.algorithm = Algorithm.parse(header.algorithm());
        Pipeline.check(this.settings, this.algorithm);
        check(header.totals());
    }

    /** The model's settings. */
    public Settings settings() {
        return settings;
    }

    private static void check(Counts totals) {
        long learned = totals.mistakes() + totals.marginMistakes();
        boolean isPossible = totals.mistakes() >= 0
                && totals.marginMistakes() >= 0
                && totals.updates() >= 0
                && totals.errors() >= 0
                && learned >= 0
                && learned <= totals.labelled()
                && totals.updates() <= totals.labelled()
                && totals.errors() <= totals.labelled()
                && totals.labelled() <= totals.examples()
                && totals.hingeLoss() >= 0;
        if (!isPossible) {
            throw new IllegalArgumentException("counts must be possible, got " + totals.examples() + " examples, "
                    + totals.labelled() + " labelled, " + totals.updates() + " updates, " + totals.mistakes()
                    + " mistakes, "
                    + totals.marginMistakes() + " margin mistakes, " + totals.errors() + " errors, hinge loss "
                    + totals.hingeLoss());
        }
    }

    /** Adds the next chunk. */
    public void add(WeightsChunk chunk) {
        if (!chunk.header().equals(header)) {
            throw new IllegalArgumentException("all chunks must be of one snapshot, got chunk " + chunk.number()
                    + " with other counts or settings than the first");
        }
        addState(chunk.numbers(), chunk.names());
        addCalibration(chunk.calibration());
        for (WeightsChunk.Block each : chunk.blocks()) {
            addBlock(each.vector(), each.number(), each.length(), each.positions(), each.values());
        }
        for (WeightsChunk.FeatureName name : chunk.featureNames()) {
            addFeatureName(name.index(), name.name());
        }
    }

    /** Adds the next of the learner's numbers and names. */
    public void addState(double[] nextNumbers, List<String> nextNames) {
        if (nextNumbers.length == 0 && nextNames.isEmpty()) {
            return;
        }
        if (model != null) {
            throw new IllegalArgumentException("numbers and names must come before the blocks, got some after them");
        }
        if (numbers.size() + nextNumbers.length > MAX_STATE_NUMBERS
                || names.size() + nextNames.size() > Settings.MAX_CLASSES) {
            throw new IllegalArgumentException("a learner must not have more than " + MAX_STATE_NUMBERS
                    + " numbers besides its blocks and more than " + Settings.MAX_CLASSES + " names, got more");
        }
        for (double next : nextNumbers) {
            // infinities and NaN can be valid: each learner checks its own
            numbers.add(next);
        }
        names.addAll(nextNames);
    }

    private void addCalibration(double[] next) {
        if (calibration.size() + next.length > Calibration.NUMBERS) {
            throw new IllegalArgumentException(
                    "calibration must have at most " + Calibration.NUMBERS + " numbers, got more");
        }
        for (double each : next) {
            calibration.add(each);
        }
    }

    /**
     * Adds a block, or a piece of the last one.
     *
     * @param blockLength number of doubles in the whole block
     * @param positions ascending, also from piece to piece; other places are 0
     * @param values one for each position
     */
    public void addBlock(int ofVector, int blockNumber, int blockLength, int[] positions, double[] values) {
        if (block == null || ofVector != vector || blockNumber != number) {
            begin(ofVector, blockNumber, blockLength);
        }
        if (blockLength != block.length || positions.length != values.length) {
            throw new IllegalArgumentException(where() + " must have one length and as many values as positions, got "
                    + blockLength + " after " + block.length + ", " + positions.length + " positions and "
                    + values.length + " values");
        }
        for (int k = 0; k < positions.length; k++) {
            int position = positions[k];
            if (position < nextPosition || position >= block.length) {
                throw new IllegalArgumentException(
                        "positions in " + where() + " must ascend and lie below " + block.length + ", got " + position);
            }
            block[position] = finite(values[k]);
            nextPosition = position + 1;
        }
        valuesOfBlocks += values.length;
    }

    private void begin(int ofVector, int blockNumber, int blockLength) {
        takeState();
        endBlock();
        boolean isNext = ofVector > vector || (ofVector == vector && blockNumber > number);
        if (!isNext || blockNumber < 0 || ofVector < Pipeline.STATISTICS || ofVector >= pipeline.vectors()) {
            throw new IllegalArgumentException("blocks must ascend within the " + pipeline.vectors()
                    + " vectors of the learner and the statistics, -1, got block " + blockNumber + " of vector "
                    + ofVector + " after block " + number + " of vector " + vector);
        }
        if (blockLength < 0) {
            throw new IllegalArgumentException("a block must not have a negative length, got " + blockLength);
        }
        if (ofVector == Pipeline.STATISTICS) {
            BlockLimits.requireLength(blockLength, BlockLimits.MAX_LANES);
        } else {
            pipeline.learner().checkBlock(ofVector, blockNumber, blockLength);
        }
        requireMemory(blockLength);
        vector = ofVector;
        number = blockNumber;
        nextPosition = 0;
        block = new double[blockLength];
    }

    private void requireMemory(int blockLength) {
        numbersOfBlocks += blockLength;
        // limits memory only: each learner counts in its own way when it is full
        long most = MAX_NUMBERS + NUMBERS_OF_BLOCK * settings.get(Settings.BLOCKS_MAX);
        if (numbersOfBlocks > most) {
            throw new IllegalArgumentException("a model with blocks.max = " + settings.get(Settings.BLOCKS_MAX)
                    + " must not have more than " + most + " numbers in its blocks, got more (raise it in the"
                    + " snapshot's settings)");
        }
        long brought = NUMBERS_FOR_NOTHING
                + NUMBERS_OF_VALUE * valuesOfBlocks
                + (names.isEmpty() ? 0 : Math.min(NUMBERS_OF_ROWS, 256L * settings.get(Settings.BLOCKS_MAX)));
        if (numbersOfBlocks > brought) {
            throw new IllegalArgumentException("a model with " + valuesOfBlocks + " values must not have more than "
                    + brought + " numbers in its blocks, got more");
        }
    }

    private void takeState() {
        if (model == null) {
            // a learner may fail in any way on a state that it did not write
            orRefuse(
                    "the learner's state",
                    () -> model =
                            EpochModel.restored(0, settings, negative, algorithm, new LearnerState(numbers, names)));
            model.counts().ofWeights().counts().restore(header.totals());
            pipeline = model.pipeline();
        }
    }

    private void endBlock() {
        if (block != null) {
            double[] whole = block;
            block = null;
            orRefuse(where(), () -> pipeline.vector(vector).restore(number, whole));
        }
    }

    private static void orRefuse(String what, Runnable restore) {
        try {
            restore.run();
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(what + " must be one of such a model, got: " + e.getMessage(), e);
        }
    }

    /** Adds the name of a feature. */
    public void addFeatureName(int index, byte[] name) {
        takeState();
        int hashed = pipeline.hasher().shownIndex(name, 0, name.length);
        if (index != hashed) {
            throw new IllegalArgumentException("index of feature name '"
                    + Utf8Slice.shortened(new String(name, StandardCharsets.UTF_8), 80) + "' must be its hash "
                    + hashed + ", got " + index);
        }
        pipeline.names().append(name, pipeline.hasher());
    }

    private String where() {
        return "block " + number + " of vector " + vector;
    }

    /** Returns the model, in its first epoch, live and without a counting window. */
    public Model finish() {
        takeState();
        endBlock();
        // errors that the learner would find later must be found now
        orRefuse("the weights", () -> pipeline.learner().checkBlocks());
        orRefuse("calibration", () -> model.calibrate(calibration));
        return new Model(model);
    }

    /**
     * Restores the model with its counts in the epoch of its snapshot, and what a named one has besides, live and
     * without a counting window.
     *
     * @param absent receives it; must be new
     */
    public void finish(Model absent) {
        absent.restore(new EpochModel(header.epoch(), finish().current()), ModelState.LIVE);
        WeightsChunk.Named named = header.named();
        if (named == null) {
            return;
        }
        if (named.lastEpoch() != null) {
            absent.restoreLastEpoch(named.lastEpoch());
        }
        if (named.countsSince() != null) {
            absent.counts().beginAt(named.countsSince());
        }
        if (named.emitted() != null) {
            absent.counts().restoreEmitted(named.emitted().totals());
        }
    }

    private static double finite(double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException("weights must be finite numbers, got " + value);
        }
        return value;
    }
}
