package io.perceptronstreams.example;

import java.util.Arrays;

/**
 * A sparse array of doubles, in blocks of 128 that are allocated when first touched and remember whether they were changed.
 *
 * <p>Each index may carry several numbers, its lanes: block {@code n} holds lane {@code l} of index {@code 128n + i} at {@code
 * 128l + i}. Numbers that are read and changed together so cost one look-up and are stored in one record. Untouched numbers
 * are 0.
 *
 * <p>Blocks are found by the digits of their number to the base 256: a directory of three levels, whose parts are allocated when
 * first touched, too, so that memory is O(touched blocks) whatever the largest index. It needs neither search nor comparison; a
 * hash table, whose probes a processor cannot foresee, made w·x twice as dear where features are spread over many blocks. Not
 * thread-safe.
 */
public final class BlockVector implements Blocks {
    /** Indices in a block. */
    public static final int BLOCK = 128;

    /** {@code index >>> SHIFT} is the number of an index's block. */
    public static final int SHIFT = 7;

    /** {@code index & MASK} is the place of an index within its block. */
    public static final int MASK = BLOCK - 1;

    private static final int RADIX = 256;

    /** Blocks whose numbers differ in the last digit only. */
    private static final class Page {
        private final double[][] blocks = new double[RADIX][];
        private final boolean[] changed = new boolean[RADIX];
    }

    // These stand for what was never touched; nothing is ever put into them.
    private static final Page NO_BLOCKS = new Page();
    private static final Page[] NO_PAGES = filled(NO_BLOCKS);

    private final int lanes;

    // By the first and the second digit; as long as the largest first digit needs.
    private Page[][] directory = new Page[0][];
    private long directoryBytes;
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
        int first = number >>> 16;
        return first < directory.length ? directory[first][number >>> 8 & 0xff].blocks[number & 0xff] : null;
    }

    /** The block of this number to be changed; allocates it where it is new. */
    public double[] touch(int number) {
        double[] block = find(number);
        if (block == null) {
            block = new double[lanes * BLOCK];
            insert(number, block);
        }
        boolean[] changed = directory[number >>> 16][number >>> 8 & 0xff].changed;
        if (!changed[number & 0xff]) {
            changed[number & 0xff] = true;
            if (changedCount == changedNumbers.length) {
                changedNumbers = Arrays.copyOf(changedNumbers, 2 * changedCount);
            }
            changedNumbers[changedCount++] = number;
        }
        return block;
    }

    @Override
    public void drainChanged(Sink sink) {
        Arrays.sort(changedNumbers, 0, changedCount);
        for (int k = 0; k < changedCount; k++) {
            int number = changedNumbers[k];
            Page page = directory[number >>> 16][number >>> 8 & 0xff];
            sink.accept(number, page.blocks[number & 0xff]);
            page.changed[number & 0xff] = false;
        }
        changedCount = 0;
    }

    @Override
    public void restore(int number, double[] block) {
        if (block.length != lanes * BLOCK) {
            throw new IllegalArgumentException(
                    "block " + number + " must have " + lanes * BLOCK + " numbers, got " + block.length);
        }
        if (find(number) != null) {
            throw new IllegalStateException("block " + number + " is already there");
        }
        insert(number, block);
    }

    /** Shows every touched block in ascending number. Cost: O(touched blocks). */
    public void forEach(Sink sink) {
        for (int first = 0; first < directory.length; first++) {
            for (int second = 0; second < RADIX; second++) {
                Page page = directory[first][second];
                for (int third = 0; page != NO_BLOCKS && third < RADIX; third++) {
                    if (page.blocks[third] != null) {
                        sink.accept(first << 16 | second << 8 | third, page.blocks[third]);
                    }
                }
            }
        }
    }

    /** How many blocks were touched. */
    public int count() {
        return count;
    }

    @Override
    public long heapBytes() {
        return (long) count * (lanes * BLOCK * Double.BYTES + 16) + directoryBytes + changedNumbers.length * 4L;
    }

    private void insert(int number, double[] block) {
        int first = number >>> 16;
        int second = number >>> 8 & 0xff;
        if (first >= directory.length) {
            int length = directory.length;
            directory = Arrays.copyOf(directory, first + 1);
            Arrays.fill(directory, length, first + 1, NO_PAGES);
        }
        if (directory[first] == NO_PAGES) {
            directory[first] = NO_PAGES.clone();
            directoryBytes += RADIX * 4 + 20;
        }
        if (directory[first][second] == NO_BLOCKS) {
            directory[first][second] = new Page();
            directoryBytes += RADIX * 5 + 56;
        }
        directory[first][second].blocks[number & 0xff] = block;
        count++;
    }

    private static Page[] filled(Page page) {
        Page[] pages = new Page[RADIX];
        Arrays.fill(pages, page);
        return pages;
    }
}
