package io.perceptronstreams.serde;

import io.perceptronstreams.event.EmittedCounts;
import io.perceptronstreams.event.SnapshotState;
import io.perceptronstreams.event.WeightBlock;
import io.perceptronstreams.event.WeightsSnapshot;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.model.WeightsChunk;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Converts events to chunks of weights. Checks lengths, not values. */
public final class SnapshotDecoder {
    private SnapshotDecoder() {}

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

    /**
     * Returns the chunk of an event.
     *
     * @throws RejectedException if the event has readable weights only
     */
    public static WeightsChunk chunk(WeightsSnapshot event) {
        SnapshotState state = event.getState();
        if (state == null) {
            throw new RejectedException(
                    RejectReason.INVALID_WEIGHTS,
                    "weights must contain the exact state of the model, got readable weights only (make a new snapshot"
                            + " and export it without --limit)");
        }
        WeightsChunk.Header header = new WeightsChunk.Header(
                event.getEpoch(),
                event.getUpdates(),
                event.getPartition(),
                event.getOffset(),
                event.getChunks(),
                event.getExamples(),
                event.getLabelled(),
                event.getMistakes(),
                event.getAlgorithm(),
                event.getSettings(),
                state.getErrors(),
                state.getMarginMistakes(),
                state.getHingeLoss(),
                named(event));
        return new WeightsChunk(
                header,
                event.getChunk(),
                numbers(state.getNumbers()),
                state.getNames(),
                numbers(state.getCalibration()),
                state.getBlocks().stream().map(SnapshotDecoder::block).toList(),
                event.getFeatureNames().stream()
                        .map(name -> new WeightsChunk.FeatureName(
                                name.getIndex(), name.getName().getBytes(StandardCharsets.UTF_8)))
                        .toList());
    }

    private static WeightsChunk.Named named(WeightsSnapshot event) {
        return event.getEmitted() == null && event.getLastEpoch() == null && event.getCountsSince() == null
                ? null
                : new WeightsChunk.Named(emitted(event), event.getLastEpoch(), event.getCountsSince());
    }

    private static WeightsChunk.Emitted emitted(WeightsSnapshot event) {
        EmittedCounts emitted = event.getEmitted();
        return emitted == null
                ? null
                : new WeightsChunk.Emitted(
                        emitted.getExamples(),
                        emitted.getLabelled(),
                        emitted.getErrors(),
                        emitted.getMistakes(),
                        emitted.getMarginMistakes(),
                        emitted.getHingeLoss());
    }

    private static WeightsChunk.Block block(WeightBlock block) {
        int[] positions =
                block.getPositions().stream().mapToInt(Integer::intValue).toArray();
        double[] values =
                block.getValues().stream().mapToDouble(Double::doubleValue).toArray();
        return new WeightsChunk.Block(block.getVector(), block.getNumber(), block.getLength(), positions, values);
    }

    private static double[] numbers(List<String> texts) {
        try {
            return texts.stream().mapToDouble(Double::parseDouble).toArray();
        } catch (NumberFormatException e) {
            throw new RejectedException(
                    RejectReason.INVALID_WEIGHTS, "numbers of a learner must be doubles, got: " + e.getMessage());
        }
    }
}
