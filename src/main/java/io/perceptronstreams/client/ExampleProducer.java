package io.perceptronstreams.client;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.format.ExampleReader;
import io.perceptronstreams.format.ExampleSource;
import io.perceptronstreams.format.MalformedExampleException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.AvroEventWriter;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.Topic;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.Producer;

/**
 * Sends the examples of a source, in order.
 *
 * @param passes number of times to send the source
 * @param limit maximum number of examples
 * @param rate maximum examples per second
 */
public record ExampleProducer(ExampleSource source, String model, int passes, long limit, double rate) {

    /**
     * Result of a run.
     *
     * @param refusals of the examples, or null if they were not counted
     */
    public record Summary(String model, String topic, long examples, double seconds, Refusals refusals) {
        private Summary with(Refusals counted) {
            return new Summary(model, topic, examples, seconds, counted);
        }

        private double rate() {
            return seconds > 0 ? examples / seconds : 0;
        }

        /** One line, and more of refused examples. */
        public String toText() {
            String sent = String.format(
                    Locale.ROOT,
                    "sent %,d examples of %s to %s in %.2f s, %,.0f/s",
                    examples,
                    model,
                    topic,
                    seconds,
                    rate());
            if (refusals == null) {
                return sent;
            }
            List<String> lines = refusals.toLines(model);
            return lines.isEmpty() ? sent + ", none refused" : sent + "\n" + String.join("\n", lines);
        }

        /** Names contain no characters that need escaping. */
        public String toJson() {
            return String.format(
                    Locale.ROOT,
                    "{\"model\":\"%s\",\"topic\":\"%s\",\"examples\":%d,\"seconds\":%.3f,\"rate\":%.1f%s}",
                    model,
                    topic,
                    examples,
                    seconds,
                    rate(),
                    refusals == null ? "" : "," + refusals.toJsonFields());
        }
    }

    /**
     * Sends all examples, and counts those that the engine refuses.
     *
     * @param timeout maximum time to wait for the engine; 0: refused examples are not counted
     * @throws CommandFailedException if a line is malformed or a record is rejected; the message has the number sent
     */
    public Summary run(EngineConfig config, Duration timeout) throws Exception {
        byte[] key = ModelKey.of(model);
        source.check();
        String topic = config.topic(Topic.EXAMPLES);
        Schema schema = EventSchemas.schema("Example");
        try (SchemaRegistry registry = SchemaRegistry.of(config.registry())) {
            KafkaClients.requireTopic(config, topic);
            AvroEventWriter writer = new AvroEventWriter(schema, registry.register(topic + "-value", schema));
            try (RefusalCheck check = timeout.isZero() ? null : new RefusalCheck(config);
                    Producer<byte[], byte[]> producer = KafkaClients.producer(config)) {
                ExampleSender sender = new ExampleSender(producer, topic, key, writer);
                Summary summary = run(sender, topic);
                return check == null ? summary : summary.with(check.await(sender.positions(), timeout));
            }
        }
    }

    /** Like {@link #run(EngineConfig, Duration)}, with an existing sender; does not count refused examples. */
    public Summary run(ExampleSender sender, String topic) throws IOException {
        long start = System.nanoTime();
        try (ShutdownSignal stop = new ShutdownSignal(() -> {});
                ProgressBar progress = ProgressBar.onTerminal(limit)) {
            sendAll(sender, progress, stop, start);
        } catch (MalformedExampleException e) {
            throw new CommandFailedException(
                    e.getMessage() + "; " + sender.finish() + " examples before it were sent", e);
        }
        long sent = sender.finish();
        return new Summary(model, topic, sent, (System.nanoTime() - start) / 1e9, null);
    }

    private void sendAll(ExampleSender sender, ProgressBar progress, ShutdownSignal stop, long start)
            throws IOException {
        long sent = 0;
        for (int pass = 1; pass <= passes && sent < limit && !stop.isRequested(); pass++) {
            try (ExampleReader reader = source.open(pass)) {
                while (sent < limit && !stop.isRequested()) {
                    GenericRecord example = reader.next();
                    if (example == null) {
                        break;
                    }
                    RateLimiter.await(start, sent, rate);
                    sender.send(example, reader.timestamp());
                    progress.update(++sent);
                }
            }
        }
    }
}
