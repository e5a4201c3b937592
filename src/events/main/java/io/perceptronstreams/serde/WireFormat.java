package io.perceptronstreams.serde;

/** Header of Avro values in the Confluent wire format: byte 0, then the schema id as 4 bytes, big-endian. */
public final class WireFormat {

    /** First byte of every Avro value. */
    public static final byte MAGIC = 0;

    /** Length of the header in bytes. */
    public static final int HEADER = 5;

    /**
     * Header of a record whose serializer writes the schema id there instead of into the value: byte 0 and an id, or
     * byte {@link #GUID} and 16 bytes. Not supported; to be refused, because the first byte of such a value is a part
     * of its data.
     */
    public static final String ID_HEADER = "__value_schema_id";

    /** First byte where the schema is named by a GUID; not supported. */
    static final byte GUID = 1;

    static final String REMEDY = "let the serializer write the schema id into the value, as"
            + " value.schema.id.serializer=io.confluent.kafka.serializers.schema.id.PrefixSchemaIdSerializer does";

    private WireFormat() {}

    /** Returns true if the value begins with a header; its schema may not exist. */
    public static boolean hasHeader(byte[] value) {
        return value.length >= HEADER && value[0] == MAGIC;
    }

    /**
     * Returns the schema id of the writer, any 32-bit number.
     *
     * @throws IllegalArgumentException if the value is shorter than a header or begins with another byte
     */
    public static int schemaId(byte[] value) {
        if (value.length < HEADER) {
            throw new IllegalArgumentException("value must have at least " + HEADER + " bytes, got " + value.length);
        }
        if (value[0] != MAGIC) {
            throw new IllegalArgumentException("value must begin with byte " + MAGIC + ", got " + value[0]);
        }
        return (value[1] & 0xff) << 24 | (value[2] & 0xff) << 16 | (value[3] & 0xff) << 8 | (value[4] & 0xff);
    }

    /** Overwrites the first {@link #HEADER} bytes of {@code value}. */
    public static void writeHeader(byte[] value, int schemaId) {
        value[0] = MAGIC;
        value[1] = (byte) (schemaId >>> 24);
        value[2] = (byte) (schemaId >>> 16);
        value[3] = (byte) (schemaId >>> 8);
        value[4] = (byte) schemaId;
    }
}
