package io.perceptronstreams.cli;

import io.perceptronstreams.client.Columns;
import io.perceptronstreams.client.EventFormat;
import io.perceptronstreams.client.ShutdownSignal;
import io.perceptronstreams.client.TerminalText;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.deadletters.DeadLetterFormat;
import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.event.Prediction;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.Topic;
import java.io.PrintWriter;
import java.util.List;
import org.apache.avro.generic.IndexedRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.WakeupException;

/**
 * Prints the records of an output topic up to a limit or until shutdown: predictions as a table, on a terminal also
 * mistakes and counts.
 */
public final class TopicWatcher {
    private final Topic topic;
    private final String model;
    private final long limit;
    private final boolean isJson;
    private final boolean isTerminal;
    /** Null for lines. */
    private final Columns<EventTable.Row<IndexedRecord>> table;

    private final ProgressiveLoss loss = new ProgressiveLoss();
    private boolean isExplained;
    private Prediction latest;
    private long printed;

    /**
     * @param model null for all
     * @param limit maximum number of records to print
     * @param isTerminal whether standard output is a terminal
     */
    public TopicWatcher(Topic topic, String model, long limit, boolean isJson, boolean isTerminal) {
        this.topic = topic;
        this.model = model;
        this.limit = limit;
        this.isJson = isJson;
        this.isTerminal = isTerminal;
        this.table = isTerminal && !isJson ? EventTable.of(topic) : null;
    }

    /** Prints the evidence of each mistake after it. */
    public TopicWatcher explained() {
        isExplained = true;
        return this;
    }

    public void run(EngineConfig config, boolean isFromBeginning, PrintWriter out, PrintWriter err) {
        try (SchemaRegistry registry = SchemaRegistries.of(config.registry());
                TopicScan tail = TopicScan.open(config, config.topic(topic));
                ShutdownSignal stop = new ShutdownSignal(tail::wakeup)) {
            if (isFromBeginning) {
                tail.fromBeginning();
            }
            run(tail, topic == Topic.DEAD_LETTERS ? null : EventReader.of(topic, registry), stop, out, err);
            out.flush();
        }
    }

    /**
     * Prints the records of a tail up to the limit or until shutdown.
     *
     * @param events null for dead letters
     */
    public void run(
            TopicScan tail,
            EventReader<? extends IndexedRecord> events,
            ShutdownSignal stop,
            PrintWriter out,
            PrintWriter err) {
        boolean isLoss = topic == Topic.PREDICTIONS && !isJson;
        if (isLoss && model == null) {
            err.println("all models in one table; --model MODEL shows one");
            err.flush();
        }
        if (isLoss || table != null) {
            out.println(isLoss ? loss.header() : table.header());
            out.flush();
        }
        tail.reportingGaps(gap -> warn(err, gap.toString()));
        try {
            // checkError is also true when a pipe is closed, as by head
            while (printed < limit && !stop.isRequested() && !out.checkError()) {
                for (ConsumerRecord<byte[], byte[]> record : tail.poll()) {
                    if (printed < limit && (model == null || model.equals(EventFormat.model(record)))) {
                        print(record, events, out, err);
                    }
                }
                out.flush();
            }
        } catch (WakeupException e) {
            // shutdown: ends the wait
            err.flush();
        }
        if (isLoss && loss.isRowOpen()) {
            out.println(printable(loss.row(latest)));
        }
    }

    private void print(
            ConsumerRecord<byte[], byte[]> record,
            EventReader<? extends IndexedRecord> events,
            PrintWriter out,
            PrintWriter err) {
        if (events == null) {
            out.println(isJson ? DeadLetterFormat.json(record) : printable(DeadLetterFormat.text(record)));
            printed++;
            return;
        }
        if (record.value() == null) {
            return; // a tombstone: nothing to show
        }
        List<? extends IndexedRecord> all;
        try {
            all = events.readAll(record.value());
        } catch (IllegalArgumentException e) {
            warn(err, record.topic() + "-" + record.partition() + "@" + record.offset() + ": " + e.getMessage());
            return;
        }
        all.stream().limit(limit - printed).forEach(event -> print(record, event, out));
    }

    private void print(ConsumerRecord<byte[], byte[]> record, IndexedRecord event, PrintWriter out) {
        printed++;
        if (isJson) {
            out.println(EventFormat.json(record, event));
        } else if (table != null) {
            out.println(printable(table.row(new EventTable.Row<>(record, event))));
        } else if (topic != Topic.PREDICTIONS) {
            out.println(printable(EventFormat.text(record, event)));
        } else {
            latest = (Prediction) event;
            if (loss.add(latest)) {
                out.println(printable(loss.row(latest)));
            }
        }
        if (isExplained) {
            EvidenceText.lines((Mistake) event).forEach(out::println);
        }
    }

    private static void warn(PrintWriter err, String line) {
        err.println("perceptron: " + line);
        err.flush();
    }

    /** Escapes control characters before text is printed to a terminal. */
    private String printable(String line) {
        return isTerminal ? TerminalText.sanitize(line) : line;
    }
}
