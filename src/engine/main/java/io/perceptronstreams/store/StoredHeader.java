package io.perceptronstreams.store;

import io.perceptronstreams.model.EpochModel;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.Pipeline;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A model decoded from its header: with names and small vectors, but without blocks. After the blocks are restored,
 * {@link #missing} and {@link Part#missing} check that they are complete.
 *
 * @param position offset of the last record of the input partition that was applied to the model; -1 if none
 * @param lastSeen stream time at that record, in ms; -1 if none
 * @param names of model and challengers that are stored in separate records
 * @param model of all parts
 * @param challengers in the order of the challengers of the model
 * @param headless challengers whose header is missing or invalid, by their epoch; they are none of the model
 */
record StoredHeader(
        long position,
        long lastSeen,
        StoredNames names,
        Model model,
        Part live,
        List<Part> challengers,
        Map<Long, Headless> headless) {
    /** Position or time of a model without records. */
    static final int UNKNOWN = -1;

    /**
     * A challenger without a valid header.
     *
     * @param challenger its name
     * @param fault of its header; null if there is none
     */
    record Headless(String challenger, String fault) {}

    /**
     * A model and its numbers of separate records.
     *
     * @param blocks expected number of blocks by vector, the statistics first; 0 for a vector in the header
     * @param featureNames expected number of names of features
     * @param missingRecord description of missing names of the learner or of a missing copy of a vector, or null
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Part(EpochModel model, int[] blocks, int featureNames, String missingRecord) {
        /** Expected number of blocks of a vector, 0 if it is in the header. */
        int blocks(int vector) {
            return blocks[vector - Pipeline.STATISTICS];
        }

        /**
         * Describes a missing part; call it after the blocks are restored.
         *
         * @return null if nothing is known to be missing
         */
        String missing() {
            if (missingRecord != null) {
                return missingRecord;
            }
            for (int vector = Pipeline.STATISTICS; vector < model.pipeline().vectors(); vector++) {
                int found = storedBlocks(model.pipeline().vector(vector));
                if (blocks(vector) != found) {
                    return "vector " + vector + " of epoch " + model.epoch() + " must have " + blocks(vector)
                            + " blocks, got " + found;
                }
            }
            return null;
        }
    }

    /**
     * Returns true unless no vector has blocks. Block records may be left even then: their removal was lost, for
     * instance because the changelog was already compacted when this store was restored.
     */
    boolean hasBlocks() {
        return Arrays.stream(live.blocks).anyMatch(count -> count != 0);
    }

    /** Describes a missing part of the model without its challengers, as {@link Part#missing} does. */
    String missing() {
        return live.missing();
    }

    /** Number of block records of a vector. */
    static int storedBlocks(Blocks vector) {
        return small(vector) == null ? vector.count() : 0;
    }

    /** Returns a small vector, which is stored in the header; null for one in blocks. */
    static BlockVector small(Blocks vector) {
        return vector instanceof BlockVector entries && entries.isSmall() ? entries : null;
    }
}
