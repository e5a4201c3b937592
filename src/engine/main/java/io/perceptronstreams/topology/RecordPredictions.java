package io.perceptronstreams.topology;

import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.Topic;
import java.util.ArrayList;
import java.util.List;

/** Predictions of the current input record: one event for each, or few events for a record of several examples. */
final class RecordPredictions {
    /** Limit of the predictions of a record: more of them become several events. */
    private static final int MAX_BYTES = 512 * 1024;

    private final Outputs outputs;
    private final EventEncoder encoder;

    // False if the registry refuses the schema of several predictions: each is a record of its own.
    private final boolean hasBatches;

    // Of a record of several examples.
    private final List<byte[]> gathered = new ArrayList<>();
    private int bytes;
    private boolean isGathering;

    // Event time of a record of several examples, the latest of theirs.
    private long latest;

    RecordPredictions(Outputs outputs, EventEncoder encoder, boolean hasBatches) {
        this.outputs = outputs;
        this.encoder = encoder;
        this.hasBatches = hasBatches;
    }

    /** Begins a record of several examples, at its event time. */
    void begin() {
        isGathering = hasBatches;
        latest = outputs.timestamp();
    }

    /** Sends a prediction, or gathers it until {@link #end}. */
    void send(byte[] prediction) {
        if (!isGathering) {
            outputs.send(Topic.PREDICTIONS, prediction);
            return;
        }
        if (bytes + prediction.length > MAX_BYTES) {
            sendGathered();
        }
        gathered.add(prediction);
        bytes += prediction.length;
    }

    /** Ends a record of several examples. */
    void end() {
        sendGathered();
        outputs.at(latest);
        isGathering = false;
    }

    private void sendGathered() {
        if (gathered.isEmpty()) {
            return;
        }
        long current = outputs.timestamp();
        outputs.at(latest);
        outputs.send(Topic.PREDICTIONS, encoder.predictionBatch(gathered));
        outputs.at(current);
        gathered.clear();
        bytes = 0;
    }
}
