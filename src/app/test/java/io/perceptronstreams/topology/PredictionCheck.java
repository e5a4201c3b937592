package io.perceptronstreams.topology;

import io.perceptronstreams.event.Prediction;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads the committed predictions of {@link NumberedExamples} as they come: those of each model are of its examples 1,
 * 2, 3 and so on, none missing, none twice. Counts the wrong ones.
 */
final class PredictionCheck implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(200);

    private final Map<String, Seen> models;
    private final EventReader<Prediction> reader;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final AtomicLong predictions = new AtomicLong();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final Thread thread = new Thread(this::read, "prediction-check");
    private volatile boolean isClosed;

    /** What has been seen of one model. */
    private static final class Seen {
        private final NumberedExamples.Numbered model;

        /** Whether the predictions of the last examples were wrong, by the remainder of their numbers. */
        private final BitSet lastWrong = new BitSet();

        private long examples;
        private long wrong;

        Seen(NumberedExamples.Numbered model) {
            this.model = model;
        }
    }

    /** Starts at once. */
    PredictionCheck(
            String bootstrapServers, int partitions, SchemaRegistry registry, List<NumberedExamples.Numbered> models) {
        this.models =
                new HashMap<>(models.stream().collect(Collectors.toMap(NumberedExamples.Numbered::name, Seen::new)));
        reader = EventReader.of(Prediction.class, registry);
        consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrapServers,
                        "isolation.level",
                        "read_committed",
                        "auto.offset.reset",
                        "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        consumer.assign(IntStream.range(0, partitions)
                .mapToObj(partition -> new TopicPartition(Topic.PREDICTIONS.name("perceptron"), partition))
                .toList());
        thread.start();
    }

    private void read() {
        try (consumer) {
            while (!isClosed) {
                consumer.poll(POLL).forEach(this::check);
            }
        } catch (Throwable e) {
            failure.set(e);
        }
    }

    private void check(ConsumerRecord<byte[], byte[]> record) {
        Seen seen = models.get(new String(record.key(), StandardCharsets.UTF_8));
        for (Prediction prediction : reader.readAll(record.value())) {
            long next = seen.examples + 1;
            if (!prediction.getExampleId().equals(Long.toString(next)) || prediction.getExamples() != next) {
                throw new AssertionError(
                        "%s must go on with the prediction of its example %d, but offset %d of partition %d has %s"
                                .formatted(seen.model.name(), next, record.offset(), record.partition(), prediction));
            }
            boolean isWrong = !Integer.valueOf(seen.model.truth(next)).equals(prediction.getLabel());
            seen.examples = next;
            seen.wrong += isWrong ? 1 : 0;
            seen.lastWrong.set((int) (next % (2 * NumberedExamples.LATE_BY)), isWrong);
            predictions.incrementAndGet();
        }
    }

    /** Number of predictions so far. */
    long predictions() {
        return predictions.get();
    }

    /** @throws AssertionError if a prediction was another one than expected */
    void requireExpected() {
        if (failure.get() != null) {
            throw new AssertionError(failure.get());
        }
    }

    /** Number of wrong predictions for the examples of a model whose labels were sent, once all have been predicted. */
    long errors(NumberedExamples.Numbered model) {
        Seen seen = models.get(model.name());
        long errors = seen.wrong;
        for (long number = model.labelled() + 1; number <= seen.examples; number++) {
            errors -= seen.lastWrong.get((int) (number % (2 * NumberedExamples.LATE_BY))) ? 1 : 0;
        }
        return errors;
    }

    @Override
    public void close() {
        isClosed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
