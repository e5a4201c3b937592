package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.drift.Alarm;
import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.labels.Lateness;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.model.Advice;
import io.perceptronstreams.model.InputRecord;
import io.perceptronstreams.model.Judgement;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.Publications;
import io.perceptronstreams.model.StatusCause;
import io.perceptronstreams.probability.ErrorEstimates;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.settings.Settings;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The events that {@link ReferenceEngine} sends for examples and labels. */
final class ReferenceOutputs {
    private final ReferenceEngine engine;
    private final EventEncoder encoder;
    private final List<byte[]> gathered = new ArrayList<>();
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
                example,
                outcome,
                model.current().epoch(),
                updates,
                model.counts().totals().examples());
        if (input.part() == InputRecord.WHOLE) {
            send(input, Topic.PREDICTIONS, event);
        } else {
            gathered.add(event);
        }
    }

    /** Sends the predictions of a record of several examples. */
    void predictions(ConsumerRecord<byte[], byte[]> record) {
        if (!gathered.isEmpty()) {
            engine.send(record, Topic.PREDICTIONS, encoder.predictionBatch(gathered));
            gathered.clear();
        }
    }

    void mistake(ReferenceInput input, Example example, Outcome outcome, Lateness lateness) {
        if (outcome.kind() != Outcome.Kind.CORRECT || (lateness != null && lateness.replaced() != null)) {
            send(input, Topic.MISTAKES, encoder.mistake(example, outcome, input.model(), lateness));
        }
    }

    void window(ReferenceInput input) {
        Model model = input.model();
        isWindowClosed |= engine.sendWindows(input.record(), model);
        Counts open = model.counts().window().counts();
        assertThat(Math.max(open.examples(), open.labelled())).isLessThan(enough(model));
    }

    static long enough(Model model) {
        long given = model.pipeline().settings().get(Settings.WINDOW_EXAMPLES);
        return given == 0 ? Math.max(10, model.counts().totals().examples() / 20) : given;
    }

    /** An example or a label was used, or refused as a duplicate: commands are of another time. */
    static void seen(ReferenceInput input) {
        input.model().publications().markExample(input.timestamp());
    }

    /** A snapshot that is due, and advice. */
    void learned(ReferenceInput input, Outcome outcome) {
        EventEncoder.Origin origin = ReferenceEngine.origin(input.record());
        long every = input.model().pipeline().settings().get(Settings.SNAPSHOT_EVERY);
        if (every > 0 && outcome.isUpdated() && input.model().current().version() % every == 0) {
            engine.publish(input.record(), input.name(), input.model(), encoder.weightsSnapshot(input.model(), origin));
        }
        for (Advice advice : engine.observed().takeAdvice()) {
            advised++;
            send(input, Topic.ALERTS, encoder.adviceAlert(input.model(), input.name(), advice, origin));
        }
    }

    /** An estimated error that has left the range of the known ones, or null. */
    void estimate(ReferenceInput input, ErrorEstimates.Outlier outlier) {
        if (outlier != null) {
            EventEncoder.Origin origin = ReferenceEngine.origin(input.record());
            send(input, Topic.ALERTS, encoder.estimateAlert(input.model(), input.name(), outlier, origin));
        }
    }

    /** Adapts the model to drift. */
    void adapt(ReferenceInput input) {
        Alarm alarm = engine.observed().takeAlarm();
        if (alarm != null) {
            send(input, Topic.ALERTS, encoder.driftAlert(input.model(), alarm, ReferenceEngine.origin(input.record())));
        }
        List<Judgement> judged = engine.observed().takeJudged();
        for (Judgement each : judged) {
            byte[] alert =
                    encoder.trialAlert(input.model(), input.name(), each, ReferenceEngine.origin(input.record()));
            send(input, Topic.ALERTS, alert);
        }
        if (judged.stream().anyMatch(Judgement::isOver)) {
            status(input, "WITHDRAWN");
        }
        StatusCause adaptation = input.model().adapt();
        if (adaptation != null) {
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

    /** A status, if a window was closed, or if the last one is a second old at each tenth record. */
    void progress(ReferenceInput input) {
        Counts totals = input.model().counts().totals();
        boolean isTenth = (totals.examples() + totals.of(Counts.Counter.LATE)) % 10 == 0;
        Publications sent = input.model().publications();
        if (isWindowClosed
                || (isTenth && Math.min(input.timestamp(), sent.lastExample()) - sent.statusTime() >= 1000)) {
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
