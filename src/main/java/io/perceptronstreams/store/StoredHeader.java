package io.perceptronstreams.store;

import io.perceptronstreams.model.Model;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;
import java.util.Arrays;

/**
 * A model decoded from its header: with names and small vectors, but without blocks. After the blocks are restored,
 * {@link #missing} checks that they are complete.
 */
final class StoredHeader {
    /** Position or time of a model without records. */
    static final int UNKNOWN = -1;

    private final Model model;
    private final long position;
    private final long lastSeen;
    private final StoredNames names;
    private final String missingNames;

    // Expected blocks by vector, the statistics first.
    private final int[] blocks;
    private final int[] shadowBlocks;

    // Expected number of names of features.
    private int featureNames;
    private int shadowFeatureNames;

    /**
     * @param names read from separate records
     * @param missingNames description of the missing names, or null
     * @param blocks expected number per vector, the statistics first
     * @param shadowBlocks the same for the shadow; empty if there is none
     */
    StoredHeader(
            Model model,
            long position,
            long lastSeen,
            StoredNames names,
            String missingNames,
            int[] blocks,
            int[] shadowBlocks) {
        this.model = model;
        this.position = position;
        this.lastSeen = lastSeen;
        this.names = names;
        this.missingNames = missingNames;
        this.blocks = blocks;
        this.shadowBlocks = shadowBlocks;
    }

    /** Sets the expected number of names of features of model and shadow. */
    StoredHeader withFeatureNames(int ofModel, int ofShadow) {
        featureNames = ofModel;
        shadowFeatureNames = ofShadow;
        return this;
    }

    Model model() {
        return model;
    }

    /** Offset of the last record of the input partition that was applied to the model; -1 if none. */
    long position() {
        return position;
    }

    /** Stream time at that record, in ms; -1 if none. */
    long lastSeen() {
        return lastSeen;
    }

    /** Names of model and shadow that are stored in separate records. */
    StoredNames names() {
        return names;
    }

    /** Expected number of blocks of a vector, 0 if it is in the header. */
    int blocks(int vector) {
        return blocks[vector - Model.STATISTICS];
    }

    /**
     * Returns true unless no vector has blocks. Block records may be left even then: their removal was lost, for instance
     * because the changelog was already compacted when this store was restored.
     */
    boolean hasBlocks() {
        return Arrays.stream(blocks).anyMatch(count -> count != 0);
    }

    /** As {@link #blocks}, for the shadow. */
    int shadowBlocks(int vector) {
        return shadowBlocks[vector - Model.STATISTICS];
    }

    /** Expected number of names of features. */
    int featureNames() {
        return featureNames;
    }

    /** As {@link #featureNames}, for the shadow. */
    int shadowFeatureNames() {
        return shadowFeatureNames;
    }

    /**
     * Describes a missing part of the model or its shadow; call it after the blocks are restored.
     *
     * @return null if nothing is known to be missing
     */
    String missing() {
        if (missingNames != null) {
            return missingNames;
        }
        String found = missing(model, blocks);
        return found != null || model.drift().shadow() == null
                ? found
                : missing(model.drift().shadow(), shadowBlocks);
    }

    private static String missing(Model model, int[] expected) {
        for (int vector = Model.STATISTICS; vector < model.vectors(); vector++) {
            int must = expected[vector - Model.STATISTICS];
            int found = storedBlocks(model.vector(vector));
            if (must != found) {
                return "vector " + vector + " of epoch " + model.epoch() + " must have " + must + " blocks, got "
                        + found;
            }
        }
        return null;
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
