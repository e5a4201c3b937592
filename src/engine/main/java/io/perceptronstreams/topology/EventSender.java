package io.perceptronstreams.topology;

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
import io.perceptronstreams.model.ModelDefaults;
import io.perceptronstreams.model.ModelEvents;
import io.perceptronstreams.model.StatusCause;
import io.perceptronstreams.model.Versions;
import io.perceptronstreams.probability.ErrorEstimates;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.EventEncoder.Origin;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.settings.Settings;
import org.apache.kafka.common.utils.Utils;

/** Encodes the events of a session and sends them as {@link Outputs}. */
public final class EventSender implements ModelEvents {
    private final Outputs outputs;
    private final RecordPredictions predictions;
    private final EventEncoder encoder;
    private long bytes;

    EventSender(Outputs outputs, RecordPredictions predictions, EventEncoder encoder) {
        this.outputs = outputs;
        this.predictions = predictions;
        this.encoder = encoder;
    }

    @Override
    public void count(boolean isNeeded) {
        bytes = 0;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public void predicted(Model model, Example example, Outcome outcome, long updates) {
        long examples = model.counts().totals().examples();
        predictions.send(encoder.prediction(example, outcome, model.current().epoch(), updates, examples));
        bytes += encoder.avroBytes();
    }

    @Override
    public void mistaken(Model model, Example example, Outcome outcome, Lateness lateness) {
        outputs.send(Topic.MISTAKES, encoder.mistake(example, outcome, model, lateness));
        bytes += encoder.avroBytes();
    }

    @Override
    public void labelRefused(InputRecord current, Waiting label, RejectedException why) {
        outputs.deadLetter(outputs.withoutHeaders(label.offset(), current.name(), label.value()), label.time(), why);
    }

    @Override
    public void windowClosed(Model model, CountingWindow.Closed window) {
        outputs.send(Topic.COUNTS, encoder.mistakeCount(window, model));
        bytes += encoder.avroBytes();
    }

    @Override
    public void status(Model model, StatusCause cause) {
        outputs.send(Topic.MODELS, encoder.modelStatus(model, cause, origin()));
    }

    @Override
    public void defaultsChanged(Settings defaults) {
        sendOfPartition(defaults, StatusCause.DEFAULTS);
    }

    @Override
    public void fenced(Settings defaults) {
        sendOfPartition(defaults, StatusCause.FENCED);
    }

    private void sendOfPartition(Settings defaults, StatusCause cause) {
        byte[] status = encoder.modelStatus(ModelDefaults.model(defaults), cause, origin());
        outputs.send(
                Topic.MODELS, Utils.utf8(ModelDefaults.statusKey(outputs.input().partition())), status);
    }

    @Override
    public void silent(Model model, InputRecord last) {
        expires(last);
        status(model, StatusCause.IDLE);
    }

    @Override
    public void expires(InputRecord idle) {
        outputs.begin(outputs.withoutHeaders(idle.offset(), idle.name(), null), idle.timestamp());
    }

    /** Sends an alert about the partition, at its first record after a start. */
    void positionChanged(String message) {
        outputs.send(
                Topic.ALERTS,
                Utils.utf8(ModelDefaults.statusKey(outputs.input().partition())),
                encoder.positionAlert(message, origin()));
    }

    @Override
    public void drifted(Model model, Alarm alarm) {
        outputs.send(Topic.ALERTS, encoder.driftAlert(model, alarm, origin()));
    }

    @Override
    public void estimated(Model model, ErrorEstimates.Outlier outlier) {
        outputs.send(Topic.ALERTS, encoder.estimateAlert(model, modelName(), outlier, origin()));
    }

    @Override
    public void judged(Model model, Judgement judgement) {
        outputs.send(Topic.ALERTS, encoder.trialAlert(model, modelName(), judgement, origin()));
    }

    @Override
    public void advised(Model model, Advice advice) {
        outputs.send(Topic.ALERTS, encoder.adviceAlert(model, modelName(), advice, origin()));
    }

    @Override
    public void quarantined(Model model, String reason) {
        outputs.send(Topic.ALERTS, encoder.quarantineAlert(model, reason, origin()));
    }

    @Override
    public int snapshot(Model model, String version) {
        return encoder.weightsSnapshot(
                model, origin(), version != null, (chunk, number) -> sendChunk(version, number, chunk));
    }

    @Override
    public void chunksRemoved(Model model, String version, int first, int end) {
        for (int chunk = first; chunk < end; chunk++) {
            sendChunk(version, chunk, null);
        }
    }

    private void sendChunk(String version, int chunk, byte[] value) {
        String model = modelName();
        String first = version == null ? model : Versions.key(model, version);
        outputs.send(Topic.WEIGHTS, Utils.utf8(chunk == 0 ? first : first + "/" + chunk), value);
    }

    private Origin origin() {
        return new Origin(outputs.input().partition(), outputs.input().offset());
    }

    private String modelName() {
        return Utils.utf8(outputs.input().key());
    }
}
