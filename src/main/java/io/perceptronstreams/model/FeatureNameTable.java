package io.perceptronstreams.model;

import io.perceptronstreams.example.Candidates;
import io.perceptronstreams.example.CrossNames;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.NameSource;
import io.perceptronstreams.example.Sequence;
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
 * <p>After an update the names of features with a weight are added, in the order of the record. Names that are not UTF-8
 * or have more than {@link #MAX_BYTES} are left out. Names are only appended or, if the limit is lowered, removed from
 * the end. They decide nothing that is learned. Crosses are named after their features, see {@link CrossNames}.
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

    // Open addressing by index: index + 1, or 0 for a free slot, and the number of the name. At most a third is used.
    private int[] indices = NO_SLOTS;
    private int[] numbers = NO_SLOTS;

    // Names at the start of the table that are stored, and the number of all stored names.
    private int unchanged;
    private int stored;

    // Of the current update; null without weights by index.
    private FeatureHasher hasher;
    private BlockVector weights;
    private SparseRows rows;
    private final NameSource.Sink sink = this::learn;

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
                example.names().forEach(sink);
            } else {
                crosses = crosses == null ? new CrossNames() : crosses;
                crosses.forEach(example.names(), itsHasher, sink);
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
        int[] slots = indices;
        int wanted = index + 1;
        int at = slot(index, slots.length);
        while (slots[at] != 0) {
            if (slots[at] == wanted) {
                return true;
            }
            at = (at + 1) & (slots.length - 1);
        }
        return false;
    }

    private boolean hasWeight(int index) {
        if (weights != null) {
            return weights.read(index, 0) != 0;
        }
        return rows == null || rows.find(index) != null;
    }

    private void learn(byte[] utf8, int offset, int length) {
        int index = hasher.shownIndex(utf8, offset, length);
        if (hasRoom() && length <= MAX_BYTES && hasWeight(index) && !isKnown(index, utf8, offset, length)) {
            if (isUtf8(utf8, offset, length)) {
                add(index, utf8, offset, length);
            }
        }
    }

    private boolean isKnown(int index, byte[] utf8, int offset, int length) {
        for (int at = slot(index, indices.length); indices[at] != 0; at = (at + 1) & (indices.length - 1)) {
            if (indices[at] == index + 1) {
                int end = ends[numbers[at]];
                int start = start(numbers[at]);
                if (Arrays.equals(bytes, start, end, utf8, offset, offset + length)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isUtf8(byte[] text, int offset, int length) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(text, offset, length));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    /** The first slot of an index: bits of a product, so that neighbours do not form a chain. */
    private static int slot(int index, int slots) {
        return ((index * 0x9e3779b9) >>> 10) & (slots - 1);
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
        if (3L * size > indices.length) {
            int[] before = indices;
            int[] numbersBefore = numbers;
            allocateSlots(Math.max(MIN_SLOTS, 2 * before.length));
            for (int at = 0; at < before.length; at++) {
                if (before[at] != 0) {
                    insert(before[at] - 1, numbersBefore[at]);
                }
            }
        }
        insert(index, size - 1);
    }

    private void allocateSlots(int count) {
        indices = new int[count];
        numbers = new int[count];
    }

    private void insert(int index, int number) {
        int at = slot(index, indices.length);
        while (indices[at] != 0) {
            at = (at + 1) & (indices.length - 1);
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
        if (isKnown(index, name, 0, name.length)) {
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
        int first = size;
        for (int at = slot(index, indices.length); indices[at] != 0; at = (at + 1) & (indices.length - 1)) {
            if (indices[at] == index + 1) {
                first = Math.min(first, numbers[at]);
            }
        }
        return first == size ? null : new String(name(first), StandardCharsets.UTF_8);
    }

    /** A name in UTF-8, by its number from 0. */
    public byte[] name(int number) {
        return Arrays.copyOfRange(bytes, start(number), ends[number]);
    }

    private int start(int number) {
        return number == 0 ? 0 : ends[number - 1];
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

    /** Estimated heap, in bytes. */
    long heapBytes() {
        return 128 + bytes.length + ((long) ends.length + indices.length + numbers.length) * Integer.BYTES;
    }
}
