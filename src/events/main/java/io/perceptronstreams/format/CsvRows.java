package io.perceptronstreams.format;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The rows of a text with separated values, RFC 4180; the separator is found in the first lines.
 *
 * <p>CR, LF or both end a line. A cell in quotation marks may have separators, line breaks and doubled quotation marks.
 * Behind a row with a misplaced quotation mark, reading continues on its second line.
 */
final class CsvRows implements TableRows {
    private static final char BYTE_ORDER_MARK = '\ufeff';
    /** A first line of spreadsheets: {@code sep=;}. */
    private static final Pattern SEPARATOR_LINE = Pattern.compile("(?i)\"?sep=([^\"])\"?");

    private static final int MAX_HEAD_LINES = 100;
    private static final int MAX_HEAD_CHARS = 1 << 20;
    private static final int MAX_ROW_CHARS = 20_000_000;
    private static final int MAX_SHOWN_CHARS = 30;
    /** No character, and not the end. */
    private static final int NOTHING = -2;

    private record Line(String text, String end) {}

    private final String source;
    private final Consumer<String> notes;
    private final Reader reader;
    private final char separator;
    private final char quote;
    private final boolean isQuoteGiven;
    private final boolean hasHeader;
    private final List<String> header;
    /** The first line, if it is a row that was not returned. */
    private List<String> firstRow;

    private final Deque<Line> ahead = new ArrayDeque<>();
    /** The lines of the current row. */
    private final List<Line> row = new ArrayList<>();

    private final List<String> cells = new ArrayList<>();
    private final char[] buffer = new char[1 << 13];
    private int at;
    private int filled;
    private int pushedBack = NOTHING;
    private long linesRead;
    private long line;
    private boolean isSpanNoted;

    /**
     * Finds the separator and reads the header.
     *
     * @param in UTF-8
     * @param source name of the text in messages
     * @param wanted name of a column of the header, or null
     * @param notes receives remarks for the user
     */
    CsvRows(InputStream in, String source, CsvOptions options, String wanted, Consumer<String> notes)
            throws IOException {
        this.source = source;
        this.notes = notes;
        this.reader = new InputStreamReader(in, StandardCharsets.UTF_8);
        this.isQuoteGiven = options.quote() != null;
        this.quote = isQuoteGiven ? options.quote() : '"';
        int mark = read();
        pushedBack = mark == BYTE_ORDER_MARK ? NOTHING : mark;
        readAhead(Math.min(MAX_HEAD_LINES, options.sampleRows() + 1));
        Matcher named =
                SEPARATOR_LINE.matcher(ahead.isEmpty() ? "" : ahead.peek().text());
        boolean isNamed = named.matches();
        if (isNamed) {
            ahead.remove();
            linesRead = 1;
        }
        this.separator = options.separator() != null
                ? options.separator()
                : isNamed ? named.group(1).charAt(0) : found(head(), wanted);
        this.hasHeader = !Boolean.FALSE.equals(options.hasHeader());
        List<String> first = header(wanted, options.separator() == null && !isNamed);
        if (first != null && !hasHeader) {
            firstRow = first;
            first = IntStream.rangeClosed(1, first.size())
                    .mapToObj(Integer::toString)
                    .toList();
        }
        this.header = first;
    }

    private List<String> header(String wanted, boolean isFound) throws IOException {
        List<String> first;
        try {
            first = next();
        } catch (MalformedExampleException e) {
            throw e.isSkippable() ? e.asEnd() : e;
        }
        if (first != null
                && first.size() == 1
                && isFound
                && !first.get(0).strip().equals(wanted)) {
            String option = CsvSeparator.otherOption(first.get(0) + "\n" + head(), quote);
            if (option != null && wanted != null) {
                throw new MalformedExampleException(
                        source,
                        line,
                        "names of columns must have commas, semicolons, tabs or | between, got '"
                                + CsvColumn.shown(first.get(0)) + "' (" + option + ")");
            } else if (option != null) {
                notes.accept("one column, named '" + CsvColumn.shown(first.get(0)) + "'; " + option);
            }
        }
        return first;
    }

    private void readAhead(int maxLines) throws IOException {
        int chars = 0;
        while (ahead.size() < maxLines && chars < MAX_HEAD_CHARS) {
            Line next = readLine();
            if (next == null) {
                return;
            }
            chars += next.text().length();
            ahead.add(next);
        }
    }

    private String head() {
        return ahead.stream().map(each -> each.text() + "\n").collect(Collectors.joining());
    }

    private char found(String head, String wanted) throws MalformedExampleException {
        Character found = CsvSeparator.find(head, wanted, quote);
        if (found == null) {
            throw new MalformedExampleException(
                    source,
                    1,
                    "separator of the cells must be unambiguous, got several that fit (--separator names it, as in"
                            + " --separator ';')");
        }
        return found;
    }

    @Override
    public List<String> header() {
        return header;
    }

    @Override
    public String separatorName() {
        return switch (separator) {
            case ',' -> "commas";
            case '\t' -> "tabs";
            case CsvOptions.BLANKS -> "blanks";
            default -> "'" + CsvColumn.shown(String.valueOf(separator)) + "'";
        };
    }

    @Override
    public long line() {
        return line;
    }

    @Override
    public boolean hasHeader() {
        return hasHeader;
    }

    @Override
    public List<String> next() throws IOException {
        if (firstRow != null) {
            List<String> first = firstRow;
            firstRow = null;
            return first;
        }
        Line first = nextLine();
        while (first != null && isEmpty(first.text())) {
            first = nextLine();
        }
        if (first == null) {
            return null;
        }
        line = linesRead;
        row.clear();
        row.add(first);
        cells.clear();
        if (separator == CsvOptions.BLANKS) {
            splitAtBlanks(first.text());
        } else if (quote == CsvOptions.NO_QUOTE || first.text().indexOf(quote) < 0) {
            splitPlain(first.text());
        } else {
            splitQuoted();
        }
        return List.copyOf(cells);
    }

    /** A line of blanks only has no cells. */
    private boolean isEmpty(String text) {
        return start(text) == text.length() || (separator == CsvOptions.BLANKS && text.isBlank());
    }

    /**
     * Index of the first character of a line that is no blank; a quotation mark is one only there, or behind a
     * separator.
     */
    private int start(String text) {
        int start = 0;
        while (start < text.length() && text.charAt(start) == ' ') {
            start++;
        }
        return start;
    }

    private void splitPlain(String text) {
        int from = start(text);
        for (int at = text.indexOf(separator, from); at >= 0; at = text.indexOf(separator, from)) {
            cells.add(text.substring(from, at));
            from = at + 1;
        }
        cells.add(text.substring(from));
    }

    /** Cells have blanks and tabs between, as many as there are; a row is a line. */
    private void splitAtBlanks(String text) throws MalformedExampleException {
        int at = 0;
        while (true) {
            while (at < text.length() && isBlank(text.charAt(at))) {
                at++;
            }
            if (at == text.length()) {
                return;
            }
            boolean isQuoted = quote != CsvOptions.NO_QUOTE && text.charAt(at) == quote;
            int end = at + 1;
            StringBuilder cell = new StringBuilder();
            if (isQuoted) {
                for (; end < text.length(); end++) {
                    if (text.charAt(end) != quote) {
                        cell.append(text.charAt(end));
                    } else if (end + 1 < text.length() && text.charAt(end + 1) == quote) {
                        cell.append(quote);
                        end++;
                    } else {
                        break;
                    }
                }
                if (end++ == text.length() || (end < text.length() && !isBlank(text.charAt(end)))) {
                    throw misplaced(text.substring(at));
                }
            } else {
                while (end < text.length() && !isBlank(text.charAt(end))) {
                    end++;
                }
                cell.append(text, at, end);
            }
            cells.add(cell.toString());
            at = end;
        }
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    private void splitQuoted() throws IOException {
        String text = row.get(0).text();
        int at = start(text);
        while (at <= text.length()) {
            int start = at;
            if (start == text.length() || text.charAt(start) != quote) {
                int end = text.indexOf(separator, start);
                end = end < 0 ? text.length() : end;
                cells.add(text.substring(start, end));
                at = end + 1;
                continue;
            }
            StringBuilder cell = new StringBuilder();
            int i = start + 1;
            String opened = text.substring(start);
            while (true) {
                int close = text.indexOf(quote, i);
                if (close < 0) {
                    cell.append(text, i, text.length())
                            .append(row.get(row.size() - 1).end());
                    text = continued(cell.length(), opened);
                    i = 0;
                } else {
                    cell.append(text, i, close);
                    i = close + 1;
                    if (i == text.length() || text.charAt(i) != quote) {
                        break;
                    }
                    cell.append(quote);
                    i++;
                }
            }
            while (i < text.length() && text.charAt(i) <= ' ' && text.charAt(i) != separator) {
                i++;
            }
            if (i < text.length() && text.charAt(i) != separator) {
                pushBack();
                throw misplaced(opened);
            }
            cells.add(cell.toString());
            at = i + 1;
        }
        if (row.size() > 1) {
            checkSpan();
        }
    }

    /** The next line of a quoted cell. */
    private String continued(int chars, String opened) throws IOException {
        Line next = chars > MAX_ROW_CHARS ? null : nextLine();
        if (next == null) {
            pushBack();
            throw malformed("quotation mark must be closed"
                    + (chars > MAX_ROW_CHARS ? String.format(Locale.ROOT, " within %,d characters", MAX_ROW_CHARS) : "")
                    + ", got " + shown(opened) + asText());
        }
        row.add(next);
        return next.text();
    }

    /** Lets the other lines of a malformed row be rows of their own. */
    private void pushBack() {
        for (int i = row.size() - 1; i > 0; i--) {
            ahead.addFirst(row.get(i));
            linesRead--;
        }
    }

    private MalformedExampleException misplaced(String cell) {
        return malformed("quotation marks must enclose whole cells, got " + shown(cell) + asText());
    }

    /** The option that reads the first line of the row, or the rule that makes it valid. */
    private String asText() {
        String mark = "quotation mark" + (quote == '"' ? "" : " " + quote);
        return header != null
                        && isRow(row.get(0).text())
                        && !hasQuotedCell(row.get(0).text())
                ? " (--quote none takes quotation marks as text)"
                : " (double each " + mark + " within a cell)";
    }

    /** Returns true if a line has the cells of the header where quotation marks are text. */
    private boolean isRow(String text) {
        return header.size() > 1
                && text.chars().filter(c -> c == separator).count() == header.size() - 1
                && separator != CsvOptions.BLANKS;
    }

    /** Returns true if a line has another cell that is in quotation marks, which would be text without the mark. */
    private boolean hasQuotedCell(String text) {
        return Arrays.stream(text.split(Pattern.quote(String.valueOf(separator)), -1))
                .map(String::strip)
                .anyMatch(cell ->
                        cell.length() > 1 && cell.charAt(0) == quote && cell.indexOf(quote, 1) == cell.length() - 1);
    }

    /**
     * A cell of several lines, each of which is a row by itself, is more likely text with quotation marks.
     *
     * @throws MalformedExampleException in this case
     */
    private void checkSpan() throws MalformedExampleException {
        if (header == null || isQuoteGiven) {
            return;
        }
        long last = line + row.size() - 1;
        if (row.stream().map(Line::text).allMatch(text -> text.isBlank() || isRow(text))) {
            pushBack();
            throw malformed(String.format(
                    Locale.ROOT,
                    "quotation marks must enclose cells, got a cell of lines %d to %d, each of which is a row of %d cells"
                            + " itself (%s, --quote '\"' reads the cell)",
                    line,
                    last,
                    header.size(),
                    row.stream().map(Line::text).anyMatch(this::hasQuotedCell)
                            ? "double a quotation mark that is text"
                            : "--quote none takes quotation marks as text"));
        }
        if (!isSpanNoted) {
            isSpanNoted = true;
            notes.accept(String.format(
                    Locale.ROOT,
                    "a cell in quotation marks goes from line %d to %d; --quote none takes quotation marks as text",
                    line,
                    last));
        }
    }

    private static String shown(String cell) {
        return "'"
                + CsvColumn.shown(cell.length() <= MAX_SHOWN_CHARS ? cell : cell.substring(0, MAX_SHOWN_CHARS) + "…")
                + "'";
    }

    private MalformedExampleException malformed(String message) {
        return new MalformedExampleException(source, line, message, true);
    }

    private Line nextLine() throws IOException {
        Line next = ahead.isEmpty() ? readLine() : ahead.remove();
        linesRead += next == null ? 0 : 1;
        return next;
    }

    private Line readLine() throws IOException {
        StringBuilder text = new StringBuilder();
        int c = read();
        if (c < 0) {
            return null;
        }
        while (c >= 0 && c != '\n' && c != '\r') {
            text.append((char) c);
            if (text.length() > MAX_ROW_CHARS) {
                throw new MalformedExampleException(
                        source,
                        linesRead + ahead.size() + 1,
                        String.format(Locale.ROOT, "line must have at most %,d characters", MAX_ROW_CHARS));
            }
            c = read();
        }
        if (c == '\r') {
            int next = read();
            if (next != '\n') {
                pushedBack = next;
                return new Line(text.toString(), "\r");
            }
            return new Line(text.toString(), "\r\n");
        }
        return new Line(text.toString(), c < 0 ? "" : "\n");
    }

    /** Reads a character, or takes the one that was read too early; -1 at the end. */
    private int read() throws IOException {
        if (pushedBack != NOTHING) {
            int c = pushedBack;
            pushedBack = NOTHING;
            return c;
        }
        if (at == filled) {
            filled = Math.max(0, reader.read(buffer, 0, buffer.length));
            at = 0;
        }
        return filled == 0 ? -1 : buffer[at++];
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
