package io.perceptronstreams.log;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.model.ModelSession;
import io.perceptronstreams.model.PendingStatuses;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.Generation;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.store.InputPosition;
import io.perceptronstreams.store.InputPosition.Decisions;
import io.perceptronstreams.store.ModelStore;
import io.perceptronstreams.store.Refusals;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Aligns the models of a task with the offset of its next input record, or detects that they are inconsistent.
 *
 * <p>The models contain the log up to their last checkpoint. The records from there to the committed offset are
 * relearned without outputs. Learning is deterministic, so that the models equal those before the restart, bit for bit.
 */
public final class LogReplay {
    private static final Logger LOG = LoggerFactory.getLogger(LogReplay.class);

    private final EngineServices services;
    private final EngineConfig config;
    private final InputLog log;
    private final PartitionModels models;
    private final ModelStore store;
    private final PendingStatuses pendingStatuses;
    private final int partition;
    private final Decisions decisions;

    /** @param decisions of the records after the replay */
    public LogReplay(EngineServices services, PartitionModels models, Decisions decisions) {
        this.services = services;
        this.config = services.config();
        this.log = services.log();
        this.models = models;
        this.store = models.store();
        this.pendingStatuses = models.pendingStatuses();
        this.partition = models.number();
        this.decisions = decisions;
    }

    /**
     * Makes the models contain exactly the records before {@code next}, the offset of the first record to process.
     *
     * @param next counted from the base of the generation
     * @return what an alert must say: that records before it were never learned, or that the position was set by hand;
     *     null if nothing
     * @throws PositionFaultException if this is impossible
     */
    public String align(long next) {
        if (store.fence() != null && !store.fence().isForwarding() && log.isMoved()) {
            throw new PositionFaultException(moved());
        }
        InputPosition position = store.position();
        String alert = null;
        if (position == null) {
            alert = adopt(next);
            enableLimits(false);
        } else {
            check(position, next);
            if (!position.note().isEmpty()) {
                alert = "the position of " + place() + " was set by hand: " + position.note();
                LOG.info("{}", alert);
            }
            if (position.next() < next) {
                replay(position, next);
            }
            boolean isUpToDate =
                    position.next() == next && position.decisions().equals(decisions) && position.isSummed();
            enableLimits(position.next() < next);
            // a note belongs to the transaction of its alert
            if (isUpToDate && alert == null) {
                return null;
            }
        }
        // in the transaction of the first record, which may be processed under other settings than the replay
        store.checkpoint(log.topicId(), next, decisions, !pendingStatuses.isEmpty());
        return alert;
    }

    private void enableLimits(boolean isReplayed) {
        store.enableLimits(config.modelLimits(), isReplayed).forEach(pendingStatuses::restore);
    }

    /** Starts without a position: the partition is new, or its changelog is lost. */
    private String adopt(long next) {
        if (!config.generation().isFirst()) {
            throw new PositionFaultException(notMoved(config));
        }
        boolean isCommitted = log.committed(partition).isPresent();
        if (isCommitted && store.isEmpty() && log.isChangelogLost(partition)) {
            throw new PositionFaultException(lostChangelog(config, "partition " + partition + " empty"));
        }
        if (!store.isEmpty()) {
            LOG.info("the models of {} have no checkpoint: processing continues at offset {}", place(), next);
        }
        long first = isCommitted || !store.isEmpty() ? 0 : log.firstOffset(partition);
        return first == 0 ? null : unlearned(config, place(), first);
    }

    /** Describes that the models of the generation before have not arrived. */
    public static String notMoved(EngineConfig config) {
        Generation before = config.generation().previous();
        return config.topic(Topic.EXAMPLES) + " must have the models of " + before.prefix()
                + ", which are not or not completely moved (perceptron topics repartition --to N -D topics.prefix="
                + before.prefix() + " moves them, or goes on with it)";
    }

    /** Describes that the models are those of the next generation now. */
    private String moved() {
        String next = config.generation().next().prefix();
        return "the models of " + config.applicationId() + " have been moved to " + next
                + ", and no record behind that is used here (start the engine with -D topics.prefix=" + next
                + "; perceptron topics repartition --back undoes it as long as that has no records)";
    }

    /** Describes the records that were deleted before the first start of an engine. */
    public static String unlearned(EngineConfig config, String place, long first) {
        return place + " begins at offset " + first
                + ": its records before that were deleted before an engine of group " + config.applicationId()
                + " has learned them";
    }

    /**
     * Returns the exception for a consumer whose next record is not there, at which Kafka Streams would go on with the
     * oldest one without a word.
     *
     * @param failure returned if the partitions have gone to other members
     */
    public static RuntimeException outOfRange(EngineConfig config, InputLog log, OffsetOutOfRangeException failure) {
        for (Map.Entry<TopicPartition, Long> each :
                failure.offsetOutOfRangePartitions().entrySet()) {
            int partition = each.getKey().partition();
            if (log.hasOtherOwner(partition)) {
                continue;
            }
            long first = config.generation().inTopic(log.firstOffset(partition));
            String place = each.getKey().toString();
            return new PositionFaultException(
                    first > each.getValue()
                            ? gap(config, place, each.getValue(), first)
                            : place + " must have the records up to offset " + each.getValue()
                                    + ", to which they were learned, got an earlier end: brokers have lost some ("
                                    + resetCommand(config, "--to-earliest")
                                    + " deletes the models and learns the remaining records)");
        }
        return failure;
    }

    public static String lostChangelog(EngineConfig config, String found) {
        return config.changelog() + " must contain the models for the committed offsets of group "
                + config.applicationId() + ", got " + found + " (" + resetCommand(config, "--to-earliest")
                + " relearns all records of the topic, " + resetCommand(config, "--skip-gap")
                + " continues with the models that exist)";
    }

    private void check(InputPosition position, long next) {
        if (!position.topicId().equals(log.topicId())) {
            throw new PositionFaultException(
                    config.topic(Topic.EXAMPLES) + " must be the topic that the models have learned, "
                            + position.topicId() + ", got another topic of that name, " + log.topicId() + " ("
                            + resetCommand(config, "--to-earliest") + " deletes the models and learns the new topic, "
                            + resetCommand(config, "--skip-gap") + " keeps them and continues with the new topic)");
        }
        if (next < position.next()) {
            throw new PositionFaultException(place() + " must continue at offset " + position.next()
                    + ", up to which the models have learned it, got " + next
                    + ": offsets of group " + config.applicationId() + " were lost or reset ("
                    + resetCommand(config, "--skip-gap") + " continues at " + position.next() + ", "
                    + resetCommand(config, "--to-earliest") + " deletes the models and relearns all records)");
        }
        if (next > position.next()) {
            long first = log.firstOffset(partition);
            if (first > position.next()) {
                throw new PositionFaultException(gap(config, place(), position.next(), first));
            }
            if (position.decisions().revision() != ModelSession.REVISION) {
                throw new PositionFaultException(place() + " must be replayed from offset " + position.next()
                        + " to " + next + " by an engine of arithmetic revision "
                        + position.decisions().revision() + ", got revision " + ModelSession.REVISION
                        + " (start the earlier version again, stop it with SIGTERM, then start this one)");
            }
        }
    }

    public static String gap(EngineConfig config, String place, long next, long first) {
        return place + " must still have the records from offset " + next
                + " on, which the models have not learned, got "
                + first + " as its first offset (" + resetCommand(config, "--skip-gap") + " continues without them, "
                + resetCommand(config, "--to-earliest") + " deletes the models and learns the remaining records)";
    }

    private static String resetCommand(EngineConfig config, String mode) {
        boolean isDefault = config.get(EngineConfigDef.TOPICS_PREFIX).equals("perceptron")
                && config.applicationId().equals("perceptron");
        return "perceptron topics reset " + mode
                + (isDefault
                        ? ""
                        : " -D topics.prefix=" + config.get(EngineConfigDef.TOPICS_PREFIX) + " -D application.id="
                                + config.applicationId());
    }

    private void replay(InputPosition position, long next) {
        long start = System.nanoTime();
        // of the first pass, which has sent the snapshots
        EventEncoder encoder =
                new EventEncoder(services.ids(), position.decisions().writesJson());
        RecordReplayer replayer = new RecordReplayer(
                models, new ReplayedEvents(encoder::weightsChunks), position.decisions(), config.topic(Topic.EXAMPLES));
        RestoreProgress progress = services.progress();
        long[] count = {0};
        LOG.debug("replays {} from {} to {}", place(), position.next(), next);
        progress.replayStarted(partition, next - position.next());
        log.read(partition, position.next(), next, record -> {
            replayer.relearn(record);
            count[0]++;
            progress.replayed(partition, record.offset() + 1 - position.next());
        });
        progress.replayEnded(partition);
        if (count[0] == 0) {
            return; // only transaction markers
        }
        LOG.info(
                "replayed {} records of {} from {} to {} in {} ms",
                count[0],
                place(),
                position.next(),
                next,
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
    }

    /**
     * Returns true if rejections for this reason are stored, because a replay cannot repeat the decision: it depends on
     * the registry, on the number of models, which includes models written since the checkpoint, on the key of
     * commands, which may change and is not stored, or on records that may be deleted.
     */
    public static boolean isStored(RejectReason reason) {
        return RegistryRetry.isFromRegistry(reason) || endsImport(reason) || reason == RejectReason.NOT_AUTHORISED;
    }

    /**
     * Returns true for reasons outside the log for which weights are refused when all their chunks are there, which
     * ends the import.
     */
    static boolean endsImport(RejectReason reason) {
        return reason == RejectReason.TOO_MANY_MODELS || reason == RejectReason.OUTDATED_WEIGHTS;
    }

    /**
     * Returns the effect of a refusal that is stored.
     *
     * @param ofImport effect where the reason may have ended an import
     */
    public static Refusals.Effect effect(RejectReason reason, Refusals.Effect ofImport) {
        if (reason == RejectReason.NOT_AUTHORISED) {
            return Refusals.Effect.NOT_AUTHORISED;
        }
        return endsImport(reason) ? ofImport : Refusals.Effect.NOTHING;
    }

    private String place() {
        return config.topic(Topic.EXAMPLES) + "-" + partition;
    }
}
