package io.perceptronstreams.state;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Writes the fields of stored state, or reads them in the same order.
 *
 * <p>A part lists each field once: {@code epoch = fields.unsigned(epoch)} appends the field when state is written, and
 * returns the stored number when it is read. The arguments of a reader are not used. The encoding is compact:
 *
 * <ul>
 *   <li>Unsigned number: 7 bits per byte, lowest first; the high bit is set in every byte but the last. A negative
 *       number takes 10 bytes.
 *   <li>Signed number: the unsigned number 2n for n >= 0, and -2n - 1 for n < 0.
 *   <li>Doubles, in pairs: one byte with two lengths from 0 to 8, the first in its high half; then that many of the raw
 *       bytes of each number, highest first. Omitted bytes are 0. Hence 0.0 takes no byte besides its length, small
 *       whole numbers take two or three, and all bits are preserved. A second length n from 9 to 12 means that the
 *       second number is the first one times a whole number, which follows in n - 8 bytes, highest first. The sum of an
 *       average is such a multiple of its weight while one example has changed the weight; it then takes 4 to 7 bytes
 *       less. An odd count ends with a single number and second length 0.
 *   <li>String: the number of bytes, then every UTF-16 unit in one to three bytes as in UTF-8. Unpaired surrogates are
 *       preserved, so any string of a client can be stored.
 * </ul>
 *
 * <p>A reader throws {@link UnreadableModelException} on invalid bytes. It checks counts against the remaining bytes,
 * so heap is O(bytes) on any input. Not thread-safe.
 */
public final class StoredFields {
    /*
     * Generated classes of Avro were measured, too: with headers of small models (0, 12 and 40 weights), 100,000 each,
     * in one JVM, with generated coders and a reused encoder: with real numbers they are 1.4, 1.15 and 1.06 times as
     * large, with whole ones 1.7, 1.4 and 1.2 times, because doubles take 8 bytes; to write them takes 3.2, 2.1 and 1.6
     * times as long, because every field is copied into an object first.
     */

    private static final VarHandle HIGHEST_FIRST =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    /** Maximum number of bytes of a number. */
    private static final int MAX_NUMBER = 10;

    /** Second length of a multiple, less its bytes. */
    private static final int MULTIPLE = 8;

    private static final long MAX_MULTIPLE = 0xffff_ffffL;

    /** Maximum number of bytes of a UTF-16 unit. */
    private static final int MAX_UNIT = 3;

    /** Maximum number of counts: more than a confusion matrix has. */
    private static final int MAX_COUNTS = 1 << 16;

    private final boolean isReading;
    private byte[] bytes;

    // bytes written or read so far, and the end of what can be read
    private int at;
    private int end;

    /** Creates a writer into a growing array. */
    public StoredFields() {
        isReading = false;
        bytes = new byte[1024];
    }

    /** Creates a reader. */
    public StoredFields(byte[] stored) {
        this(stored, 0, stored.length);
    }

    /** Creates a reader of a part of an array. */
    public StoredFields(byte[] stored, int from, int to) {
        isReading = true;
        bytes = stored;
        at = from;
        end = to;
    }

    public boolean isReading() {
        return isReading;
    }

    /** Removes what was written. */
    public void clear() {
        at = 0;
    }

    /** Copies what was written. */
    public byte[] toBytes() {
        return Arrays.copyOf(bytes, at);
    }

    /** Number of bytes that were written. */
    public int size() {
        return at;
    }

    /** Copies what was written to a part of an array. */
    public void copyTo(byte[] target, int from) {
        System.arraycopy(bytes, 0, target, from, at);
    }

    /** Number of bytes not yet read. */
    public int left() {
        return end - at;
    }

    /** Checks that all bytes were read. */
    public void requireEnd() {
        if (left() > 0) {
            throw fault("end after its last field", left() + " more bytes");
        }
    }

    /** Returns the exception for a value that breaks a rule. */
    public UnreadableModelException fault(String rule, Object got) {
        return new UnreadableModelException(
                "a stored model must " + rule + ", got " + got + " (before byte " + at + " of " + end + ")");
    }

    private void makeRoom(int more) {
        if (at + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(at + more, 2 * bytes.length));
        }
    }

    private void require(int more) {
        if (left() < more) {
            throw fault("have " + more + " more bytes", left());
        }
    }

    private void write(int value) {
        makeRoom(1);
        bytes[at++] = (byte) value;
    }

    private int read() {
        require(1);
        return bytes[at++] & 0xff;
    }

    /** Exchanges 8 bits. */
    public int bits(int value) {
        if (isReading) {
            return read();
        }
        write(value);
        return value;
    }

    public boolean flag(boolean value) {
        return bits(value ? 1 : 0) != 0;
    }

    /**
     * Exchanges the number of the form.
     *
     * @param what is stored, such as {@code model}
     * @throws UnreadableModelException if another form is stored
     */
    public void form(int form, String what) {
        var unused = form(form, form, form, what);
    }

    /**
     * Exchanges the number of one of several forms.
     *
     * @param form to write
     * @param oldest form that can be read
     * @param latest form that can be read
     * @return the stored form
     * @throws UnreadableModelException if another form is stored
     */
    public int form(int form, int oldest, int latest, String what) {
        int stored = bits(form);
        if (stored < oldest || stored > latest) {
            String readable = oldest == latest ? "form " + latest : "a form from " + oldest + " to " + latest;
            throw new UnreadableModelException("a stored " + what + " must have " + readable + ", got " + stored
                    + " (written by another version: start that version, or delete all models and learn the topic again"
                    + " with perceptron topics reset --to-earliest)");
        }
        return stored;
    }

    /**
     * Returns the constant of a stored number.
     *
     * @param numbers of the constants, which never change
     */
    public <E> E constant(int number, E[] constants, ToIntFunction<E> numbers) {
        for (E constant : constants) {
            if (numbers.applyAsInt(constant) == number) {
                return constant;
            }
        }
        throw fault("have a known constant", number);
    }

    public long unsigned(long number) {
        if (isReading) {
            return readUnsigned();
        }
        writeUnsigned(number);
        return number;
    }

    private void writeUnsigned(long number) {
        makeRoom(MAX_NUMBER);
        long rest = number;
        while ((rest & ~0x7f) != 0) {
            bytes[at++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[at++] = (byte) rest;
    }

    private long readUnsigned() {
        long number = 0;
        for (int shift = 0; ; shift += 7) {
            int next = read();
            if (shift == 63 && next > 1) {
                throw fault("have numbers of 64 bits at most", "a longer one");
            }
            number |= (next & 0x7fL) << shift;
            if (next < 0x80) {
                return number;
            }
        }
    }

    public long signed(long number) {
        long folded = unsigned(number << 1 ^ number >> 63);
        return folded >>> 1 ^ -(folded & 1);
    }

    /** Exchanges a number by its difference to a number that is close to it. */
    public long near(long base, long number) {
        return base + signed(number - base);
    }

    /** Exchanges a number from 0 to {@code max}. */
    public int upTo(int max, int number) {
        return requireAtMost(max, unsigned(number));
    }

    /** Exchanges a number of elements of at least {@code bytesEach} bytes, which follow. */
    public int count(int bytesEach, int count) {
        long stored = unsigned(count);
        return isReading ? requireAtMost(left() / bytesEach, stored) : count;
    }

    private int requireAtMost(long max, long number) {
        if (isReading && (number < 0 || number > max)) {
            throw fault("have a number from 0 to " + max, Long.toUnsignedString(number));
        }
        return (int) number;
    }

    /**
     * Exchanges counts of which many are 0: after a 0 follows the number of further zeros; the last zeros are left out.
     */
    public long[] counts(long[] counts) {
        if (isReading) {
            long[] read = new long[upTo(MAX_COUNTS, 0)];
            for (int k = 0; k < read.length; k++) {
                read[k] = signed(0);
                k += read[k] == 0 ? upTo(read.length - 1 - k, 0) : 0;
            }
            return read;
        }
        int length = counts.length;
        while (length > 0 && counts[length - 1] == 0) {
            length--;
        }
        unsigned(length);
        for (int k = 0; k < length; k++) {
            signed(counts[k]);
            if (counts[k] == 0) {
                int zero = k;
                while (counts[k + 1] == 0) {
                    k++;
                }
                unsigned(k - zero);
            }
        }
        return counts;
    }

    public List<Long> counts(List<Long> counts) {
        long[] exchanged = new long[counts.size()];
        for (int k = 0; k < exchanged.length; k++) {
            exchanged[k] = counts.get(k);
        }
        exchanged = counts(exchanged);
        return isReading ? Arrays.stream(exchanged).boxed().toList() : counts;
    }

    public double number(double number) {
        if (!isReading) {
            writePair(number, 0.0);
            return number;
        }
        double[] single = {number};
        numbers(single, 0, 1);
        return single[0];
    }

    /** Exchanges {@code count} doubles in place. */
    public void numbers(double[] numbers, int from, int count) {
        if (isReading) {
            readNumbers(numbers, from, count);
            return;
        }
        for (int k = from; k < from + count; k += 2) {
            writePair(numbers[k], k + 1 < from + count ? numbers[k + 1] : 0.0);
        }
    }

    private void readNumbers(double[] numbers, int from, int count) {
        for (int k = from; k < from + count; k += 2) {
            int lengths = read();
            int length = lengths & 0xf;
            numbers[k] = readDouble(lengths >> 4);
            double second = length <= MULTIPLE ? readDouble(length) : readMultiple(length - MULTIPLE) * numbers[k];
            if (k + 1 < from + count) {
                numbers[k + 1] = second;
            } else if (length != 0) {
                throw fault("have no number after the last one", second);
            }
        }
    }

    /** Exchanges doubles with their count. */
    public List<Double> numbers(List<Double> numbers) {
        if (!isReading) {
            unsigned(numbers.size());
            for (int k = 0; k < numbers.size(); k += 2) {
                writePair(numbers.get(k), k + 1 < numbers.size() ? numbers.get(k + 1) : 0.0);
            }
            return numbers;
        }
        long stored = readUnsigned();
        // two zeros take one byte
        double[] read = new double[requireAtMost(2L * left(), stored)];
        numbers(read, 0, read.length);
        List<Double> list = new ArrayList<>(read.length);
        for (double number : read) {
            list.add(number);
        }
        return list;
    }

    private void writePair(double first, double second) {
        long firstBits = Double.doubleToRawLongBits(first);
        long secondBits = Double.doubleToRawLongBits(second);
        int length = length(secondBits);
        long multiple = length > 1 ? multiple(first, second) : 0;
        int multipleLength = (Long.SIZE - Long.numberOfLeadingZeros(multiple) + Byte.SIZE - 1) / Byte.SIZE;
        if (multiple > 0 && multipleLength < length) {
            write(length(firstBits) << 4 | MULTIPLE + multipleLength);
            writeHighBytes(firstBits);
            writeHighBytes(multiple << (Byte.SIZE * (Long.BYTES - multipleLength)), multipleLength);
        } else {
            write(length(firstBits) << 4 | length);
            writeHighBytes(firstBits);
            writeHighBytes(secondBits);
        }
    }

    /** Returns the whole number that makes the second number of the first, to the last bit; 0 if there is none. */
    private static long multiple(double first, double second) {
        double quotient = Math.rint(second / first);
        return quotient >= 1 && quotient <= MAX_MULTIPLE && quotient * first == second ? (long) quotient : 0;
    }

    private static int length(long bits) {
        return Long.BYTES - Long.numberOfTrailingZeros(bits) / Byte.SIZE;
    }

    private void writeHighBytes(long bits) {
        writeHighBytes(bits, length(bits));
    }

    private void writeHighBytes(long bits, int length) {
        makeRoom(Long.BYTES);
        // all of them, of which the next field overwrites the others
        HIGHEST_FIRST.set(bytes, at, bits);
        at += length;
    }

    private double readMultiple(int length) {
        if (length > Integer.BYTES) {
            throw fault("have doubles of 0 to 8 bytes, or multiples of 1 to 4", MULTIPLE + length);
        }
        require(length);
        long multiple = 0;
        for (int k = 0; k < length; k++) {
            multiple = multiple << Byte.SIZE | (bytes[at++] & 0xff);
        }
        return multiple;
    }

    private double readDouble(int length) {
        if (length > Long.BYTES) {
            throw fault("have doubles of 0 to 8 bytes", length);
        }
        require(length);
        if (left() >= Long.BYTES && length > 0) {
            long all = (long) HIGHEST_FIRST.get(bytes, at);
            at += length;
            return Double.longBitsToDouble(all & (-1L << (Byte.SIZE * (Long.BYTES - length))));
        }
        long bits = 0;
        for (int k = 0; k < length; k++) {
            bits |= (bytes[at++] & 0xffL) << (Long.SIZE - Byte.SIZE * (k + 1));
        }
        return Double.longBitsToDouble(bits);
    }

    /** Exchanges {@code count} bytes. */
    public byte[] raw(int count, byte[] value) {
        if (isReading) {
            require(count);
            at += count;
            return Arrays.copyOfRange(bytes, at - count, at);
        }
        makeRoom(count);
        System.arraycopy(value, 0, bytes, at, count);
        at += count;
        return value;
    }

    /** Exchanges bytes with their count. */
    public byte[] bytes(byte[] value) {
        return raw(count(1, isReading ? 0 : value.length), value);
    }

    /** Exchanges all further bytes. */
    public byte[] rest(byte[] value) {
        return raw(isReading ? left() : value.length, value);
    }

    public List<String> texts(List<String> texts) {
        int count = count(1, texts.size());
        if (!isReading) {
            texts.forEach(this::text);
            return texts;
        }
        List<String> read = new ArrayList<>(count);
        for (int k = 0; k < count; k++) {
            read.add(readText());
        }
        return read;
    }

    public String text(String text) {
        if (isReading) {
            return readText();
        }
        int length = 0;
        for (int k = 0; k < text.length(); k++) {
            char unit = text.charAt(k);
            length += unit < 0x80 ? 1 : unit < 0x800 ? 2 : MAX_UNIT;
        }
        unsigned(length);
        makeRoom(length);
        for (int k = 0; k < text.length(); k++) {
            char unit = text.charAt(k);
            if (unit < 0x80) {
                bytes[at++] = (byte) unit;
            } else if (unit < 0x800) {
                bytes[at++] = (byte) (0xc0 | unit >> 6);
                bytes[at++] = (byte) (0x80 | (unit & 0x3f));
            } else {
                bytes[at++] = (byte) (0xe0 | unit >> 12);
                bytes[at++] = (byte) (0x80 | (unit >> 6 & 0x3f));
                bytes[at++] = (byte) (0x80 | (unit & 0x3f));
            }
        }
        return text;
    }

    private String readText() {
        int length = count(1, 0);
        int last = at + length;
        StringBuilder text = new StringBuilder(length);
        while (at < last) {
            int first = bytes[at++];
            if (first >= 0) {
                text.append((char) first);
            } else if ((first & 0xe0) == 0xc0) {
                text.append((char) ((first & 0x1f) << 6 | readUnitRest(last)));
            } else if ((first & 0xf0) == 0xe0) {
                text.append((char) ((first & 0xf) << 12 | readUnitRest(last) << 6 | readUnitRest(last)));
            } else {
                throw fault("have strings of UTF-16 units", "byte " + (first & 0xff));
            }
        }
        return text.toString();
    }

    private int readUnitRest(int last) {
        if (at == last || (bytes[at] & 0xc0) != 0x80) {
            throw fault("have strings of whole UTF-16 units", "a part of one");
        }
        return bytes[at++] & 0x3f;
    }
}
