package io.perceptronstreams.format;

import java.util.ArrayList;
import java.util.List;

/** Finds the separator of a table in its first lines: a comma, a semicolon, a tab or a vertical bar. */
final class CsvSeparator {
    private static final char[] CANDIDATES = {',', ';', '\t', '|'};

    private CsvSeparator() {}

    /**
     * Returns the separator that splits the rows most often into as many cells as the header; of several, the one with
     * the most cells. A candidate whose header has the column {@code wanted} wins over those without.
     *
     * @param head the first lines; separators in quotation marks do not count
     * @param wanted name of a column, or null
     * @param quote quotation mark, or {@link CsvOptions#NO_QUOTE}
     * @return a comma if no candidate is in the header; null if several are as good
     */
    static Character find(String head, String wanted, char quote) {
        List<Character> best = new ArrayList<>();
        double bestScore = 0;
        for (char candidate : CANDIDATES) {
            List<List<String>> rows = rows(head, candidate, quote);
            int cells = rows.isEmpty() ? 0 : rows.get(0).size();
            if (cells > 1) {
                long equal = rows.stream().filter(row -> row.size() == cells).count();
                double score = (wanted != null && rows.get(0).contains(wanted) ? 1e6 : 0)
                        + 1e3 * equal / rows.size()
                        + Math.min(cells, 999) / 1e3;
                if (score > bestScore) {
                    best.clear();
                }
                if (score >= bestScore) {
                    bestScore = score;
                    best.add(candidate);
                }
            }
        }
        return best.isEmpty() ? (Character) ',' : best.size() == 1 ? best.get(0) : null;
    }

    /**
     * Returns the option with another separator that splits all rows of a text without candidates into as many cells as
     * the header, and their number; null if there is none. Blanks come first, then the sign with the most cells.
     *
     * @param quote quotation mark, or {@link CsvOptions#NO_QUOTE}
     */
    static String otherOption(String head, char quote) {
        int best = filledCells(rows(head, ' ', quote));
        String word = "' '";
        if (best == 0) {
            String text = head.replaceAll("(?m)^[ \\t]+|[ \\t]+$", "").replaceAll("[ \\t]+", " ");
            best = filledCells(rows(text, ' ', quote));
            word = "blanks";
        }
        if (best == 0) {
            String header = head.substring(0, head.indexOf('\n'));
            for (int k = 0; k < header.length(); k++) {
                char c = header.charAt(k);
                int cells = Character.isLetterOrDigit(c) || c == quote || "_.-\r".indexOf(c) >= 0
                        ? 0
                        : cells(rows(head, c, quote));
                if (cells > best) {
                    best = cells;
                    word = c < ' ' ? String.format("$'\\x%02x'", (int) c) : ShellWord.of(String.valueOf(c));
                }
            }
        }
        return best == 0 ? null : "--separator " + word + " reads " + best + " columns";
    }

    /** Number of cells of each row; 0 if they differ or are single, a name is empty, or there is one row. */
    private static int cells(List<List<String>> rows) {
        int cells = rows.get(0).size();
        return rows.size() > 1
                        && cells > 1
                        && !rows.get(0).contains("")
                        && rows.stream().allMatch(row -> row.size() == cells)
                ? cells
                : 0;
    }

    /** The same; 0 if a cell is empty. */
    private static int filledCells(List<List<String>> rows) {
        return rows.stream().noneMatch(row -> row.contains("")) ? cells(rows) : 0;
    }

    /** Splits text into rows of cells; a row that the end may have cut is left out, unless it is the only one. */
    private static List<List<String>> rows(String text, char separator, char quote) {
        List<List<String>> rows = new ArrayList<>();
        List<String> row = new ArrayList<>();
        StringBuilder cell = new StringBuilder();
        boolean isQuoted = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (isQuoted) {
                if (c != quote) {
                    cell.append(c);
                } else if (i + 1 < text.length() && text.charAt(i + 1) == quote) {
                    cell.append(c);
                    i++;
                } else {
                    isQuoted = false;
                }
            } else if (c == quote
                    && quote != CsvOptions.NO_QUOTE
                    && cell.toString().isBlank()) {
                isQuoted = true;
            } else if (c == separator || c == '\n') {
                row.add(cell.toString().strip());
                cell.setLength(0);
                if (c == '\n') {
                    if (row.size() > 1 || !row.get(0).isEmpty()) {
                        rows.add(row);
                    }
                    row = new ArrayList<>();
                }
            } else {
                cell.append(c);
            }
        }
        if (rows.isEmpty()) {
            row.add(cell.toString().strip());
            rows.add(row);
        }
        return rows;
    }
}
