package io.perceptronstreams.kernel;

import io.perceptronstreams.weights.Blocks;
import java.util.Arrays;
import java.util.BitSet;

/** One block for each slot of a support, or none. */
abstract class SlotBlocks implements Blocks {
    // The maximum of blocks.max.
    private static final int MAX_SLOTS = 1 << 24;

    private final BitSet changed = new BitSet();

    // By slot.
    private double[][] blocks = new double[0][];
    private int count;
    private long blockBytes;

    /** The block of a slot; null if it has none, also if there is no such slot. */
    final double[] block(int slot) {
        return slot >= 0 && slot < blocks.length ? blocks[slot] : null;
    }

    /** Above every slot with a block. */
    final int slots() {
        return blocks.length;
    }

    /** Sets or, with null, removes the block of a slot, which is to be stored. */
    final void set(int slot, double[] block) {
        put(slot, block);
        changed.set(slot);
    }

    private void put(int slot, double[] block) {
        if (slot >= blocks.length) {
            blocks = Arrays.copyOf(blocks, Math.max(slot + 1, 2 * blocks.length));
        }
        count += (block == null ? 0 : 1) - (blocks[slot] == null ? 0 : 1);
        blockBytes += heapBytes(block) - heapBytes(blocks[slot]);
        blocks[slot] = block;
    }

    private static long heapBytes(double[] block) {
        return block == null ? 0 : 16 + 8L * block.length;
    }

    @Override
    public final void drainChanged(Sink sink) {
        for (int slot = changed.nextSetBit(0); slot >= 0; slot = changed.nextSetBit(slot + 1)) {
            sink.accept(slot, blocks[slot]);
        }
        changed.clear();
    }

    @Override
    public final void forEach(Sink sink) {
        for (int slot = 0; slot < blocks.length; slot++) {
            if (blocks[slot] != null) {
                sink.accept(slot, blocks[slot]);
            }
        }
    }

    /** Number of slots with a block. */
    @Override
    public final int count() {
        return count;
    }

    @Override
    public void restore(int number, double[] block) {
        if (number < 0 || number >= MAX_SLOTS) {
            throw new IllegalArgumentException("slot must be from 0 to " + (MAX_SLOTS - 1) + ", got " + number);
        }
        if (block(number) != null) {
            throw new IllegalStateException("block " + number + " is already there");
        }
        put(number, block);
    }

    @Override
    public long heapBytes() {
        return blockBytes + 8L * blocks.length;
    }
}
