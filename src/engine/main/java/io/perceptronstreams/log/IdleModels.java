package io.perceptronstreams.log;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.model.ModelCommand;
import io.perceptronstreams.model.ModelDefaults;
import io.perceptronstreams.model.ModelName;
import io.perceptronstreams.model.ModelSession;
import io.perceptronstreams.registry.RegistryException;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.settings.Settings;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.common.utils.Utils;

/**
 * Order in which the engine deletes the idle models of a partition: after each record at most
 * {@link ModelSession#MAX_EXPIRED}, those seen least recently first, so that one model may have to wait for others.
 *
 * <p>Memory: a name and a time for each model. Not thread-safe.
 */
final class IdleModels {
    private static final FeatureHasher HASHER = Settings.DEFAULTS.hasher();

    private final ModelInput input;
    private final InputDecoder decoder;
    private final Example example = new Example();
    // stream time of the last record, least recently seen first
    private final Map<Bytes, Long> order = new LinkedHashMap<>(16, 0.75f, true);

    /** @param decoder of the records of other models */
    IdleModels(ModelInput input, InputDecoder decoder) {
        this.input = input;
        this.decoder = decoder;
    }

    /** Notes that a record was applied to a model, and whether the model exists after it. */
    void note(byte[] name, boolean exists, long streamTime) {
        if (exists) {
            order.put(Bytes.wrap(name), streamTime);
        } else {
            order.remove(Bytes.wrap(name));
        }
    }

    /** Notes a record of another model, unless the engine has refused it. */
    void note(ConsumerRecord<byte[], byte[]> record, long streamTime) {
        byte[] key = record.key();
        boolean isUsed = key != null
                && record.value() != null
                && !ModelDefaults.isKey(key)
                && ModelName.isValid(key)
                && Utils.toPositive(Utils.murmur2(key)) % input.decisions().partitions() == input.partition()
                && !input.deadLetters().contains(record.offset());
        if (!isUsed) {
            return;
        }
        try {
            switch (decoder.decode(record.value(), HASHER, example)) {
                case EXAMPLE, EXAMPLES, LABEL -> note(key, true, streamTime);
                case COMMAND -> note(key, decoder.command().action() != ModelCommand.Action.DELETE, streamTime);
                case WEIGHTS -> {
                    if (decoder.weights().isLast()) {
                        note(key, true, streamTime);
                    }
                }
            }
        } catch (RejectedException | RegistryException e) {
            // its model has settings with which it can be decoded
            note(key, true, streamTime);
        }
    }

    /** Removes the models that the engine deletes after a record; returns true if one is among them. */
    boolean expire(byte[] name, long streamTime) {
        boolean isAmong = false;
        Iterator<Map.Entry<Bytes, Long>> models = order.entrySet().iterator();
        for (int count = 0; count < ModelSession.MAX_EXPIRED && models.hasNext(); count++) {
            Map.Entry<Bytes, Long> eldest = models.next();
            if (streamTime - eldest.getValue() < input.idleMs()) {
                break;
            }
            isAmong |= Bytes.wrap(name).equals(eldest.getKey());
            models.remove();
        }
        return isAmong;
    }
}
