package io.perceptronstreams.log;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.store.InputPosition.Decisions;
import io.perceptronstreams.store.ModelStore;
import io.perceptronstreams.store.Refusals;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Learns records of one partition that the engine has processed before. */
final class RecordReplayer {
    private final ModelStore store;
    private final RecordDispatcher dispatcher;
    private final String place;
    private final long aheadMs;

    /**
     * @param events listener
     * @param decisions settings under which the engine processed the records
     * @param topic name of the examples topic, for errors
     */
    RecordReplayer(PartitionModels partition, ReplayedEvents events, Decisions decisions, String topic) {
        this(partition, events, RecordEvents.NONE, CommandCheck.none(), decisions, topic);
    }

    /**
     * @param recordEvents listener for records of several examples
     * @param commands refuses none
     */
    RecordReplayer(
            PartitionModels partition,
            ReplayedEvents events,
            RecordEvents recordEvents,
            CommandCheck commands,
            Decisions decisions,
            String topic) {
        this.store = partition.store();
        this.place = topic + "-" + partition.number();
        this.aheadMs = decisions.aheadMs();
        this.dispatcher = new RecordDispatcher(partition, decisions, events, recordEvents, commands);
    }

    /**
     * Learns a record.
     *
     * @return the reason for which it was refused; null if it was used, or refused before for a reason outside the log
     * @throws PositionFaultException if the schema registry answers otherwise than before, or records that an import
     *     lacks were deleted
     */
    RejectedException relearn(ConsumerRecord<byte[], byte[]> record) {
        long timestamp = EventTime.of(record, aheadMs);
        store.passTime(timestamp);
        Refusals.Effect refused = store.refusals().effect(record.offset());
        boolean wasRefused = refused != null;
        try {
            if (!wasRefused) {
                dispatcher.dispatch(record, timestamp);
            } else if (refused == Refusals.Effect.MAY_END_IMPORT) {
                dispatcher.endImport(record);
            } else if (refused == Refusals.Effect.ENDED_IMPORT && !store.hasStaged(record.offset())) {
                store.unstage(record.key(), record.offset());
            }
            return null;
        } catch (RejectedException e) {
            // a refused record had another use only if it ended an import, of which nothing is used any more
            if (RegistryRetry.isFromRegistry(e.reason()) && !wasRefused) {
                throw new PositionFaultException(place + "@" + record.offset()
                        + " must be readable as before the restart, got from the schema registry: " + e.getMessage()
                        + " (register the schema under its id again)");
            }
            if (e.reason() == RejectReason.OUTDATED_WEIGHTS && e.getCause() != null) {
                throw new PositionFaultException(place + "@" + record.offset()
                        + " must find the records that its weights lack as before the restart, got: "
                        + e.getCause().getMessage());
            }
            return wasRefused ? null : e;
        }
    }

    /** Waits until the registry has answered for a record, so that {@link #relearn} does not; changes nothing. */
    void prepare(ConsumerRecord<byte[], byte[]> record) {
        if (record.value() == null || isSkipped(record)) {
            return;
        }
        try {
            dispatcher.prepare(record.value());
        } catch (RejectedException e) {
            // relearn() decides what that means
        }
    }

    /** Returns true if {@link #prepare} asks the registry nothing. */
    boolean isPrepared(ConsumerRecord<byte[], byte[]> record) {
        return record.value() == null || isSkipped(record) || dispatcher.isPrepared(record.value());
    }

    /** Returns true if the value is not needed. */
    private boolean isSkipped(ConsumerRecord<byte[], byte[]> record) {
        Refusals.Effect refused = store.refusals().effect(record.offset());
        return refused != null && refused != Refusals.Effect.MAY_END_IMPORT;
    }

    /** Deletes a model that the engine deleted after the record at an offset, because it was idle. */
    void expire(byte[] name, long offset) {
        dispatcher.expire(name, offset);
    }
}
