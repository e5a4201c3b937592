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
import java.util.function.ToIntFunction;

/**
 * Drops all events, as in a replay, whose events were already sent; a subclass takes those that it needs, and passes
 * them on to this class. It encodes the events of records for which the bytes may decide something, to count them as
 * the engine has when it sent them.
 */
public class ReplayedEvents implements ModelEvents {
    // the length of an event does not depend on the ids
    private static final EventIds ANY = EventIds.of((topic, event) -> 0);

    private final ToIntFunction<Model> chunks;
    // null until bytes are counted
    private EventEncoder encoder;
    private boolean isNeeded;
    private long bytes;

    /** @param chunks number of chunks of the weights of a model */
    public ReplayedEvents(ToIntFunction<Model> chunks) {
        this.chunks = chunks;
    }

    @Override
    public void count(boolean isNeededNow) {
        isNeeded = isNeededNow;
        bytes = 0;
        if (isNeeded && encoder == null) {
            encoder = new EventEncoder(ANY, false);
        }
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
    }

    @Override
    public void mistaken(Model model, Example example, Outcome outcome, Lateness lateness) {
        if (isNeeded) {
            bytes += encoder.mistake(example, outcome, model, lateness).length;
        }
    }

    @Override
    public void labelRefused(InputRecord record, Waiting label, RejectedException why) {}

    @Override
    public void windowClosed(Model model, CountingWindow.Closed window) {
        if (isNeeded) {
            bytes += encoder.mistakeCount(window, model).length;
        }
    }

    @Override
    public void status(Model model, StatusCause cause) {}

    @Override
    public void defaultsChanged(Settings defaults) {}

    @Override
    public void fenced(Settings defaults) {}

    @Override
    public void silent(Model model, InputRecord record) {}

    @Override
    public void expires(InputRecord record) {}

    @Override
    public void drifted(Model model, Alarm alarm) {}

    @Override
    public void estimated(Model model, ErrorEstimates.Outlier outlier) {}

    @Override
    public void judged(Model model, Judgement judgement) {}

    @Override
    public void advised(Model model, Advice advice) {}

    @Override
    public void quarantined(Model model, String reason) {}

    @Override
    public int snapshot(Model model, String version) {
        return chunks.applyAsInt(model);
    }

    @Override
    public void chunksRemoved(Model model, String version, int first, int end) {}
}
