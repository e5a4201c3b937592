package io.perceptronstreams.monitor;

import io.perceptronstreams.monitor.ModelView.Summary;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Filters, sorts and pages the table of models. */
final class ModelTable {
    /** Sort keys; rows without the value come last in both directions. */
    static final Map<String, Function<Summary, Comparable<?>>> KEYS = keys();

    /** One page. */
    record Page(int total, int offset, int limit, long droppedModels, List<Summary> models) {}

    private ModelTable() {}

    private static Map<String, Function<Summary, Comparable<?>>> keys() {
        Map<String, Function<Summary, Comparable<?>>> keys = new TreeMap<>();
        keys.put("name", Summary::name);
        keys.put("algorithm", Summary::algorithm);
        keys.put("state", Summary::state);
        keys.put("examples", Summary::examples);
        keys.put("labelled", Summary::labelled);
        keys.put("errors", Summary::errors);
        keys.put("mistakes", Summary::mistakes);
        keys.put("errorRate", Summary::errorRate);
        keys.put("windowError", Summary::windowError);
        keys.put("examplesPerSecond", Summary::examplesPerSecond);
        keys.put("deadLetters", Summary::deadLetters);
        keys.put("lastActive", Summary::lastActive);
        return keys;
    }

    /**
     * Returns a page of the rows.
     *
     * @param name of the only row; null for all
     * @param search part of the name, case-insensitive; empty for all
     * @param state of the models; null for all
     * @param sort one of {@link #KEYS}
     */
    static Page page(
            List<Summary> rows,
            String name,
            String search,
            String state,
            String sort,
            boolean isDescending,
            int offset,
            int limit,
            long droppedModels) {
        String part = search.toLowerCase(Locale.ROOT);
        List<Summary> found = rows.stream()
                .filter(row -> name == null || name.equals(row.name()))
                .filter(row -> row.name().toLowerCase(Locale.ROOT).contains(part))
                .filter(row -> state == null || state.equals(row.state()))
                .sorted(order(KEYS.get(sort), isDescending))
                .toList();
        List<Summary> page = found.stream().skip(offset).limit(limit).toList();
        return new Page(found.size(), offset, limit, droppedModels, page);
    }

    @SuppressWarnings("unchecked") // a column has values of one type
    private static Comparator<Summary> order(Function<Summary, Comparable<?>> key, boolean isDescending) {
        Comparator<Comparable<Object>> values = isDescending
                ? Comparator.<Comparable<Object>>reverseOrder()
                : Comparator.<Comparable<Object>>naturalOrder();
        return Comparator.comparing((Summary row) -> (Comparable<Object>) key.apply(row), Comparator.nullsLast(values))
                .thenComparing(Summary::name);
    }
}
