package io.perceptronstreams.demo;

import io.perceptronstreams.client.KafkaClients;
import io.perceptronstreams.client.ModelKey;
import io.perceptronstreams.cluster.CommandSigner;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.sending.ExampleSender;
import io.perceptronstreams.sending.LabelDelay;
import io.perceptronstreams.sending.LabelSplitter;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.thread.StoppableThread;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.avro.Schema;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Sends the demo's streams in its own thread, until all examples are sent or it is closed. */
public final class DemoSender implements AutoCloseable {
    /** Examples of the streams in the table per example of another one: slow, so that its changes are visible. */
    private static final int DIVISOR = 10;

    private final EngineConfig config;
    private final long seed;
    private final long examples;
    private final double rate;
    private final Consumer<Exception> onFailure;
    private final StoppableThread thread = new StoppableThread("demo-sender", this::run);

    /**
     * Creates a sender, which must be started.
     *
     * @param examples number of examples per stream in the table
     * @param rate examples per second and stream; 0 for no limit
     * @param onFailure called with the exception if the sender fails
     */
    public DemoSender(EngineConfig config, long seed, long examples, double rate, Consumer<Exception> onFailure) {
        this.config = config;
        this.seed = seed;
        this.examples = examples;
        this.rate = rate;
        this.onFailure = onFailure;
    }

    public void start() {
        thread.start();
    }

    private void run() {
        String topic = config.topic(Topic.EXAMPLES);
        Schema schema = EventSchemas.schema("Example");
        try (SchemaRegistry registry = SchemaRegistries.of(config.registry());
                Producer<byte[], byte[]> producer = KafkaClients.producer(config)) {
            EventWriter writer = new EventWriter(schema, registry.register(topic + "-value", schema));
            CommandSigner signer = new CommandSigner(config);
            Schema labelSchema = EventSchemas.schema("Label");
            EventWriter labels = new EventWriter(labelSchema, registry.register(topic + "-Label", labelSchema));
            LabelSplitter late = null;
            Map<DemoStream, ExampleSender> streams = new LinkedHashMap<>();
            for (DemoStream stream : List.of(
                    DemoStream.separable(seed), DemoStream.wdbc(), DemoStream.drifting(seed), DemoStream.late(seed))) {
                byte[] key = ModelKey.of(stream.name());
                producer.send(signer.sign(new ProducerRecord<>(topic, key, stream.command())))
                        .get();
                ExampleSender sender = new ExampleSender(producer, topic, List.of(stream.name()), writer, labels);
                streams.put(stream, sender);
                if (stream.name().equals(DemoStream.LATE)) {
                    late = new LabelSplitter(sender, new LabelDelay(DemoStream.LABEL_DELAY_MS, false));
                }
            }
            long start = System.nanoTime();
            for (long sent = 0; sent < examples && awaitDue(start, sent); sent++) {
                for (Map.Entry<DemoStream, ExampleSender> each : streams.entrySet()) {
                    DemoStream stream = each.getKey();
                    if (sent % DIVISOR != 0 && !DemoStream.NAMES.contains(stream.name())) {
                        continue;
                    }
                    if (stream.name().equals(DemoStream.LATE)) {
                        late.send(stream.next(), null);
                    } else {
                        each.getValue().send(stream.next());
                    }
                }
            }
            late.finish(thread::isStopped);
            producer.flush();
        } catch (Exception e) {
            onFailure.accept(e);
        }
    }

    /** Waits until an example is due; false if closed before. An interrupt instead would break the producer. */
    private boolean awaitDue(long start, long number) {
        long due = rate == 0 ? start : start + (long) (number * (TimeUnit.SECONDS.toNanos(1) / rate));
        return !thread.pause(Duration.ofNanos(due - System.nanoTime()));
    }

    /** Stops sending and waits until all examples sent are acknowledged. */
    @Override
    public void close() {
        thread.stop();
        thread.join();
    }
}
