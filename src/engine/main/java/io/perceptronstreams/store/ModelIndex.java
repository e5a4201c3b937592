package io.perceptronstreams.store;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.model.InputRecord;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.state.UnreadableModelException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Index of the models of a task: their number and, if idle models are deleted, their order by last record.
 *
 * <p>Stream time never decreases, so the order of the last records is the order of their times: the least recently seen
 * model becomes idle first. Cost: O(1) per record, about 100 bytes of heap per model. Not thread-safe.
 */
final class ModelIndex {
    /** Number of keys of one model that are skipped one by one before seeking the next model. */
    private static final int NEAR = 64;

    private final ModelQuota limits;

    // In access order, least recently seen first; null if idle models are kept.
    private final Map<Bytes, Seen> order;
    private final long latest;
    private final List<InputRecord> pending;
    private long count;

    private static final class Seen {
        private long streamTime;
    }

    private record Counted(Bytes name, long lastSeen, long position, boolean isStatusPending, long pendingTime) {
        static final Comparator<Counted> ORDER = Comparator.comparingLong(Counted::lastSeen)
                .thenComparingLong(Counted::position)
                .thenComparing(Counted::name);
    }

    /**
     * Creates an index without the order of the models.
     *
     * @param count number of models
     */
    ModelIndex(long count, ModelQuota limits) {
        this.count = count;
        this.limits = limits;
        this.latest = -1;
        this.order = null;
        this.pending = List.of();
    }

    private ModelIndex(List<Counted> models, ModelQuota itsLimits) {
        limits = itsLimits;
        count = models.size();
        // a model whose position was removed by hand has learned no record of this log
        pending = models.stream()
                .filter(each -> each.isStatusPending && each.position != LiveModel.NO_POSITION)
                .map(each -> new InputRecord(each.name.get(), each.position, each.pendingTime, each.lastSeen, false))
                .toList();
        latest = models.stream().mapToLong(Counted::lastSeen).max().orElse(-1);
        order = limits.expires() ? new LinkedHashMap<>(2 * models.size(), 0.75f, true) : null;
        if (order != null) {
            models.sort(Counted.ORDER);
            // unreadable models have no time: they are never idle
            models.stream()
                    .filter(each -> each.lastSeen != StoredHeader.UNKNOWN)
                    .forEach(each -> see(each.name, each.lastSeen));
        }
    }

    /**
     * Counts the models of a store. Cost: O(models), and O(blocks) of models with few blocks.
     *
     * @param live models in memory, which are newer than their stored copies
     */
    static ModelIndex of(KeyValueStore<Bytes, byte[]> inner, LiveModels live, ModelQuota limits) {
        List<Counted> models = new ArrayList<>();
        live.forEach(model -> {
            if (model.isCounted()) {
                HeaderCodec.Start start = model.start();
                models.add(new Counted(
                        model.key(), model.lastSeen(), model.position(), start.isStatusPending(), start.pendingTime()));
            }
        });
        Bytes from = ModelKeys.FIRST_OF_MODELS;
        while (from != null) {
            from = addFrom(from, inner, live, models);
        }
        return new ModelIndex(models, limits);
    }

    /** Adds models from a key on; returns the key to continue from after a model of many blocks, else null. */
    private static Bytes addFrom(
            Bytes from, KeyValueStore<Bytes, byte[]> inner, LiveModels live, List<Counted> models) {
        int others = 0;
        try (KeyValueIterator<Bytes, byte[]> entries = inner.range(from, ModelKeys.END_OF_MODELS)) {
            while (entries.hasNext()) {
                KeyValue<Bytes, byte[]> entry = entries.next();
                if (ModelKeys.isHeader(entry.key)) {
                    others = 0;
                    Bytes name = Bytes.wrap(ModelKeys.name(entry.key));
                    if (!live.contains(name)) {
                        add(name, entry.value, models);
                    }
                } else if (++others == NEAR) {
                    return ModelKeys.endOfModel(ModelKeys.name(entry.key));
                }
            }
        }
        return null;
    }

    private static void add(Bytes name, byte[] header, List<Counted> models) {
        try {
            HeaderCodec.Start start = HeaderCodec.start(header);
            if (!start.isDeleted()) {
                models.add(new Counted(
                        name, start.lastSeen(), start.position(), start.isStatusPending(), start.pendingTime()));
            }
        } catch (UnreadableModelException e) {
            // the next record of this model will fail with this error
            models.add(new Counted(name, StoredHeader.UNKNOWN, StoredHeader.UNKNOWN, false, StoredHeader.UNKNOWN));
        }
    }

    /** Number of existing models. */
    long count() {
        return count;
    }

    /** Latest time of a record of any model when the models were counted; -1 without models. */
    long latest() {
        return latest;
    }

    /** The last records of the models whose statuses were pending when the models were counted. */
    List<InputRecord> pending() {
        return pending;
    }

    /** Records that a record was applied to a model. */
    void note(StoredModel model, boolean exists) {
        if (exists != model.isCounted()) {
            count += exists ? 1 : -1;
            model.setCounted(exists);
        }
        if (order == null) {
            return;
        }
        if (exists) {
            see(model.key(), model.lastSeen());
        } else {
            order.remove(model.key());
        }
    }

    private void see(Bytes name, long streamTime) {
        Seen seen = order.get(name);
        if (seen == null) {
            seen = new Seen();
            order.put(name, seen);
        }
        seen.streamTime = streamTime;
    }

    /**
     * Checks that one more model may exist.
     *
     * @throws RejectedException if the limit is reached
     */
    void requireRoom(byte[] name) {
        if (count >= limits.models()) {
            throw new RejectedException(
                    RejectReason.TOO_MANY_MODELS,
                    "a partition must have at most " + limits.models() + " models, got " + count + " and one more, '"
                            + new String(name, StandardCharsets.UTF_8)
                            + "' (delete models, have idle ones deleted by models.idle.ms, or raise models.max)");
        }
    }

    /** Name of the least recently seen model if it is idle, else null. */
    byte[] idle(long streamTime) {
        if (order == null || order.isEmpty()) {
            return null;
        }
        Map.Entry<Bytes, Seen> eldest = order.entrySet().iterator().next();
        return streamTime - eldest.getValue().streamTime >= limits.idleMs()
                ? eldest.getKey().get()
                : null;
    }
}
