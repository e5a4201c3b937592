package io.perceptronstreams.cli;

import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.GenericEventReader;
import io.perceptronstreams.serde.SchemaRegistry;
import io.perceptronstreams.topology.EngineConfig;
import io.perceptronstreams.topology.Topic;
import java.io.PrintWriter;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.WakeupException;

/** Prints the records of an output topic until there are enough or somebody stops it. */
final class Watch {
    private final Topic topic;
    private final String model;
    private final long limit;
    private final boolean isJson;
    private final ProgressiveLoss loss = new ProgressiveLoss();
    private GenericRecord latest;
    private long printed;

    /**
     * @param model null for all
     * @param limit records to print at most
     */
    Watch(Topic topic, String model, long limit, boolean isJson) {
        this.topic = topic;
        this.model = model;
        this.limit = limit;
        this.isJson = isJson;
    }

    void run(EngineConfig config, boolean isFromBeginning, PrintWriter out, PrintWriter err) {
        try (SchemaRegistry registry = SchemaRegistry.of(config.registry());
                TopicTail tail = TopicTail.open(config, config.topic(topic));
                Stop stop = new Stop(tail::wakeup)) {
            if (isFromBeginning) {
                tail.fromBeginning();
            }
            run(
                    tail,
                    topic == Topic.DEAD_LETTERS ? null : new GenericEventReader(schema(topic), registry),
                    stop,
                    out,
                    err);
            out.flush();
        }
    }

    /** @param events null where the topic holds no events of its own */
    void run(TopicTail tail, GenericEventReader events, Stop stop, PrintWriter out, PrintWriter err) {
        boolean isTable = topic == Topic.PREDICTIONS && !isJson;
        if (isTable) {
            out.println(ProgressiveLoss.HEADER);
            out.flush();
        }
        try {
            // checkError also tells that nobody reads any more, as behind a pipe to head.
            while (printed < limit && !stop.isRequested() && !out.checkError()) {
                for (ConsumerRecord<byte[], byte[]> record : tail.poll()) {
                    if (printed < limit && (model == null || model.equals(EventLines.model(record)))) {
                        print(record, events, out, err);
                    }
                }
                out.flush();
            }
        } catch (WakeupException e) {
            // That is how the wait ends when the process is to end.
            err.flush();
        }
        if (isTable && loss.isRowOpen()) {
            out.println(loss.row(latest));
        }
    }

    private void print(
            ConsumerRecord<byte[], byte[]> record, GenericEventReader events, PrintWriter out, PrintWriter err) {
        if (events == null) {
            out.println(isJson ? DeadLetter.json(record) : DeadLetter.text(record));
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
            err.println("perceptron: " + record.topic() + "-" + record.partition() + "@" + record.offset() + ": "
                    + e.getMessage());
            err.flush();
            return;
        }
        printed++;
        latest = event;
        if (isJson) {
            out.println(EventLines.json(record, event));
        } else if (topic != Topic.PREDICTIONS) {
            out.println(EventLines.text(record, event));
        } else if (loss.add(event)) {
            out.println(loss.row(event));
        }
    }

    /** Schema of the events of an output topic. */
    static Schema schema(Topic topic) {
        return EventSchemas.schema(
                switch (topic) {
                    case PREDICTIONS -> "Prediction";
                    case MISTAKES -> "Mistake";
                    case COUNTS -> "MistakeCount";
                    case MODELS -> "ModelStatus";
                    case WEIGHTS -> "WeightsSnapshot";
                    case ALERTS -> "Alert";
                    case EXAMPLES -> "Example";
                    case DEAD_LETTERS -> throw new IllegalArgumentException("dead letters must be read as bytes");
                });
    }
}
