package io.perceptronstreams.topology;

import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.log.DeadLetterRecord;
import io.perceptronstreams.log.EngineServices;
import io.perceptronstreams.log.RecordEvents;
import io.perceptronstreams.log.ReroutedRecord;
import io.perceptronstreams.model.Fence;
import io.perceptronstreams.model.ModelEvents;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.EventIds;
import io.perceptronstreams.serde.Topic;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Sends the outputs of input records: the events of their models, and what a record becomes that cannot be used here.
 */
public final class RecordSender implements RecordEvents {
    /**
     * Least limit of the headers of each dead letter of a record: those of a request or a replay are small, and must be
     * copied.
     */
    private static final int MIN_LETTER_HEADER_BYTES = 512;

    private final ProcessorContext<byte[], byte[]> context;
    private final EngineConfig config;
    private final int maxRecordBytes;
    private final Outputs outputs;
    private final RecordPredictions predictions;
    private final EventSender events;

    // Number of examples of a record of several.
    private int exampleCount;

    RecordSender(ProcessorContext<byte[], byte[]> context, EngineServices services) {
        this.context = context;
        this.config = services.config();
        this.maxRecordBytes = services.limits().maxRecordBytes();
        this.outputs = new Outputs(context, config, maxRecordBytes);
        boolean isJson = config.get(EngineConfigDef.OUTPUT_FORMAT) == EngineConfig.OutputFormat.JSON;
        EventEncoder encoder = new EventEncoder(services.ids(), isJson);
        boolean hasBatches = isJson || services.ids().predictionBatch() != EventIds.NONE;
        this.predictions = new RecordPredictions(outputs, encoder, hasBatches);
        this.events = new EventSender(outputs, predictions, encoder);
    }

    /** Sends the events of models. */
    ModelEvents events() {
        return events;
    }

    /**
     * Sets the current input record.
     *
     * @param eventTime the timestamp of the record in the log may be another one
     */
    void begin(ConsumerRecord<byte[], byte[]> current, long eventTime) {
        outputs.begin(current, eventTime);
    }

    /** Sends an alert about the position of the partition. */
    void positionChanged(String message) {
        events.positionChanged(message);
    }

    /** Forwards the outputs since the last call. */
    void flush() {
        outputs.flush();
    }

    @Override
    public void beginExamples(int count) {
        exampleCount = count;
        predictions.begin();
    }

    @Override
    public void beginExample(int part, long eventTime) {
        outputs.at(eventTime);
    }

    @Override
    public void refused(List<Integer> parts, byte[] value, RejectedException why, long streamTime) {
        ConsumerRecord<byte[], byte[]> input = outputs.input();
        ConsumerRecord<byte[], byte[]> alone = outputs.withoutHeaders(input.offset(), input.key(), value);
        // the letters of a record repeat its headers
        outputs.headers(Math.max(MIN_LETTER_HEADER_BYTES, Outputs.MAX_HEADER_BYTES / exampleCount))
                .forEach(alone.headers()::add);
        Record<byte[], byte[]> letter = DeadLetterRecord.of(alone, timeOfLetter(why, streamTime), why, maxRecordBytes);
        letter.headers().add(DeadLetter.BATCH_INDEX, Utils.utf8(DeadLetter.toText(parts)));
        outputs.add(letter, Topic.DEAD_LETTERS.suffix());
    }

    @Override
    public void endExamples() {
        predictions.end();
    }

    /** Sends the current record to its right partition, or rejects it, depending on the settings. */
    @Override
    public void reroute(int right) {
        if (config.get(EngineConfigDef.MISROUTED) == EngineConfig.Misrouted.DEAD_LETTER) {
            throw ReroutedRecord.refused(outputs.input(), right);
        }
        outputs.add(ReroutedRecord.of(outputs.input(), right, maxRecordBytes), LearningTopology.REROUTE);
    }

    /** Sends a record behind a fence to the next generation, or refuses it. */
    @Override
    public void fenced(Fence fence, boolean isOfModel) {
        String next = config.generation().next().prefix();
        if (fence.isForwarding() && isOfModel) {
            outputs.add(ReroutedRecord.forwarded(outputs.input(), next, maxRecordBytes), LearningTopology.FORWARD);
            return;
        }
        throw new RejectedException(
                RejectReason.FENCED,
                "a record must be sent to " + Topic.EXAMPLES.name(next) + ", to which the models of "
                        + config.topic(Topic.EXAMPLES) + " have been moved, got one behind its fence"
                        + (isOfModel ? "" : " that is none of a model"));
    }

    /**
     * Sends the current record to the dead letters.
     *
     * @param streamTime timestamp of a record that has no valid one; before the first valid one, the clock's. With time
     *     0, retention would delete it at once
     */
    void deadLetter(RejectedException why, long streamTime) {
        outputs.deadLetter(outputs.input(), timeOfLetter(why, streamTime), why);
    }

    private long timeOfLetter(RejectedException why, long streamTime) {
        long timestamp = outputs.timestamp();
        boolean hasTime = why.reason() != RejectReason.INVALID_TIMESTAMP || timestamp > 0;
        return hasTime ? timestamp : streamTime > 0 ? streamTime : context.currentSystemTimeMs();
    }
}
