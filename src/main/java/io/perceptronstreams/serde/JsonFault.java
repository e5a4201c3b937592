package io.perceptronstreams.serde;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.perceptronstreams.example.Utf8Slice;
import java.io.IOException;
import java.util.Collection;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Messages for JSON that is no event: the field, and the remedy, instead of the parser's switches. */
public final class JsonFault {
    private static final Pattern NO_NUMBER = Pattern.compile("Non-standard token '([^']*)'.*");

    /** Parts of the parser's messages that name its switches. */
    private static final Pattern SWITCHES = Pattern.compile("[:,]? enable `[^`]*`( to allow)?"
            + "|: not allowed (when|as per) .*"
            + "|, from `[^`]*`"
            + "|[:;] maybe a \\(non-standard\\) comment\\?.*");

    private static final int MAX_SHOWN = 200;

    private JsonFault() {}

    /** Describes a failure to parse, in one line. */
    public static String of(IOException failure) {
        if (!(failure instanceof JsonProcessingException unread)) {
            // bytes of zero look like another encoding
            return line(failure.getMessage());
        }
        String message = line(unread.getOriginalMessage());
        Matcher number = NO_NUMBER.matcher(message);
        if (number.matches()) {
            return number.group(1) + feature(unread)
                    + ", which JSON does not have (leave the feature out, or write null)";
        }
        if (message.startsWith("Trailing token")) {
            return "more text after the object (one object in each record or line)";
        }
        return Utf8Slice.shortened(SWITCHES.matcher(message).replaceAll(""), MAX_SHOWN);
    }

    private static String line(String message) {
        return String.valueOf(message).lines().findFirst().orElse("");
    }

    /** The place of the parser: {@code  as feature fare}; empty outside features. */
    private static String feature(JsonProcessingException failure) {
        if (!(failure.getProcessor() instanceof JsonParser parser)) {
            return "";
        }
        String path = parser.getParsingContext().pathAsPointer().toString();
        int start = path.indexOf("/features/");
        return start < 0
                ? path.isEmpty() ? "" : " as " + Utf8Slice.shortened(path.substring(1), 40)
                : " as feature " + Utf8Slice.shortened(path.substring(start + "/features/".length()), 40);
    }

    /**
     * Describes an object with an unknown field; names the tool that usually writes such an object, and the way to send the
     * example alone.
     *
     * @param known names of the fields that it may have
     */
    public static String unknownField(JsonNode object, String name, Collection<String> known) {
        return "fields must be of " + known + ", got '" + Utf8Slice.shortened(name, MAX_SHOWN) + "'"
                + hint(object, name, known);
    }

    private static String hint(JsonNode object, String name, Collection<String> known) {
        if (object.has("schema") && object.has("payload")) {
            return " (Kafka Connect has wrapped the record: set value.converter.schemas.enable=false)";
        }
        if (object.has("op") && (object.has("before") || object.has("after"))) {
            return " (a change event of a database: send its field 'after' alone, as the transform ExtractNewRecordState does)";
        }
        if (object.has("specversion")) {
            return " (a CloudEvent: send its field 'data' alone, as in binary mode)";
        }
        if (known.contains(name.toLowerCase(Locale.ROOT))) {
            return " (names of fields are in lower case: '" + name.toLowerCase(Locale.ROOT)
                    + "'; most query languages keep it only for quoted names)";
        }
        if (known.contains("features") && !object.has("features")) {
            return " (values belong into the field features: {\"label\":1,\"features\":{\"age\":34}})";
        }
        return "";
    }
}
