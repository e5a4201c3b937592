package io.perceptronstreams.monitor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.perceptronstreams.access.ModelPattern;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/** Filters, sorts and pages the table of models. */
final class ModelTable {
    /** Sort keys; rows without the value come last in both directions. */
    static final Map<String, Function<Row, Comparable<?>>> KEYS = keys();

    /** A model and the number of dead letters with its name as key. */
    record Row(ModelView model, long deadLetters) {}

    /** One page. */
    record Page(int total, int offset, int limit, long droppedModels, List<ObjectNode> models) {}

    private ModelTable() {}

    private static Map<String, Function<Row, Comparable<?>>> keys() {
        Map<String, Function<Row, Comparable<?>>> keys = new TreeMap<>();
        keys.put("name", row -> row.model().name());
        keys.put("algorithm", row -> row.model().status().getAlgorithm());
        keys.put("state", row -> row.model().status().getState().toString());
        keys.put("examples", row -> row.model().status().getExamples());
        keys.put("labelled", row -> row.model().status().getLabelled());
        keys.put("errors", row -> row.model().status().getErrors());
        keys.put("mistakes", row -> row.model().status().getMistakes());
        keys.put("errorRate", row -> row.model().errorRate());
        keys.put("kappa", row -> row.model().kappa());
        keys.put("windowError", row -> row.model().windowError());
        keys.put("examplesPerSecond", row -> row.model().examplesPerSecond());
        keys.put("deadLetters", Row::deadLetters);
        keys.put("lastActive", row -> row.model().lastActive());
        return keys;
    }

    /**
     * Selection of rows.
     *
     * @param visible models; others are neither shown nor counted
     * @param names of the only rows; empty for all
     * @param search part of the name, case-insensitive; empty for all
     * @param state of the models; null for all
     * @param sort one of {@link #KEYS}
     */
    record Query(
            ModelPattern visible,
            Set<String> names,
            String search,
            String state,
            String sort,
            boolean isDescending,
            int offset,
            int limit) {
        /** Returns a page of the rows. */
        Page page(List<Row> rows, long droppedModels) {
            String part = search.toLowerCase(Locale.ROOT);
            List<Row> found = rows.stream()
                    .filter(row -> visible.matches(row.model().name()))
                    .filter(row -> names.isEmpty() || names.contains(row.model().name()))
                    .filter(row -> row.model().name().toLowerCase(Locale.ROOT).contains(part))
                    .filter(row -> state == null
                            || state.equals(row.model().status().getState().toString()))
                    .sorted(order(KEYS.get(sort), isDescending))
                    .toList();
            List<ObjectNode> page = found.stream()
                    .skip(offset)
                    .limit(limit)
                    .map(row -> row.model().row(row.deadLetters()))
                    .toList();
            return new Page(found.size(), offset, limit, droppedModels, page);
        }
    }

    @SuppressWarnings("unchecked") // a column has values of one type
    private static Comparator<Row> order(Function<Row, Comparable<?>> key, boolean isDescending) {
        Comparator<Comparable<Object>> values = isDescending
                ? Comparator.<Comparable<Object>>reverseOrder()
                : Comparator.<Comparable<Object>>naturalOrder();
        return Comparator.comparing((Row row) -> (Comparable<Object>) key.apply(row), Comparator.nullsLast(values))
                .thenComparing(row -> row.model().name());
    }
}
