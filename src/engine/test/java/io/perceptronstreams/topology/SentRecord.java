package io.perceptronstreams.topology;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/** Contents of a record, for comparisons; a header value that is null in one record equals any in the other. */
public final class SentRecord {
    private static final int SHOWN_BYTES = 400;

    private final byte[] key;
    private final byte[] value;
    private final long timestamp;
    private final Headers headers;

    SentRecord(byte[] key, byte[] value, long timestamp, Headers headers) {
        this.key = key;
        this.value = value;
        this.timestamp = timestamp;
        this.headers = headers;
        // until it is read, a header of a consumer keeps all bytes that came with it
        for (Header header : headers) {
            header.key();
            header.value();
        }
    }

    long timestamp() {
        return timestamp;
    }

    static SentRecord of(ConsumerRecord<byte[], byte[]> record) {
        return new SentRecord(record.key(), record.value(), record.timestamp(), record.headers());
    }

    byte[] key() {
        return key;
    }

    public byte[] value() {
        return value;
    }

    /** Whether everything is the same to the last bit. */
    boolean isSameAs(SentRecord other) {
        return Arrays.equals(key, other.key)
                && Arrays.equals(value, other.value)
                && timestamp == other.timestamp
                && isSame(headers, other.headers);
    }

    private static boolean isSame(Headers some, Headers others) {
        Iterator<Header> rest = others.iterator();
        for (Header header : some) {
            if (!rest.hasNext()) {
                return false;
            }
            Header other = rest.next();
            if (!header.key().equals(other.key())
                    || (header.value() != null
                            && other.value() != null
                            && !Arrays.equals(header.value(), other.value()))) {
                return false;
            }
        }
        return !rest.hasNext();
    }

    /** The value of a header as text, or null. */
    public String header(String name) {
        Header header = headers.lastHeader(name);
        return header == null ? null : text(header.value());
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(text(key)).append(" at ").append(timestamp);
        headers.forEach(
                header -> text.append(", ").append(header.key()).append('=').append(text(header.value())));
        return text.append(": ").append(hex(value)).toString();
    }

    private static String text(byte[] bytes) {
        return bytes == null ? "null" : new String(bytes, StandardCharsets.UTF_8);
    }

    private static String hex(byte[] bytes) {
        return bytes == null
                ? "null"
                : bytes.length + " bytes " + HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, SHOWN_BYTES));
    }
}
