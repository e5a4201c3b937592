package io.perceptronstreams.serde;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;

/**
 * The examples of one record that has several: a JSON array, or an ExampleBatch in Avro.
 *
 * <p>A first pass finds where each example begins and ends. A value that it cannot take apart is refused as a whole,
 * before an example is used; then each example is decoded as that of a record of its own, and refused without the
 * others. Short examples in Avro without names of features are decoded by the first pass already. The arrays are
 * reused; those of the value belong to the caller. Not thread-safe.
 */
public final class ExampleList {
    /** Maximum number of examples of a record. */
    public static final int MAX_SIZE = 1_000;

    /** Limit of the fields that another schema has besides the examples: the value of each example repeats them. */
    private static final int MAX_OTHER_BYTES = 1024;

    /**
     * Maximum number of examples that the first pass decodes; each takes about 1 kB of memory, as long as it has few
     * features.
     */
    private static final int MAX_DECODED = 256;

    private static final int FEW_FEATURES = 64;

    /**
     * Mean length of the examples of a record from which the first pass does not decode: it passes them faster than
     * they can be copied.
     */
    private static final int LONG_BYTES = 1024;

    /** Hasher for features without names. */
    private static final FeatureHasher NO_NAMES = new FeatureHasher(1);

    private static final String RULE = "a record of several examples must have 1 to " + MAX_SIZE + ", got ";

    private final AvroReader in;
    private final ExampleDecoder avro;
    private final JsonExampleReader json;
    private final int[] starts = new int[MAX_SIZE];
    private final int[] ends = new int[MAX_SIZE];
    private int size;
    private boolean isJson;
    private byte[] value;

    // The first examples of the value, up to one that the first pass cannot decode.
    private final Example[] decoded = new Example[MAX_DECODED];
    private int decodedCount;

    // Positions before and behind the array in Avro.
    private int arrayStart;
    private int arrayEnd;

    // Null if the writer's schema is the current one.
    private SchemaResolver resolver;

    ExampleList(AvroReader in, ExampleDecoder avro, JsonExampleReader json) {
        this.in = in;
        this.avro = avro;
        this.json = json;
    }

    /** Returns true for a value that begins as a JSON array. */
    public static boolean isArray(byte[] value) {
        return value != null && value.length > 0 && value[0] == '[';
    }

    /**
     * Takes a JSON array apart.
     *
     * @throws RejectedException if it does not end, has text after its end, or too many elements or none
     */
    ExampleList readJson(byte[] array) {
        isJson = true;
        value = array;
        size = 0;
        int at = 0;
        do {
            int start = skipBlanks(array, at + 1);
            at = endOfElement(array, start);
            addElement(array, start, at);
        } while (array[at] == ',');
        if (skipBlanks(array, at + 1) < array.length) {
            throw malformed("a JSON array must be the whole value, got more text after it", at + 1);
        }
        return this;
    }

    private void addElement(byte[] array, int start, int end) {
        int last = end;
        while (last > start && isBlank(array[last - 1])) {
            last--;
        }
        if (last > start) {
            add(start, last, RejectReason.MALFORMED_JSON);
        } else if (size == 0 && array[end] == ']') {
            throw new RejectedException(RejectReason.MALFORMED_JSON, RULE + "none");
        } else {
            throw malformed("a JSON array must have a value between its commas, got none", end);
        }
    }

    /** Adds an example. */
    void add(int start, int end, RejectReason reason) {
        if (size == MAX_SIZE) {
            throw new RejectedException(reason, RULE + "more (send them in several records)");
        }
        starts[size] = start;
        ends[size++] = end;
    }

    private static int skipBlanks(byte[] text, int from) {
        int at = from;
        while (at < text.length && isBlank(text[at])) {
            at++;
        }
        return at;
    }

    private static boolean isBlank(byte unit) {
        return unit == ' ' || unit == '\n' || unit == '\r' || unit == '\t';
    }

    /**
     * Returns the position of the comma or bracket after an element, whose own syntax is checked when it is decoded.
     */
    private static int endOfElement(byte[] array, int start) {
        int depth = 0;
        for (int at = start; at < array.length; at++) {
            switch (array[at]) {
                case '"' -> at = endOfString(array, at);
                case '{', '[' -> depth++;
                case '}' -> depth--;
                case ']' -> {
                    if (depth == 0) {
                        return at;
                    }
                    depth--;
                }
                case ',' -> {
                    if (depth == 0) {
                        return at;
                    }
                }
                default -> {}
            }
            if (depth < 0) {
                throw malformed("a JSON array must end with a bracket, got a brace", at);
            }
        }
        throw malformed("a JSON array must end with a bracket, got its end before", array.length);
    }

    private static int endOfString(byte[] array, int start) {
        for (int at = start + 1; at < array.length; at++) {
            if (array[at] == '"') {
                return at;
            }
            at += array[at] == '\\' ? 1 : 0;
        }
        return array.length;
    }

    private static RejectedException malformed(String what, int at) {
        return new RejectedException(RejectReason.MALFORMED_JSON, what + " (at byte " + at + ")");
    }

    /**
     * Takes an ExampleBatch apart.
     *
     * @param writer of another schema than the current one, or null
     * @throws RejectedException if it is not one, or has too many examples or none
     */
    ExampleList readAvro(byte[] batch, SchemaResolver writer) {
        isJson = false;
        value = batch;
        resolver = writer;
        size = 0;
        if (writer == null) {
            findExamples();
        } else {
            writer.findExamples(batch, WireFormat.HEADER, this);
        }
        if (size == 0) {
            throw new RejectedException(RejectReason.MALFORMED_AVRO, RULE + "none");
        }
        int others = value.length - WireFormat.HEADER - (arrayEnd - arrayStart);
        if (others > MAX_OTHER_BYTES) {
            throw new RejectedException(
                    RejectReason.MALFORMED_AVRO,
                    "a record of several examples must have at most " + MAX_OTHER_BYTES + " bytes in other fields, got "
                            + others);
        }
        return this;
    }

    private void findExamples() {
        in.reset(value, WireFormat.HEADER);
        decodedCount = 0;
        int left = in.readBlockCount(ExampleDecoder.MIN_BYTES);
        int most = in.remaining() < (long) left * LONG_BYTES ? MAX_DECODED : 0;
        for (; left > 0; left = in.next(left, ExampleDecoder.MIN_BYTES)) {
            int start = in.position();
            if (size != decodedCount || size >= most || !isDecoded()) {
                in.reset(value, start);
                ExampleDecoder.skip(in);
            }
            add(start, in.position(), RejectReason.MALFORMED_AVRO);
        }
        in.end();
        setArray(WireFormat.HEADER, value.length);
    }

    /** Decodes the next example; returns false if it must be decoded when it is used. */
    private boolean isDecoded() {
        Example next = decoded[size] == null ? new Example() : decoded[size];
        decoded[size] = null;
        try {
            avro.decode(in, value, NO_NAMES, next, ExampleDecoder.BRANCHES_WITHOUT_NAMES);
        } catch (RejectedException e) {
            // refused when it is used, unless the whole value is
            return false;
        }
        if (next.vector().size() > FEW_FEATURES) {
            return false;
        }
        decoded[size] = next;
        decodedCount++;
        return true;
    }

    /** Sets the positions before and behind the array. */
    void setArray(int start, int end) {
        arrayStart = start;
        arrayEnd = end;
    }

    public int size() {
        return size;
    }

    /**
     * Decodes an example.
     *
     * @param k its number, from 0
     * @param example overwritten; undefined after an exception. Its id points into the value
     * @throws RejectedException if it is invalid
     */
    public void decode(int k, FeatureHasher hasher, Example example) {
        if (isJson) {
            json.readExample(value, starts[k], ends[k] - starts[k]);
            json.fill(hasher, example);
        } else if (resolver != null) {
            // alone: what the conversion refuses is this example, and it is the same when it is read again later
            byte[] one = resolver.resolve(value(k), WireFormat.HEADER);
            in.reset(one, 0);
            in.readBlockCount(ExampleDecoder.MIN_BYTES);
            avro.decode(in, one, hasher, example, ExampleDecoder.ALL_BRANCHES);
        } else if (k < decodedCount && hasher.rules() == null) {
            example.set(decoded[k]);
        } else {
            in.reset(value, starts[k]);
            avro.decode(in, value, hasher, example, ExampleDecoder.ALL_BRANCHES);
        }
    }

    /**
     * Returns the event time of an example.
     *
     * @param otherwise time of an example that has none
     * @throws IllegalArgumentException as {@link JsonTimestamp#of}
     */
    public long timestamp(int k, long otherwise) {
        return isJson ? JsonTimestamp.of(value, starts[k], ends[k], otherwise) : otherwise;
    }

    /**
     * Returns the latest event time of the examples of a JSON array; {@code own} if it cannot be taken apart.
     *
     * @param own time of an example that has none, or an invalid one
     * @param checked throws an IllegalArgumentException for an invalid time
     */
    public static long latest(byte[] array, long own, LongUnaryOperator checked) {
        if (!JsonTimestamp.mayContain(array, 0, array.length)) {
            return own;
        }
        ExampleList examples = new ExampleList(null, null, null);
        try {
            examples.readJson(array);
        } catch (RejectedException e) {
            return own;
        }
        return IntStream.range(0, examples.size)
                .mapToLong(k -> examples.latest(k, own, checked))
                .max()
                .orElse(own);
    }

    private long latest(int k, long own, LongUnaryOperator checked) {
        try {
            return checked.applyAsLong(timestamp(k, own));
        } catch (IllegalArgumentException e) {
            return own;
        }
    }

    /**
     * Returns the value of a record with one of the examples alone: its JSON, or an ExampleBatch of one in the writer's
     * schema, which no question to the registry is needed for.
     */
    public byte[] value(int k) {
        return isJson ? Arrays.copyOfRange(value, starts[k], ends[k]) : value(List.of(k));
    }

    /**
     * Returns the value of a record with some of the examples: an array of their JSON, or an ExampleBatch in the
     * writer's schema.
     *
     * @param numbers from 0, ascending; at least one
     */
    public byte[] value(List<Integer> numbers) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        if (isJson) {
            for (int k : numbers) {
                out.write(out.size() == 0 ? '[' : ',');
                out.write(value, starts[k], ends[k] - starts[k]);
            }
            out.write(']');
            return out.toByteArray();
        }
        out.write(value, 0, arrayStart);
        // one block, then the empty one that ends an array
        writeCount(out, numbers.size());
        for (int k : numbers) {
            out.write(value, starts[k], ends[k] - starts[k]);
        }
        out.write(0);
        out.write(value, arrayEnd, value.length - arrayEnd);
        return out.toByteArray();
    }

    /** Writes the number of items of a block of Avro: zigzag, 7 bits in a byte. */
    private static void writeCount(ByteArrayOutputStream out, int count) {
        int left = 2 * count;
        for (; left >= 128; left >>>= 7) {
            out.write((left & 127) | 128);
        }
        out.write(left);
    }
}
