package io.perceptronstreams.kernel;

import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.learner.BlockLimits;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Ids of the examples in the support, by slot; a slot may have none.
 *
 * <p>A block is the id in UTF-8, without a zero at the end, six bytes to a number, the first one lowest. Of an id of
 * more than {@link #MAX_BYTES} bytes the last ones are kept, which differ more often.
 */
final class SupportIds extends SlotBlocks {
    /**
     * Maximum length of a kept id. An id takes less memory than one of the blocks of blocks.max, which do not count it.
     */
    static final int MAX_BYTES = 60;

    private static final int BYTES_OF_NUMBER = 6;

    /** Maximum numbers in a block. */
    static final int MAX_NUMBERS = MAX_BYTES / BYTES_OF_NUMBER;

    // Exclusive bound of a number.
    private static final long BOUND = 1L << (8 * BYTES_OF_NUMBER);

    /** Sets the id of a slot that has none; an empty id is none. */
    void add(int slot, Utf8Slice id) {
        byte[] bytes = id.bytes();
        int end = id.offset() + id.length();
        int from = Math.max(id.offset(), end - MAX_BYTES);
        while (from > id.offset() && from < end && (bytes[from] & 0xc0) == 0x80) {
            from++; // not within a character
        }
        while (end > from && bytes[end - 1] == 0) {
            end--;
        }
        if (from == end) {
            return;
        }
        double[] block = new double[(end - from + BYTES_OF_NUMBER - 1) / BYTES_OF_NUMBER];
        for (int i = 0; i < end - from; i++) {
            block[i / BYTES_OF_NUMBER] += (bytes[from + i] & 0xffL) << (8 * (i % BYTES_OF_NUMBER));
        }
        set(slot, block);
    }

    /** The id of a slot; null if it has none. */
    String id(int slot) {
        double[] block = block(slot);
        if (block == null) {
            return null;
        }
        byte[] utf8 = new byte[block.length * BYTES_OF_NUMBER];
        int length = 0;
        for (int i = 0; i < utf8.length; i++) {
            utf8[i] = (byte) ((long) block[i / BYTES_OF_NUMBER] >>> (8 * (i % BYTES_OF_NUMBER)));
            length = utf8[i] == 0 ? length : i + 1;
        }
        return new String(utf8, 0, length, StandardCharsets.UTF_8);
    }

    /** Removes the id of a slot, if it has one. */
    void remove(int slot) {
        if (block(slot) != null) {
            set(slot, null);
        }
    }

    /**
     * Checks restored ids.
     *
     * @param slots in use
     * @throws IllegalArgumentException if a block is no id, or one of a free slot
     */
    void check(BitSet slots) {
        forEach((slot, block) -> {
            boolean isId = block.length > 0 && block[block.length - 1] != 0 && slots.get(slot);
            for (double number : block) {
                isId &= number >= 0 && number < BOUND && number == Math.rint(number);
            }
            if (!isId) {
                throw new IllegalArgumentException("the id of support vector " + slot + " must be " + MAX_BYTES
                        + " bytes at most of one in use, got " + Arrays.toString(block));
            }
        });
    }

    @Override
    public void restore(int number, double[] block) {
        BlockLimits.requireLength(block.length, MAX_NUMBERS);
        super.restore(number, block);
    }
}
