package io.perceptronstreams.serde;

import io.perceptronstreams.example.SimilarName;
import io.perceptronstreams.example.Utf8Slice;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.avro.Schema;

/**
 * Fields of a writer's schema that an event does not have, which Avro's resolution ignores without a word.
 *
 * <p>A later version of an event may have more fields: these are ignored, and named. But a record of another namespace
 * is no version of ours, a field that resembles one of ours in its place is misspelt, and {@code timestamp} would be
 * taken for the event time, as in JSON: these are faults.
 */
final class UnknownFields {
    private static final int MAX_SHOWN = 80;

    private final String namespace;
    private final List<String> ignored = new ArrayList<>();
    private String fault;

    private UnknownFields(String namespace) {
        this.namespace = namespace;
    }

    /** Compares the schema of a writer with the one of an event. */
    static UnknownFields of(Schema writer, Schema own) {
        UnknownFields found = new UnknownFields(own.getNamespace());
        found.compare(writer, own, "", new HashSet<>());
        return found;
    }

    /** The rule that the schema breaks, such as {@code have fields of …}; null if it breaks none. */
    String fault() {
        return fault;
    }

    /** Paths of the fields that are ignored. */
    List<String> ignored() {
        return ignored;
    }

    private void compare(Schema writer, Schema own, String path, Set<String> visited) {
        if (branches(writer).anyMatch(UnknownFields::isDecimal)
                && branches(own).anyMatch(each -> each.getType() == Schema.Type.STRING)) {
            // Avro would read them as UTF-8: of decimals, ids of different numbers would be the same text
            String rule = "have a text or a number as " + path.substring(0, Math.max(0, path.length() - 1));
            fault = fault != null ? fault : rule + ", got bytes of a decimal (write it as a text or a double)";
        } else if (own.isUnion() || writer.isUnion()) {
            branches(writer)
                    .forEach(branch -> branches(own)
                            .filter(each -> each.getType() == branch.getType() && isNamedAlike(each, branch))
                            .forEach(each -> compare(branch, each, path, visited)));
        } else if (writer.getType() != own.getType()) {
            return;
        } else if (writer.getType() == Schema.Type.ARRAY) {
            compare(writer.getElementType(), own.getElementType(), path, visited);
        } else if (writer.getType() == Schema.Type.RECORD && visited.add(path + "/" + writer.getFullName())) {
            for (Schema.Field field : writer.getFields()) {
                Schema.Field known = own.getField(field.name());
                if (known != null) {
                    compare(field.schema(), known.schema(), path + field.name() + ".", visited);
                } else if (own.getFields().stream()
                        .noneMatch(each -> each.aliases().contains(field.name()))) {
                    unknown(field.name(), writer, own, path);
                }
            }
        }
    }

    private static Stream<Schema> branches(Schema schema) {
        return schema.isUnion() ? schema.getTypes().stream() : Stream.of(schema);
    }

    private static boolean isDecimal(Schema schema) {
        return schema.getType() == Schema.Type.BYTES && "decimal".equals(schema.getProp("logicalType"));
    }

    private static boolean isNamedAlike(Schema one, Schema other) {
        return one.getType() != Schema.Type.RECORD || one.getName().equals(other.getName());
    }

    private void unknown(String name, Schema writer, Schema own, String path) {
        String shown = "'" + Utf8Slice.shortened(path + name, MAX_SHOWN) + "'";
        List<String> known = own.getFields().stream().map(Schema.Field::name).toList();
        // a short name such as id resembles too many others
        List<String> missing = known.stream()
                .filter(each -> writer.getField(each) == null && (each.length() > 2 || each.equalsIgnoreCase(name)))
                .toList();
        String meant = SimilarName.of(name, missing).orElse(null);
        String rule = "have fields of " + known + ", got " + shown;
        if (fault != null) {
            return;
        }
        if (meant != null) {
            fault = rule + " (call it '" + meant + "')";
        } else if (name.equals("timestamp") && path.isEmpty()) {
            fault = rule + " (in Avro the timestamp of the record is the event time: leave the field out)";
        } else if (!namespace.equals(writer.getNamespace())) {
            fault = rule + " (values belong into features; or leave it out, as it is not learned)";
        } else {
            ignored.add(path + name);
        }
    }
}
