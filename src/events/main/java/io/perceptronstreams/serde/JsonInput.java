package io.perceptronstreams.serde;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * The parser of values with names of features, which are as many as users and words.
 *
 * <p>It does without Jackson's table of all names so far. The table is copied for every value with a new name, and
 * refuses a name that has the hash of too many others: what is refused would depend on what was read before, which a
 * restart forgets. Moreover a table that has refused a name is broken, and throws an
 * {@link ArrayIndexOutOfBoundsException} when it grows.
 */
public final class JsonInput {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build();

    static final ObjectMapper MAPPER = new ObjectMapper(FACTORY);

    /** Character that a decoder puts in place of malformed bytes. */
    private static final char REPLACEMENT = '\ufffd';

    private JsonInput() {}

    /**
     * A parser of a slice.
     *
     * <p>UTF-8 is decoded first: a parser of bytes would read it through a buffer of 8 KiB, new for each value.
     *
     * @throws IOException if the text is neither UTF-8 nor UTF-16 or UTF-32
     */
    public static JsonParser parser(byte[] bytes, int offset, int length) throws IOException {
        if (length > 1 && (bytes[offset] == 0 || bytes[offset + 1] == 0)) {
            // in UTF-16 or UTF-32
            return FACTORY.createParser(bytes, offset, length);
        }
        return parser(decoded(bytes, offset, length));
    }

    /** A writer of a text. */
    public static JsonGenerator generator(Writer out) throws IOException {
        return FACTORY.createGenerator(out);
    }

    static JsonParser parser(String text) throws IOException {
        return FACTORY.createParser(text);
    }

    /**
     * Decodes UTF-8.
     *
     * @throws IOException for malformed bytes: as U+FFFD they would make different ids and names the same one
     */
    static String decoded(byte[] bytes, int offset, int length) throws IOException {
        String text = new String(bytes, offset, length, StandardCharsets.UTF_8);
        if (text.indexOf(REPLACEMENT) >= 0) {
            // the text may have the character itself
            try {
                StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, offset, length));
            } catch (CharacterCodingException e) {
                throw new CharConversionException("bytes that are not UTF-8 (in ISO 8859-1 or windows-1252?)");
            }
        }
        return text;
    }
}
