package io.perceptronstreams.monitor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.perceptronstreams.serde.EventJson;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A field of an answer as CSV (RFC 4180): for lists of objects a column for each name, for maps one for the names and
 * one for the values, for a confusion matrix a row for each true label. Objects in objects have columns such as
 * {@code metrics.kappa}, lists in objects are JSON.
 */
final class Csv {
    static final String TYPE = "text/csv; charset=utf-8";

    private static final Pattern NUMBER = Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?");

    private Csv() {}

    /**
     * Returns a field of an answer in JSON.
     *
     * @param path name of the field, or names with points between them, as {@code metrics.classes}
     * @throws RefusedException with status 400 if there is no such field, or it is neither a list nor a map
     */
    static Answer of(Answer json, String path) throws IOException {
        JsonNode field = EventJson.MAPPER.readTree(json.body().get(0).array());
        for (String name : path.split("\\.", -1)) {
            // a field without a value, such as the weights before the first snapshot, has no rows
            field = field.isNull() ? field : field.path(name);
        }
        if (!field.isContainerNode() && !field.isNull()) {
            throw new RefusedException(
                    400,
                    "csv must be a field of the answer with a list or a map, got '" + Truncation.text(path, 128)
                            + "' (such as models of /api/v1/models)");
        }
        byte[] text = text(rows(field)).getBytes(StandardCharsets.UTF_8);
        return new Answer(200, TYPE, json.caching(), List.of(ByteBuffer.wrap(text)));
    }

    /** The rows as flat objects. */
    private static ArrayNode rows(JsonNode field) {
        ArrayNode rows = JsonNodeFactory.instance.arrayNode();
        if (field.path("labels").isArray() && field.path("counts").isArray()) {
            matrix(field, rows);
        } else if (field.isObject()) {
            field.properties().forEach(each -> {
                ObjectNode row = rows.addObject().put("name", each.getKey());
                flatten("value", each.getValue(), row);
            });
        } else {
            field.forEach(each -> flatten(each.isObject() ? "" : "value", each, rows.addObject()));
        }
        return rows;
    }

    /** A row for each true label, in it a count for each emitted one; the last ones may be of all other labels. */
    private static void matrix(JsonNode confusion, ArrayNode rows) {
        int labels = confusion.get("labels").size();
        int size = (int) Math.round(Math.sqrt(confusion.get("counts").size()));
        for (int k = 0; k < size; k++) {
            ObjectNode row = rows.addObject().put("label", label(confusion, k, labels));
            for (int column = 0; column < size; column++) {
                row.set(
                        "predicted " + label(confusion, column, labels),
                        confusion.get("counts").get(k * size + column));
            }
        }
    }

    private static String label(JsonNode confusion, int k, int labels) {
        return k < labels ? confusion.get("labels").get(k).asText() : "(other)";
    }

    private static void flatten(String name, JsonNode value, ObjectNode row) {
        if (value.isObject()) {
            value.properties()
                    .forEach(each ->
                            flatten(name.isEmpty() ? each.getKey() : name + "." + each.getKey(), each.getValue(), row));
        } else {
            row.set(name, value);
        }
    }

    private static String text(ArrayNode rows) {
        Set<String> names = new LinkedHashSet<>();
        rows.forEach(row -> row.fieldNames().forEachRemaining(names::add));
        StringBuilder text = new StringBuilder();
        append(text, names.stream().map(Csv::quoted));
        rows.forEach(row -> append(text, names.stream().map(name -> cell(row.path(name)))));
        return text.toString();
    }

    private static void append(StringBuilder text, Stream<String> cells) {
        StringJoiner line = new StringJoiner(",", "", "\r\n");
        cells.forEach(line::add);
        text.append(line);
    }

    private static String cell(JsonNode value) {
        if (value.isMissingNode() || value.isNull()) {
            return "";
        }
        return quoted(value.isArray() ? value.toString() : value.asText());
    }

    /** A text in quotation marks where it needs them; with an apostrophe where a spreadsheet would execute it. */
    private static String quoted(String text) {
        boolean isFormula = !text.isEmpty()
                && "=+-@\t\r".indexOf(text.charAt(0)) >= 0
                && !NUMBER.matcher(text).matches();
        String safe = isFormula ? "'" + text : text;
        return safe.matches("(?s).*[\",\r\n].*") ? "\"" + safe.replace("\"", "\"\"") + "\"" : safe;
    }
}
