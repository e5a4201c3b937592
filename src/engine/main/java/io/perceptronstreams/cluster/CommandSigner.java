package io.perceptronstreams.cluster;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.model.ImportPurpose;
import io.perceptronstreams.serde.CommandSignature;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;

/** Signs commands and chunks of weights with the first key of {@code commands.key}, if one is set. Not thread-safe. */
public final class CommandSigner {
    private final String key;
    private long lastMicros;

    public CommandSigner(EngineConfig config) {
        key = config.get(EngineConfigDef.COMMANDS_KEY).isEmpty()
                ? null
                : config.get(EngineConfigDef.COMMANDS_KEY).get(0);
    }

    /** Adds the signature to a record; call it in the order of sending, after all other headers are added. */
    public ProducerRecord<byte[], byte[]> sign(ProducerRecord<byte[], byte[]> record) {
        if (key != null) {
            // ascending, also for the chunks of a microsecond
            lastMicros = Math.max(lastMicros + 1, ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
            Header purpose = record.headers().lastHeader(ImportPurpose.HEADER);
            CommandSignature signature = CommandSignature.of(
                    key, lastMicros, record.key(), purpose == null ? null : purpose.value(), record.value());
            record.headers().add(CommandSignature.HEADER, signature.encode());
        }
        return record;
    }
}
