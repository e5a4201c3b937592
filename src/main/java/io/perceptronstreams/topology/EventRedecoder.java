package io.perceptronstreams.topology;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.model.LabelEvent;
import io.perceptronstreams.model.StoredEvents;
import io.perceptronstreams.model.WeightsChunk;
import io.perceptronstreams.serde.InputDecoder;

/** Decodes events again that were decoded and stored before; waits while the registry does not answer or lacks the schema. */
final class EventRedecoder implements StoredEvents {
    private static final FeatureHasher DEFAULT_HASHER = new FeatureHasher(Settings.DEFAULTS.get(Settings.HASH_BITS));

    private final InputDecoder decoder;
    private final RegistryRetry registryRetry;
    private final int partition;
    private final Example example = new Example();

    /** @param decoder not the one of the present record, which is still in use */
    EventRedecoder(InputDecoder decoder, RegistryRetry registryRetry, int partition) {
        this.decoder = decoder;
        this.registryRetry = registryRetry;
        this.partition = partition;
    }

    @Override
    public WeightsChunk chunk(byte[] value) {
        decodeOrWait(value, DEFAULT_HASHER);
        return decoder.weights();
    }

    @Override
    public Example example(byte[] value, FeatureHasher hasher) {
        try {
            decodeOrWait(value, hasher);
        } catch (RejectedException e) {
            if (hasher.rules() != null && isOfCrosses(e.reason())) {
                throw e;
            }
            throw unreadable(e);
        }
        return example;
    }

    @Override
    public LabelEvent label(byte[] value) {
        decode(value, DEFAULT_HASHER);
        return decoder.label();
    }

    private void decode(byte[] value, FeatureHasher hasher) {
        try {
            decodeOrWait(value, hasher);
        } catch (RejectedException e) {
            throw unreadable(e);
        }
    }

    /** Crosses may have been set, and crosses.max lowered, since the example was stored. */
    private static boolean isOfCrosses(RejectReason reason) {
        return reason == RejectReason.UNSUPPORTED_FEATURES || reason == RejectReason.NON_FINITE_VALUE;
    }

    private static IllegalStateException unreadable(RejectedException e) {
        // it was readable when it was stored: a replay could not repeat another decision
        return new IllegalStateException(
                "a stored event must be readable as when it came, got: " + e.getMessage()
                        + " (register the schema under its id again)",
                e);
    }

    private void decodeOrWait(byte[] value, FeatureHasher hasher) {
        registryRetry.decode(value, () -> decoder.decode(value, hasher, example), () -> "partition " + partition);
    }
}
