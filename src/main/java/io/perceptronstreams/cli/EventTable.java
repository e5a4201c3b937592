package io.perceptronstreams.cli;

import io.perceptronstreams.client.EventFormat;
import io.perceptronstreams.serde.Topic;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Locale;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Table of mistakes or of counting windows on a terminal: a row for each event, with its most important fields. */
enum EventTable {
    MISTAKES("%-12s  %-16s  %-16s  %-8s  %-12s  %-12s  %11s  %9s") {
        @Override
        String header() {
            return format("time (UTC)", "model", "example", "kind", "label", "predicted", "score", "mistakes");
        }

        @Override
        String row(ConsumerRecord<byte[], byte[]> record, GenericRecord mistake) {
            return format(
                    MILLIS.format(Instant.ofEpochMilli(record.timestamp())),
                    EventFormat.model(record),
                    mistake.get("exampleId"),
                    mistake.get("kind").toString().equals("MISTAKE") ? "mistake" : "margin",
                    mistake.get("label"),
                    mistake.get("predicted"),
                    String.format(Locale.ROOT, "%.5g", (Double) mistake.get("score")),
                    mistake.get("mistakes"));
        }
    },
    COUNTS("%-10s  %-16s  %9s  %8s  %8s  %8s  %8s  %8s  %12s  %12s") {
        @Override
        String header() {
            return format(
                    "from (UTC)",
                    "model",
                    "examples",
                    "errors",
                    "mistakes",
                    "error",
                    "majority",
                    "same",
                    "all examples",
                    "error so far");
        }

        @Override
        String row(ConsumerRecord<byte[], byte[]> record, GenericRecord count) {
            return format(
                    SECONDS.format(Instant.ofEpochMilli((Long) count.get("windowStart"))),
                    EventFormat.model(record),
                    count.get("examples"),
                    count.get("errors"),
                    count.get("mistakes"),
                    rate(count.get("errors"), count.get("labelled")),
                    baseline(count, "majorityErrors"),
                    baseline(count, "sameErrors"),
                    count.get("totalExamples"),
                    rate(count.get("totalErrors"), count.get("totalLabelled")));
        }
    };

    private static final DateTimeFormatter MILLIS =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSS").withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter SECONDS =
            DateTimeFormatter.ofPattern("HH:mm:ss").withZone(ZoneOffset.UTC);

    private final String format;

    EventTable(String format) {
        this.format = format;
    }

    /** Returns the table of a topic; null if it has none. */
    static EventTable of(Topic topic) {
        return topic == Topic.MISTAKES ? MISTAKES : topic == Topic.COUNTS ? COUNTS : null;
    }

    abstract String header();

    abstract String row(ConsumerRecord<byte[], byte[]> record, GenericRecord event);

    /** Formats a row; prints - for null. */
    String format(Object... cells) {
        Arrays.setAll(cells, k -> cells[k] == null ? "-" : cells[k]);
        return String.format(Locale.ROOT, format, cells);
    }

    /** Error rate of a baseline in the window. */
    private static String baseline(GenericRecord count, String errors) {
        return count.hasField("metrics") && count.get("metrics") instanceof GenericRecord metrics
                ? rate(metrics.get(errors), metrics.get("compared"))
                : "-";
    }

    private static String rate(Object errors, Object labelled) {
        return (Long) labelled == 0
                ? "-"
                : String.format(Locale.ROOT, "%.4f", (Long) errors / (double) (Long) labelled);
    }
}
