package io.perceptronstreams.cli;

import io.perceptronstreams.client.EventFormat;
import io.perceptronstreams.event.Metrics;
import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.event.MistakeCount;
import io.perceptronstreams.event.MistakeKind;
import io.perceptronstreams.serde.Topic;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Locale;
import org.apache.avro.generic.IndexedRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Table of mistakes or of counting windows on a terminal: a row for each event, with its most important fields. */
enum EventTable {
    MISTAKES("%-12s  %-16s  %-16s  %-8s  %-12s  %-12s  %11s  %9s") {
        @Override
        String header() {
            return format("time (UTC)", "model", "example", "kind", "label", "predicted", "score", "mistakes");
        }

        @Override
        String row(ConsumerRecord<byte[], byte[]> record, IndexedRecord event) {
            Mistake mistake = (Mistake) event;
            return format(
                    MILLIS.format(Instant.ofEpochMilli(record.timestamp())),
                    EventFormat.model(record),
                    mistake.getExampleId(),
                    mistake.getKind() == MistakeKind.MISTAKE ? "mistake" : "margin",
                    mistake.getLabel(),
                    mistake.getPredicted(),
                    String.format(Locale.ROOT, "%.5g", mistake.getScore()),
                    mistake.getMistakes());
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
        String row(ConsumerRecord<byte[], byte[]> record, IndexedRecord event) {
            MistakeCount count = (MistakeCount) event;
            Metrics metrics = count.getMetrics();
            return format(
                    SECONDS.format(count.getWindowStart()),
                    EventFormat.model(record),
                    count.getExamples(),
                    count.getErrors(),
                    count.getMistakes(),
                    rate(count.getErrors(), count.getLabelled()),
                    metrics == null ? null : rate(metrics.getMajorityErrors(), metrics.getCompared()),
                    metrics == null ? null : rate(metrics.getSameErrors(), metrics.getCompared()),
                    count.getTotalExamples(),
                    rate(count.getTotalErrors(), count.getTotalLabelled()));
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

    abstract String row(ConsumerRecord<byte[], byte[]> record, IndexedRecord event);

    /** Formats a row; prints - for null. */
    String format(Object... cells) {
        Arrays.setAll(cells, k -> cells[k] == null ? "-" : cells[k]);
        return String.format(Locale.ROOT, format, cells);
    }

    private static String rate(long errors, long labelled) {
        return labelled == 0 ? "-" : String.format(Locale.ROOT, "%.4f", errors / (double) labelled);
    }
}
