package io.perceptronstreams.client;

import io.perceptronstreams.event.ConfusionMatrix;
import io.perceptronstreams.example.Utf8Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats a confusion matrix as a table: a row for each true label, a column for each emitted one. */
public final class ConfusionTable {
    private static final int MAX_WIDTH = 15;

    private ConfusionTable() {}

    /** Formats a matrix, row by row; the last row and column are all other labels if there are more of them. */
    public static List<String> lines(ConfusionMatrix confusion) {
        List<Long> counts = confusion.getCounts();
        List<String> labels = new ArrayList<>();
        confusion.getLabels().forEach(name -> labels.add(Utf8Slice.shortened(TerminalText.sanitize(name), MAX_WIDTH)));
        if (counts.size() > labels.size() * labels.size()) {
            labels.add("(other)");
        }
        int width = 1
                + counts.stream()
                        .mapToInt(count -> count.toString().length())
                        .max()
                        .orElse(0);
        int first = "label".length();
        for (String label : labels) {
            width = Math.max(width, label.length() + 1);
            first = Math.max(first, label.length());
        }
        List<String> lines = new ArrayList<>();
        lines.add(row(first, "label", width, labels));
        for (int row = 0; row < labels.size(); row++) {
            int from = row * labels.size();
            lines.add(row(first, labels.get(row), width, counts.subList(from, from + labels.size())));
        }
        if (confusion.getOtherErrors() > 0) {
            lines.add("errors between other labels: " + confusion.getOtherErrors());
        }
        return lines;
    }

    private static String row(int first, String head, int width, List<?> cells) {
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-" + first + "s", head));
        cells.forEach(cell -> line.append(String.format(Locale.ROOT, "%" + width + "s", cell)));
        return line.toString();
    }
}
