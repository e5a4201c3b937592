package io.perceptronstreams.log;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.labels.LabelEvent;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.model.InputRecord;
import io.perceptronstreams.model.ModelSession;
import io.perceptronstreams.model.StoredEvents;
import io.perceptronstreams.model.WeightsChunk;
import io.perceptronstreams.serde.ExampleList;
import io.perceptronstreams.serde.InputDecoder;
import java.util.Arrays;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * Decodes events again that were decoded and stored before; waits while the registry does not answer or lacks the
 * schema.
 */
final class Redecoder implements StoredEvents {
    private final PartitionModels models;
    private final InputDecoder decoder;
    private final long aheadMs;
    private final RecordEvents recordEvents;
    private final Example example = new Example();

    Redecoder(PartitionModels models, long aheadMs, RecordEvents recordEvents) {
        this.models = models;
        this.aheadMs = aheadMs;
        this.recordEvents = recordEvents;
        // not the one of the current record, which is still in use
        this.decoder = models.decoder().another();
    }

    @Override
    public WeightsChunk chunk(byte[] value) {
        decodeOrWait(value, PartitionModels.DEFAULT_HASHER);
        return decoder.weights();
    }

    @Override
    public Example example(byte[] value, FeatureHasher hasher) {
        try {
            if (models.decode(value, () -> decoder.decode(value, hasher, example)) == InputDecoder.Kind.EXAMPLES) {
                decoder.examples().decode(0, hasher, example);
            }
        } catch (RejectedException e) {
            if (hasher.rules() != null && isOfCrosses(e.reason())) {
                throw e;
            }
            throw unreadable(e);
        }
        return example;
    }

    @Override
    public LabelEvent label(Waiting waiting) {
        decoder.at(waiting.offset(), waiting.time());
        decode(waiting.value(), PartitionModels.DEFAULT_HASHER);
        return decoder.label();
    }

    @Override
    public void examples(byte[] name, long from, long to, Supplier<FeatureHasher> hasher, ExampleSink sink) {
        long[] bytes = {0};
        Set<Long> refused = models.store().refusals().unauthorised(from, to);
        try {
            models.records().read(models.number(), from, to, record -> {
                bytes[0] += size(record);
                if (bytes[0] > ModelSession.MAX_REREAD_BYTES) {
                    throw new RejectedException(
                            RejectReason.OUTDATED_WEIGHTS,
                            "weights that replace a model must lack at most " + ModelSession.MAX_REREAD_BYTES
                                    + " bytes of the partition, got more up to offset " + record.offset());
                }
                if (Arrays.equals(record.key(), name) && record.value() != null && !refused.contains(record.offset())) {
                    accept(record, hasher.get(), sink);
                }
            });
        } catch (DeletedRecordsException e) {
            throw outdated("deleted ones", from, e);
        }
    }

    /** Size of all that is read, also of records of other models. */
    private static long size(ConsumerRecord<byte[], byte[]> record) {
        long size = length(record.key()) + length(record.value());
        for (Header header : record.headers()) {
            size += header.key().length() + length(header.value());
        }
        return size;
    }

    private static long length(byte[] bytes) {
        return bytes == null ? 0 : bytes.length;
    }

    private void accept(ConsumerRecord<byte[], byte[]> record, FeatureHasher hasher, ExampleSink sink) {
        long timestamp = EventTime.of(record, aheadMs);
        if (record.headers().lastHeader(EventTime.REFUSED) != null) {
            return;
        }
        InputDecoder.Kind kind;
        try {
            InputHeaders.check(record.headers(), record.value());
            kind = models.decode(record.value(), () -> decoder.decode(record.value(), hasher, example));
        } catch (RejectedException e) {
            if (RegistryRetry.isFromRegistry(e.reason())) {
                throw outdated("an unreadable record", record.offset(), e);
            }
            return;
        }
        switch (kind) {
            case EXAMPLE -> {
                models.identify(example, record.offset());
                if (recordEvents.usesAgain(example, record.offset(), timestamp)) {
                    sink.example(record.offset(), InputRecord.WHOLE, timestamp, example);
                }
            }
            case EXAMPLES -> acceptEach(record, hasher, sink);
            case COMMAND -> throw outdated("a command", record.offset(), null);
            case WEIGHTS -> {
                // the other chunks may be those of the import itself
                if (decoder.weights().isLast()) {
                    throw outdated("an import", record.offset(), null);
                }
            }
            case LABEL -> sink.label();
        }
    }

    private void acceptEach(ConsumerRecord<byte[], byte[]> record, FeatureHasher hasher, ExampleSink sink) {
        ExampleList examples = decoder.examples();
        for (int k = 0; k < examples.size(); k++) {
            long timestamp;
            try {
                timestamp = EventTime.of(examples, k, record.timestamp(), aheadMs);
                examples.decode(k, hasher, example);
            } catch (RejectedException e) {
                // it was refused without the others
                continue;
            }
            models.identify(example, record.offset(), k);
            if (recordEvents.usesAgain(example, record.offset(), timestamp)) {
                sink.example(record.offset(), k, timestamp, example);
            }
        }
    }

    private static RejectedException outdated(String got, long offset, Throwable cause) {
        return new RejectedException(
                RejectReason.OUTDATED_WEIGHTS,
                "weights that replace a model must lack only examples, got " + got + " at offset " + offset,
                cause);
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
        models.decode(value, () -> decoder.decode(value, hasher, example));
    }
}
