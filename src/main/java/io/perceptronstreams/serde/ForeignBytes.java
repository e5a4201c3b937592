package io.perceptronstreams.serde;

import io.perceptronstreams.example.Utf8Slice;
import java.nio.charset.StandardCharsets;

/** Describes keys and values that other serializers have written, by their first bytes, with the remedy. */
public final class ForeignBytes {
    private static final int MAX_SHOWN = 40;

    private static final String AVRO_REMEDY = "use the Avro serializer of a schema registry";

    private ForeignBytes() {}

    /** A value that begins neither with byte 0 nor with a brace or bracket: what it seems to be. */
    static String value(byte[] value) {
        int first = value[0] & 0xff;
        if (startsWith(value, 0x1f, 0x8b)) {
            return "gzip (send the value as it is, and set compression.type=gzip in the producer)";
        }
        if (startsWith(value, 0x28, 0xb5, 0x2f, 0xfd)) {
            return "zstd (send the value as it is, and set compression.type=zstd in the producer)";
        }
        if (startsWith(value, 'O', 'b', 'j', 1)) {
            return "an Avro file (send each of its records in a message of its own: " + AVRO_REMEDY + ")";
        }
        if (startsWith(value, 0xc3, 0x01)) {
            return "Avro with a fingerprint instead of a schema id (" + AVRO_REMEDY + ")";
        }
        if (startsWith(value, 0xef, 0xbb, 0xbf)) {
            return "a byte order mark (write the text in UTF-8 without it)";
        }
        if (first == '"') {
            return "a JSON string (the text was serialized twice: use a serializer of strings or of JSON, not both)";
        }
        if (Character.isWhitespace(first)) {
            return "white space (send the JSON object without it)";
        }
        if (isText(value)) {
            return "the text '" + shown(value)
                    + "' (send a JSON object such as {\"label\":1,\"features\":{\"age\":34}})";
        }
        return "byte " + first + " (Avro without the header of a schema registry, protobuf or another format: "
                + AVRO_REMEDY + ", or JSON)";
    }

    /** A key that is no name of a model. */
    public static String key(byte[] key) {
        if (key.length == 0) {
            return "an empty key";
        }
        if (key[0] == '"' || key[0] == '{' || key[0] == '[') {
            return "JSON, '" + shown(key)
                    + "' (send the name alone: in Kafka Connect key.converter=org.apache.kafka.connect.storage.StringConverter)";
        }
        if (key.length > WireFormat.HEADER && WireFormat.hasHeader(key)) {
            return "a key in the wire format of a schema registry (send the name alone:"
                    + " key.serializer=org.apache.kafka.common.serialization.StringSerializer, in Kafka Connect"
                    + " key.converter=org.apache.kafka.connect.storage.StringConverter)";
        }
        if (isText(key)) {
            return "'" + shown(key) + "', " + key.length + " bytes";
        }
        return key.length + " bytes that are no text"
                + (key.length == Integer.BYTES || key.length == Long.BYTES
                        ? " (a number in binary? send it as text)"
                        : "");
    }

    private static boolean startsWith(byte[] bytes, int... first) {
        if (bytes.length < first.length) {
            return false;
        }
        for (int k = 0; k < first.length; k++) {
            if ((bytes[k] & 0xff) != first[k]) {
                return false;
            }
        }
        return true;
    }

    /** Returns true if the first bytes are printable ASCII, or letters beyond it in UTF-8. */
    private static boolean isText(byte[] bytes) {
        return new String(bytes, 0, Math.min(bytes.length, MAX_SHOWN), StandardCharsets.UTF_8)
                .codePoints()
                // the last character may be cut
                .limit(MAX_SHOWN - 4)
                .allMatch(point -> point != 0xfffd && !Character.isISOControl(point));
    }

    private static String shown(byte[] bytes) {
        String text = new String(bytes, 0, Math.min(bytes.length, 4 * MAX_SHOWN), StandardCharsets.UTF_8);
        return Utf8Slice.shortened(text.replaceAll("\\p{Cntrl}", "\ufffd"), MAX_SHOWN);
    }
}
