package io.perceptronstreams.kernel;

import io.perceptronstreams.example.FeatureVector;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * The features of the support vectors: by slot, one {@link SupportBlock} each as they are stored, and by row for
 * scoring.
 *
 * <p>Equal vectors, such as those of an example that made an update in several passes, share a row: scoring evaluates
 * them once. One of their slots, the owner, stores the features, the others refer to it. Numbers of rows are not
 * stored.
 */
final class SupportRows extends SlotBlocks {
    // Numbers per unit of blocks.max, as many as in a block of weights.
    private static final int UNIT = 128;

    /** Features as a key. */
    private static final class Content {
        private final double[] block;
        private final int hash;

        Content(double[] block) {
            this.block = block;
            this.hash = Arrays.hashCode(block);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Content content && Arrays.equals(block, content.block);
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    private final InvertedIndex index = new InvertedIndex();
    private final FeatureVector vector = new FeatureVector();
    private final Map<Content, Integer> rowsByContent = new HashMap<>();

    /** By slot. */
    private int[] rowOf = new int[16];

    // By row: the slot that stores the features, the number of slots with the row, and the value of the bias feature.
    private int[] owners = new int[16];
    private int[] users = new int[16];
    private double[] biases = new double[16];
    private final BitSet used = new BitSet();

    /** Number of blocks of 128 for {@code numbers} numbers. */
    static int units(int numbers) {
        return (numbers + UNIT - 1) / UNIT;
    }

    /** Number of blocks of 128 for the features of a slot, whether they are shared or not. */
    int unitsOf(int slot) {
        return units(block(owners[rowOf[slot]]).length);
    }

    /** The row of the vector in a slot. */
    int rowOf(int slot) {
        return rowOf[slot];
    }

    /** Above every row in use. */
    int top() {
        return used.length();
    }

    /** Value of the bias feature of a row; 1 unless it was scaled. */
    double bias(int row) {
        return biases[row];
    }

    /** Copies {@code x} into a free slot. */
    void add(int slot, FeatureVector x) {
        double[] block = SupportBlock.encode(x);
        int row = use(slot, block);
        set(slot, owners[row] == slot ? block : SupportBlock.reference(owners[row]));
    }

    /** Makes a slot one of a row, which is new if the features are. */
    private int use(int slot, double[] block) {
        Content content = new Content(block);
        Integer known = rowsByContent.get(content);
        int row = known == null ? used.nextClearBit(0) : known;
        if (known == null) {
            create(row, slot, block);
            rowsByContent.put(content, row);
        }
        if (slot >= rowOf.length) {
            rowOf = Arrays.copyOf(rowOf, Math.max(slot + 1, 2 * rowOf.length));
        }
        rowOf[slot] = row;
        users[row]++;
        return row;
    }

    private void create(int row, int slot, double[] block) {
        if (row >= owners.length) {
            owners = Arrays.copyOf(owners, 2 * row);
            users = Arrays.copyOf(users, 2 * row);
            biases = Arrays.copyOf(biases, 2 * row);
        }
        SupportBlock.decode(block, vector);
        used.set(row);
        owners[row] = slot;
        users[row] = 0;
        biases[row] = vector.bias();
        index.add(row, vector, top());
    }

    /** The vector in a slot, valid until the next call. */
    FeatureVector vector(int slot) {
        SupportBlock.decode(block(owners[rowOf[slot]]), vector);
        return vector;
    }

    /** Empties a slot; if others have the same features, one of them stores them from now on. */
    void remove(int slot) {
        int row = rowOf[slot];
        double[] block = block(slot);
        set(slot, null);
        users[row]--;
        if (users[row] == 0) {
            SupportBlock.decode(block, vector);
            index.remove(row, vector);
            rowsByContent.remove(new Content(block));
            used.clear(row);
        } else if (owners[row] == slot) {
            passOn(row, slot, block);
        }
    }

    private void passOn(int row, int from, double[] block) {
        int owner = -1;
        for (int slot = 0; slot < slots(); slot++) {
            if (slot == from || block(slot) == null || rowOf[slot] != row) {
                continue;
            }
            owner = owner < 0 ? slot : owner;
            set(slot, slot == owner ? block : SupportBlock.reference(owner));
        }
        owners[row] = owner;
    }

    /** Writes ⟨x,z⟩ for the vector z of each row below {@link #top} into {@code dots}; 0 for free rows. */
    void dots(FeatureVector x, double[] dots) {
        index.dots(x, top(), dots);
    }

    /**
     * Prepares restored vectors for scoring.
     *
     * @throws IllegalArgumentException if a slot in use has no features, or a free one has some
     */
    void rebuild(BitSet slots) {
        forEach((slot, block) -> {
            if (!slots.get(slot)) {
                throw new IllegalArgumentException("features must be those of a support vector, got some for " + slot);
            }
        });
        slots.stream().forEach(this::check);
        slots.stream().filter(slot -> !SupportBlock.isReference(block(slot))).forEach(slot -> use(slot, block(slot)));
        slots.stream().filter(slot -> SupportBlock.isReference(block(slot))).forEach(this::refer);
    }

    private void refer(int slot) {
        int target = SupportBlock.target(block(slot));
        int owner = owners[use(slot, block(target))];
        if (owner != target) {
            set(slot, SupportBlock.reference(owner));
        }
    }

    private void check(int slot) {
        double[] block = block(slot);
        boolean isRight = SupportBlock.isValid(block);
        if (isRight && SupportBlock.isReference(block)) {
            double[] target = block(SupportBlock.target(block));
            isRight = SupportBlock.isValid(target) && !SupportBlock.isReference(target);
        }
        if (!isRight) {
            throw new IllegalArgumentException("the features of support vector " + slot + " must be there, got none");
        }
    }

    /** Includes about 56 bytes per slot for the arrays that scoring needs, and 100 per row. */
    @Override
    public long heapBytes() {
        return super.heapBytes() + slots() * 56L + owners.length * 100L + index.heapBytes();
    }
}
