package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.Outcome;

/** Lets models learn from examples and labels, and publishes the changes; a part of {@link ModelSession}. */
final class Learning {
    private final Models models;
    private final ModelEvents events;
    private final PendingStatuses pendingStatuses;

    // True if a window was closed that no status has followed.
    private boolean isWindowClosed;

    Learning(Models models, ModelEvents events, PendingStatuses pendingStatuses) {
        this.models = models;
        this.events = events;
        this.pendingStatuses = pendingStatuses;
    }

    /**
     * Scores an example, learns from it if it has a label, and publishes both; {@link #adapt} must follow.
     *
     * @throws RejectedException if it cannot be used
     */
    Outcome example(InputRecord record, LiveModel live, Example example) {
        Model model = live.model();
        ModelState before = model.state();
        long version = model.version();
        Outcome outcome;
        try {
            outcome = model.process(example, record.timestamp());
        } catch (RejectedException e) {
            publishQuarantine(record, live, before, e);
            throw e;
        }
        changed(record, live);
        events.predicted(model, example, outcome, version);
        if (outcome.kind() != Outcome.Kind.CORRECT) {
            events.mistaken(model, example, outcome, null);
        }
        publishClosedWindow(model);
        if (model.totals().examples() == 1) {
            publishStatus(record, live, StatusCause.FIRST_EXAMPLE);
        } else {
            publishProgress(record, live);
        }
        publishLearned(live);
        return outcome;
    }

    /**
     * Learns the label of an example that was predicted earlier; {@link #publishLate} must follow.
     *
     * @param example with the label
     * @param time of the label, in ms
     * @throws RejectedException if the label cannot be used
     */
    Outcome label(InputRecord record, LiveModel live, Example example, Waiting then, long time) {
        Model model = live.model();
        ModelState before = model.state();
        try {
            return model.learnLate(example, time, then);
        } catch (RejectedException e) {
            publishQuarantine(record, live, before, e);
            throw e;
        }
    }

    /** Publishes what the last {@link #label} has changed; {@link #adapt} must follow. */
    void publishLate(LiveModel live, Example example, Outcome outcome, Lateness lateness) {
        if (outcome.kind() != Outcome.Kind.CORRECT) {
            events.mistaken(live.model(), example, outcome, lateness);
        }
        publishClosedWindow(live.model());
        publishLearned(live);
    }

    private void publishQuarantine(InputRecord record, LiveModel live, ModelState before, RejectedException why) {
        if (live.model().state() != before && live.model().state() == ModelState.QUARANTINED) {
            models.changed(live, record);
            events.quarantined(live.model(), why.getMessage());
            publishStatus(record, live, StatusCause.QUARANTINED);
        }
    }

    private void publishLearned(LiveModel live) {
        Model model = live.model();
        if (model.isSnapshotDue()) {
            publishSnapshot(model);
        }
        for (Advice advice : model.advisor().poll()) {
            events.advised(model, advice);
        }
    }

    /**
     * Adapts a model to a drift; {@link #removeEndedEpochs} must follow.
     *
     * <p>Must be last, because a reset or takeover changes everything that was published before.
     */
    void adapt(InputRecord record, LiveModel live) {
        Model model = live.model();
        if (!model.drift().isOn()) {
            return;
        }
        if (model.drift().alarm() != null) {
            events.drifted(model);
        }
        Adaptation adaptation = model.adapt();
        if (adaptation != Adaptation.NONE) {
            publishClosedWindow(model);
            publishStatus(record, live, StatusCause.valueOf(adaptation.name()));
        }
    }

    /** Must be called when the record is completely applied: it writes the model with the position of the record. */
    void removeEndedEpochs(InputRecord record, LiveModel live) {
        for (long epoch : live.model().pollEndedEpochs()) {
            models.removeEpoch(live, epoch, record);
        }
    }

    /** Marks a model changed by its record. */
    void changed(InputRecord record, LiveModel live) {
        models.changed(live, record);
        pendingStatuses.changed(live, record);
        countRerouted(record, live.model());
    }

    static void countRerouted(InputRecord record, Model model) {
        if (record.isRerouted()) {
            model.countRerouted();
        }
    }

    /**
     * Publishes a status if a window was closed, or if one is due by event time.
     *
     * @return true if it was published, which changes the model
     */
    boolean publishProgress(InputRecord record, LiveModel live) {
        if (isWindowClosed) {
            publishStatus(record, live, StatusCause.WINDOW);
            return true;
        }
        boolean isDue = live.model().publications().isStatusDue(record.timestamp());
        if (isDue) {
            publishStatus(record, live, StatusCause.TIME);
        }
        return isDue;
    }

    void publishClosedWindow(Model model) {
        CountingWindow.Closed window = model.window().pollClosed();
        if (window != null) {
            events.windowClosed(model, window);
            isWindowClosed = true;
        }
        // no status follows: there may be a window in every record
        if (model.closeFullWindow()) {
            events.windowClosed(model, model.window().pollClosed());
        }
    }

    void publishStatus(InputRecord record, LiveModel live, StatusCause cause) {
        events.status(live.model(), cause);
        live.model().publications().markStatus(record.timestamp());
        pendingStatuses.published(live);
        isWindowClosed = false;
    }

    void publishSnapshot(Model model) {
        removeChunks(model, events.snapshot(model));
    }

    /** Removes the chunks of the last snapshot from {@code first} on. */
    void removeChunks(Model model, int first) {
        int end = model.publications().chunks();
        if (first < end) {
            events.chunksRemoved(model, first, end);
        }
        model.publications().markSnapshot(first);
    }
}
