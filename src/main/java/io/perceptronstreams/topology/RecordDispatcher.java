package io.perceptronstreams.topology;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.model.ImportPurpose;
import io.perceptronstreams.model.InputRecord;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.ModelEvents;
import io.perceptronstreams.model.ModelName;
import io.perceptronstreams.model.ModelSession;
import io.perceptronstreams.model.WeightsChunk;
import io.perceptronstreams.registry.RegistryException;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.store.InputPosition.Decisions;
import io.perceptronstreams.store.ModelStore;
import java.util.function.IntConsumer;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.utils.Utils;

/** Checks a record of the examples topic, decodes it and hands it to the {@link ModelSession}: what engine and replay share. */
final class RecordDispatcher {
    /** Marks a record that was sent on from a wrong partition. */
    static final String REROUTED = "perceptron-rerouted";

    private static final FeatureHasher DEFAULT_HASHER = new FeatureHasher(Settings.DEFAULTS.hashBits());

    private final InputDecoder decoder;
    private final RegistryRetry outage;
    private final ModelStore store;
    private final IntConsumer reroute;
    private final ModelSession session;
    private final int partitions;
    private final int partition;
    private final Example example = new Example();

    /**
     * A dispatcher for one partition.
     *
     * @param outage what to do while the registry cannot be asked
     * @param events listens to the session
     * @param reroute takes the number of the right partition of a record that lies on a wrong one
     */
    RecordDispatcher(
            InputDecoder decoder,
            RegistryRetry outage,
            ModelStore store,
            ModelEvents events,
            IntConsumer reroute,
            Decisions decisions,
            int partition) {
        this.decoder = decoder;
        this.outage = outage;
        this.store = store;
        this.reroute = reroute;
        this.session = new ModelSession(store, events, this::stagedChunk, decisions.createsModels());
        this.partitions = decisions.partitions();
        this.partition = partition;
    }

    /**
     * Uses a record.
     *
     * @param timestamp event time as {@link EventTimeExtractor} gives it
     * @throws RejectedException if it cannot be used
     */
    void dispatch(byte[] key, byte[] value, Headers headers, long timestamp, long offset) {
        checkName(key);
        checkTime(headers);
        int right = Utils.toPositive(Utils.murmur2(key)) % partitions;
        if (right != partition) {
            reroute.accept(right);
            return;
        }
        if (value == null) {
            throw new RejectedException(RejectReason.NULL_VALUE, "value must be an event, got null");
        }
        LiveModel known = store.find(key);
        if (known != null && offset <= known.position()) {
            return; // a replay, and the model was written after this record
        }
        InputRecord record =
                new InputRecord(key, offset, timestamp, store.streamTime(), headers.lastHeader(REROUTED) != null);
        switch (decode(value, known == null ? DEFAULT_HASHER : known.model().hasher())) {
            case EXAMPLE -> session.example(record, known, example);
            case COMMAND -> session.command(record, known, decoder.command());
            case WEIGHTS -> {
                if (!store.hasStaged(offset)) {
                    session.weights(record, known, value, decoder.weights(), text(headers, ImportPurpose.HEADER));
                }
            }
            case LABEL ->
                throw new RejectedException(
                        RejectReason.LATE_LABEL,
                        "late labels are not taken yet, got one (send the label with its example)");
        }
    }

    /** Deletes models that are idle; to be called by the engine after every record, and not by a replay. */
    void expire(long offset) {
        session.expire(offset, store.streamTime());
    }

    private static void checkName(byte[] name) {
        if (name == null) {
            throw new RejectedException(RejectReason.NULL_KEY, "record key must be the model's name, got null");
        }
        if (!ModelName.isValid(name)) {
            throw new RejectedException(
                    RejectReason.INVALID_MODEL_NAME,
                    "record key must be a model's name, " + ModelName.RULE + ", got another key of " + name.length
                            + " bytes");
        }
    }

    private static void checkTime(Headers headers) {
        String refused = text(headers, EventTimeExtractor.REFUSED);
        if (refused != null) {
            throw new RejectedException(
                    RejectReason.INVALID_TIMESTAMP,
                    "timestamp must be in ms since 1970 and before the year 2200, got " + refused);
        }
    }

    private static String text(Headers headers, String name) {
        Header header = headers.lastHeader(name);
        return header == null ? null : header.value() == null ? "" : Utils.utf8(header.value());
    }

    private WeightsChunk stagedChunk(byte[] value) {
        decode(value, DEFAULT_HASHER);
        return decoder.weights();
    }

    private InputDecoder.Kind decode(byte[] value, FeatureHasher hasher) {
        try {
            return decoder.decode(value, hasher, example);
        } catch (RegistryException e) {
            return outage.waitFor(() -> decoder.decode(value, hasher, example), () -> "partition " + partition);
        }
    }
}
