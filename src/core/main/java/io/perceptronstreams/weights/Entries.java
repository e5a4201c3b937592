package io.perceptronstreams.weights;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.TableSeed;
import java.util.Arrays;

/**
 * The numbers of at most {@link #MAX} indices in an open-addressing table: the small form of a {@link BlockVector}.
 *
 * <p>A place is a slot of the table, valid until the next insertion. Linear probing in the order of the hashes (Amble
 * and Knuth 1974), so that a load of 9/10 is cheap for absent indices, too; an index with two numbers takes 22 to 26
 * bytes. Not thread-safe.
 */
final class Entries {
    /*
     * The hash of an index is its product with an odd factor modulo 2^31, a bijection, so the table contains hashes and
     * no indices. A hash h of 31 bits belongs at slot h·slots/2^31 and lies there or further right. The hashes ascend
     * from left to right: a search ends at the first one that is not smaller. Free slots compare as larger than any
     * hash. The last slot of the array is always free.
     *
     * Multiplication spreads neighbours and multiples of powers of two (Fibonacci hashing: Knuth 1973, section 6.4).
     * The factor is random, because a client who knows it finds thousands of names or indices of one slot. Some regular
     * indices still lie together under one factor in some tens; if the entries are too far from their slots on average,
     * another factor is drawn. No number depends on the factor: sums run in ascending index, entries are passed in
     * ascending index, and what becomes blocks follows from the indices.
     */

    /** Maximum number of indices: a record of the store holds them all, another one half of them. */
    static final int MAX = 8192;

    /** Up to this number the indices are in a table even where blocks would take less memory: a table is one record. */
    static final int ALWAYS = 512;

    /** The memory of table and blocks is compared each time the table has grown by this number of indices. */
    private static final int COMPARED = 64;

    // Nominal bytes of an index besides its numbers; the real size depends on the order of insertion.
    private static final int BYTES_PER_KEY = 8;

    private static final int MIN_SLOTS = 16;
    private static final int RADIX = 1 << Byte.SIZE;
    private static final int NONE = -1;

    /** Maximum mean distance of entries from their slots; that of random hashes is 4.5 at the highest load. */
    private static final int MAX_DISTANCE = 8;

    /** Number of factors under which the table may be too small; then it becomes larger. */
    private static final int MAX_DRAWS = 4;

    private static final int FREE = 0;
    private static final int[] NO_KEYS = {FREE};
    private static final double[] NO_NUMBERS = {};

    private final int lanes;
    private int factor = (int) TableSeed.oddNumber();

    /** By slot: the hash of the index - 2^31, which is negative, or {@link #FREE}. */
    private int[] keys = NO_KEYS;

    /** By slot: {@code lanes} numbers, all 0 if the slot is free. */
    private double[] numbers = NO_NUMBERS;

    // Number of slots to which hashes belong; the array has some more.
    private int slots;
    private int size;

    /** Sum of the distances of all entries from the slots to which they belong. */
    private long distances;

    private double squares;
    private int missing;

    // Sum of what was read ahead. No code reads it: without it the compiler could remove the reads.
    @SuppressWarnings("UnusedVariable")
    private int ahead;

    /** A bit per slot: its entry differs from the stored copy. Null without a copy: all entries differ. */
    private long[] changes;

    Entries(int lanes) {
        this.lanes = lanes;
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
        copy.keys = keys.clone();
        copy.numbers = numbers.clone();
        copy.slots = slots;
        copy.size = size;
        return copy;
    }

    /** Returns true if the entries are equal, and their differences from the stored copies. */
    boolean isSame(Entries other) {
        if (size != other.size || (changes == null) != (other.changes == null)) {
            return false;
        }
        int inverse = inverse();
        for (int slot = 0; slot < keys.length; slot++) {
            if (keys[slot] != FREE && !isSame(slot, other, other.find(index(keys[slot], inverse)))) {
                return false;
            }
        }
        return true;
    }

    private boolean isSame(int place, Entries other, int itsPlace) {
        return itsPlace >= 0
                && (changes == null || isSet(changes, place) == isSet(other.changes, itsPlace))
                && Arrays.equals(
                        numbers,
                        lanes * place,
                        lanes * (place + 1),
                        other.numbers,
                        lanes * itsPlace,
                        lanes * (itsPlace + 1));
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
            changes = bits(keys.length);
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

    /** Holds lane {@code l} of place {@code p} at {@code lanes * p + l}. */
    double[] numbers() {
        return numbers;
    }

    private int key(int index) {
        return (index * factor) | Integer.MIN_VALUE;
    }

    private static int index(int key, int inverse) {
        return (key * inverse) & Integer.MAX_VALUE;
    }

    /** The inverse of the factor modulo 2^32. */
    private int inverse() {
        // Newton's iteration: an odd number is its own inverse modulo 8, and each step doubles the correct bits
        int inverse = factor;
        for (int bits = 3; bits < Integer.SIZE; bits *= 2) {
            inverse *= 2 - factor * inverse;
        }
        return inverse;
    }

    /** The slot to which a key belongs. */
    private static int slot(int key, int slots) {
        return (int) (((key & (long) Integer.MAX_VALUE) * slots) >>> (Integer.SIZE - 1));
    }

    /** The place of an index, or -1. */
    int find(int index) {
        int[] table = keys;
        int wanted = key(index);
        int slot = slot(wanted, slots);
        while (table[slot] < wanted) {
            slot++;
        }
        return table[slot] == wanted ? slot : NONE;
    }

    /** Does the same as {@link #find(int)}, at once if the index is at the guessed place; any number may be one. */
    private int find(int index, int guess) {
        return guess >= 0 && guess < keys.length && keys[guess] == key(index) ? guess : find(index);
    }

    /**
     * Dot product in ascending index; sets the places of all features. {@link #squares} returns |x|^2 afterwards, and
     * {@link #missing} how many non-zero features have no place.
     */
    double dot(FeatureVector x, int lane) {
        double[] values = x.values();
        int[] places = x.places();
        int length = x.size();
        readAhead(x);
        double sum = 0;
        double sumOfSquares = 0;
        int without = 0;
        for (int k = 0; k < length; k++) {
            double value = values[k];
            sumOfSquares += value * value;
            int place = find(x.index(k), places[k]);
            places[k] = place;
            if (place >= 0) {
                sum += numbers[lanes * place + lane] * value;
            } else {
                without += value != 0 ? 1 : 0;
            }
        }
        squares = sumOfSquares;
        missing = without;
        return sum;
    }

    /*
     * The table of one of many models is in memory and not in the processor's cache. A search waits for one line after
     * the other, because what it does next depends on each; this loop depends on none, and waits for all at once.
     */
    private void readAhead(FeatureVector x) {
        int[] table = keys;
        double[] of = numbers;
        if (of.length == 0) {
            return;
        }
        int read = 0;
        for (int k = 0; k < x.size(); k++) {
            int slot = slot(key(x.index(k)), slots);
            read += table[slot] + (int) of[lanes * slot];
        }
        ahead = read;
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
        int missing = 0;
        for (int k = 0; k < x.size(); k++) {
            places[k] = find(x.index(k), places[k]);
            missing += places[k] < 0 && x.values()[k] != 0 ? 1 : 0;
        }
        return missing;
    }

    /** Makes room for further indices at once: an example of a new model has tens of them. */
    void reserve(int more) {
        int needed = Math.min(size + more, MAX);
        if (10 * needed > 9 * slots) {
            grow((10 * needed + 8) / 9);
        }
    }

    /** Inserts a new index with zeros; returns its place. */
    int insert(int index) {
        reserve(1);
        int key = key(index);
        int home = slot(key, slots);
        int place = home;
        while (keys[place] < key) {
            place++;
        }
        int free = place;
        while (keys[free] != FREE) {
            free++;
        }
        if (free == keys.length - 1) {
            grow(0);
            return insert(index);
        }
        System.arraycopy(keys, place, keys, place + 1, free - place);
        System.arraycopy(numbers, lanes * place, numbers, lanes * (place + 1), lanes * (free - place));
        keys[place] = key;
        Arrays.fill(numbers, lanes * place, lanes * (place + 1), 0);
        size++;
        if (changes != null) {
            for (int slot = free; slot > place; slot--) {
                if (isSet(changes, slot) != isSet(changes, slot - 1)) {
                    changes[slot / Long.SIZE] ^= 1L << slot;
                }
            }
            markChanged(place);
        }
        // of those that were moved by one, and of the new one
        distances += free - home;
        if (isTooFar(distances)) {
            resize(slots);
            return find(index);
        }
        return place;
    }

    /**
     * Inserts the non-zero features of an example that have no place, with zeros, in one pass over the table. Their
     * {@link FeatureVector#places} are no longer those of the others.
     *
     * @param missing number of these features
     * @return false if nothing was inserted: they must be inserted one by one
     */
    boolean insert(FeatureVector x, int missing) {
        int all = size + missing;
        if (all > ALWAYS) {
            // one of them may be the first that does not belong here
            return false;
        }
        int wanted = slots;
        while (10 * all > 9 * wanted) {
            wanted = larger(wanted);
        }
        int[] added = ArrayPool.ofThread().scratch(missing + all);
        int count = 0;
        for (int k = 0; k < x.size(); k++) {
            if (x.places()[k] < 0 && x.values()[k] != 0) {
                added[count++] = key(x.index(k));
            }
        }
        Arrays.sort(added, 0, count);
        int length = wanted == slots ? keys.length : length(wanted);
        if (!canPlace(added, count, wanted, length)) {
            return false;
        }
        if (wanted != slots) {
            moveTo(wanted, length);
        }
        spread(added, count);
        size = all;
        return true;
    }

    private static int length(int itsSlots) {
        return itsSlots + itsSlots / 32 + 4;
    }

    /**
     * Finds the places of all entries and of added ones in a table, and notes them behind the added ones; returns false
     * if they do not fit or are too far.
     */
    private boolean canPlace(int[] added, int count, int itsSlots, int length) {
        long sum = 0;
        int next = 0;
        int nextAdded = 0;
        int at = count;
        for (int slot = 0; slot < keys.length || nextAdded < count; slot++) {
            int key = slot < keys.length ? keys[slot] : FREE;
            boolean isLast = slot >= keys.length - 1;
            if (key == FREE && !isLast) {
                continue;
            }
            while (nextAdded < count && (key == FREE || added[nextAdded] < key)) {
                int home = slot(added[nextAdded++], itsSlots);
                int place = Math.max(next, home);
                sum += place - home;
                next = place + 1;
                added[at++] = place;
            }
            if (key != FREE) {
                int home = slot(key, itsSlots);
                int place = Math.max(next, home);
                sum += place - home;
                next = place + 1;
                added[at++] = place;
            }
        }
        if (next >= length || sum > (long) MAX_DISTANCE * (at - count)) {
            return false;
        }
        distances = sum;
        return true;
    }

    /** Takes larger arrays, in which the entries are where they were. */
    private void moveTo(int itsSlots, int length) {
        ArrayPool pool = ArrayPool.ofThread();
        int[] oldKeys = keys;
        double[] oldNumbers = numbers;
        keys = pool.ints(length);
        numbers = pool.doubles(lanes * length);
        System.arraycopy(oldKeys, 0, keys, 0, oldKeys.length);
        System.arraycopy(oldNumbers, 0, numbers, 0, oldNumbers.length);
        if (changes != null) {
            changes = Arrays.copyOf(changes, bits(length).length);
        }
        giveBack(slots, oldKeys, oldNumbers);
        slots = itsSlots;
    }

    /*
     * From right to left: with more entries or more slots no place lies further left than before, as follows from that
     * of the first entry, and for each other one from that of the one before it.
     */
    private void spread(int[] added, int count) {
        int slot = keys.length - 1;
        int rest = count;
        for (int at = 2 * count + size - 1; at >= count; at--) {
            int place = added[at];
            while (slot >= 0 && keys[slot] == FREE) {
                slot--;
            }
            if (rest > 0 && (slot < 0 || added[rest - 1] > keys[slot])) {
                keys[place] = added[--rest];
                Arrays.fill(numbers, lanes * place, lanes * (place + 1), 0);
                markChanged(place);
            } else {
                move(slot--, place);
            }
        }
    }

    private void move(int slot, int place) {
        if (slot == place) {
            return;
        }
        keys[place] = keys[slot];
        keys[slot] = FREE;
        for (int lane = 0; lane < lanes; lane++) {
            numbers[lanes * place + lane] = numbers[lanes * slot + lane];
            numbers[lanes * slot + lane] = 0;
        }
        if (changes != null && isSet(changes, slot)) {
            changes[slot / Long.SIZE] &= ~(1L << slot);
            markChanged(place);
        }
    }

    private boolean isTooFar(long sumOfDistances) {
        return sumOfDistances > (long) MAX_DISTANCE * size;
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
        int inverse = inverse();
        int count = 0;
        for (int key : keys) {
            if (key != FREE) {
                int block = (index(key, inverse) >>> Slabs.SHIFT) + 1;
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
        }
        return false;
    }

    /**
     * Fills an empty table. Sorted by their hashes, the indices are put from left to right; one insertion after the
     * other would move most of them several times.
     *
     * @param indices different ones
     * @param of {@code lanes} numbers for each
     */
    void restore(int[] indices, double[] of) {
        size = indices.length;
        changes = changes == null ? null : bits(size);
        sort(indices, of);
        grow((10 * size + 8) / 9);
    }

    /** Sets the entries to those of these indices in the order of their hashes, which no slots separate. */
    private void sort(int[] indices, double[] of) {
        long[] pairs = new long[indices.length];
        for (int k = 0; k < pairs.length; k++) {
            pairs[k] = ((long) (key(indices[k]) & Integer.MAX_VALUE) << Integer.SIZE) | k;
        }
        pairs = sorted(pairs, Integer.MAX_VALUE);
        long[] oldChanges = changes;
        slots = 0;
        keys = new int[pairs.length];
        numbers = new double[lanes * pairs.length];
        changes = oldChanges == null ? null : bits(pairs.length);
        for (int k = 0; k < pairs.length; k++) {
            int from = (int) pairs[k];
            keys[k] = (int) (pairs[k] >>> Integer.SIZE) | Integer.MIN_VALUE;
            System.arraycopy(of, lanes * from, numbers, lanes * k, lanes);
            if (oldChanges != null && isSet(oldChanges, from)) {
                markChanged(k);
            }
        }
    }

    /** Draws another factor, and sorts the entries by their hashes, which no slots separate. */
    private void redraw() {
        int inverse = inverse();
        int[] indices = new int[size];
        double[] of = new double[lanes * size];
        long[] oldChanges = changes;
        changes = oldChanges == null ? null : bits(size);
        int count = 0;
        for (int slot = 0; slot < keys.length; slot++) {
            if (keys[slot] != FREE) {
                indices[count] = index(keys[slot], inverse);
                System.arraycopy(numbers, lanes * slot, of, lanes * count, lanes);
                if (oldChanges != null && isSet(oldChanges, slot)) {
                    markChanged(count);
                }
                count++;
            }
        }
        giveBack(slots, keys, numbers);
        factor = (int) TableSeed.oddNumber();
        sort(indices, of);
    }

    /** Makes the table an eighth larger, or as large as {@code least} slots. */
    private void grow(int least) {
        int wanted = larger(slots);
        while (wanted < least) {
            wanted = larger(wanted);
        }
        resize(wanted);
    }

    /** Tables of all models grow through the same sizes, so that one gets the arrays of another. */
    private static int larger(int slots) {
        return slots < MIN_SLOTS ? MIN_SLOTS : slots + slots / 8;
    }

    /**
     * Moves the entries to a table of this number of slots, under another factor or with more slots if they do not fit.
     */
    private void resize(int least) {
        int wanted = least;
        for (int draws = 1; !isMoved(wanted); draws++) {
            redraw();
            wanted = draws % MAX_DRAWS == 0 ? larger(wanted) : wanted;
        }
    }

    /**
     * Moves the entries to a table of this number of slots; does nothing, and returns false, if they do not fit or are
     * too far.
     */
    private boolean isMoved(int wanted) {
        int oldSlots = slots;
        int[] oldKeys = keys;
        double[] oldNumbers = numbers;
        long[] oldChanges = changes;
        ArrayPool pool = ArrayPool.ofThread();
        slots = wanted;
        keys = pool.ints(length(wanted));
        numbers = pool.doubles(lanes * keys.length);
        changes = oldChanges == null ? null : bits(keys.length);
        if (putAll(oldKeys, oldNumbers, oldChanges) && !isTooFar(distances)) {
            giveBack(oldSlots, oldKeys, oldNumbers);
            return true;
        }
        giveBack(slots, keys, numbers);
        slots = oldSlots;
        keys = oldKeys;
        numbers = oldNumbers;
        changes = oldChanges;
        return false;
    }

    private static void giveBack(int itsSlots, int[] itsKeys, double[] itsNumbers) {
        // arrays of sorted entries have as many slots as entries, which no other table will ask for
        if (itsSlots > 0) {
            ArrayPool.ofThread().giveBack(itsKeys);
            ArrayPool.ofThread().giveBack(itsNumbers);
        }
    }

    /** Copies another table; returns false if the slots behind the last do not suffice. */
    private boolean putAll(int[] oldKeys, double[] oldNumbers, long[] oldChanges) {
        distances = 0;
        int next = 0;
        for (int slot = 0; slot < oldKeys.length; slot++) {
            if (oldKeys[slot] != FREE) {
                int home = slot(oldKeys[slot], slots);
                int place = Math.max(next, home);
                next = place + 1;
                if (next == keys.length) {
                    return false;
                }
                distances += place - home;
                keys[place] = oldKeys[slot];
                System.arraycopy(oldNumbers, lanes * slot, numbers, lanes * place, lanes);
                if (oldChanges != null && isSet(oldChanges, slot)) {
                    markChanged(place);
                }
            }
        }
        return true;
    }

    /**
     * Returns the indices in ascending order, each in the high half of a number that has its place in the low half.
     *
     * @param only places to return, or null for all
     */
    private long[] sorted(long[] only) {
        long[] pairs = new long[only == null ? size : changed()];
        int inverse = inverse();
        int count = 0;
        int bits = 0;
        for (int slot = 0; slot < keys.length; slot++) {
            if (keys[slot] != FREE && (only == null || isSet(only, slot))) {
                int index = index(keys[slot], inverse);
                bits |= index;
                pairs[count++] = ((long) index << Integer.SIZE) | slot;
            }
        }
        return sorted(pairs, bits);
    }

    /*
     * Least significant digit first (Knuth 1973, section 5.2.5), with digits of 8 bits: a checkpoint sorts the entries
     * of each changed model, and the processor guesses half of the comparisons of another sort wrong, because the keys
     * are hashes.
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
            sink.accept((int) (each >>> Integer.SIZE), numbers, lanes * (int) each);
        }
    }

    long heapBytes() {
        return 64
                + (size == 0 ? 0 : 32 + keys.length * (Integer.BYTES + (long) lanes * Double.BYTES))
                + (changes == null ? 0 : 16 + changes.length * (long) Long.BYTES);
    }
}
