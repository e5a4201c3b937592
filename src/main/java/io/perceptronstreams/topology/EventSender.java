package io.perceptronstreams.topology;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.drift.Alarm;
import io.perceptronstreams.evaluation.CountingWindow;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.RejectReason;
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
import io.perceptronstreams.serde.DeadLetter;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.EventEncoder.Origin;
import io.perceptronstreams.serde.EventIds;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.settings.Settings;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/** Encodes the events of a session, with key, timestamp and headers of the current input record, and forwards them in {@link Outputs}. */
final class EventSender implements ModelEvents, RecordEvents {
    /** Limit of copied headers: the largest output, a Mistake, must still fit into a record. */
    private static final int MAX_HEADER_BYTES = 64 * 1024;

    /** Least limit of the headers of each dead letter of a record: those of a request or a replay are small, and must be copied. */
    private static final int MIN_LETTER_HEADER_BYTES = 512;

    /** Limit of the predictions of a record: more of them become several events. */
    private static final int MAX_PREDICTION_BYTES = 512 * 1024;

    private final ProcessorContext<byte[], byte[]> context;
    private final EngineConfig config;
    private final int maxRecordBytes;
    private final EventEncoder encoder;
    private final int partition;
    private final Outputs outputs;
    private ConsumerRecord<byte[], byte[]> record;
    private long timestamp;

    // False if the registry refuses the schema of several predictions: each is a record of its own.
    private final boolean hasBatches;

    // Number of examples of a record of several.
    private int exampleCount;

    // Predictions of a record of several examples, and their number of bytes; null for other records.
    private List<byte[]> predictions;
    private int predictionBytes;

    // Event time of a record of several examples, the latest of theirs.
    private long latest;

    EventSender(ProcessorContext<byte[], byte[]> context, EngineServices services) {
        this.context = context;
        this.config = services.config();
        this.maxRecordBytes = services.limits().maxRecordBytes();
        boolean isJson = config.get(EngineConfigDef.OUTPUT_FORMAT) == EngineConfig.OutputFormat.JSON;
        this.encoder = new EventEncoder(services.ids(), isJson);
        this.hasBatches = isJson || services.ids().predictionBatch() != EventIds.NONE;
        this.partition = context.taskId().partition();
        this.outputs = new Outputs(context);
    }

    /**
     * Sets the current input record.
     *
     * @param eventTime the timestamp of the record in the log may be another one
     */
    void begin(ConsumerRecord<byte[], byte[]> current, long eventTime) {
        record = current;
        timestamp = eventTime;
    }

    /** Forwards the events since the last call. */
    void flush() {
        outputs.flush();
    }

    @Override
    public void predicted(Model model, Example example, Outcome outcome, long updates) {
        long examples = model.counts().totals().examples();
        byte[] prediction = encoder.prediction(example, outcome, model.current().epoch(), updates, examples);
        if (predictions == null) {
            send(Topic.PREDICTIONS, prediction);
        } else {
            gather(prediction);
        }
    }

    @Override
    public void beginExamples(int count) {
        exampleCount = count;
        predictions = hasBatches ? new ArrayList<>() : null;
        predictionBytes = 0;
        latest = timestamp;
    }

    @Override
    public void beginExample(int part, long eventTime) {
        timestamp = eventTime;
    }

    private void gather(byte[] prediction) {
        if (predictionBytes + prediction.length > MAX_PREDICTION_BYTES && !predictions.isEmpty()) {
            sendPredictions();
        }
        predictions.add(prediction);
        predictionBytes += prediction.length;
    }

    private void sendPredictions() {
        long current = timestamp;
        timestamp = latest;
        send(Topic.PREDICTIONS, encoder.predictionBatch(predictions));
        timestamp = current;
        predictions.clear();
        predictionBytes = 0;
    }

    @Override
    public void refused(int part, byte[] value, RejectedException why, long streamTime) {
        ConsumerRecord<byte[], byte[]> alone = withoutHeaders(record.offset(), record.key(), value);
        // the letters of a record repeat its headers
        outputHeaders(record.headers(), Math.max(MIN_LETTER_HEADER_BYTES, MAX_HEADER_BYTES / exampleCount))
                .forEach(alone.headers()::add);
        Record<byte[], byte[]> letter = DeadLetterRecord.of(alone, timeOfLetter(why, streamTime), why, maxRecordBytes);
        letter.headers().add(DeadLetter.BATCH_INDEX, Utils.utf8(Integer.toString(part)));
        outputs.add(letter, Topic.DEAD_LETTERS.suffix());
    }

    @Override
    public void endExamples() {
        timestamp = latest;
        if (predictions != null && !predictions.isEmpty()) {
            sendPredictions();
        }
        predictions = null;
    }

    @Override
    public void mistaken(Model model, Example example, Outcome outcome, Lateness lateness) {
        send(Topic.MISTAKES, encoder.mistake(example, outcome, model, lateness));
    }

    @Override
    public void labelRefused(InputRecord current, Waiting label, RejectedException why) {
        deadLetter(withoutHeaders(label.offset(), current.name(), label.value()), label.time(), why);
    }

    @Override
    public void windowClosed(Model model, CountingWindow.Closed window) {
        send(Topic.COUNTS, encoder.mistakeCount(window, model));
    }

    @Override
    public void status(Model model, StatusCause cause) {
        send(Topic.MODELS, encoder.modelStatus(model, cause, origin()));
    }

    @Override
    public void defaultsChanged(Settings defaults) {
        byte[] status = encoder.modelStatus(ModelDefaults.model(defaults), StatusCause.DEFAULTS, origin());
        send(Topic.MODELS, Utils.utf8(ModelDefaults.statusKey(partition)), status);
    }

    @Override
    public void silent(Model model, InputRecord last) {
        expires(last);
        status(model, StatusCause.IDLE);
    }

    @Override
    public void expires(InputRecord idle) {
        begin(withoutHeaders(idle.offset(), idle.name(), null), idle.timestamp());
    }

    /** An input record of the partition without headers, which are not kept. */
    private ConsumerRecord<byte[], byte[]> withoutHeaders(long offset, byte[] key, byte[] value) {
        return new ConsumerRecord<>(config.topic(Topic.EXAMPLES), partition, offset, key, value);
    }

    @Override
    public void drifted(Model model, Alarm alarm) {
        send(Topic.ALERTS, encoder.driftAlert(model, alarm, origin()));
    }

    @Override
    public void judged(Model model, Judgement judgement) {
        send(Topic.ALERTS, encoder.trialAlert(model, Utils.utf8(record.key()), judgement, origin()));
    }

    @Override
    public void advised(Model model, Advice advice) {
        send(Topic.ALERTS, encoder.adviceAlert(model, Utils.utf8(record.key()), advice, origin()));
    }

    @Override
    public void quarantined(Model model, String reason) {
        send(Topic.ALERTS, encoder.quarantineAlert(model, reason, origin()));
    }

    @Override
    public int snapshot(Model model, String version) {
        return encoder.weightsSnapshot(model, origin(), (chunk, number) -> sendChunk(version, number, chunk));
    }

    @Override
    public void chunksRemoved(Model model, String version, int first, int end) {
        for (int chunk = first; chunk < end; chunk++) {
            sendChunk(version, chunk, null);
        }
    }

    private void sendChunk(String version, int chunk, byte[] value) {
        String model = Utils.utf8(record.key());
        String first = version == null ? model : Versions.key(model, version);
        send(Topic.WEIGHTS, Utils.utf8(chunk == 0 ? first : first + "/" + chunk), value);
    }

    private void send(Topic topic, byte[] value) {
        send(topic, record.key(), value);
    }

    private void send(Topic topic, byte[] key, byte[] value) {
        outputs.add(
                new Record<>(key, value, timestamp, outputHeaders(record.headers(), MAX_HEADER_BYTES)), topic.suffix());
    }

    /** Headers of an output: the headers of its input, or the omission header if they are too large. */
    private static Headers outputHeaders(Headers headers, int maxBytes) {
        // hot path: without headers this array is a constant
        long bytes = headers.toArray().length == 0 ? 0 : RecordCopy.bytes(headers);
        return bytes <= maxBytes
                ? headers
                : RecordCopy.headers(null).add(DeadLetter.OMITTED, Utils.utf8(Long.toString(bytes)));
    }

    /** Sends the current record to its right partition, or rejects it, depending on the settings. */
    @Override
    public void reroute(int right) {
        if (config.get(EngineConfigDef.MISROUTED) == EngineConfig.Misrouted.DEAD_LETTER) {
            throw ReroutedRecord.refused(record, right);
        }
        outputs.add(ReroutedRecord.of(record, right, maxRecordBytes), LearningTopology.REROUTE);
    }

    /**
     * Sends the current record to the dead letters.
     *
     * @param streamTime timestamp of a record that has no valid one; before the first valid one, the clock's. With time 0,
     *     retention would delete it at once
     */
    void deadLetter(RejectedException why, long streamTime) {
        deadLetter(record, timeOfLetter(why, streamTime), why);
    }

    private long timeOfLetter(RejectedException why, long streamTime) {
        boolean hasTime = why.reason() != RejectReason.INVALID_TIMESTAMP || timestamp > 0;
        return hasTime ? timestamp : streamTime > 0 ? streamTime : context.currentSystemTimeMs();
    }

    private void deadLetter(ConsumerRecord<byte[], byte[]> refused, long time, RejectedException why) {
        outputs.add(DeadLetterRecord.of(refused, time, why, maxRecordBytes), Topic.DEAD_LETTERS.suffix());
    }

    private Origin origin() {
        return new Origin(partition, record.offset());
    }
}
