package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.streams.test.TestRecord;
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
            \\4o1\\2\\2 | byte 4 (Avro without the header of a schema registry, protobuf or another format
            """)
    void shouldDescribeAValue(String value, String message) {
        assertThat(letter(bytes("m"), bytes(value)))
                .startsWith("value must start with byte 0 (Avro in the Confluent wire format), '{' or '[' (JSON), got "
                        + message);
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
