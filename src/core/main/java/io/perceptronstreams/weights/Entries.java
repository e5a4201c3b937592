package io.perceptronstreams.weights;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.TableSeed;
import java.util.Arrays;

/**
 * The numbers of at most {@link #MAX} indices: the small form of a {@link BlockVector}.
 *
 * <p>A place is the number of an index in the order of insertion; it never changes. An open-addressing table with
 * linear probing (Knuth 1973, section 6.4) finds the place of an index. An index with two numbers takes some 25 bytes.
 * Not thread-safe.
 */
final class Entries {
    /*
     * A young model gets features with every mistake, so an insertion must cost little: it appends, and moves no entry.
     * Longer arrays are filled by a copy. The table of slots has two bytes for each; a longer one is filled again. The
     * features that most examples have come first, so their numbers lie together.
     *
     * The hash of an index is its product with an odd factor modulo 2^31; a hash h belongs at slot h·slots/2^31 and
     * lies there or behind it. Multiplication spreads neighbours and multiples of powers of two (Fibonacci hashing:
     * Knuth 1973, section 6.4). The factor is random, because a client who knows it finds thousands of names or
     * indices of one slot. Some regular indices still lie together under one factor in some tens; if the entries are
     * too far from their slots on average, another factor is drawn. No number depends on factor or order: sums run in
     * ascending index, entries are passed in ascending index, and what becomes blocks follows from the indices.
     */

    /** Maximum number of indices: a record of the store holds them all, another one half of them. */
    static final int MAX = 8192;

    /** Up to this number the indices are in a table even where blocks would take less memory: a table is one record. */
    static final int ALWAYS = 512;

    /** The memory of table and blocks is compared each time the table has grown by this number of indices. */
    private static final int COMPARED = 64;

    // Nominal bytes of an index besides its numbers; the real size depends on the order of insertion.
    private static final int BYTES_PER_KEY = 8;

    private static final int MIN_LENGTH = 16;
    private static final int MIN_SLOTS = 24;
    // number of slots in a line of the processor's cache, of 64 bytes
    private static final int LINE = 32;
    private static final int RADIX = 1 << Byte.SIZE;
    private static final int NONE = -1;

    /** Maximum mean distance of entries from their slots; that of random hashes is 1 at the highest load, 2/3. */
    private static final int MAX_DISTANCE = 3;

    /** Number of factors under which the table may be too small; then it becomes larger. */
    private static final int MAX_DRAWS = 4;

    private static final int FREE = 0;
    private static final char[] NO_SLOTS = {FREE};
    private static final int[] NO_INDICES = {};

    private final int lanes;
    private int factor = (int) TableSeed.oddNumber();

    /**
     * By slot: a place + 1 in the lower bits, and in the others a part of the hash, by which most searches end without
     * a look at the index; or {@link #FREE}. At least a third is free.
     */
    private char[] slots = NO_SLOTS;

    /** The bits of a slot that are a part of the hash. */
    private int hashBits;

    /** By place, in arrays that may be longer; behind the entries there is anything. */
    private int[] indices = NO_INDICES;

    /** {@code lanes} zeros, where features without a place find theirs; then those of each place. */
    private double[] numbers;

    private int size;

    /** Sum of the distances of all entries from the slots to which they belong. */
    private long distances;

    private double squares;
    private int missing;

    /** A bit per place: its entry differs from the stored copy. Null without a copy: all entries differ. */
    private long[] changes;

    Entries(int lanes) {
        this.lanes = lanes;
        this.numbers = new double[lanes];
    }

    int size() {
        return size;
    }

    /** Sum of the distances of all entries from the slots to which they belong. */
    long distances() {
        return distances;
    }

    /** Returns a copy without a stored copy. */
    Entries copy() {
        Entries copy = new Entries(lanes);
        copy.factor = factor;
        copy.distances = distances;
        copy.slots = slots.clone();
        copy.hashBits = hashBits;
        copy.indices = indices.clone();
        copy.numbers = numbers.clone();
        copy.size = size;
        return copy;
    }

    /** Returns true if the entries are equal, and their differences from the stored copies. */
    boolean isSame(Entries other) {
        if (size != other.size || (changes == null) != (other.changes == null)) {
            return false;
        }
        for (int place = 0; place < size; place++) {
            if (!isSame(place, other, other.find(indices[place]))) {
                return false;
            }
        }
        return true;
    }

    private boolean isSame(int place, Entries other, int itsPlace) {
        return itsPlace >= 0
                && (changes == null || isSet(changes, place) == isSet(other.changes, itsPlace))
                && Arrays.equals(
                        numbers, from(place), from(place + 1), other.numbers, from(itsPlace), from(itsPlace + 1));
    }

    /** Number of entries that differ from the stored copy. */
    int changed() {
        if (changes == null) {
            return size;
        }
        int count = 0;
        for (long each : changes) {
            count += Long.bitCount(each);
        }
        return count;
    }

    /** Notes that the entries are in a stored copy. */
    void markStored() {
        if (changes == null) {
            changes = bits(indices.length);
        } else {
            Arrays.fill(changes, 0);
        }
    }

    /** Notes that all entries differ from the stored copy. */
    void markAllChanged() {
        changes = null;
    }

    void markChanged(int place) {
        if (changes != null) {
            changes[place / Long.SIZE] |= 1L << place;
        }
    }

    /** Marks the entries at the first of these places. */
    void markChanged(int size, int[] places) {
        if (changes != null) {
            for (int k = 0; k < size; k++) {
                markChanged(places[k]);
            }
        }
    }

    /** Marks the non-zero features of {@code x}, at their places. */
    void markChanged(FeatureVector x) {
        if (changes != null) {
            for (int k = 0; k < x.size(); k++) {
                if (x.values()[k] != 0) {
                    markChanged(x.places()[k]);
                }
            }
        }
    }

    private static long[] bits(int count) {
        return new long[(count + Long.SIZE - 1) / Long.SIZE];
    }

    private static boolean isSet(long[] bits, int place) {
        return (bits[place / Long.SIZE] & 1L << place) != 0;
    }

    /** Number of blocks with an index in the table. Cost: O(n log n) for n indices. */
    int blocks() {
        int count = 0;
        int last = NONE;
        for (long each : sorted(null)) {
            int number = (int) (each >>> (Integer.SIZE + Slabs.SHIFT));
            count += number == last ? 0 : 1;
            last = number;
        }
        return count;
    }

    /** Holds lane {@code l} of a place at {@code from(place) + l}. */
    double[] numbers() {
        return numbers;
    }

    /** Offset of the numbers of a place. */
    int from(int place) {
        return lanes * (place + 1);
    }

    /** The slot to which an index belongs, and in the bits behind it a part of its hash. */
    private long home(int index) {
        int hash = index * factor & Integer.MAX_VALUE;
        return (long) hash * slots.length;
    }

    private static int slot(long home) {
        return (int) (home >>> (Integer.SIZE - 1));
    }

    private int hash(long home) {
        return (int) (home >>> (Integer.SIZE - 1 - Character.SIZE)) & hashBits;
    }

    /** The place of an index, or -1. */
    int find(int index) {
        char[] table = slots;
        long home = home(index);
        int hash = hash(home);
        int slot = slot(home);
        int found = table[slot];
        while (found != FREE) {
            int place = (found & ~hashBits) - 1;
            if ((found & hashBits) == hash && indices[place] == index) {
                return place;
            }
            slot = slot + 1 == table.length ? 0 : slot + 1;
            found = table[slot];
        }
        return NONE;
    }

    /** Does the same as {@link #find(int)}, at once if the index is at the guessed place; any number may be one. */
    private int find(int index, int guess) {
        return guess >= 0 && guess < size && indices[guess] == index ? guess : find(index);
    }

    /**
     * Dot product in ascending index; sets the places of all features. {@link #squares} returns |x|^2 afterwards, and
     * {@link #missing} how many non-zero features have no place.
     */
    double dot(FeatureVector x, int lane) {
        double[] values = x.values();
        int[] places = x.places();
        int length = x.size();
        // in a loop of its own, whose searches wait for memory at the same time
        int without = find(x, places);
        double sum = 0;
        double sumOfSquares = 0;
        for (int k = 0; k < length; k++) {
            double value = values[k];
            sumOfSquares += value * value;
            // without a place, the zeros: no sum that begins with 0 changes by + 0 or + -0
            sum += numbers[from(places[k]) + lane] * value;
        }
        squares = sumOfSquares;
        missing = without;
        // 0 · value is NaN if a value is infinite
        return Double.isNaN(sum) ? dotOfPlaces(x, lane) : sum;
    }

    private double dotOfPlaces(FeatureVector x, int lane) {
        double sum = 0;
        for (int k = 0; k < x.size(); k++) {
            int place = x.places()[k];
            sum += place < 0 ? 0 : numbers[from(place) + lane] * x.values()[k];
        }
        return sum;
    }

    /** Reads each line of the table of slots; returns a number without a meaning. */
    int readAhead() {
        int read = indices.length + numbers.length;
        for (int slot = 0; slot < slots.length; slot += LINE) {
            read += slots[slot];
        }
        return read;
    }

    /** Number of non-zero features of the last {@link #dot} that have no place. */
    int missing() {
        return missing;
    }

    double squares() {
        return squares;
    }

    /** Sets the places of all features; returns how many non-zero features have none. */
    int find(FeatureVector x, int[] places) {
        double[] values = x.values();
        int length = x.size();
        int without = 0;
        for (int k = 0; k < length; k++) {
            int place = find(x.index(k), places[k]);
            places[k] = place;
            if (place < 0 && values[k] != 0) {
                without++;
            }
        }
        return without;
    }

    /** Makes room for further indices at once: an example of a new model has tens of them. */
    void reserve(int more) {
        int needed = Math.min(size + more, MAX);
        resize(needed);
        if (isLoaded(needed, slots.length)) {
            place(slotsFor(needed));
        }
    }

    private int slotsFor(int entries) {
        int wanted = Math.max(MIN_SLOTS, slots.length);
        while (isLoaded(entries, wanted)) {
            wanted += wanted / 2;
        }
        return wanted;
    }

    private static boolean isLoaded(int entries, int itsSlots) {
        return 3 * entries > 2 * itsSlots;
    }

    /** Inserts a new index with zeros; returns its place. */
    int insert(int index) {
        reserve(1);
        append(index);
        settle(size - 1);
        return size - 1;
    }

    /** There must be room. {@link #settle} must follow. */
    private void append(int index) {
        indices[size] = index;
        put(size++);
    }

    /** Sets the numbers of appended entries to 0; draws another factor if the entries are too far. */
    private void settle(int from) {
        Arrays.fill(numbers, from(from), from(size), 0);
        for (int place = from; place < size; place++) {
            markChanged(place);
        }
        if (isTooFar()) {
            place(slots.length);
        }
    }

    private void put(int place) {
        long home = home(indices[place]);
        int first = slot(home);
        int slot = first;
        while (slots[slot] != FREE) {
            slot = slot + 1 == slots.length ? 0 : slot + 1;
        }
        slots[slot] = (char) (hash(home) | place + 1);
        distances += slot < first ? slot + slots.length - first : slot - first;
    }

    /**
     * Inserts the non-zero features of an example that have no place, with zeros, and sets their {@link
     * FeatureVector#places}.
     *
     * @param without number of these features
     * @return false if nothing was inserted: they must be inserted one by one
     */
    boolean insert(FeatureVector x, int without) {
        if (size + without > ALWAYS) {
            // one of them may be the first that does not belong here
            return false;
        }
        reserve(without);
        int before = size;
        int[] places = x.places();
        for (int k = 0; k < x.size(); k++) {
            if (places[k] < 0 && x.values()[k] != 0) {
                places[k] = size;
                append(x.index(k));
            }
        }
        settle(before);
        return true;
    }

    private boolean isTooFar() {
        return distances > (long) MAX_DISTANCE * size;
    }

    /** Returns true if an index of this block is in the table. */
    boolean hasBlock(int number) {
        for (int k = 0; k < Slabs.BLOCK; k++) {
            if (find((number << Slabs.SHIFT) + k) >= 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns true if another index does not belong here: there are {@link #MAX}, or blocks would take less than twice
     * the memory. A look-up in blocks takes two thirds of the time.
     *
     * <p>The result follows from the indices alone, so that a restored table becomes blocks with the same index.
     */
    boolean isFull() {
        if (size < ALWAYS || size % COMPARED != 0) {
            return false;
        }
        long bytes = size * (BYTES_PER_KEY + (long) lanes * Double.BYTES);
        long bytesPerBlock = (long) Slabs.BLOCK * lanes * Double.BYTES;
        return size == MAX || !hasBlocks((int) ((2 * bytes + bytesPerBlock - 1) / bytesPerBlock));
    }

    /** Returns true if the indices are in at least this number of blocks. Cost: O(n), mostly O(number). */
    private boolean hasBlocks(int number) {
        // open addressing; a block and 1
        int[] found = new int[2 * Integer.highestOneBit(2 * number)];
        TableSeed seed = new TableSeed();
        int count = 0;
        for (int place = 0; place < size; place++) {
            int block = (indices[place] >>> Slabs.SHIFT) + 1;
            int k = seed.slot(block, found.length);
            while (found[k] != 0 && found[k] != block) {
                k = k + 1 & (found.length - 1);
            }
            if (found[k] == 0) {
                found[k] = block;
                count++;
                if (count == number) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Fills an empty table.
     *
     * @param of {@code lanes} numbers for each index
     */
    void restore(int[] itsIndices, double[] of) {
        resize(itsIndices.length);
        size = itsIndices.length;
        System.arraycopy(itsIndices, 0, indices, 0, size);
        System.arraycopy(of, 0, numbers, from(0), lanes * size);
        place(slotsFor(size));
    }

    /** Makes the arrays long enough. Those of all models grow through the same lengths: one gets those of another. */
    private void resize(int least) {
        if (least <= indices.length) {
            return;
        }
        int length = Math.max(MIN_LENGTH, indices.length);
        while (length < least) {
            length += length / 8;
        }
        ArrayPool pool = ArrayPool.ofThread();
        int[] oldIndices = indices;
        double[] oldNumbers = numbers;
        indices = pool.ints(length);
        numbers = pool.doubles(from(length));
        System.arraycopy(oldIndices, 0, indices, 0, size);
        System.arraycopy(oldNumbers, 0, numbers, 0, from(size));
        if (changes != null) {
            changes = Arrays.copyOf(changes, bits(length).length);
        }
        if (oldIndices.length > 0) {
            pool.giveBack(oldIndices);
            pool.giveBack(oldNumbers);
        }
    }

    /** Puts all entries into a table of this number of slots, under another factor or with more slots if too far. */
    private void place(int least) {
        int wanted = least;
        for (int draws = 1; ; draws++) {
            clearSlots(wanted);
            hashBits = -2 * Integer.highestOneBit(2 * wanted / 3) & Character.MAX_VALUE;
            distances = 0;
            for (int place = 0; place < size && !isTooFar(); place++) {
                put(place);
            }
            if (!isTooFar()) {
                return;
            }
            factor = (int) TableSeed.oddNumber();
            wanted += draws % MAX_DRAWS == 0 ? wanted / 2 : 0;
        }
    }

    private void clearSlots(int wanted) {
        if (slots.length == wanted) {
            Arrays.fill(slots, (char) FREE);
            return;
        }
        ArrayPool pool = ArrayPool.ofThread();
        char[] old = slots;
        slots = pool.chars(wanted);
        if (old != NO_SLOTS) {
            pool.giveBack(old);
        }
    }

    /**
     * Returns the indices in ascending order, each in the high half of a number that has its place in the low half.
     *
     * @param only places to return, or null for all
     */
    private long[] sorted(long[] only) {
        long[] pairs = new long[only == null ? size : changed()];
        int count = 0;
        int bits = 0;
        for (int place = 0; place < size; place++) {
            if (only == null || isSet(only, place)) {
                bits |= indices[place];
                pairs[count++] = ((long) indices[place] << Integer.SIZE) | place;
            }
        }
        return sorted(pairs, bits);
    }

    /*
     * Least significant digit first (Knuth 1973, section 5.2.5), with digits of 8 bits: a checkpoint sorts the entries
     * of each changed model, and the processor guesses half of the comparisons of another sort wrong, because the
     * indices come in any order.
     */
    private static long[] sorted(long[] pairs, int bits) {
        long[] from = pairs;
        long[] to = new long[pairs.length];
        int[] starts = new int[RADIX + 1];
        for (int shift = Integer.SIZE; shift < Long.SIZE && bits >>> (shift - Integer.SIZE) != 0; shift += Byte.SIZE) {
            Arrays.fill(starts, 0);
            for (long each : from) {
                starts[((int) (each >>> shift) & (RADIX - 1)) + 1]++;
            }
            for (int digit = 0; digit < RADIX; digit++) {
                starts[digit + 1] += starts[digit];
            }
            for (long each : from) {
                to[starts[(int) (each >>> shift) & (RADIX - 1)]++] = each;
            }
            long[] other = from;
            from = to;
            to = other;
        }
        return from;
    }

    /** Passes every index in ascending order. */
    void forEach(Blocks.EntrySink sink) {
        forEach(null, sink);
    }

    /** Passes every index that differs from the stored copy in ascending order. */
    void forEachChanged(Blocks.EntrySink sink) {
        forEach(changes, sink);
    }

    private void forEach(long[] only, Blocks.EntrySink sink) {
        for (long each : sorted(only)) {
            sink.accept((int) (each >>> Integer.SIZE), numbers, from((int) each));
        }
    }

    long heapBytes() {
        return 64
                + (size == 0 ? 0 : 48 + indices.length * (Integer.BYTES + (long) lanes * Double.BYTES))
                + slots.length * (long) Character.BYTES
                + (changes == null ? 0 : 16 + changes.length * (long) Long.BYTES);
    }
}
