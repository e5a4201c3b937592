package io.perceptronstreams.model;

import io.perceptronstreams.drift.Alarm;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Settings;
import java.util.ArrayList;
import java.util.List;

/** Lets models learn from examples and labels, and publishes the changes; a part of {@link ModelSession}. */
final class Learning {
    private final Models models;
    private final ModelEvents events;
    private final PendingStatuses pendingStatuses;

    private final ModelListener listener = new ModelListener() {
        @Override
        public void windowClosed(CountingWindow.Closed window, boolean isFull) {
            windows.add(window);
            // no status follows a full window: there may be one in every record
            isWindowClosed |= !isFull;
        }

        @Override
        public void advised(Advice advice) {
            advices.add(advice);
        }

        @Override
        public void drifted(Alarm raised) {
            alarm = raised;
        }

        @Override
        public void epochEnded(long epoch) {
            ended.add(epoch);
        }
    };

    // The model of the current record, and what its observers have found and is not sent yet: it has its place among
    // the
    // events of the record.
    private Model model;
    private final List<CountingWindow.Closed> windows = new ArrayList<>();
    private final List<Advice> advices = new ArrayList<>();
    private final List<Long> ended = new ArrayList<>();
    private Alarm alarm;

    // True if a window was closed that no status has followed.
    private boolean isWindowClosed;

    Learning(Models models, ModelEvents events, PendingStatuses pendingStatuses) {
        this.models = models;
        this.events = events;
        this.pendingStatuses = pendingStatuses;
    }

    /** Begins with the changes of a model. */
    void begin(Model changed) {
        model = changed;
        model.listen(listener);
    }

    /**
     * Scores an example, learns from it if it has a label, and publishes both; {@link #adapt} must follow.
     *
     * @throws RejectedException if it cannot be used
     */
    Outcome example(InputRecord record, LiveModel live, Example example) {
        ModelState before = model.state();
        long version = model.version();
        Outcome outcome;
        try {
            outcome = model.use(example, record.timestamp(), null, null);
        } catch (RejectedException e) {
            publishQuarantine(record, live, before, e);
            throw e;
        }
        changed(record, live);
        events.predicted(model, example, outcome, version);
        if (outcome.kind() != Outcome.Kind.CORRECT) {
            events.mistaken(model, example, outcome, null);
        }
        publishWindows();
        if (model.totals().examples() == 1) {
            publishStatus(record, live, StatusCause.FIRST_EXAMPLE);
        } else {
            publishProgress(record, live);
        }
        publishLearned(outcome);
        return outcome;
    }

    /**
     * Learns the label of an example that was predicted earlier; {@link #publishLate} must follow.
     *
     * @param example with the label
     * @param way counter of the way on which the label came
     * @param time of the label, in ms
     * @throws RejectedException if the label cannot be used
     */
    Outcome label(InputRecord record, LiveModel live, Example example, Waiting then, Counts.Counter way, long time) {
        ModelState before = model.state();
        try {
            return model.use(example, time, then, way);
        } catch (RejectedException e) {
            publishQuarantine(record, live, before, e);
            throw e;
        }
    }

    /** Publishes what the last {@link #label} has changed; {@link #adapt} must follow. */
    void publishLate(Example example, Outcome outcome, Lateness lateness) {
        if (outcome.kind() != Outcome.Kind.CORRECT) {
            events.mistaken(model, example, outcome, lateness);
        }
        publishWindows();
        publishLearned(outcome);
    }

    private void publishQuarantine(InputRecord record, LiveModel live, ModelState before, RejectedException why) {
        if (model.state() != before && model.state() == ModelState.QUARANTINED) {
            models.changed(live, record);
            events.quarantined(model, why.getMessage());
            publishStatus(record, live, StatusCause.QUARANTINED);
        }
    }

    private void publishLearned(Outcome outcome) {
        long every = model.settings().get(Settings.SNAPSHOT_EVERY);
        if (every > 0 && outcome.isUpdated() && model.totals().updates() % every == 0) {
            publishSnapshot();
        }
        if (!advices.isEmpty()) {
            advices.forEach(advice -> events.advised(model, advice));
            advices.clear();
        }
    }

    /**
     * Adapts a model to a drift; {@link #removeEndedEpochs} must follow.
     *
     * <p>Must be last, because a reset or takeover changes everything that was published before.
     */
    void adapt(InputRecord record, LiveModel live) {
        if (alarm != null) {
            events.drifted(model, alarm);
            alarm = null;
        }
        StatusCause adaptation = model.adapt();
        if (adaptation != null) {
            publishWindows();
            publishStatus(record, live, adaptation);
        }
    }

    /** Must be called when the record is completely applied: it writes the model with the position of the record. */
    void removeEndedEpochs(InputRecord record, LiveModel live) {
        if (!ended.isEmpty()) {
            ended.forEach(epoch -> models.removeEpoch(live, epoch, record));
            ended.clear();
        }
    }

    /** Removes a deleted model. */
    void end(InputRecord record, LiveModel live) {
        models.end(live, ended, record);
        ended.clear();
    }

    /** Marks a model changed by its record. */
    void changed(InputRecord record, LiveModel live) {
        models.changed(live, record);
        pendingStatuses.changed(live, record);
        countRerouted(record);
    }

    void countRerouted(InputRecord record) {
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
        boolean isDue = model.publications().isStatusDue(record.timestamp());
        if (isDue) {
            publishStatus(record, live, StatusCause.TIME);
        }
        return isDue;
    }

    void publishWindows() {
        if (!windows.isEmpty()) {
            windows.forEach(window -> events.windowClosed(model, window));
            windows.clear();
        }
    }

    void publishStatus(InputRecord record, LiveModel live, StatusCause cause) {
        events.status(model, cause);
        model.publications().markStatus(record.timestamp());
        pendingStatuses.published(live);
        isWindowClosed = false;
    }

    void publishSnapshot() {
        removeChunks(events.snapshot(model));
    }

    /** Removes the chunks of the last snapshot from {@code first} on. */
    void removeChunks(int first) {
        int end = model.publications().chunks();
        if (first < end) {
            events.chunksRemoved(model, first, end);
        }
        model.publications().markSnapshot(first);
    }
}
