package io.perceptronstreams.serde;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Utf8Slice;
import java.io.IOException;
import java.util.Collection;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Messages for JSON that is no event: the field, and the remedy, instead of the parser's switches. */
final class JsonFault {
    private static final Pattern NO_NUMBER = Pattern.compile("Non-standard token '([^']*)'.*");

    /** Parts of the parser's messages that name its switches. */
    private static final Pattern SWITCHES = Pattern.compile("[:,]? enable `[^`]*`( to allow)?"
            + "|: not allowed (when|as per) .*"
            + "|, from `[^`]*`"
            + "| \\(start marker at .*"
            + "| \\(consider enabling .*"
            + "|[:;] maybe a \\(non-standard\\) comment\\?.*");

    /** Words of other languages. */
    private static final Pattern OTHER_WORD =
            Pattern.compile("Unrecognized token '(?:None|True|False|TRUE|FALSE|NULL|Null|undefined|nil)'.*");

    private static final int MAX_SHOWN = 200;

    private static final String PANDAS =
            " (a table of pandas in one object: to_json(path, orient='records', lines=True) writes an object for each row)";

    private JsonFault() {}

    /** Returns the exception for a value that cannot be parsed. */
    static RejectedException rejected(IOException failure) {
        return new RejectedException(
                RejectReason.MALFORMED_JSON, "value must be one JSON object, got: " + placed(failure));
    }

    /** Describes a failure to parse, with the place if the parser knows it. */
    static String placed(IOException failure) {
        // violations of the limits of the parser, such as the nesting depth, have no location
        JsonLocation place = failure instanceof JsonProcessingException unread ? unread.getLocation() : null;
        return of(failure) + (place == null ? "" : " (character " + place.getCharOffset() + ")");
    }

    private static String of(IOException failure) {
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
        return Utf8Slice.shortened(SWITCHES.matcher(message).replaceAll(""), MAX_SHOWN) + remedy(message, unread);
    }

    /** The rule of JSON that other programs break most often; empty for other faults. */
    private static String remedy(String message, JsonProcessingException failure) {
        if (message.startsWith("Unexpected character ('''")) {
            return " (texts and names of JSON have double quotation marks, as Python's json.dumps writes them)";
        }
        if (message.contains("was expecting double-quote to start field name")) {
            return message.startsWith("Unexpected character ('}'")
                    ? " (JSON has no comma behind the last field)"
                    : " (names of JSON have double quotation marks)";
        }
        if (OTHER_WORD.matcher(message).matches()) {
            return " (JSON has null, true and false, as Python's json.dumps writes them)";
        }
        if (message.startsWith("Unexpected character ('/'") || message.startsWith("Unexpected character ('#'")) {
            return " (JSON has no comments)";
        }
        if (message.contains("(CTRL-CHAR, code 30)")) {
            return " (a separator of records: tr -d '\\036' removes it)";
        }
        boolean isOutside = failure.getProcessor() instanceof JsonParser parser
                && parser.getParsingContext().inRoot();
        return isOutside && message.startsWith("Unexpected character (','")
                ? " (no comma may follow an object in its record or line)"
                : "";
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
     * Describes an object with an unknown field; names the tool that usually writes such an object, and the way to send
     * the example alone.
     *
     * @param fields names of the fields of the object
     * @param known names of the fields that it may have
     */
    static String unknownField(Collection<String> fields, String name, Collection<String> known) {
        return "fields must be of " + known + ", got '" + Utf8Slice.shortened(name, MAX_SHOWN) + "'"
                + hint(fields, name, known);
    }

    private static String hint(Collection<String> fields, String name, Collection<String> known) {
        if (fields.contains("schema") && fields.contains("payload")) {
            return " (Kafka Connect has wrapped the record: set value.converter.schemas.enable=false)";
        }
        if (fields.contains("op") && (fields.contains("before") || fields.contains("after"))) {
            return " (a change event of a database: send its field 'after' alone, as the transform ExtractNewRecordState does)";
        }
        if (fields.contains("data") && fields.contains("database")) {
            return " (a change event of a database: send its field 'data' alone)";
        }
        if (fields.contains("_source")) {
            return " (a document of Elasticsearch: send its field '_source' alone)";
        }
        if (fields.contains("payload") && fields.contains("partition")) {
            return " (a record as kcat -J prints it: send its payload alone)";
        }
        if (fields.contains("geometry") && fields.contains("properties")) {
            return " (GeoJSON: send its field 'properties' as the example)";
        }
        if (fields.contains("data") && (fields.contains("columns") || fields.contains("schema"))) {
            return PANDAS;
        }
        if (fields.contains("records")) {
            return " (a request of a REST proxy: send the value of each of its records)";
        }
        if (fields.stream().allMatch(each -> each.matches("[0-9]+"))) {
            return PANDAS;
        }
        if (fields.contains("specversion")) {
            return " (a CloudEvent: send its field 'data' alone, as in binary mode)";
        }
        if (name.replaceAll("[-_. ]", "").equalsIgnoreCase("exampleId")) {
            return " (the field of a label with the id of its example is exampleId)";
        }
        if (known.contains(name.toLowerCase(Locale.ROOT))) {
            return " (names of fields are in lower case: '" + name.toLowerCase(Locale.ROOT)
                    + "'; most query languages keep it only for quoted names)";
        }
        if (known.contains("features") && !fields.contains("features")) {
            return " (values belong into the field features: {\"label\":1,\"features\":{\"age\":34}})";
        }
        return "";
    }
}
