package io.perceptronstreams.model;

import java.util.ArrayList;
import java.util.List;

/**
 * Models with records that no published status contains, until they are silent: no record for {@link #SILENT_TICKS} ticks.
 *
 * <p>The models keep the mark ({@link Publications#isStatusPending}): after a crash {@link #restore} continues. Only the time
 * of these statuses depends on a clock. Cost: O(1) per record, O(pending models) per tick. Not thread-safe.
 */
public final class PendingStatuses {
    /** Ticks without a record after which a model is silent. */
    static final int SILENT_TICKS = 4;

    /** Maximum number of statuses per tick, so that no tick takes long, unless a quarter of the pending ones are more. */
    private static final int MAX_STATUSES = 1_000;

    /** The last record of a model that no status contains. It does not refer to the model, which may be dropped from memory. */
    static final class Pending {
        private InputRecord record;
        private int tick;
    }

    /** Publishes the status of a model as of a record. */
    @FunctionalInterface
    interface Publisher {
        void publish(InputRecord record);
    }

    private final List<Pending> all = new ArrayList<>();
    private final boolean isPublished;
    private int now;

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

    /** Marks that a record was applied to a model. */
    void changed(LiveModel model, InputRecord record) {
        if (!isPublished) {
            return;
        }
        Pending pending = model.pendingStatus();
        if (pending == null) {
            pending = new Pending();
            model.setPendingStatus(pending);
            all.add(pending);
        }
        pending.record = record;
        pending.tick = now;
        model.model().publications().markPending(record.timestamp());
    }

    /**
     * Continues with a stored model whose status was pending when it was written.
     *
     * @param last the last record that was applied to it
     */
    public void restore(InputRecord last) {
        Pending pending = new Pending();
        pending.record = last;
        pending.tick = now;
        all.add(pending);
    }

    /** Marks that the status of a model was published. */
    void published(LiveModel model) {
        model.model().publications().markPublished();
        if (model.pendingStatus() != null) {
            model.pendingStatus().record = null;
            model.setPendingStatus(null);
        }
    }

    /** Counts a tick and publishes the statuses of models that are silent, or of all with {@code isLast}. */
    void tick(boolean isLast, Publisher publisher) {
        now++;
        // the number must fall also when thousands of models fall silent at every tick
        int most = Math.max(MAX_STATUSES, all.size() / 4);
        List<Pending> due = new ArrayList<>();
        List<Pending> kept = new ArrayList<>();
        for (Pending pending : all) {
            if (pending.record == null) {
                continue;
            }
            boolean isDue = isLast || (now - pending.tick > SILENT_TICKS && due.size() < most);
            (isDue ? due : kept).add(pending);
        }
        all.clear();
        all.addAll(kept);
        for (Pending pending : due) {
            publisher.publish(pending.record);
        }
    }
}
