package io.perceptronstreams.client;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.AvroEventReader;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.Topic;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Reads the latest status of every model from the compacted topic. */
public final class StatusReader {
    private static final String ROW = "%-24s %-12s %-12s %12s %12s %10s %10s %10s  %s";

    /** A status with its record. */
    public record Latest(ConsumerRecord<byte[], byte[]> record, GenericRecord status) {}

    private final EngineConfig config;

    public StatusReader(EngineConfig config) {
        this.config = config;
    }

    public void list(boolean isJson, PrintWriter out) {
        Map<String, Latest> all = read();
        if (!isJson) {
            out.println(String.format(
                    Locale.ROOT,
                    ROW,
                    "model",
                    "state",
                    "algorithm",
                    "seen",
                    "labelled",
                    "errors",
                    "mistakes",
                    "updates",
                    "as of"));
        }
        all.forEach((model, latest) ->
                out.println(isJson ? EventFormat.json(latest.record(), latest.status()) : row(model, latest)));
    }

    /**
     * Prints the latest status of a model.
     *
     * @throws CommandFailedException if there is no such model
     */
    public void show(String model, boolean isJson, PrintWriter out) {
        Latest latest = read().get(model);
        if (latest == null) {
            throw new CommandFailedException(
                    "model must exist, got '" + model + "' (perceptron models list shows all)");
        }
        if (isJson) {
            out.println(EventFormat.json(latest.record(), latest.status()));
            return;
        }
        out.println("model: " + model);
        print(latest.status(), "", out);
    }

    static void print(GenericRecord event, String indent, PrintWriter out) {
        for (Schema.Field field : event.getSchema().getFields()) {
            Object value = event.get(field.pos());
            if (value instanceof Map<?, ?> settings) {
                out.println(indent + field.name() + ":");
                new TreeMap<>(settings).forEach((key, setting) -> out.println(indent + "  " + key + ": " + setting));
            } else if (field.name().equals("confusion") && value instanceof GenericRecord matrix) {
                out.println(indent + "confusion (rows: true label, columns: emitted label):");
                ConfusionTable.lines(matrix).forEach(line -> out.println(indent + "  " + line));
            } else if (value instanceof GenericRecord part) {
                out.println(indent + field.name() + ":");
                print(part, indent + "  ", out);
            } else {
                out.println(indent + field.name() + ": " + (value == null ? "none" : EventFormat.text(value)));
            }
        }
    }

    /** Reads the latest status by model name, ascending. */
    private Map<String, Latest> read() {
        try (SchemaRegistry registry = SchemaRegistry.of(config.registry());
                TopicTail tail = TopicTail.open(config, config.topic(Topic.MODELS))) {
            return latest(tail, new AvroEventReader(EventSchemas.schema(Topic.MODELS), registry));
        }
    }

    public static Map<String, Latest> latest(TopicTail tail, AvroEventReader events) {
        Map<String, ConsumerRecord<byte[], byte[]>> records = new TreeMap<>();
        tail.readAll(record -> {
            if (record.value() == null) {
                records.remove(EventFormat.model(record));
            } else {
                records.put(EventFormat.model(record), record);
            }
        });
        Map<String, Latest> latest = new TreeMap<>();
        records.forEach((model, record) -> latest.put(model, new Latest(record, events.read(record.value()))));
        return latest;
    }

    private static String row(String model, Latest latest) {
        GenericRecord status = latest.status();
        return String.format(
                Locale.ROOT,
                ROW,
                model,
                status.get("state").toString().toLowerCase(Locale.ROOT),
                status.get("algorithm"),
                status.get("seen"),
                status.get("labelled"),
                status.get("errors"),
                status.get("mistakes"),
                status.get("version"),
                Instant.ofEpochMilli(latest.record().timestamp()));
    }
}
