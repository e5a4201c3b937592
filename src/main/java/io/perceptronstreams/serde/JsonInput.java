package io.perceptronstreams.serde;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * The parser of values with names of features, which are as many as users and words.
 *
 * <p>It does without Jackson's table of all names so far. The table is copied for every value with a new name, and refuses a name
 * that has the hash of too many others: what is refused would depend on what was read before, which a restart forgets. Moreover a
 * table that has refused a name is broken, and throws an {@link ArrayIndexOutOfBoundsException} when it grows.
 */
final class JsonInput {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build();

    static final ObjectMapper MAPPER = new ObjectMapper(FACTORY);

    private JsonInput() {}

    /**
     * A parser of a text in UTF-8, in which malformed bytes become U+FFFD.
     *
     * <p>One of bytes would read the same through a buffer of 8 KiB, new for each value.
     */
    static JsonParser ofUtf8(byte[] text) throws IOException {
        return FACTORY.createParser(new String(text, StandardCharsets.UTF_8));
    }
}
