package io.perceptronstreams.example;

import java.util.Arrays;

/**
 * A sparse array of doubles, in blocks of 128 that are allocated when first touched and remember whether they were changed.
 *
 * <p>Each index may carry several numbers, its lanes: block {@code n} holds lane {@code l} of index {@code 128n + i} at {@code
 * 128l + i}. Numbers that are read and changed together so cost one look-up and are stored in one record. Untouched numbers
 * are 0. Lane 0 can also be read from copies that lie closer together: {@link #front} and {@link #gather}. Not thread-safe.
 */
public final class BlockVector extends BlockDirectory {
    /** Indices in a block. */
    public static final int BLOCK = 128;

    /** {@code index >>> SHIFT} is the number of an index's block. */
    public static final int SHIFT = 7;

    /** {@code index & MASK} is the place of an index within its block. */
    public static final int MASK = BLOCK - 1;

    // 2 MiB with two lanes: more than stays in a processor's own caches.
    private static final int MANY = 1024;

    // 1 MiB: no more than stays there.
    private static final int MOST_IN_FRONT = 1024;

    /**
     * Lane 0 of up to 32,767 indices, close together.
     *
     * <p>Where features are hashed into many blocks, each of them is alone in its block, and w·x waits three times for each: for
     * the directory, the block's length and the number. Here the numbers lie in the order in which their indices were first read,
     * which puts those side by side that most examples have. Where, is told by a hash table without indices, so that it takes no
     * more than 128 KiB. An index has four slots in it, in two pairs: as no more than half of all are taken, nearly every index
     * finds a free one (Pagh and Rodler 2004, cuckoo hashing; nobody has to move, because few need the second pair). When all
     * places are taken, the cache begins anew.
     */
    private static final class Cache {
        private static final int SLOT_BITS = 16;
        private static final int MOST = 1 << 15;

        private static final int NONE = -1;

        // By slot: 0 where it is free.
        private final char[] places = new char[1 << SLOT_BITS];

        // By place.
        private int[] indices = new int[1 << 10];
        private double[] numbers = new double[1 << 10];
        private int count = 1;

        Cache() {
            indices[0] = NONE;
        }

        /** Fibonacci hashing (Knuth 1973, section 6.4): neighbours and multiples of powers of two get different slots. */
        static int firstSlot(int index) {
            return (index * 0x9e3779b1) >>> (Integer.SIZE - SLOT_BITS);
        }

        /** The same with the digits of the square root of 2 in place of those of the golden ratio. */
        static int secondSlot(int index) {
            return (index * 0x6a09e667) >>> (Integer.SIZE - SLOT_BITS);
        }

        /** The place of an index if a pair of slots knows it: that of the slot or, where it is another's, that of the one beside. */
        static int place(char[] places, int[] indices, int index, int slot) {
            int place = places[slot];
            int beside = places[slot ^ 1];
            int difference = indices[place] ^ index;
            // no branch, because no processor can foresee it: all ones where they differ
            int differs = (difference | -difference) >> (Integer.SIZE - 1);
            return place ^ ((place ^ beside) & differs);
        }

        /** The place of an index if it has one. */
        int place(int index) {
            int first = place(places, indices, index, firstSlot(index));
            return indices[first] == index ? first : place(places, indices, index, secondSlot(index));
        }

        /** Takes a free slot or, where none is, the last one. */
        void put(int index, double number) {
            int slot = firstSlot(index);
            if (places[slot] != 0 && places[slot ^= 1] != 0) {
                slot = secondSlot(index);
                slot ^= places[slot] == 0 ? 0 : 1;
            }
            if (places[slot] == 0) {
                places[slot] = newPlace();
            }
            indices[places[slot]] = index;
            numbers[places[slot]] = number;
        }

        private char newPlace() {
            if (count == MOST) {
                Arrays.fill(places, (char) 0);
                count = 1;
            }
            if (count == indices.length) {
                indices = Arrays.copyOf(indices, 2 * count);
                numbers = Arrays.copyOf(numbers, 2 * count);
            }
            return (char) count++;
        }

        long heapBytes() {
            return (long) places.length * Character.BYTES + (long) indices.length * (Integer.BYTES + Double.BYTES);
        }
    }

    private final int lanes;
    private double[] front;
    private Cache cache;

    /** An array of zeros with {@code lanes} numbers for each index. */
    public BlockVector(int lanes) {
        this.lanes = lanes;
    }

    /**
     * Lane 0 of the first indices once more, in one array without gaps, to be read.
     *
     * <p>On the way to a number in its block w·x waits for the directory, the block's length and the number, and what it needs of
     * them takes a multiple of the room in the processor's caches; here it waits for the number alone. The front is as long as the
     * largest power of two of blocks, at most 1,024, of which half was touched, so that it takes no more than twice the bytes
     * of their lane. Whoever reads this way tells of every change by {@link #changed}. Cost: O(1), and O(touched blocks) at the
     * first call.
     */
    public double[] front() {
        if (front == null) {
            front = new double[0];
            extendFront();
        }
        return front;
    }

    private void extendFront() {
        int length = 0;
        int touched = 0;
        for (int number = 0; number < MOST_IN_FRONT; number++) {
            touched += find(number) == null ? 0 : 1;
            if (Integer.bitCount(number + 1) == 1 && 2 * touched >= number + 1) {
                length = number + 1;
            }
        }
        int from = front.length / BLOCK;
        if (length > from) {
            front = Arrays.copyOf(front, length * BLOCK);
            for (int number = from; number < length; number++) {
                double[] block = find(number);
                if (block != null) {
                    System.arraycopy(block, 0, front, number * BLOCK, BLOCK);
                }
            }
        }
    }

    /** Whether so many blocks lie beyond {@link #front} that {@link #gather} finds the numbers of a sparse vector faster. */
    public boolean isSpread() {
        return count() - front().length / BLOCK >= MANY;
    }

    /**
     * Reads lane 0 of many indices; 0 for those never touched.
     *
     * <p>Whoever reads this way tells of every change by {@link #changed}. Cost: O(size), and 140 to 512 KiB from the first call on.
     *
     * @param indices where to read
     * @param size how many indices there are
     * @param target receives the number of each index
     */
    public void gather(int[] indices, int size, double[] target) {
        if (cache == null) {
            cache = new Cache();
        }
        char[] places = cache.places;
        int[] cached = cache.indices;
        double[] numbers = cache.numbers;
        for (int k = 0; k < size; k++) {
            int place = Cache.place(places, cached, indices[k], Cache.firstSlot(indices[k]));
            if (cached[place] == indices[k]) {
                target[k] = numbers[place];
            } else {
                target[k] = load(indices[k]);
                cached = cache.indices;
                numbers = cache.numbers;
            }
        }
    }

    private double load(int index) {
        int place = Cache.place(cache.places, cache.indices, index, Cache.secondSlot(index));
        if (cache.indices[place] == index) {
            return cache.numbers[place];
        }
        double[] block = find(index >>> SHIFT);
        double number = block == null ? 0 : block[index & MASK];
        cache.put(index, number);
        return number;
    }

    /** Tells {@link #front} and {@link #gather} that lane 0 of an index has changed in its block, and to what. */
    public void changed(int index, double number) {
        if (front != null && index < front.length) {
            front[index] = number;
        }
        if (cache != null) {
            int place = cache.place(index);
            if (cache.indices[place] == index) {
                cache.numbers[place] = number;
            }
        }
    }

    /** The block of this number to be changed; allocates it where it is new. */
    public double[] touch(int number) {
        double[] block = find(number);
        if (block == null) {
            block = new double[lanes * BLOCK];
            insert(number, block);
            if (front != null && number < MOST_IN_FRONT) {
                extendFront();
            }
        }
        markChanged(number);
        return block;
    }

    @Override
    public void restore(int number, double[] block) {
        if (block.length != lanes * BLOCK) {
            throw new IllegalArgumentException(
                    "block " + number + " must have " + lanes * BLOCK + " numbers, got " + block.length);
        }
        if (number < 0 || number > Integer.MAX_VALUE >>> SHIFT) {
            throw new IllegalArgumentException("block number must be from 0 to 2^24 - 1, got " + number);
        }
        front = null;
        cache = null;
        putBack(number, block);
    }

    /** Sets all to 0: forgets every block, and hands it over once more, as null. Cost: O(touched blocks). */
    public void clear() {
        front = null;
        cache = null;
        forgetAll();
    }

    @Override
    public long heapBytes() {
        return (long) count() * (lanes * BLOCK * Double.BYTES + 16)
                + directoryBytes()
                + (front == null ? 0 : front.length * (long) Double.BYTES)
                + (cache == null ? 0 : cache.heapBytes());
    }
}
