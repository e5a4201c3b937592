package io.perceptronstreams.monitor;

import io.perceptronstreams.cluster.StartupException;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.event.Prediction;
import io.perceptronstreams.registry.RegistryException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.UnknownSchemaException;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.apache.avro.generic.IndexedRecord;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds predictions of a model in the last {@code http.lookback.records} records of its partition. They are read for
 * each request, one request at a time: they are too many to be kept.
 */
final class PredictionSearch {
    /** Time without a record after which a search fails. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** Bytes of the records of one search, at most: a record of several predictions may have some hundred thousand. */
    private static final long MAX_BYTES = 128L << 20;

    // A piece is read from its oldest record on, and the newest piece first: of one that is not read to its end
    // nothing is known. Of large records a piece has few.
    private static final long MAX_PIECE_BYTES = 8 << 20;
    private static final long MAX_PIECE = 2_000;

    private static final Logger LOG = LoggerFactory.getLogger(PredictionSearch.class);

    private final String topic;
    private final long lookback;
    private final Supplier<Consumer<byte[], byte[]>> consumers;
    private final EventReader<? extends IndexedRecord> reader;
    private final Semaphore isFree = new Semaphore(1);

    /**
     * Predictions, newest first.
     *
     * @param id of their examples; null for any
     * @param searched number of offsets that were searched, also those of other models
     */
    record Found(String model, String id, long searched, List<Event<Prediction>> events) {}

    /** @param consumers creates read-committed consumers whose poll throws where the next record was deleted */
    PredictionSearch(EngineConfig config, Supplier<Consumer<byte[], byte[]>> consumers, SchemaRegistry registry) {
        topic = config.topic(Topic.PREDICTIONS);
        lookback = config.get(EngineConfigDef.HTTP_LOOKBACK_RECORDS);
        this.consumers = consumers;
        reader = EventReader.of(Topic.PREDICTIONS, registry);
    }

    /**
     * Searches.
     *
     * @param id of the example; null for any
     * @param limit maximum number of predictions
     * @throws RefusedException with status 503 if the brokers or the registry do not answer, or another search is not
     *     over
     */
    Found find(String model, String id, int limit) {
        if (!isFree.tryAcquire()) {
            throw new RefusedException(503, "one request for predictions at a time can be answered, got another one");
        }
        try (TopicScan scan = TopicScan.open(consumers.get(), topic).waiting(PATIENCE)) {
            return search(scan, model, id, limit);
        } catch (KafkaException | StartupException | RegistryException e) {
            LOG.warn("predictions must be readable for a request, got {}", PublicFault.forLog(e));
            throw new RefusedException(503, "predictions must be readable, got " + PublicFault.of(e));
        } finally {
            isFree.release();
        }
    }

    private Found search(TopicScan scan, String model, String id, int limit) {
        byte[] key = model.getBytes(StandardCharsets.UTF_8);
        List<TopicPartition> all = scan.partitions();
        TopicPartition partition = all.get(Utils.toPositive(Utils.murmur2(key)) % all.size());
        long end = scan.ends().get(partition);
        long oldest = Math.max(scan.beginnings().get(partition), end - lookback);
        List<Event<Prediction>> newest = new ArrayList<>();
        long bytes = 0;
        long searched = end;
        long piece = MAX_PIECE;
        // pieces, the newest first, until there are enough
        while (searched > oldest && newest.size() < limit && bytes < MAX_BYTES) {
            long first = Math.max(oldest, searched - piece);
            Deque<Event<Prediction>> found = new ArrayDeque<>();
            long[] read = {0};
            long next = scan.read(partition, first, searched, record -> {
                if (record.value() != null) {
                    read[0] += record.value().length;
                    if (Arrays.equals(key, record.key())) {
                        add(record, model, id, limit - newest.size(), found);
                    }
                }
                return read[0] < MAX_PIECE_BYTES;
            });
            bytes += read[0];
            if (next < searched) {
                // as many offsets as have taken half of the bytes
                piece = Math.max(1, (next - first) / 2);
                continue;
            }
            found.descendingIterator().forEachRemaining(newest::add);
            searched = first;
            piece = read[0] < MAX_PIECE_BYTES / 4 ? Math.min(MAX_PIECE, 2 * piece) : piece;
        }
        return new Found(model, id, end - searched, newest);
    }

    private void add(
            ConsumerRecord<byte[], byte[]> record, String model, String id, int limit, Deque<Event<Prediction>> found) {
        List<? extends IndexedRecord> read;
        try {
            read = reader.readAll(record.value());
        } catch (UnknownSchemaException | IllegalArgumentException e) {
            // not an event of the engine
            return;
        }
        for (IndexedRecord each : read) {
            Prediction prediction = (Prediction) each;
            if (id == null || id.equals(prediction.getExampleId())) {
                if (record.value().length > Truncation.HARMLESS_BYTES) {
                    Truncation.shorten(prediction);
                }
                found.addLast(new Event<>(record.partition(), record.offset(), record.timestamp(), model, prediction));
                if (found.size() > limit) {
                    found.removeFirst();
                }
            }
        }
    }
}
