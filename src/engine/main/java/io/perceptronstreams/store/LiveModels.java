package io.perceptronstreams.store;

import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.structured.SequenceScratch;
import io.perceptronstreams.weights.BlockVector;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.common.utils.Bytes;

/**
 * The models of one task that are in memory, and the heap that they take.
 *
 * <p>While all stores of the process together exceed the limit and this one its share, records that wait in models are
 * written first, then models that were not used lately are packed, and packed ones are written and dropped. Not
 * thread-safe.
 */
final class LiveModels {
    // less is not worth a write of the model
    private static final long MIN_WAITING_BYTES = 16 * 1024;

    // one of this number of models is never packed, because packing takes microseconds; mostly the most used ones
    private static final int OPEN_SHARE = 8;

    /*
     * The clock algorithm (Corbató 1968): in order of arrival; eviction begins with the first, and a model that was
     * used since it arrived arrives anew instead. The order of use itself would change four references for each
     * example, in objects that lie far apart, and the collector reads what is around each of them.
     */
    private final Map<Bytes, StoredModel> open = new LinkedHashMap<>();
    // in the order in which they were packed
    private final Map<Bytes, StoredModel> packed = new LinkedHashMap<>();
    // models with so much that waits and is not written; few of many models have any
    private final Set<StoredModel> waiting = new LinkedHashSet<>();
    private final HeaderCodec headers = new HeaderCodec();
    private final StoreCounters counters;
    private final long heapLimit;
    private final Consumer<StoredModel> writer;
    private long heapBytes;
    private long otherBytes;
    private boolean isOverfull;

    // True while every model that was added is there.
    private boolean isComplete = true;

    /**
     * Creates the models of a task; there are none.
     *
     * @param counters of all stores of the process
     * @param heapLimit maximum heap of the models of all stores of the process, in bytes
     * @param writer writes a changed model
     */
    LiveModels(StoreCounters counters, long heapLimit, Consumer<StoredModel> writer) {
        this.counters = counters;
        this.heapLimit = heapLimit;
        this.writer = writer;
        counters.stores.incrementAndGet();
    }

    /** The model of a name, usable, which counts as used; null if it is not in memory. */
    StoredModel find(Bytes key) {
        StoredModel found = open.get(key);
        if (found != null) {
            found.markUsed();
            return found;
        }
        found = packed.remove(key);
        if (found != null) {
            found.unpack(headers);
            open.put(found.key(), found);
            measure(found);
        }
        return found;
    }

    /** See {@link Model#readAhead}; the model does not count as used. */
    long readAhead(Bytes key) {
        StoredModel found = open.get(key);
        return found == null ? 0 : found.position() + found.model().readAhead();
    }

    boolean contains(Bytes key) {
        return open.containsKey(key) || packed.containsKey(key);
    }

    void forEach(Consumer<StoredModel> action) {
        open.values().forEach(action);
        packed.values().forEach(action);
    }

    int size() {
        return open.size() + packed.size();
    }

    /** Adds a model; drops others if there is no room. */
    void add(StoredModel model) {
        open.put(model.key(), model);
        counters.liveModels.increment();
        measure(model);
        evict(model);
    }

    /** Returns true if no model was removed or dropped. */
    boolean isComplete() {
        return isComplete;
    }

    void remove(StoredModel model) {
        isComplete = false;
        account(-model.heapBytes());
        waiting.remove(model);
        if (open.remove(model.key()) != null || packed.remove(model.key()) != null) {
            counters.liveModels.decrement();
        }
    }

    /** Measures the heap of a model. */
    void measure(StoredModel model) {
        account(model.heapGrowth());
        if (!model.isPacked() && model.model().late().unwrittenBytes() >= MIN_WAITING_BYTES) {
            waiting.add(model);
        } else {
            waiting.remove(model);
        }
    }

    private void account(long growth) {
        heapBytes += growth;
        counters.heapBytes.addAndGet(growth);
    }

    /** Counts heap besides that of the models, in bytes, in place of what was given before. */
    void countOther(long bytes) {
        account(bytes - otherBytes);
        otherBytes = bytes;
    }

    /** Returns true, once, if what waits in the last used model must be written before the next record. */
    boolean pollOverfull() {
        boolean was = isOverfull;
        isOverfull = false;
        return was;
    }

    /** Packs, writes and drops while the limit is exceeded; keeps {@code inUse}. */
    void evict(LiveModel inUse) {
        if (!isOverLimit()) {
            return;
        }
        writeWaiting(inUse);
        for (int turns = 3 * size(); turns > 0 && isOverLimit(); turns--) {
            if (packed.isEmpty() || open.size() > Math.max(1, size() / OPEN_SHARE)) {
                packNext(inUse);
            } else {
                drop(packed.remove(packed.keySet().iterator().next()));
            }
        }
    }

    /** Packs the next model unless it was used lately, or drops one that cannot be packed. */
    private void packNext(LiveModel inUse) {
        StoredModel model = open.remove(open.keySet().iterator().next());
        if (model == inUse || model.pollUsed()) {
            open.put(model.key(), model);
        } else if (model.pack(headers)) {
            packed.put(model.key(), model);
            measure(model);
        } else {
            drop(model);
        }
    }

    private void drop(StoredModel model) {
        isComplete = false;
        if (model.isChanged()) {
            writer.accept(model);
        }
        waiting.remove(model);
        counters.liveModels.decrement();
        counters.evictions.increment();
        account(-model.heapBytes());
    }

    private boolean isOverLimit() {
        // these belong to the thread, not to a model
        long limit = heapLimit - SequenceScratch.heapBytesOfThread() - BlockVector.outgrownBytesOfThread();
        return counters.heapBytes.get() > limit && heapBytes > limit / Math.max(1, counters.stores.get());
    }

    private void writeWaiting(LiveModel inUse) {
        List<StoredModel> candidates = new ArrayList<>(waiting);
        for (StoredModel model : candidates) {
            if (!isOverLimit()) {
                return;
            }
            if (model == inUse) {
                // its record is not completely applied
                isOverfull = true;
            } else if (model.isChanged()) {
                writer.accept(model);
            }
        }
    }

    /** Drops all models without writing them. */
    void clear() {
        isComplete = false;
        account(-heapBytes);
        otherBytes = 0;
        counters.liveModels.add(-size());
        open.clear();
        packed.clear();
        waiting.clear();
        isOverfull = false;
    }

    /** Drops all models as {@link #clear} does, and leaves the share of heap to other tasks. */
    void close() {
        clear();
        counters.stores.decrementAndGet();
    }
}
