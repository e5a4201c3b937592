package io.perceptronstreams.store;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
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
 * How many models of a task exist and, where idle ones are deleted, in which order they were last seen.
 *
 * <p>Stream time never goes back, so that the order of the last records is the order of the times at which they came: the model that was
 * seen least recently is the first to be idle. Cost: O(1) per record, about 100 bytes of heap per model. Not thread-safe.
 */
final class Census {
    /** Maximum number of keys of one model that are skipped one by one before the next model is looked up. */
    private static final int NEAR = 64;

    private final ModelLimits limits;

    // Null unless idle models are deleted. In order of access: the one seen least recently comes first.
    private final Map<Bytes, Seen> order;
    private final long latest;
    private long count;

    /** When a model was last seen. */
    private static final class Seen {
        private long streamTime;
    }

    /** A model that exists. */
    private record Counted(Bytes name, long lastSeen, long position) {
        static final Comparator<Counted> ORDER = Comparator.comparingLong(Counted::lastSeen)
                .thenComparingLong(Counted::position)
                .thenComparing(Counted::name);
    }

    /**
     * A census without the order of the models.
     *
     * @param count how many there are
     */
    Census(long count, ModelLimits limits) {
        this.count = count;
        this.limits = limits;
        this.latest = -1;
        this.order = null;
    }

    private Census(List<Counted> models, ModelLimits itsLimits) {
        limits = itsLimits;
        count = models.size();
        latest = models.stream().mapToLong(Counted::lastSeen).max().orElse(-1);
        order = limits.expires() ? new LinkedHashMap<>(2 * models.size(), 0.75f, true) : null;
        if (order != null) {
            models.sort(Counted.ORDER);
            // one that an earlier version has written, without the time, is not idle before it was seen by this one
            models.stream()
                    .filter(each -> each.lastSeen != StoredHeader.UNKNOWN)
                    .forEach(each -> see(each.name, each.lastSeen));
        }
    }

    /**
     * Counts the models of a store.
     *
     * <p>Cost: O(models), and O(blocks) of models with few of them.
     *
     * @param live models in memory, which are newer than what is stored of them
     */
    static Census of(KeyValueStore<Bytes, byte[]> inner, Map<Bytes, StoredModel> live, ModelLimits limits) {
        List<Counted> models = new ArrayList<>();
        live.forEach((name, model) -> {
            if (model.isCounted()) {
                models.add(new Counted(name, model.lastSeen(), model.position()));
            }
        });
        Bytes from = ModelKeys.FIRST_OF_MODELS;
        while (from != null) {
            from = addFrom(from, inner, live, models);
        }
        return new Census(models, limits);
    }

    /** Returns where to go on, behind a model of many blocks; null at the end. */
    private static Bytes addFrom(
            Bytes from, KeyValueStore<Bytes, byte[]> inner, Map<Bytes, StoredModel> live, List<Counted> models) {
        int others = 0;
        try (KeyValueIterator<Bytes, byte[]> entries = inner.range(from, ModelKeys.END_OF_MODELS)) {
            while (entries.hasNext()) {
                KeyValue<Bytes, byte[]> entry = entries.next();
                if (ModelKeys.isHeader(entry.key)) {
                    others = 0;
                    Bytes name = Bytes.wrap(ModelKeys.name(entry.key));
                    if (!live.containsKey(name)) {
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
                models.add(new Counted(name, start.lastSeen(), start.position()));
            }
        } catch (UnreadableModelException e) {
            // its next record will stop the engine and say so
            models.add(new Counted(name, StoredHeader.UNKNOWN, StoredHeader.UNKNOWN));
        }
    }

    /** How many models exist. */
    long count() {
        return count;
    }

    /** The latest time at which any model had been seen when the models of the store were counted; -1 if there was none. */
    long latest() {
        return latest;
    }

    /** Notes that a record was applied to a model. */
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
     * Makes sure that one more model may exist.
     *
     * @throws RejectedException if there are as many as may be
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

    /** The name of the model that was seen least recently if it is idle, otherwise null. */
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
