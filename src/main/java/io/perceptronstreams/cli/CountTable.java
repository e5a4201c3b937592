package io.perceptronstreams.cli;

import io.perceptronstreams.cli.TableLayout.Column;
import io.perceptronstreams.client.EventFormat;
import io.perceptronstreams.client.Terminal;
import io.perceptronstreams.client.TerminalText;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Table with the newest window of each model, updated in place, models with the most examples first. Uses the
 * terminal's alternate screen, so that its previous content is restored.
 */
final class CountTable implements LiveTable {
    static final List<Column> COLUMNS = List.of(
            Column.text("model", 8, 40, 1),
            Column.text("date", 10, 10, 9),
            Column.text("from (UTC)", 10, 10, 4),
            Column.number("seconds", 8, 8),
            Column.number("examples", 9, 5),
            Column.number("errors", 8, 10),
            Column.number("mistakes", 8, 3),
            Column.number("error", 8, 2),
            Column.number("majority", 8, 12),
            Column.number("same", 8, 13),
            Column.number("all examples", 12, 7),
            Column.number("all mistakes", 12, 11),
            Column.number("error so far", 12, 6));

    private static final String ALTERNATE_SCREEN = "\033[?1049h\033[?25l";
    private static final String MAIN_SCREEN = "\033[?25h\033[?1049l";
    private static final String CURSOR_HOME = "\033[H";
    private static final String CLEAR_REST_OF_LINE = "\033[K";
    private static final String CLEAR_BELOW = "\033[J";
    private static final int MAX_WARNINGS = 20;

    private static final DateTimeFormatter DATE = DateTimeFormatter.ISO_LOCAL_DATE.withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss").withZone(ZoneOffset.UTC);

    private final Supplier<Terminal.Size> window;
    private final PrintWriter out;
    private final PrintWriter err;
    private final Map<String, GenericRecord> newest = new HashMap<>();
    private final Deque<String> warnings = new ArrayDeque<>();
    private Terminal.Size shownSize;
    private boolean hasChanged;

    CountTable(Supplier<Terminal.Size> window, PrintWriter out, PrintWriter err) {
        this.window = window;
        this.out = out;
        this.err = err;
    }

    @Override
    public void add(ConsumerRecord<byte[], byte[]> record, GenericRecord event) {
        newest.put(String.valueOf(EventFormat.model(record)), event);
        hasChanged = true;
    }

    @Override
    public void show() {
        Terminal.Size now = window.get();
        if (!hasChanged && now.equals(shownSize)) {
            return;
        }
        out.print((shownSize == null ? ALTERNATE_SCREEN : "") + CURSOR_HOME);
        List<String> lines = lines(newest, now);
        for (int i = 0; i < lines.size(); i++) {
            // no line break after the last line: it would scroll
            out.print(lines.get(i) + CLEAR_REST_OF_LINE + (i < lines.size() - 1 ? "\r\n" : ""));
        }
        out.print(CLEAR_BELOW);
        out.flush();
        shownSize = now;
        hasChanged = false;
    }

    /** The lines of the table for a terminal size: header, rows, and the number of omitted rows. */
    static List<String> lines(Map<String, GenericRecord> newest, Terminal.Size size) {
        TableLayout columns = TableLayout.fit(COLUMNS, size.columns());
        List<String> models = new ArrayList<>(newest.keySet());
        models.sort(
                Comparator.comparing((String model) -> (Long) newest.get(model).get("totalExamples"))
                        .reversed()
                        .thenComparing(Comparator.naturalOrder()));
        int room = Math.max(1, size.rows() - 1);
        int shown = models.size() <= room ? models.size() : Math.max(1, room - 1);
        List<String> lines = new ArrayList<>();
        lines.add(columns.header());
        models.subList(0, shown).forEach(model -> lines.add(columns.row(cells(model, newest.get(model)))));
        if (shown < models.size()) {
            lines.add(TerminalText.truncate("… " + (models.size() - shown) + " more", size.columns()));
        }
        if (models.isEmpty()) {
            lines.add(TerminalText.truncate("(no window has closed yet)", size.columns()));
        }
        return lines;
    }

    private static List<Object> cells(String model, GenericRecord count) {
        Instant start = Instant.ofEpochMilli((Long) count.get("windowStart"));
        long length = (Long) count.get("windowEnd") - (Long) count.get("windowStart");
        return Arrays.asList(
                model,
                DATE.format(start),
                TIME.format(start),
                length % 1000 == 0 ? (Object) (length / 1000) : Double.toString(length / 1e3),
                count.get("examples"),
                count.get("errors"),
                count.get("mistakes"),
                share(count.get("errors"), count.get("labelled")),
                baseline(count, "majorityErrors"),
                baseline(count, "sameErrors"),
                count.get("totalExamples"),
                count.get("totalMistakes"),
                share(count.get("totalErrors"), count.get("totalLabelled")));
    }

    /** Error rate of a baseline in the window. */
    private static String baseline(GenericRecord count, String errors) {
        return count.hasField("metrics") && count.get("metrics") instanceof GenericRecord metrics
                ? share(metrics.get(errors), metrics.get("compared"))
                : "-";
    }

    private static String share(Object errors, Object labelled) {
        return (Long) labelled == 0
                ? "-"
                : String.format(Locale.ROOT, "%.4f", (Long) errors / (double) (Long) labelled);
    }

    @Override
    public void warn(String line) {
        warnings.addLast(line);
        if (warnings.size() > MAX_WARNINGS) {
            warnings.removeFirst();
        }
    }

    @Override
    public void close() {
        if (shownSize != null) {
            out.print(MAIN_SCREEN);
            lines(newest, shownSize).forEach(out::println);
            out.flush();
        }
        warnings.forEach(err::println);
        err.flush();
    }
}
