package io.perceptronstreams.model;

import io.perceptronstreams.example.Candidates;
import io.perceptronstreams.example.CrossNames;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.example.TableSeed;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;
import io.perceptronstreams.weights.SparseRows;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The names of the first features from which a model has learned, in the order of the log.
 *
 * <p>After an update the names of features with a weight are added, in the order of the record. Names that are not
 * UTF-8 or have more than {@link #MAX_BYTES} are left out. Names are only appended or, if the limit is lowered, removed
 * from the end. They decide nothing that is learned. Crosses are named after their features, see {@link CrossNames}.
 *
 * <p>The names of an example are read only if one of its features has no name yet; and, to find further names of the
 * same index, in the first {@value #FIRST_UPDATES} updates of a model and in one of {@value #INTERVAL} later ones.
 * Otherwise an update costs one look-up per feature, and nothing once the table is full. Memory: the bytes of the names
 * and at most 54 bytes each. Not thread-safe.
 */
public final class FeatureNameTable {
    /** Maximum length of a name in bytes. */
    public static final int MAX_BYTES = 256;

    private static final int FIRST_UPDATES = 1000;
    private static final int INTERVAL = 128;

    private static final byte[] NO_BYTES = {};
    private static final int[] NO_ENDS = {};
    private static final int[] NO_SLOTS = {0};
    private static final int MIN_SLOTS = 32;

    // Names behind each other: name k ends at ends[k].
    private byte[] bytes = NO_BYTES;
    private int[] ends = NO_ENDS;
    private int size;
    private int limit;

    // Open addressing with linear probing by index: index + 1, or 0 for a free slot, and the number of its first name.
    // At most
    // half is used.
    private int[] indices = NO_SLOTS;
    private int[] numbers = NO_SLOTS;
    private int indexCount;

    // In the same way by name: its number + 1. A client may give all names one index.
    private int[] byName = NO_SLOTS;
    // drawn for the first name: most models have none
    private TableSeed seed;

    // Names at the start of the table that are stored, and the number of all stored names.
    private int unchanged;
    private int stored;

    // Of the current update; null without weights by index.
    private FeatureHasher hasher;
    private BlockVector weights;
    private SparseRows rows;

    // Null until a model with crosses or dropped namespaces has learned.
    private CrossNames crosses;

    /** Creates an empty table for at most {@code limit} names. */
    FeatureNameTable(int limit) {
        this.limit = limit;
    }

    /** Returns true if there is room for another name. */
    boolean hasRoom() {
        return size < limit;
    }

    /**
     * Adds the names of an example from which the model has learned.
     *
     * @param example has {@link Example#names}
     * @param learned weights by index after the update; null if the learner has none
     * @param updates number of updates before this one
     */
    void learn(Example example, FeatureHasher itsHasher, Blocks learned, long updates) {
        weights = learned instanceof BlockVector vector ? vector : null;
        rows = learned instanceof SparseRows matrix ? matrix : null;
        if (updates < FIRST_UPDATES || updates % INTERVAL == 0 || isUnnamed(example)) {
            hasher = itsHasher;
            if (itsHasher.rules() == null) {
                example.names().forEach(this::learn);
            } else {
                crosses = crosses == null ? new CrossNames() : crosses;
                crosses.forEach(example.names(), itsHasher, this::learn);
            }
        }
        weights = null;
        rows = null;
    }

    /** Returns true if a feature with a weight has no name. */
    private boolean isUnnamed(Example example) {
        if (example.features() instanceof FeatureVector x) {
            return !x.isDense() && isUnnamed(x);
        }
        if (example.features() instanceof Sequence sequence) {
            for (int k = 0; k < sequence.size(); k++) {
                if (isUnnamed(sequence.token(k))) {
                    return true;
                }
            }
        } else if (example.features() instanceof Candidates candidates) {
            for (int k = 0; k < candidates.size(); k++) {
                if (isUnnamed(candidates.features(k))) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean isUnnamed(FeatureVector x) {
        int[] ofX = x.indices();
        for (int k = 0; k < x.size(); k++) {
            if (!hasName(ofX[k]) && hasWeight(ofX[k])) {
                return true;
            }
        }
        return false;
    }

    private boolean hasName(int index) {
        return indices[slot(index)] != 0;
    }

    private TableSeed seed() {
        if (seed == null) {
            seed = new TableSeed();
        }
        return seed;
    }

    /** The slot of an index, or a free one. */
    private int slot(int index) {
        int[] slots = indices;
        int wanted = index + 1;
        int at = seed().slot(index, slots.length);
        while (slots[at] != 0 && slots[at] != wanted) {
            at = (at + 1) & (slots.length - 1);
        }
        return at;
    }

    private boolean hasWeight(int index) {
        if (weights != null) {
            return weights.read(index, 0) != 0;
        }
        return rows == null || rows.find(index) != null;
    }

    private void learn(byte[] utf8, int offset, int length) {
        int index = hasher.shownIndex(utf8, offset, length);
        if (hasRoom() && length <= MAX_BYTES && hasWeight(index) && !isKnown(utf8, offset, length)) {
            if (isUtf8(utf8, offset, length)) {
                add(index, utf8, offset, length);
            }
        }
    }

    private boolean isKnown(byte[] utf8, int offset, int length) {
        return byName[slot(utf8, offset, length)] != 0;
    }

    /** The slot of a name, or a free one. */
    private int slot(byte[] utf8, int offset, int length) {
        int at = (int) seed().hash(utf8, offset, length) & (byName.length - 1);
        while (byName[at] != 0 && !isName(byName[at] - 1, utf8, offset, length)) {
            at = (at + 1) & (byName.length - 1);
        }
        return at;
    }

    private boolean isName(int number, byte[] utf8, int offset, int length) {
        return Arrays.equals(bytes, start(number), ends[number], utf8, offset, offset + length);
    }

    private static boolean isUtf8(byte[] text, int offset, int length) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(text, offset, length));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    private void add(int index, byte[] utf8, int offset, int length) {
        int start = start(size);
        if (size == ends.length) {
            ends = Arrays.copyOf(ends, Math.max(16, size + (size >> 1)));
        }
        if (start + length > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(start + length, Math.max(256, bytes.length + (bytes.length >> 1))));
        }
        System.arraycopy(utf8, offset, bytes, start, length);
        ends[size++] = start + length;
        if (2L * size > byName.length) {
            byName = new int[Math.max(MIN_SLOTS, 2 * byName.length)];
            for (int number = 0; number < size - 1; number++) {
                byName[slot(bytes, start(number), ends[number] - start(number))] = number + 1;
            }
        }
        byName[slot(utf8, offset, length)] = size;
        enter(index, size - 1);
    }

    /** Enters the number of a name of an index, unless the index has another one. */
    private void enter(int index, int number) {
        int at = slot(index);
        if (indices[at] != 0) {
            return;
        }
        if (2L * ++indexCount > indices.length) {
            int[] before = indices;
            int[] numbersBefore = numbers;
            indices = new int[Math.max(MIN_SLOTS, 2 * before.length)];
            numbers = new int[indices.length];
            for (int old = 0; old < before.length; old++) {
                if (before[old] != 0) {
                    int moved = slot(before[old] - 1);
                    indices[moved] = before[old];
                    numbers[moved] = numbersBefore[old];
                }
            }
            at = slot(index);
        }
        indices[at] = index + 1;
        numbers[at] = number;
    }

    /** Changes the maximum number of names; removes the last ones if there are more. */
    void limit(int newLimit, FeatureHasher itsHasher) {
        limit = newLimit;
        if (size > newLimit) {
            int[] endsBefore = ends;
            byte[] bytesBefore = bytes;
            unchanged = Math.min(unchanged, newLimit);
            size = 0;
            ends = new int[newLimit];
            bytes = new byte[newLimit == 0 ? 0 : endsBefore[newLimit - 1]];
            indices = NO_SLOTS;
            numbers = NO_SLOTS;
            indexCount = 0;
            byName = NO_SLOTS;
            for (int number = 0, start = 0; number < newLimit; start = endsBefore[number++]) {
                int length = endsBefore[number] - start;
                add(itsHasher.shownIndex(bytesBefore, start, length), bytesBefore, start, length);
            }
        }
    }

    /**
     * Appends a name from a store or a snapshot.
     *
     * @throws IllegalArgumentException if it cannot be the next name of this table
     */
    public void append(byte[] name, FeatureHasher itsHasher) {
        if (!hasRoom()) {
            throw new IllegalArgumentException(
                    "a model must not have more than names.max = " + limit + " names of features, got more");
        }
        if (name.length > MAX_BYTES || !isUtf8(name, 0, name.length)) {
            throw new IllegalArgumentException("names of features must be UTF-8 of at most " + MAX_BYTES
                    + " bytes, got another one of " + name.length + " bytes");
        }
        int index = itsHasher.shownIndex(name, 0, name.length);
        if (isKnown(name, 0, name.length)) {
            throw new IllegalArgumentException("names of features must differ, got '"
                    + new String(name, StandardCharsets.UTF_8) + "' a second time");
        }
        add(index, name, 0, name.length);
    }

    /** Number of names. */
    public int size() {
        return size;
    }

    /** The first name of a feature, by its index; null if it has none. */
    String nameOf(int index) {
        int at = slot(index);
        return indices[at] == 0 ? null : new String(name(numbers[at]), StandardCharsets.UTF_8);
    }

    /** A name in UTF-8, by its number from 0. */
    public byte[] name(int number) {
        return Arrays.copyOfRange(bytes, start(number), ends[number]);
    }

    private int start(int number) {
        return number == 0 ? 0 : ends[number - 1];
    }

    /** Returns true if there are no names, and none are stored. */
    public boolean isUntouched() {
        return size == 0 && stored == 0;
    }

    /** Number of names at the last call of {@link #markStored}. */
    public int stored() {
        return stored;
    }

    /** Number of the first name that was added or removed since the last call of {@link #markStored}. */
    public int firstChanged() {
        return unchanged;
    }

    /** Marks all names as stored. */
    public void markStored() {
        unchanged = size;
        stored = size;
    }

    /** Sum of the distances of all names and indices from the slots to which they belong. Cost: O(slots). */
    long distances() {
        long sum = 0;
        for (int number = 0; number < size; number++) {
            int home = (int) seed().hash(bytes, start(number), ends[number] - start(number));
            sum += (slot(bytes, start(number), ends[number] - start(number)) - home) & (byName.length - 1);
        }
        for (int at = 0; at < indices.length; at++) {
            sum += indices[at] == 0 ? 0 : (at - seed().slot(indices[at] - 1, indices.length)) & (indices.length - 1);
        }
        return sum;
    }

    /** Estimated heap, in bytes. */
    public long heapBytes() {
        return 192
                + bytes.length
                + ((long) ends.length + indices.length + numbers.length + byName.length) * Integer.BYTES;
    }
}
