package io.perceptronstreams.log;

import io.perceptronstreams.drift.Alarm;
import io.perceptronstreams.evaluation.CountingWindow;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.labels.Lateness;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.model.Advice;
import io.perceptronstreams.model.InputRecord;
import io.perceptronstreams.model.Judgement;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelEvents;
import io.perceptronstreams.model.StatusCause;
import io.perceptronstreams.probability.ErrorEstimates;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.EventIds;
import io.perceptronstreams.settings.Settings;

/**
 * Passes the events of a replay on, and counts their bytes as the engine has counted them: it encodes those of
 * records for which the bytes may decide something, and drops them.
 */
final class CountedEvents implements ModelEvents {
    // the length of an event does not depend on the ids
    private static final EventIds ANY = EventIds.of((topic, event) -> 0);

    private final ModelEvents events;
    private final EventEncoder encoder = new EventEncoder(ANY, false);
    private boolean isNeeded;
    private long bytes;

    CountedEvents(ModelEvents events) {
        this.events = events;
    }

    @Override
    public void count(boolean isNeededNow) {
        isNeeded = isNeededNow;
        bytes = 0;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public void predicted(Model model, Example example, Outcome outcome, long updates) {
        if (isNeeded) {
            long examples = model.counts().totals().examples();
            bytes += encoder.prediction(example, outcome, model.current().epoch(), updates, examples).length;
        }
        events.predicted(model, example, outcome, updates);
    }

    @Override
    public void mistaken(Model model, Example example, Outcome outcome, Lateness lateness) {
        if (isNeeded) {
            bytes += encoder.mistake(example, outcome, model, lateness).length;
        }
        events.mistaken(model, example, outcome, lateness);
    }

    @Override
    public void windowClosed(Model model, CountingWindow.Closed window) {
        if (isNeeded) {
            bytes += encoder.mistakeCount(window, model).length;
        }
        events.windowClosed(model, window);
    }

    @Override
    public void labelled(Model model, Example example, Outcome outcome) {
        events.labelled(model, example, outcome);
    }

    @Override
    public void labelRefused(InputRecord record, Waiting label, RejectedException why) {
        events.labelRefused(record, label, why);
    }

    @Override
    public void status(Model model, StatusCause cause) {
        events.status(model, cause);
    }

    @Override
    public void defaultsChanged(Settings defaults) {
        events.defaultsChanged(defaults);
    }

    @Override
    public void fenced(Settings defaults) {
        events.fenced(defaults);
    }

    @Override
    public void silent(Model model, InputRecord record) {
        events.silent(model, record);
    }

    @Override
    public void expires(InputRecord record) {
        events.expires(record);
    }

    @Override
    public void drifted(Model model, Alarm alarm) {
        events.drifted(model, alarm);
    }

    @Override
    public void estimated(Model model, ErrorEstimates.Outlier outlier) {
        events.estimated(model, outlier);
    }

    @Override
    public void judged(Model model, Judgement judgement) {
        events.judged(model, judgement);
    }

    @Override
    public void advised(Model model, Advice advice) {
        events.advised(model, advice);
    }

    @Override
    public void quarantined(Model model, String reason) {
        events.quarantined(model, reason);
    }

    @Override
    public int snapshot(Model model, String version) {
        return events.snapshot(model, version);
    }

    @Override
    public void chunksRemoved(Model model, String version, int first, int end) {
        events.chunksRemoved(model, version, first, end);
    }
}
