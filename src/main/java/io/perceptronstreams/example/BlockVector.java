package io.perceptronstreams.example;

import java.util.Arrays;

/**
 * A sparse array of doubles, in blocks of 128 that are allocated when first touched and remember whether they were changed.
 *
 * <p>Each index may carry several numbers, its lanes: block {@code n} holds lane {@code l} of index {@code 128n + i} at {@code
 * 128l + i}. Numbers that are read and changed together so cost one look-up and are stored in one record. Untouched numbers
 * are 0.
 *
 * <p>Blocks are found by open addressing in a table of at least twice their number, so that memory is O(touched blocks) whatever
 * the largest index; an array by block number would cost 64 MiB for the index 2^31 - 1 alone. Not thread-safe.
 */
public final class BlockVector implements Blocks {
    /** Indices in a block. */
    public static final int BLOCK = 128;

    /** {@code index >>> SHIFT} is the number of an index's block. */
    public static final int SHIFT = 7;

    /** {@code index & MASK} is the place of an index within its block. */
    public static final int MASK = BLOCK - 1;

    private static final int EMPTY = -1;

    private final int lanes;

    // Three arrays of one length, a power of two: block numbers (or EMPTY), blocks, and whether they were changed.
    private int[] numbers = filled(16);
    private double[][] blocks = new double[16][];
    private boolean[] changed = new boolean[16];
    private int count;

    // Numbers of the changed blocks, in order of their first change.
    private int[] changedNumbers = new int[16];
    private int changedCount;

    /** An array of zeros with {@code lanes} numbers for each index. */
    public BlockVector(int lanes) {
        this.lanes = lanes;
    }

    /** The block of this number to be read, or null where it was never touched and hence is all 0. */
    public double[] find(int number) {
        int mask = numbers.length - 1;
        for (int slot = home(number, mask); ; slot = slot + 1 & mask) {
            if (numbers[slot] == number) {
                return blocks[slot];
            }
            if (numbers[slot] == EMPTY) {
                return null;
            }
        }
    }

    /** The block of this number to be changed; allocates it where it is new. */
    public double[] touch(int number) {
        int slot = slot(number);
        if (blocks[slot] == null) {
            slot = insert(number, new double[lanes * BLOCK]);
        }
        if (!changed[slot]) {
            changed[slot] = true;
            if (changedCount == changedNumbers.length) {
                changedNumbers = Arrays.copyOf(changedNumbers, 2 * changedCount);
            }
            changedNumbers[changedCount++] = number;
        }
        return blocks[slot];
    }

    @Override
    public void drainChanged(Sink sink) {
        Arrays.sort(changedNumbers, 0, changedCount);
        for (int k = 0; k < changedCount; k++) {
            int slot = slot(changedNumbers[k]);
            sink.accept(changedNumbers[k], blocks[slot]);
            changed[slot] = false;
        }
        changedCount = 0;
    }

    @Override
    public void restore(int number, double[] block) {
        if (block.length != lanes * BLOCK) {
            throw new IllegalArgumentException(
                    "block " + number + " must have " + lanes * BLOCK + " numbers, got " + block.length);
        }
        int slot = slot(number);
        if (blocks[slot] != null) {
            throw new IllegalStateException("block " + number + " is already there");
        }
        insert(number, block);
    }

    /** Shows every touched block in ascending number. Cost: O(touched blocks · log). */
    public void forEach(Sink sink) {
        int[] all = Arrays.stream(numbers)
                .filter(number -> number != EMPTY)
                .sorted()
                .toArray();
        for (int number : all) {
            sink.accept(number, find(number));
        }
    }

    /** How many blocks were touched. */
    public int count() {
        return count;
    }

    @Override
    public long heapBytes() {
        return (long) count * (lanes * BLOCK * Double.BYTES + 16) + numbers.length * 9L + changedNumbers.length * 4L;
    }

    private int insert(int number, double[] block) {
        if (2 * (count + 1) > numbers.length) {
            grow();
        }
        int slot = slot(number);
        numbers[slot] = number;
        blocks[slot] = block;
        count++;
        return slot;
    }

    private void grow() {
        int[] oldNumbers = numbers;
        double[][] oldBlocks = blocks;
        boolean[] oldChanged = changed;
        numbers = filled(2 * oldNumbers.length);
        blocks = new double[numbers.length][];
        changed = new boolean[numbers.length];
        for (int old = 0; old < oldNumbers.length; old++) {
            if (oldNumbers[old] != EMPTY) {
                int slot = slot(oldNumbers[old]);
                numbers[slot] = oldNumbers[old];
                blocks[slot] = oldBlocks[old];
                changed[slot] = oldChanged[old];
            }
        }
    }

    /** Where the block of this number stands, or would stand. */
    private int slot(int number) {
        int mask = numbers.length - 1;
        int slot = home(number, mask);
        while (numbers[slot] != number && numbers[slot] != EMPTY) {
            slot = slot + 1 & mask;
        }
        return slot;
    }

    // Neighbouring blocks get neighbouring homes: dense vectors walk the table in order.
    private static int home(int number, int mask) {
        return number + (number >>> 16) * 0x9e3779b1 & mask;
    }

    private static int[] filled(int length) {
        int[] array = new int[length];
        Arrays.fill(array, EMPTY);
        return array;
    }
}
