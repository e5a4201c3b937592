package io.perceptronstreams.topology;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.learner.Model;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Window;
import io.perceptronstreams.model.ModelEvents;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.EventEncoder.Origin;

/** Drops the events of a replay: they were sent the first time. */
final class ReplayedEvents implements ModelEvents {
    private final EventEncoder encoder;
    private final int partition;
    private long offset;

    ReplayedEvents(EventEncoder encoder, int partition) {
        this.encoder = encoder;
        this.partition = partition;
    }

    /** Sets the offset of the record whose events follow. */
    void begin(long itsOffset) {
        offset = itsOffset;
    }

    @Override
    public void predicted(Model model, Example example, Outcome outcome, long version) {}

    @Override
    public void mistaken(Model model, Example example, Outcome outcome) {}

    @Override
    public void windowClosed(Model model, Window.Closed window) {}

    @Override
    public void status(Model model, String cause) {}

    @Override
    public void drifted(Model model) {}

    @Override
    public void quarantined(Model model, String reason) {}

    @Override
    public int snapshot(Model model) {
        return encoder.weightsSnapshot(model, new Origin(partition, offset)).size();
    }

    @Override
    public void chunksRemoved(Model model, int first, int end) {}
}
