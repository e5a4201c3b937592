package io.perceptronstreams.monitor;

import io.perceptronstreams.event.ClassCount;
import io.perceptronstreams.event.ConfusionMatrix;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.example.Utf8Slice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.IndexedRecord;

/** Truncates texts, lists and maps of an event to some KiB, so that a limit on events is a limit on memory. */
final class Truncation {
    /** Maximum encoded size of events that need no truncation. */
    static final int HARMLESS_BYTES = 2048;

    /** Labels with a row in the engine's largest confusion matrix, and all others. */
    static final int MAX_CLASSES = 33;

    /** Number of counts of that matrix. */
    static final int MAX_CELLS = MAX_CLASSES * MAX_CLASSES;

    static final int MAX_TEXT = 500;
    static final int MAX_ITEMS = 32;
    /** More than the number of settings of any learner, so that all are kept. */
    static final int MAX_ENTRIES = 64;

    private static final int MAX_ITEM_TEXT = 64;

    // Lengths of both ends of a long item, with the ellipsis MAX_ITEM_TEXT.
    private static final int HEAD = 40;
    private static final int TAIL = MAX_ITEM_TEXT - HEAD - 1;

    private Truncation() {}

    /** Truncates the event in place; truncated texts end with an ellipsis. */
    static void shorten(IndexedRecord event) {
        for (Schema.Field field : event.getSchema().getFields()) {
            event.put(field.pos(), shortened(event.get(field.pos()), MAX_TEXT));
        }
    }

    private static Object shortened(Object value, int maxText) {
        if (value instanceof CharSequence text) {
            return text(text.toString(), maxText);
        }
        if (value instanceof IndexedRecord inner) {
            shorten(inner);
        }
        if (value instanceof List<?> items) {
            List<Object> kept = new ArrayList<>();
            Object first = items.isEmpty() ? null : items.get(0);
            int most = first instanceof Number ? MAX_CELLS : first instanceof IndexedRecord ? MAX_CLASSES : MAX_ITEMS;
            items.stream()
                    .limit(most)
                    .forEach(item -> kept.add(
                            item instanceof CharSequence text
                                    ? name(text.toString())
                                    : shortened(item, MAX_ITEM_TEXT)));
            if (items.size() > MAX_ITEMS && items.get(0) instanceof CharSequence) {
                kept.add("…");
            }
            return kept;
        }
        if (value instanceof Map<?, ?> map) {
            Map<Object, Object> kept = new LinkedHashMap<>();
            map.entrySet().stream()
                    .limit(MAX_ENTRIES)
                    .forEach(entry -> kept.put(
                            text(entry.getKey().toString(), MAX_ITEM_TEXT), shortened(entry.getValue(), MAX_TEXT)));
            return kept;
        }
        return value;
    }

    /** Replaces the labels of a status, in its confusion matrix and its metrics, by their {@link #names}. */
    static void shortenLabels(ModelStatus status) {
        ConfusionMatrix matrix = status.getConfusion();
        if (matrix != null) {
            matrix.setLabels(names(matrix.getLabels()));
        }
        if (status.getMetrics() != null) {
            List<ClassCount> classes = status.getMetrics().getClasses();
            List<String> names =
                    names(classes.stream().map(ClassCount::getLabel).toList());
            for (int k = 0; k < names.size(); k++) {
                classes.get(k).setLabel(names.get(k));
            }
        }
    }

    /** Replaces the middle of a long name by an ellipsis: names with the same beginning often differ at the end. */
    static String name(String text) {
        if (text.length() <= MAX_ITEM_TEXT) {
            return text;
        }
        int head = Character.isHighSurrogate(text.charAt(HEAD - 1)) ? HEAD - 1 : HEAD;
        int tail = text.length() - TAIL;
        return text.substring(0, head) + "…"
                + text.substring(Character.isLowSurrogate(text.charAt(tail)) ? tail + 1 : tail);
    }

    /** Returns the {@link #name} of each class, with a number if an earlier class has the same; null stays null. */
    static List<String> names(List<String> classes) {
        Map<String, Integer> known = new HashMap<>();
        return classes.stream()
                .map(each -> {
                    if (each == null) {
                        return null;
                    }
                    String name = name(each);
                    int number = known.merge(name, 1, Integer::sum);
                    return number == 1 ? name : name + " (" + number + ")";
                })
                .toList();
    }

    /** Truncates a text to at most {@code max} characters and an ellipsis; null stays null. */
    static String text(String text, int max) {
        return text == null ? null : Utf8Slice.shortened(text, max);
    }
}
