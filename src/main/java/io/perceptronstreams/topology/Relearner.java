package io.perceptronstreams.topology;

import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelDefaults;
import io.perceptronstreams.model.ModelEvents;
import io.perceptronstreams.model.PendingStatuses;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.store.DiskStore;
import io.perceptronstreams.store.ModelStore;
import io.perceptronstreams.store.StoreCounters;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.utils.Utils;

/**
 * Learns one model again from its log, into a store of its own in a temporary directory, and passes its events to a listener.
 *
 * <p>Of the records of other models only the event time counts, and only if idle models are deleted. Not thread-safe.
 */
public final class Relearner implements AutoCloseable {
    private static final long CACHE_BYTES = 8 << 20;

    private final ModelInput input;
    private final byte[] key;
    private final long aheadMs;
    private final Path directory;
    private final DiskStore inner;
    private final ModelStore store;
    private final RecordReplayer replayer;

    /**
     * Creates a run without records.
     *
     * @param registry stays open
     * @param events listener
     * @throws UncheckedIOException if the temporary directory cannot be created
     */
    public Relearner(ModelInput input, SchemaRegistry registry, ModelEvents events) {
        this.input = input;
        this.key = input.model().getBytes(StandardCharsets.UTF_8);
        this.aheadMs = input.decisions().aheadMs();
        try {
            directory = Files.createTempDirectory("perceptron-relearn");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        inner = new DiskStore(directory, CACHE_BYTES);
        store = new ModelStore(inner, new StoreCounters(), Long.MAX_VALUE);
        store.enableLimits(input.limits(), false);
        // imports are staged at a position
        store.checkpoint(input.topicId(), 0, input.decisions(), false);
        input.refused().forEach(store.refusals()::add);
        replayer = new RecordReplayer(
                new RecordDispatcher.Partition(
                        input.partition(),
                        store,
                        new InputDecoder(registry),
                        new RegistryRetry(0),
                        PendingStatuses.unpublished()),
                events,
                input.decisions(),
                input.topic());
    }

    /**
     * Learns the next record of the partition.
     *
     * @return true if it is a record of the model
     */
    public boolean relearn(ConsumerRecord<byte[], byte[]> record) {
        boolean isOwn = Arrays.equals(record.key(), key);
        if (isOwn || ModelDefaults.isKey(record.key())) {
            replayer.relearn(record);
        } else if (expires()) {
            store.passTime(EventTimeExtractor.of(record, aheadMs));
        }
        if (expires()) {
            replayer.expire(record.offset());
        }
        return isOwn;
    }

    private boolean expires() {
        return input.limits().idleMs() > 0;
    }

    /** The model, deleted or not; null if there never was one. */
    public Model model() {
        LiveModel live = store.find(key);
        return live == null ? null : live.model();
    }

    /** Deletes the store. */
    @Override
    public void close() {
        store.close();
        inner.close();
        try {
            Utils.delete(directory.toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
