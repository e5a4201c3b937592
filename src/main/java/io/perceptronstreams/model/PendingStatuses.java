package io.perceptronstreams.model;

import java.util.ArrayList;
import java.util.List;

/**
 * Models with records that no published status contains, until they are silent: no record for {@link #SILENT_TICKS} ticks.
 *
 * <p>Only the time of these statuses depends on a clock. Cost: O(1) per record, O(pending models) per tick. Not thread-safe.
 */
public final class PendingStatuses {
    /** Ticks without a record after which a model is silent. */
    static final int SILENT_TICKS = 4;

    /** Maximum number of statuses per tick, so that no tick takes long. */
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
    private int now;

    /** Returns true if no status is pending. */
    public boolean isEmpty() {
        return all.isEmpty();
    }

    /** Marks that a record was applied to a model. */
    void changed(LiveModel model, InputRecord record) {
        Pending pending = model.pendingStatus();
        if (pending == null) {
            pending = new Pending();
            model.setPendingStatus(pending);
            all.add(pending);
        }
        pending.record = record;
        pending.tick = now;
    }

    /** Marks that the status of a model was published. */
    void published(LiveModel model) {
        if (model.pendingStatus() != null) {
            model.pendingStatus().record = null;
            model.setPendingStatus(null);
        }
    }

    /** Counts a tick and publishes the statuses of models that are silent, or of all with {@code isLast}. */
    void tick(boolean isLast, Publisher publisher) {
        now++;
        List<Pending> due = new ArrayList<>();
        List<Pending> kept = new ArrayList<>();
        for (Pending pending : all) {
            if (pending.record == null) {
                continue;
            }
            boolean isDue = isLast || (now - pending.tick > SILENT_TICKS && due.size() < MAX_STATUSES);
            (isDue ? due : kept).add(pending);
        }
        all.clear();
        all.addAll(kept);
        for (Pending pending : due) {
            publisher.publish(pending.record);
        }
    }
}
