package io.perceptronstreams.serde;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.CharConversionException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
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

    /** Character that a decoder puts in place of malformed bytes. */
    private static final char REPLACEMENT = '\ufffd';

    private JsonInput() {}

    /**
     * A parser of a text in UTF-8.
     *
     * <p>One of bytes would read the same through a buffer of 8 KiB, new for each value.
     *
     * @throws IOException if the text has malformed bytes or, which is rare, U+FFFD itself
     */
    static JsonParser ofUtf8(byte[] text) throws IOException {
        String decoded = new String(text, StandardCharsets.UTF_8);
        if (decoded.indexOf(REPLACEMENT) >= 0) {
            throw new CharConversionException("may be another encoding");
        }
        return FACTORY.createParser(decoded);
    }

    /**
     * Checks the encoding, which the parser of a tree does not: all letters of another encoding would become U+FFFD, and
     * different ids and names the same one.
     *
     * @throws IOException if the text is neither UTF-8 nor UTF-16 or UTF-32
     */
    static void checkEncoding(byte[] bytes, int offset, int length) throws IOException {
        boolean isWide = length > 1 && (bytes[offset] == 0 || bytes[offset + 1] == 0);
        if (!isWide) {
            try {
                StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, offset, length));
            } catch (CharacterCodingException e) {
                throw new CharConversionException("bytes that are not UTF-8 (in ISO 8859-1 or windows-1252?)");
            }
        }
    }
}
