package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Keys and values of other serializers: the dead letter describes them and the remedy. */
@ExtendWith(EngineExtension.class)
class ForeignRecordsTest {
    private final EngineDriver engine;

    ForeignRecordsTest(EngineDriver engine) {
        this.engine = engine;
    }

    /** Bytes of a text in ISO 8859-1, so that each escape is one byte. */
    private static byte[] bytes(String text) {
        return text.translateEscapes().getBytes(StandardCharsets.ISO_8859_1);
    }

    private String letter(byte[] key, byte[] value) {
        engine.send(key, value, 5);
        TestRecord<byte[], byte[]> letter = engine.letter();
        return EngineDriver.message(letter);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            \\037\\213\\b\\0 | gzip (send the value as it is, and set compression.type=gzip in the producer)
            (\\265/\\375\\0 | zstd (
            Obj\\1\\4 | an Avro file (send each of its records in a message of its own: use the Avro serializer
            \\303\\1abcdefgh | Avro with a fingerprint instead of a schema id (
            \\357\\273\\277{} | a byte order mark (
            "{}" | a JSON string (the text was serialized twice
            ` {"features":[1]}` | white space (
            hello, world | the text 'hello, world' (send a JSON object
            \\3\\0abcdefghijklmnop | byte 3 and a UUID, the header of AWS Glue Schema Registry (set value.serializer=
            \\3\\5abcdefghijklmnop | byte 3 and a UUID, the header of AWS Glue Schema Registry (set value.serializer=
            \\254\\355\\0\\5 | an object of Java's serialization (
            \\4o1\\2\\2 | byte 4 (Avro without the header of a schema registry, protobuf or another format
            """)
    void shouldDescribeAValue(String value, String message) {
        assertThat(letter(bytes("m"), bytes(value)))
                .startsWith("value must start with byte 0 (Avro in the Confluent wire format), '{' or '[' (JSON), got "
                        + message);
    }

    // An id of 8 bytes was id 0, for which all models waited half a minute.
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            \\0\\0\\0\\0\\0\\0\\0\\0\\7\\6abc | got 0: ids of 8 bytes are the default of Apicurio Registry before 3.0 (set apicurio.registry.headers.enabled=false
            \\0\\0\\0\\0\\0 | got 0: ids of 8 bytes
            \\0\\0\\0\\0a1b2c3d4e5f60718293a4b5c6d7e8f90\\2\\2 | got a GUID of 32 digits, as of Azure Event Hubs (set value.serializer=
            """)
    void shouldDescribeAnIdThatIsNoneOfFourBytes(String value, String message) {
        assertThat(letter(bytes("m"), bytes(value)))
                .startsWith("schema id must be one of 4 bytes")
                .contains(message);
    }

    @ParameterizedTest
    @CsvSource({
        "apicurio.value.globalId, 'that of Apicurio Registry', apicurio.registry.headers.enabled=false",
        "apicurio.value.contentId, 'that of Apicurio Registry', apicurio.registry.use-id=contentId",
        "apicurio.value.encoding, 'that of Apicurio Registry', Legacy4ByteIdHandler",
        "content-type, 'that of Azure Event Hubs', KafkaAvroSerializer",
        "__value_schema_id, an id, PrefixSchemaIdSerializer"
    })
    void shouldDescribeAnIdInAHeader(String header, String owner, String remedy) {
        RecordHeaders headers = new RecordHeaders();
        headers.add(header, bytes(header.equals("content-type") ? "avro/binary+a1b2" : "\\0\\0\\0\\7"));
        // its first field is null, as byte 0 of a header would be
        engine.send(bytes("m"), bytes("\\0\\6abc\\2\\2a"), headers, 5);

        assertThat(EngineDriver.message(engine.letter()))
                .startsWith("schema id must be in the value, got " + owner + " in header " + header + " (")
                .contains(remedy);
    }

    @ParameterizedTest
    @CsvSource({
        "apicurio.value.globalId, 7",
        "spring_json_header_types, {}",
        "__TypeId__, org.example.Trip",
        "content-type, application/json"
    })
    void shouldReadJsonWithHeadersOfOtherSerializers(String header, String value) {
        RecordHeaders headers = new RecordHeaders();
        headers.add(header, bytes(value));
        engine.send(bytes("m"), bytes("{\"features\":[1]}"), headers, 5);

        assertThat(engine.reasons()).isEmpty();
    }

    @Test
    void shouldReadAvroWithTheContentTypeOfACloudEvent() {
        RecordHeaders headers = new RecordHeaders();
        headers.add("content-type", bytes("application/avro")).add("ce_type", bytes("trip"));
        engine.send(bytes("m"), Wire.example(engine.id("Example"), Wire.dense(1)), headers, 5);

        assertThat(engine.reasons()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            `` | an empty key
            "m" | JSON, '"m"' (send the name alone: in Kafka Connect key.converter=org.apache.kafka.connect.storage.StringConverter)
            \\0\\0\\0\\0\\1\\2m | a key in the wire format of a schema registry (send the name alone: key.serializer=
            spam filter | 'spam filter', 11 bytes
            \\0\\0\\0\\7 | 4 bytes that are no text (a number in binary? send it as text)
            """)
    void shouldDescribeAKey(String key, String message) {
        assertThat(letter(bytes(key), bytes("{\"features\":[1]}")))
                .startsWith(
                        "record key must be a model's name, 1 to 128 characters of A-Z a-z 0-9 . _ -, got " + message);
    }
}
