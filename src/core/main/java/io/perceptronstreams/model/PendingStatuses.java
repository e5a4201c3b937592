package io.perceptronstreams.model;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Models with records that no published status contains, until they are silent: no record for {@link #SILENT_TICKS}
 * ticks.
 *
 * <p>While the partition has records, at most {@link #MAX_BUSY} statuses are published per tick, the longest pending
 * first: of many models with an example now and then, nearly every example makes one silent. The models keep the mark
 * ({@link Publications#isStatusPending}): after a crash {@link #restore} continues. Only the time of these statuses
 * depends on a clock. Cost: O(1) per record, O(pending models) per tick. Not thread-safe.
 */
public final class PendingStatuses {
    /** Heap of a pending status: with its entry and key, about 180 bytes. */
    private static final long PENDING_BYTES = 180;

    /** Ticks without a record after which a model is silent. */
    static final int SILENT_TICKS = 4;

    /**
     * Maximum number of statuses per tick while records arrive: 1,000 per second with ticks of a quarter of a second.
     */
    static final int MAX_BUSY = 250;

    /**
     * Maximum number per tick of a silent partition, so that no tick takes long, unless a quarter of the pending ones
     * are more; also the maximum per call at the end, where the caller may run out of time.
     */
    static final int MAX_SILENT = 1_000;

    /**
     * The last record of a model that no status contains. It does not refer to the model, which may be dropped from
     * memory.
     *
     * <p>Numbers instead of the record: the collector would move the last record of each of many models, and read what
     * is around the reference to it.
     */
    static final class Pending {
        private final byte[] name;
        private long offset;
        private long timestamp;
        private long streamTime;
        private int tick;
        private boolean isPublished = true;

        private Pending(byte[] name) {
            this.name = name;
        }

        private void set(InputRecord last, int now) {
            offset = last.offset();
            timestamp = last.timestamp();
            streamTime = last.streamTime();
            tick = now;
            isPublished = false;
        }

        private InputRecord record() {
            return new InputRecord(name, offset, timestamp, streamTime, false);
        }
    }

    /** Publishes the status of a model as of a record. */
    @FunctionalInterface
    interface Publisher {
        void publish(InputRecord record);
    }

    // by name of the model, in the order in which they became pending
    private final Map<ByteBuffer, Pending> all = new LinkedHashMap<>();
    private final boolean isPublished;
    private int now;
    private int lastChange;

    /** Creates the statuses of an engine. */
    public PendingStatuses() {
        this(true);
    }

    private PendingStatuses(boolean isPublished) {
        this.isPublished = isPublished;
    }

    /** Returns statuses that are never published, and not kept. */
    public static PendingStatuses unpublished() {
        return new PendingStatuses(false);
    }

    /** Returns true if no status is pending. */
    public boolean isEmpty() {
        return all.isEmpty();
    }

    /** Estimated heap, in bytes. */
    public long heapBytes() {
        return PENDING_BYTES * all.size();
    }

    /** Marks that a record was applied to a model. */
    void changed(LiveModel model, InputRecord record) {
        if (!isPublished) {
            return;
        }
        Pending pending = model.pendingStatus();
        if (pending == null || pending.isPublished) {
            // the model may have been read back since its last record
            pending = all.computeIfAbsent(ByteBuffer.wrap(model.name()), name -> new Pending(model.name()));
            model.setPendingStatus(pending);
        }
        pending.set(record, now);
        lastChange = now;
        model.model().publications().markPending(record.timestamp());
    }

    /**
     * Continues with a stored model whose status was pending when it was written, unless a replay has changed it.
     *
     * @param last the last record that was applied to it
     */
    public void restore(InputRecord last) {
        Pending pending = all.computeIfAbsent(ByteBuffer.wrap(last.name()), name -> new Pending(last.name()));
        if (pending.isPublished) {
            pending.set(last, now);
        }
    }

    /** Marks that the status of a model was published. */
    void published(LiveModel model) {
        model.model().publications().markPublished();
        Pending pending = all.remove(ByteBuffer.wrap(model.name()));
        if (pending != null) {
            pending.isPublished = true;
        }
        model.setPendingStatus(null);
    }

    /**
     * Counts a tick and publishes the statuses of models that are silent. With {@code isLast} it publishes those of
     * other models, too, up to {@link #MAX_SILENT} in a call.
     */
    void tick(boolean isLast, Publisher publisher) {
        now++;
        boolean isBusy = now - lastChange <= SILENT_TICKS;
        int most = isLast ? MAX_SILENT : isBusy ? MAX_BUSY : Math.max(MAX_SILENT, all.size() / 4);
        List<InputRecord> due = new ArrayList<>();
        for (Iterator<Pending> oldest = all.values().iterator(); oldest.hasNext() && due.size() < most; ) {
            Pending pending = oldest.next();
            if (isLast || now - pending.tick > SILENT_TICKS) {
                due.add(pending.record());
                pending.isPublished = true;
                oldest.remove();
            }
        }
        due.forEach(publisher::publish);
    }
}
