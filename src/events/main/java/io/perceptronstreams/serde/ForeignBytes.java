package io.perceptronstreams.serde;

import io.perceptronstreams.example.Utf8Slice;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Describes keys, values and headers that other serializers have written, by their first bytes or names, with the
 * remedy.
 */
public final class ForeignBytes {
    private static final int MAX_SHOWN = 40;

    private static final String AVRO_REMEDY = "use the Avro serializer of a schema registry";

    private static final String CONFLUENT_REMEDY =
            "set value.serializer=io.confluent.kafka.serializers.KafkaAvroSerializer in the producer, or send JSON";

    /** Ids of 4 bytes in the value: before Apicurio 3.0 they have 8. */
    private static final String APICURIO_REMEDY = "set apicurio.registry.headers.enabled=false,"
            + " apicurio.registry.use-id=contentId and"
            + " apicurio.registry.id-handler=io.apicurio.registry.serde.Legacy4ByteIdHandler in the producer, from Apicurio"
            + " 3.0 on io.apicurio.registry.serde.Default4ByteIdHandler";

    /** Length of the header of AWS Glue: byte 3, the compression (0 for none, 5 for zlib) and a UUID. */
    private static final int GLUE_HEADER = 18;

    /** Length of a GUID in hexadecimal digits, without hyphens. */
    private static final int GUID_DIGITS = 32;

    /** Headers in which serializers write the schema id instead of into the value. */
    private static final List<IdHeader> ID_HEADERS = List.of(
            new IdHeader(WireFormat.ID_HEADER, "\u0001", "a schema GUID", WireFormat.REMEDY),
            new IdHeader(WireFormat.ID_HEADER, "", "an id", WireFormat.REMEDY),
            new IdHeader("apicurio.value.", "", "that of Apicurio Registry", APICURIO_REMEDY),
            new IdHeader("content-type", "avro/binary", "that of Azure Event Hubs", CONFLUENT_REMEDY));

    /**
     * A header with a schema id.
     *
     * @param name beginning of its name
     * @param value beginning of its value
     * @param owner whose id it is
     */
    private record IdHeader(String name, String value, String owner, String remedy) {
        boolean is(String key, byte[] contents) {
            return key.startsWith(name)
                    && (contents == null ? "" : new String(contents, StandardCharsets.ISO_8859_1)).startsWith(value);
        }
    }

    private ForeignBytes() {}

    /**
     * Returns the fault of a value whose schema id is in this header, with the remedy; null if it is another header.
     *
     * @param contents of the header; may be null
     */
    public static String idInHeader(String name, byte[] contents) {
        for (IdHeader each : ID_HEADERS) {
            if (each.is(name, contents)) {
                return "schema id must be in the value, got " + each.owner + " in header " + name + " (" + each.remedy
                        + ")";
            }
        }
        return null;
    }

    /** Returns the fault of a value that begins with four bytes 0, which are the id of no schema, or null. */
    static String wideId(byte[] value, int id) {
        if (id == 0) {
            return "schema id must be one of 4 bytes, from 1 on, got 0: ids of 8 bytes are the default of Apicurio Registry"
                    + " before 3.0 (" + APICURIO_REMEDY + ")";
        }
        if (id > 0xff || value.length < Integer.BYTES + GUID_DIGITS) {
            return null;
        }
        for (int k = Integer.BYTES; k < Integer.BYTES + GUID_DIGITS; k++) {
            if (Character.digit(value[k], 16) < 0) {
                return null;
            }
        }
        return "schema id must be one of 4 bytes, got a GUID of " + GUID_DIGITS + " digits, as of Azure Event Hubs ("
                + CONFLUENT_REMEDY + ")";
    }

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
        if (value.length >= GLUE_HEADER && first == 3 && (value[1] == 0 || value[1] == 5)) {
            return "byte 3 and a UUID, the header of AWS Glue Schema Registry (" + CONFLUENT_REMEDY + ")";
        }
        if (startsWith(value, 0xac, 0xed)) {
            return "an object of Java's serialization (" + CONFLUENT_REMEDY + ")";
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
