package io.perceptronstreams.state;

/**
 * Writes or reads whole numbers as bits among {@link StoredFields}, in the same order: few bits each where a number is
 * about as large as the last one of its kind.
 *
 * <p>Of a number n the part above the last k bits is stored as Elias's γ code of {@code (n >>> k) + 1} (1975), then the
 * k bits. k is one less than the length of the last number of the kind: a number of b bits after one as long takes
 * b + 2. {@link #end} fills the last byte with zeros. Not thread-safe.
 */
public final class StoredBits {
    /** Numbers are below 2^MAX_BITS. */
    private static final int MAX_BITS = 62;

    private final StoredFields fields;

    // the byte in work, and how many of its bits were written or not yet read
    private int current;
    private int count;

    /** Numbers of about the same size; of one writer or reader. */
    public static final class Kind {
        // k
        private int low;

        /** Begins with a number of this length in bits, as expected. */
        public Kind(int bits) {
            low = Math.max(0, bits - 1);
        }
    }

    public StoredBits(StoredFields fields) {
        this.fields = fields;
    }

    public boolean isReading() {
        return fields.isReading();
    }

    /** Exchanges one bit. */
    public boolean flag(boolean value) {
        return raw(1, value ? 1 : 0) != 0;
    }

    /** Exchanges the last {@code length} bits of a number, 63 at most. */
    public long raw(int length, long value) {
        if (fields.isReading()) {
            return read(length);
        }
        write(length, value);
        return value;
    }

    /**
     * Exchanges a number of a kind, from 0 to 2^62 - 1.
     *
     * @throws UnreadableModelException if a larger one is stored
     */
    public long unsigned(Kind kind, long number) {
        int k = kind.low;
        long high = (number >>> k) + 1;
        int length = Long.SIZE - Long.numberOfLeadingZeros(high);
        if (fields.isReading()) {
            length = 1;
            while (read(1) == 0) {
                length++;
                if (length + k > MAX_BITS + 1) {
                    throw fields.fault("have packed numbers of " + MAX_BITS + " bits at most", "a longer one");
                }
            }
            high = (1L << (length - 1)) | read(length - 1);
        } else {
            write(length - 1, 0);
            write(length, high);
        }
        long low = raw(k, number & ((1L << k) - 1));
        long result = ((high - 1) << k) | low;
        kind.low = Math.max(0, Long.SIZE - 1 - Long.numberOfLeadingZeros(result));
        return result;
    }

    /** Exchanges a number of a kind, of at most 61 bits and a sign. */
    public long signed(Kind kind, long number) {
        long folded = unsigned(kind, (number << 1) ^ (number >> 63));
        return (folded >>> 1) ^ -(folded & 1);
    }

    /** Exchanges a number of a kind by its difference to one that is close to it. */
    public long near(Kind kind, long base, long number) {
        return base + signed(kind, number - base);
    }

    private void write(int length, long value) {
        int left = length;
        while (left > 0) {
            int taken = Math.min(left, Byte.SIZE - count);
            left -= taken;
            current = (current << taken) | ((int) (value >>> left) & ((1 << taken) - 1));
            count += taken;
            if (count == Byte.SIZE) {
                end();
            }
        }
    }

    private long read(int length) {
        long value = 0;
        int left = length;
        while (left > 0) {
            if (count == 0) {
                current = fields.bits(0);
                count = Byte.SIZE;
            }
            int taken = Math.min(left, count);
            left -= taken;
            count -= taken;
            value = (value << taken) | ((current >>> count) & ((1 << taken) - 1));
        }
        return value;
    }

    /**
     * Ends with the byte.
     *
     * @throws UnreadableModelException if the rest of a byte that is read is not 0
     */
    public void end() {
        if (fields.isReading()) {
            int rest = current & ((1 << count) - 1);
            if (rest != 0) {
                throw fields.fault("end packed numbers with zeros", rest);
            }
        } else if (count > 0) {
            int unused = fields.bits(current << (Byte.SIZE - count));
        }
        current = 0;
        count = 0;
    }
}
