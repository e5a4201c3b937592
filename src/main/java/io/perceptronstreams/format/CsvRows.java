package io.perceptronstreams.format;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.csv.CsvFactory;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The rows of a text with separated values; its separator is found in the first lines. */
final class CsvRows implements Closeable {
    private static final char BYTE_ORDER_MARK = '\ufeff';
    /** A first line of spreadsheets: {@code sep=;}. */
    private static final Pattern SEPARATOR_LINE = Pattern.compile("\"?sep=([^\"\\r\\n])\"?\r?\n");

    private static final int MAX_HEAD_LINES = 100;
    private static final int MAX_HEAD_CHARS = 1 << 20;

    private final String source;
    private final char separator;
    private final CsvParser parser;
    private final List<String> row = new ArrayList<>();
    private long line;
    private long skippedLines;

    /**
     * Finds the separator.
     *
     * @param in UTF-8
     * @param source name of the text in messages
     * @param wanted name of a column of the header, or null
     */
    CsvRows(InputStream in, String source, CsvOptions options, String wanted) throws IOException {
        this.source = source;
        BufferedReader text = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8), 1 << 16);
        text.mark(1);
        if (text.read() != BYTE_ORDER_MARK) {
            text.reset();
        }
        String head = head(text, Math.min(MAX_HEAD_LINES, options.sampleRows() + 1));
        Matcher named = SEPARATOR_LINE.matcher(head);
        if (named.lookingAt()) {
            text.readLine();
            skippedLines = 1;
        }
        this.separator = options.separator() != null
                ? options.separator()
                : skippedLines > 0 ? named.group(1).charAt(0) : found(head, wanted);
        this.parser = CsvFactory.builder()
                .enable(CsvParser.Feature.SKIP_EMPTY_LINES)
                .build()
                .createParser(text);
        parser.setSchema(CsvSchema.emptySchema().withColumnSeparator(separator));
    }

    private static String head(BufferedReader text, int maxLines) throws IOException {
        StringBuilder head = new StringBuilder();
        text.mark(MAX_HEAD_CHARS);
        int lines = 0;
        int c = 0;
        while (lines < maxLines && head.length() < MAX_HEAD_CHARS && (c = text.read()) >= 0) {
            head.append((char) c);
            lines += c == '\n' ? 1 : 0;
        }
        text.reset();
        return c < 0 ? head.append('\n').toString() : head.toString();
    }

    private char found(String head, String wanted) throws MalformedExampleException {
        Character found = CsvSeparator.find(head, wanted);
        if (found == null) {
            throw new MalformedExampleException(
                    source,
                    1,
                    "separator of the cells must be unambiguous, got several that fit (--separator names it, as in"
                            + " --separator ';')");
        }
        return found;
    }

    char separator() {
        return separator;
    }

    /** Number of the line, from 1, on which the last row starts. */
    long line() {
        return line;
    }

    /** The next row that is not empty; null at the end. */
    List<String> next() throws IOException {
        row.clear();
        try {
            if (parser.nextToken() == null) {
                return null;
            }
            for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
                if (row.isEmpty()) {
                    line = skippedLines + parser.currentTokenLocation().getLineNr();
                }
                row.add(parser.getText());
            }
        } catch (JsonProcessingException e) {
            String fault = e.getOriginalMessage().lines().findFirst().orElse("");
            throw new MalformedExampleException(
                    source, row.isEmpty() ? line + 1 : line, "row must be comma-separated values: " + fault);
        }
        return List.copyOf(row);
    }

    @Override
    public void close() throws IOException {
        parser.close();
    }
}
