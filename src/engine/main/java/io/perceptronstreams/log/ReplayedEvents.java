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
import io.perceptronstreams.settings.Settings;
import java.util.function.ToIntFunction;

/** Drops all events, as in a replay, whose events were already sent; a subclass takes those that it needs. */
public class ReplayedEvents implements ModelEvents {
    private final ToIntFunction<Model> chunks;

    /** @param chunks number of chunks of the weights of a model */
    public ReplayedEvents(ToIntFunction<Model> chunks) {
        this.chunks = chunks;
    }

    @Override
    public void predicted(Model model, Example example, Outcome outcome, long updates) {}

    @Override
    public void mistaken(Model model, Example example, Outcome outcome, Lateness lateness) {}

    @Override
    public void labelRefused(InputRecord record, Waiting label, RejectedException why) {}

    @Override
    public void windowClosed(Model model, CountingWindow.Closed window) {}

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
