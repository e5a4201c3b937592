package io.perceptronstreams.cli;

import io.perceptronstreams.client.DeadLetterFormat;
import io.perceptronstreams.client.EventFormat;
import io.perceptronstreams.client.ShutdownSignal;
import io.perceptronstreams.client.Terminal;
import io.perceptronstreams.client.TerminalText;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.TopicScan;
import java.io.PrintWriter;
import java.util.List;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.WakeupException;

/** Prints the records of an output topic up to a limit or until shutdown, on a terminal some topics as a table. */
public final class TopicWatcher {
    private final Topic topic;
    private final String model;
    private final long limit;
    private final boolean isJson;
    private final Terminal terminal;
    private final ProgressiveLoss loss = new ProgressiveLoss();
    private boolean isExplained;
    private GenericRecord latest;
    private long printed;

    /**
     * @param model null for all
     * @param limit maximum number of records to print
     * @param terminal terminal of standard output; null if it is a file or a pipe
     */
    public TopicWatcher(Topic topic, String model, long limit, boolean isJson, Terminal terminal) {
        this.topic = topic;
        this.model = model;
        this.limit = limit;
        this.isJson = isJson;
        this.terminal = terminal;
    }

    /** Prints the evidence of each mistake after it. */
    public TopicWatcher explained() {
        isExplained = true;
        return this;
    }

    public void run(EngineConfig config, boolean isFromBeginning, PrintWriter out, PrintWriter err) {
        try (SchemaRegistry registry = SchemaRegistry.of(config.registry());
                TopicScan tail = TopicScan.open(config, config.topic(topic));
                ShutdownSignal stop = new ShutdownSignal(tail::wakeup)) {
            if (isFromBeginning) {
                tail.fromBeginning();
            }
            run(
                    tail,
                    topic == Topic.DEAD_LETTERS ? null : EventReader.generic(EventSchemas.schema(topic), registry),
                    stop,
                    out,
                    err);
            out.flush();
        }
    }

    /**
     * Prints the records of a tail up to the limit or until shutdown.
     *
     * @param events null for dead letters
     */
    public void run(
            TopicScan tail, EventReader<GenericRecord> events, ShutdownSignal stop, PrintWriter out, PrintWriter err) {
        boolean isTable = topic == Topic.PREDICTIONS && !isJson;
        if (isTable && model == null) {
            err.println("all models in one table; --model MODEL shows one");
            err.flush();
        }
        if (isTable) {
            out.println(ProgressiveLoss.HEADER);
            out.flush();
        }
        try (LiveTable live = live(out, err)) {
            tail.reportingGaps(gap -> live.warn("perceptron: " + gap));
            // checkError is also true when a pipe is closed, as by head
            while (printed < limit && !stop.isRequested() && !out.checkError()) {
                for (ConsumerRecord<byte[], byte[]> record : tail.poll()) {
                    if (printed < limit && (model == null || model.equals(EventFormat.model(record)))) {
                        print(record, events, live, out);
                    }
                }
                live.show();
            }
        } catch (WakeupException e) {
            // shutdown: ends the wait
            err.flush();
        }
        if (isTable && loss.isRowOpen()) {
            out.println(printable(loss.row(latest)));
        }
    }

    private LiveTable live(PrintWriter out, PrintWriter err) {
        if (terminal != null && !isJson && topic == Topic.MISTAKES) {
            return new MistakeTable(terminal::size, out, err);
        }
        if (terminal != null && !isJson && topic == Topic.COUNTS) {
            return new CountTable(terminal::size, out, err);
        }
        return new Lines(out, err);
    }

    private void print(
            ConsumerRecord<byte[], byte[]> record, EventReader<GenericRecord> events, LiveTable live, PrintWriter out) {
        if (events == null) {
            out.println(isJson ? DeadLetterFormat.json(record) : printable(DeadLetterFormat.text(record)));
            printed++;
            return;
        }
        if (record.value() == null) {
            return; // a tombstone: nothing to show
        }
        GenericRecord event;
        try {
            event = events.read(record.value());
        } catch (IllegalArgumentException e) {
            live.warn("perceptron: " + record.topic() + "-" + record.partition() + "@" + record.offset() + ": "
                    + e.getMessage());
            return;
        }
        printed++;
        latest = event;
        live.add(record, event);
        if (isExplained) {
            live.addDetail(EvidenceText.lines(event));
        }
    }

    /** Escapes control characters before text is printed to a terminal. */
    private String printable(String line) {
        return terminal == null ? line : TerminalText.sanitize(line);
    }

    /** Prints one line per record, for files, pipes and topics without table. */
    private final class Lines implements LiveTable {
        private final PrintWriter out;
        private final PrintWriter err;

        Lines(PrintWriter out, PrintWriter err) {
            this.out = out;
            this.err = err;
        }

        @Override
        public void add(ConsumerRecord<byte[], byte[]> record, GenericRecord event) {
            if (isJson) {
                out.println(EventFormat.json(record, event));
            } else if (topic != Topic.PREDICTIONS) {
                out.println(printable(EventFormat.text(record, event)));
            } else if (loss.add(event)) {
                out.println(printable(loss.row(event)));
            }
        }

        @Override
        public void addDetail(List<String> lines) {
            lines.forEach(out::println);
        }

        @Override
        public void show() {
            out.flush();
        }

        @Override
        public void warn(String line) {
            err.println(line);
            err.flush();
        }

        @Override
        public void close() {
            out.flush();
        }
    }
}
