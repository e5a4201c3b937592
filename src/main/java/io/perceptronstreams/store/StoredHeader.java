package io.perceptronstreams.store;

import io.perceptronstreams.model.Model;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;
import java.util.Arrays;

/**
 * A model as its header gives it: with its names and the vectors that lie in the header, and without its blocks.
 *
 * <p>Once the blocks are restored, {@link #missing} finds out whether they are all there.
 */
final class StoredHeader {
    /** Stands for a position, a time or a number of blocks that forms 1 and 2 do not hold. */
    static final int UNKNOWN = -1;

    private final Model model;
    private final long position;
    private final long lastSeen;
    private final StoredNames names;
    private final String missingNames;

    // By vector, from the statistics on.
    private final int[] blocks;
    private final int[] shadowBlocks;

    /**
     * One without its blocks.
     *
     * @param names those that were read from records of their own
     * @param missingNames which of them are missing, or null
     * @param blocks how many each vector must have, the statistics first
     * @param shadowBlocks the same of the shadow; empty if there is none
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

    /** One of a form that holds neither position nor numbers of blocks, and whose names lie in the header. */
    static StoredHeader ofOldForm(Model model) {
        int[] shadowBlocks = model.shadow() == null ? new int[0] : unknown(model.shadow());
        return new StoredHeader(model, UNKNOWN, UNKNOWN, new StoredNames(), null, unknown(model), shadowBlocks);
    }

    private static int[] unknown(Model model) {
        int[] blocks = new int[model.vectors() - Model.STATISTICS];
        Arrays.fill(blocks, UNKNOWN);
        return blocks;
    }

    Model model() {
        return model;
    }

    /** Offset of the last record of the input partition that was applied to the model; -1 if there is none or it is unknown. */
    long position() {
        return position;
    }

    /** Stream time at that record: the largest event time that its partition had by then, in ms; -1 if it is unknown. */
    long lastSeen() {
        return lastSeen;
    }

    /** The names of model and shadow that lie in records of their own. */
    StoredNames names() {
        return names;
    }

    /** How many blocks a vector of the model must have, 0 where it lies in the header; -1 if that is unknown. */
    int blocks(int vector) {
        return blocks[vector - Model.STATISTICS];
    }

    /** How many blocks a vector of the shadow must have, 0 where it lies in the header; -1 if that is unknown. */
    int shadowBlocks(int vector) {
        return shadowBlocks[vector - Model.STATISTICS];
    }

    /**
     * What the store has lost of the model or its shadow; to be called when the blocks are restored.
     *
     * @return null if nothing is missing, as far as that is known
     */
    String missing() {
        if (missingNames != null) {
            return missingNames;
        }
        String found = missing(model, blocks);
        return found != null || model.shadow() == null ? found : missing(model.shadow(), shadowBlocks);
    }

    private static String missing(Model model, int[] expected) {
        for (int vector = Model.STATISTICS; vector < model.vectors(); vector++) {
            int must = expected[vector - Model.STATISTICS];
            int found = storedBlocks(model.vector(vector));
            if (must != UNKNOWN && must != found) {
                return "vector " + vector + " of epoch " + model.epoch() + " must have " + must + " blocks, got "
                        + found;
            }
        }
        return null;
    }

    /** How many records of blocks a vector takes. */
    static int storedBlocks(Blocks vector) {
        return small(vector) == null ? vector.count() : 0;
    }

    /** A vector that lies in the header, or null for one that lies in blocks. */
    static BlockVector small(Blocks vector) {
        return vector instanceof BlockVector entries && entries.isSmall() ? entries : null;
    }
}
