package io.perceptronstreams.format;

import io.perceptronstreams.example.FeatureRules;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Namespaces of the features of columns: in namespace {@code user}, the column {@code age} is the feature
 * {@code user^age}.
 *
 * @param byColumn the namespace of each named column
 */
public record ColumnNamespaces(Map<String, String> byColumn) {
    /** No column has a namespace of its own. */
    public static final ColumnNamespaces NONE = new ColumnNamespaces(Map.of());

    /** Keeps an unmodifiable copy. */
    public ColumnNamespaces {
        byColumn = Collections.unmodifiableMap(new LinkedHashMap<>(byColumn));
    }

    /**
     * Parses {@code NAMESPACE=COLUMN,COLUMN…} each.
     *
     * @throws IllegalArgumentException if one is of another form, or a column is there twice
     */
    public static ColumnNamespaces parse(List<String> texts) {
        Map<String, String> found = new LinkedHashMap<>();
        for (String text : texts) {
            int equals = text.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("must be NAMESPACE=COLUMN,COLUMN, got '" + text + "'");
            }
            String namespace = namespace(text.substring(0, equals));
            for (String column : text.substring(equals + 1).split(",", -1)) {
                String before = found.putIfAbsent(column.strip(), namespace);
                if (column.isBlank()) {
                    throw new IllegalArgumentException("must name columns, got an empty name in '" + text + "'");
                }
                if (before != null) {
                    throw new IllegalArgumentException("must name each column once, got '" + column.strip() + "' in '"
                            + before + "' and '" + namespace + "'");
                }
            }
        }
        return new ColumnNamespaces(found);
    }

    private static String namespace(String text) {
        try {
            List<String> names = FeatureRules.parseNamespaces(text);
            if (names.size() == 1) {
                return names.get(0);
            }
            throw new IllegalArgumentException("one name expected");
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "must have a namespace without blanks and * , ^ before =, got '" + text + "'", e);
        }
    }

    /** The name of the feature of a column. */
    String feature(String column) {
        String namespace = byColumn.get(column);
        return namespace == null ? column : namespace + "^" + column;
    }
}
