package io.perceptronstreams.cli;

import io.perceptronstreams.client.Columns;
import io.perceptronstreams.client.EventFormat;
import io.perceptronstreams.event.Metrics;
import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.event.MistakeCount;
import io.perceptronstreams.event.MistakeKind;
import io.perceptronstreams.serde.Topic;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.function.ToLongFunction;
import org.apache.avro.generic.IndexedRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Tables of mistakes and of counting windows on a terminal: a row for each event, with its most important fields. */
final class EventTable {
    private static final DateTimeFormatter MILLIS =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSS").withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter SECONDS =
            DateTimeFormatter.ofPattern("HH:mm:ss").withZone(ZoneOffset.UTC);

    private static final Columns<Row<Mistake>> MISTAKES = new Columns<Row<Mistake>>()
            .add("time (UTC)", "%-12s", row -> MILLIS.format(Instant.ofEpochMilli(row.record.timestamp())))
            .add("model", "  %-16s", row -> EventFormat.model(row.record))
            .add("example", "  %-16s", row -> row.event.getExampleId())
            .add("kind", "  %-8s", row -> kind(row.event))
            .add("label", "  %-12s", row -> row.event.getLabel())
            .add("predicted", "  %-12s", row -> row.event.getPredicted())
            .add("score", "  %11.5g", row -> row.event.getScore())
            .add("mistakes", "  %9d", row -> row.event.getMistakes());

    private static final Columns<Row<MistakeCount>> COUNTS = new Columns<Row<MistakeCount>>()
            .add("from (UTC)", "%-10s", row -> SECONDS.format(row.event.getWindowStart()))
            .add("model", "  %-16s", row -> EventFormat.model(row.record))
            .add("examples", "  %9d", row -> row.event.getExamples())
            .add("errors", "  %8d", row -> row.event.getErrors())
            .add("mistakes", "  %8d", row -> row.event.getMistakes())
            .add("error", "  %8.4f", row -> rate(row.event.getErrors(), row.event.getLabelled()))
            .add("majority", "  %8.4f", row -> baseline(row.event.getMetrics(), Metrics::getMajorityErrors))
            .add("same", "  %8.4f", row -> baseline(row.event.getMetrics(), Metrics::getSameErrors))
            .add("all examples", "  %12d", row -> row.event.getTotalExamples())
            .add("error so far", "  %12.4f", row -> rate(row.event.getTotalErrors(), row.event.getTotalLabelled()));

    private EventTable() {}

    /** An event and its record. */
    record Row<E>(ConsumerRecord<byte[], byte[]> record, E event) {}

    /** Returns the table of a topic; null if it has none. */
    @SuppressWarnings("unchecked") // all events of a topic have its type
    static Columns<Row<IndexedRecord>> of(Topic topic) {
        Columns<?> table = topic == Topic.MISTAKES ? MISTAKES : topic == Topic.COUNTS ? COUNTS : null;
        return (Columns<Row<IndexedRecord>>) table;
    }

    private static String kind(Mistake event) {
        if (event.getCorrects() != null) {
            return "revised";
        }
        return event.getKind() == MistakeKind.MISTAKE ? "mistake" : "margin";
    }

    /** Error rate of a baseline; null where nothing was compared. */
    private static Double baseline(Metrics metrics, ToLongFunction<Metrics> errors) {
        return metrics == null ? null : rate(errors.applyAsLong(metrics), metrics.getCompared());
    }

    private static Double rate(long errors, long labelled) {
        return labelled == 0 ? null : (Double) (errors / (double) labelled);
    }
}
