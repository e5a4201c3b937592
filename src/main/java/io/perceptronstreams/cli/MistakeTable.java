package io.perceptronstreams.cli;

import io.perceptronstreams.cli.TableLayout.Column;
import io.perceptronstreams.client.EventFormat;
import io.perceptronstreams.client.Terminal;
import io.perceptronstreams.client.TerminalText;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Table of mistakes, newest at the bottom; repeats the header before it scrolls out, and when the window changes. */
final class MistakeTable implements LiveTable {
    static final List<Column> COLUMNS = List.of(
            Column.text("date", 10, 10, 13),
            Column.text("time (UTC)", 12, 12, 5),
            Column.text("model", 8, 12, 40, 1),
            Column.text("example", 8, 16, 40, 4),
            Column.text("kind", 7, 8, 8),
            Column.text("label", 7, 12, 20, 2),
            Column.text("predicted", 9, 12, 20, 3),
            Column.number("score", 11, 6),
            Column.number("margin", 11, 9),
            Column.number("mistakes", 9, 7),
            Column.number("examples", 11, 10),
            Column.number("updates", 11, 11),
            Column.number("|w|", 11, 12));

    private static final DateTimeFormatter DATE = DateTimeFormatter.ISO_LOCAL_DATE.withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSS").withZone(ZoneOffset.UTC);

    private final Supplier<Terminal.Size> window;
    private final PrintWriter out;
    private final PrintWriter err;
    private TableLayout columns;
    private Terminal.Size size;
    private int rows;

    MistakeTable(Supplier<Terminal.Size> window, PrintWriter out, PrintWriter err) {
        this.window = window;
        this.out = out;
        this.err = err;
    }

    @Override
    public void add(ConsumerRecord<byte[], byte[]> record, GenericRecord event) {
        Terminal.Size now = window.get();
        if (!now.equals(size) || rows >= now.rows() - 2) {
            printHeader(now);
        }
        rows++;
        out.println(columns.row(cells(record, event)));
    }

    @Override
    public void addDetail(List<String> lines) {
        for (String line : lines) {
            out.println(TerminalText.columns(line) < size.columns() ? line : line.substring(0, size.columns() - 1));
        }
        rows += lines.size();
    }

    private void printHeader(Terminal.Size now) {
        size = now;
        columns = TableLayout.fit(COLUMNS, now.columns());
        rows = 0;
        out.println(columns.header());
    }

    /** One cell for each of {@link #COLUMNS}. */
    static List<Object> cells(ConsumerRecord<byte[], byte[]> record, GenericRecord event) {
        Instant time = Instant.ofEpochMilli(record.timestamp());
        // Arrays.asList permits null: key and prediction may be missing
        return Arrays.asList(
                DATE.format(time),
                TIME.format(time),
                EventFormat.model(record),
                event.get("exampleId"),
                event.get("kind").toString().equals("MISTAKE") ? "mistake" : "margin",
                event.get("label"),
                event.get("predicted"),
                number(event.get("score")),
                number(event.get("margin")),
                event.get("mistakes"),
                event.get("examples"),
                event.get("updates"),
                number(event.get("weightNorm")));
    }

    private static String number(Object value) {
        return String.format(Locale.ROOT, "%.5g", (Double) value);
    }

    @Override
    public void show() {
        if (size == null) {
            printHeader(window.get());
        }
        out.flush();
    }

    @Override
    public void warn(String line) {
        err.println(line);
        err.flush();
        rows++;
    }

    @Override
    public void close() {
        out.flush();
    }
}
