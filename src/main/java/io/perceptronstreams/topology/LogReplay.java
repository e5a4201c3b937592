package io.perceptronstreams.topology;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.model.ModelSession;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.store.InputPosition;
import io.perceptronstreams.store.InputPosition.Decisions;
import io.perceptronstreams.store.ModelStore;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the models of a task to the offset at which its input goes on, or finds that the two do not fit together.
 *
 * <p>The models contain the log up to their last checkpoint; the records between that and the committed offset are learned again, without
 * outputs. Learning is deterministic, hence the models are the same as those that the outputs were made by, bit for bit.
 */
final class LogReplay {
    private static final Logger LOG = LoggerFactory.getLogger(LogReplay.class);

    private final EngineConfig config;
    private final InputLog log;
    private final ModelStore store;
    private final InputDecoder decoder;
    private final EventEncoder encoder;
    private final RegistryRetry outage;
    private final RestoreProgress progress;
    private final int partition;
    private final Decisions decisions;

    LogReplay(
            EngineConfig config,
            InputLog log,
            ModelStore store,
            InputDecoder decoder,
            EventEncoder encoder,
            RegistryRetry outage,
            RestoreProgress progress,
            int partition,
            Decisions decisions) {
        this.config = config;
        this.log = log;
        this.store = store;
        this.decoder = decoder;
        this.encoder = encoder;
        this.outage = outage;
        this.progress = progress;
        this.partition = partition;
        this.decisions = decisions;
    }

    /**
     * Makes the models contain exactly the records before an offset.
     *
     * @param next offset of the first record that is to be used
     * @throws PositionFaultException if they cannot be
     */
    void align(long next) {
        InputPosition position = store.position();
        if (position == null) {
            adopt(next);
            store.takeCensus(config.modelLimits(), false);
        } else {
            check(position, next);
            if (!position.note().isEmpty()) {
                LOG.info("the position of {} was set by hand: {}", place(), position.note());
            }
            if (position.next() < next) {
                replay(position, next);
            }
            boolean isUpToDate =
                    position.next() == next && position.decisions().equals(decisions) && position.isSummed();
            store.takeCensus(config.modelLimits(), position.next() < next);
            if (isUpToDate) {
                return;
            }
        }
        // In the transaction of the first record: from here on other settings may decide than those that the replay
        // went by.
        store.checkpoint(log.topicId(), next, decisions);
    }

    /** Begins where nothing was ever stored, or where an engine without checkpoints has written with every commit. */
    private void adopt(long next) {
        OptionalLong committed = log.committedOffset(partition);
        if (committed.isPresent() && store.isEmpty() && log.isChangelogLost(partition)) {
            throw new PositionFaultException(lostChangelog(config, "partition " + partition + " empty"));
        }
        if (!store.isEmpty()) {
            LOG.info("{} was written without checkpoints: it goes on from offset {}", place(), next);
        }
    }

    static String lostChangelog(EngineConfig config, String found) {
        return config.changelog() + " must hold the models that belong to the committed offsets of group "
                + config.applicationId() + ", got " + found + " (" + mend(config, "--to-earliest")
                + " learns all records again that the topic still has, " + mend(config, "--skip-gap")
                + " goes on with what is there)";
    }

    private void check(InputPosition position, long next) {
        if (!position.topicId().equals(log.topicId())) {
            throw new PositionFaultException(
                    config.topic(Topic.EXAMPLES) + " must be the topic that the models come from, "
                            + position.topicId() + ", got another topic of that name, " + log.topicId() + " ("
                            + mend(config, "--to-earliest") + " forgets the models and learns the new topic, "
                            + mend(config, "--skip-gap") + " keeps them and goes on with the new topic)");
        }
        if (next < position.next()) {
            throw new PositionFaultException(place() + " must go on at offset " + position.next()
                    + ", through which the models have learned it, got " + next
                    + ": offsets of group " + config.applicationId() + " were lost or set back ("
                    + mend(config, "--skip-gap") + " goes on at " + position.next() + ", "
                    + mend(config, "--to-earliest") + " forgets the models and learns all again)");
        }
        if (next > position.next()) {
            long first = log.firstOffset(partition);
            if (first > position.next()) {
                throw new PositionFaultException(gap(config, place(), position.next(), first));
            }
            if (position.decisions().revision() != ModelSession.REVISION) {
                throw new PositionFaultException(place() + " must be learned again from offset " + position.next()
                        + " to " + next + " by an engine of arithmetic revision "
                        + position.decisions().revision() + ", got revision " + ModelSession.REVISION
                        + " (start the earlier version once more, stop it with SIGTERM, then start this one)");
            }
        }
    }

    static String gap(EngineConfig config, String place, long next, long first) {
        return place + " must still have the records from offset " + next
                + " on, which the models have not learned, got "
                + first + " as its first offset (" + mend(config, "--skip-gap") + " goes on without them, "
                + mend(config, "--to-earliest") + " forgets the models and learns what is left)";
    }

    private static String mend(EngineConfig config, String how) {
        boolean isDefault = config.topicsPrefix().equals("perceptron")
                && config.applicationId().equals("perceptron");
        return "perceptron topics reset " + how
                + (isDefault
                        ? ""
                        : " -D topics.prefix=" + config.topicsPrefix() + " -D application.id="
                                + config.applicationId());
    }

    private void replay(InputPosition position, long next) {
        long start = System.nanoTime();
        ReplayedEvents events = new ReplayedEvents(encoder);
        RecordDispatcher dispatcher =
                new RecordDispatcher(decoder, outage, store, events, right -> {}, position.decisions(), partition);
        long[] count = {0};
        progress.replayStarted(partition, next - position.next());
        log.read(partition, position.next(), next, record -> {
            long timestamp = EventTimeExtractor.of(record);
            store.passTime(timestamp);
            learnAgain(dispatcher, record, timestamp);
            count[0]++;
            progress.replayed(partition, record.offset() + 1 - position.next());
        });
        progress.replayEnded(partition);
        if (count[0] == 0) {
            return; // only the ends of transactions lie between
        }
        LOG.info(
                "replayed {} records of {} from {} to {} in {} ms",
                count[0],
                place(),
                position.next(),
                next,
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
    }

    private void learnAgain(RecordDispatcher dispatcher, ConsumerRecord<byte[], byte[]> record, long timestamp) {
        if (store.isRefused(record.offset())) {
            return;
        }
        try {
            dispatcher.dispatch(record.key(), record.value(), record.headers(), timestamp, record.offset());
        } catch (RejectedException e) {
            if (isRegistrys(e.reason())) {
                throw new PositionFaultException(place() + "@" + record.offset()
                        + " was used before and must be used again, got from the schema registry: " + e.getMessage()
                        + " (register the schema under its id again)");
            }
        }
    }

    /** Whether a reason for a refusal comes from the registry, which may answer otherwise the next time. */
    static boolean isRegistrys(RejectReason reason) {
        return reason == RejectReason.UNKNOWN_SCHEMA || reason == RejectReason.INCOMPATIBLE_SCHEMA;
    }

    /**
     * Whether a refusal for this reason is written down for a replay: the registry's, and those by the number of models. That number is
     * not known in a replay, because models that were written since the checkpoint are ahead of it.
     */
    static boolean isWrittenDown(RejectReason reason) {
        return isRegistrys(reason) || reason == RejectReason.TOO_MANY_MODELS;
    }

    private String place() {
        return config.topic(Topic.EXAMPLES) + "-" + partition;
    }
}
