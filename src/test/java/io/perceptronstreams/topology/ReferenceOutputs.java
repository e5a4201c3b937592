package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.model.Adaptation;
import io.perceptronstreams.model.Advice;
import io.perceptronstreams.model.CountingWindow;
import io.perceptronstreams.model.Counts;
import io.perceptronstreams.model.Lateness;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.Topic;

/** The events that {@link ReferenceEngine} sends for examples and labels. */
final class ReferenceOutputs {
    private final ReferenceEngine engine;
    private final EventEncoder encoder;
    private boolean isWindowClosed;
    private int advised;

    ReferenceOutputs(ReferenceEngine engine, EventEncoder encoder) {
        this.engine = engine;
        this.encoder = encoder;
    }

    /** How many alerts with advice were sent. */
    int advised() {
        return advised;
    }

    /** Before the first event of a record. */
    void begin() {
        isWindowClosed = false;
    }

    void prediction(ReferenceInput input, Example example, Outcome outcome, long updates) {
        Model model = input.model();
        byte[] event = encoder.prediction(
                example, outcome, model.epoch(), updates, model.totals().examples());
        send(input, Topic.PREDICTIONS, event);
    }

    void mistake(ReferenceInput input, Example example, Outcome outcome, Lateness lateness) {
        if (outcome.kind() != Outcome.Kind.CORRECT) {
            send(input, Topic.MISTAKES, encoder.mistake(example, outcome, input.model(), lateness));
        }
    }

    void window(ReferenceInput input) {
        CountingWindow.Closed window = input.model().window().pollClosed();
        if (window != null) {
            send(input, Topic.COUNTS, encoder.mistakeCount(window, input.model()));
            isWindowClosed = true;
        }
        Model model = input.model();
        Counts counts = model.window().counts();
        long enough = model.settings().get(Settings.WINDOW_EXAMPLES);
        if (enough == 0) {
            enough = Math.max(10, model.totals().examples() / 20);
        }
        boolean isFull = counts.examples() >= enough || counts.labelled() >= enough;
        assertThat(model.closeFullWindow()).isEqualTo(isFull);
        if (isFull) {
            send(input, Topic.COUNTS, encoder.mistakeCount(model.window().pollClosed(), model));
        }
    }

    /** A snapshot that is due, and advice. */
    void learned(ReferenceInput input) {
        EventEncoder.Origin origin = ReferenceEngine.origin(input.record());
        if (input.model().isSnapshotDue()) {
            engine.publish(input.record(), input.name(), input.model(), encoder.weightsSnapshot(input.model(), origin));
        }
        for (Advice advice : input.model().advisor().poll()) {
            advised++;
            send(input, Topic.ALERTS, encoder.adviceAlert(input.model(), input.name(), advice, origin));
        }
    }

    /** Adapts the model to drift. */
    void adapt(ReferenceInput input) {
        if (input.model().drift().alarm() != null) {
            send(input, Topic.ALERTS, encoder.driftAlert(input.model(), ReferenceEngine.origin(input.record())));
        }
        Adaptation adaptation = input.model().adapt();
        if (adaptation != Adaptation.NONE) {
            window(input);
            status(input, adaptation.name());
        }
    }

    void quarantine(ReferenceInput input, RejectedException why) {
        send(
                input,
                Topic.ALERTS,
                encoder.quarantineAlert(input.model(), why.getMessage(), ReferenceEngine.origin(input.record())));
        status(input, "QUARANTINED");
    }

    /** A status, if a window was closed or the last one is a second old. */
    void progress(ReferenceInput input) {
        if (isWindowClosed || input.timestamp() - input.model().publications().statusTime() >= 1000) {
            status(input, isWindowClosed ? "WINDOW" : "TIME");
        }
    }

    void status(ReferenceInput input, String cause) {
        engine.sendStatus(input.record(), input.model(), cause);
        isWindowClosed = false;
    }

    private void send(ReferenceInput input, Topic topic, byte[] value) {
        engine.send(input.record(), topic, value);
    }
}
