package io.perceptronstreams.relearn;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.evaluation.CountingWindow;
import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.event.MistakeCount;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.event.Prediction;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.labels.Lateness;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.log.Changes;
import io.perceptronstreams.log.ModelInput;
import io.perceptronstreams.log.ModelLog;
import io.perceptronstreams.log.NamedSnapshot;
import io.perceptronstreams.log.Relearner;
import io.perceptronstreams.log.ReplayedEvents;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.StatusCause;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.Generation;
import io.perceptronstreams.serde.Topic;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Proof that a model has sent what its log gives: learns the log again and compares, field by field, each Prediction,
 * Mistake and MistakeCount, and the latest ModelStatus as of its offset.
 *
 * <p>The doubles are compared by their bits, so that one other weight, at any time, shows.
 */
public final class Verification implements AutoCloseable {
    /** Fields of a status that are not compared from a named snapshot on, besides the challengers from before it. */
    public static List<String> lacked(NamedSnapshot start) {
        return StatusCheck.lacked(start);
    }

    private static final long NO_DIGEST = -1;

    private final ModelInput input;
    private final StatusCheck check;
    private final EventComparison<Prediction> predictions;
    private final EventComparison<Mistake> mistakes;
    private final EventComparison<MistakeCount> counts;
    private final EventEncoder encoder = OwnEvents.encoder();
    private final Relearner relearner;
    private ConsumerRecord<byte[], byte[]> record;
    private long digestAfter = NO_DIGEST;
    private long records;
    private String digest;

    /**
     * Events of the model in one topic.
     *
     * @param isCut true if the oldest ones may be missing
     */
    public record Sent(Iterator<ConsumerRecord<byte[], byte[]>> events, boolean isCut) {}

    /**
     * Result of a verification without a difference.
     *
     * @param place of the latest status
     * @param status that was reproduced
     * @param equal numbers of events
     * @param isComplete false if the engine has no committed offset, so that events after the last equal ones were not
     *     compared
     * @param unauthorised number of commands and chunks of weights that the engine has refused as NOT_AUTHORISED
     * @param unsigned commands and chunks of weights that were taken without a valid signature
     * @param omitted commands and chunks of weights that were left out without one
     * @param start named snapshot from which the run started; null for the first record. Then counts were not compared,
     *     nor what it lacks of the status
     * @param digest {@link ModelDigest} after a number of the model's records; null if none was asked for
     */
    public record Report(
            String place,
            ModelStatus status,
            Counted equal,
            boolean isComplete,
            long unauthorised,
            Places unsigned,
            Places omitted,
            NamedSnapshot start,
            String digest) {}

    /**
     * Verifies a model, up to the record to which the engine has committed.
     *
     * @param omitsUnsigned true if commands and weights without a valid signature are left out
     * @param tag name of the snapshot from which the run starts; null for the first record
     * @param notes receives a line where the log lacks its first records, before the run
     * @throws Difference if an event or the latest status is another than the log gives
     * @throws CommandFailedException if there is no such model, or its first records were deleted
     */
    public static Report of(
            EngineConfig config, String model, boolean omitsUnsigned, String tag, Consumer<String> notes) {
        return of(config, model, omitsUnsigned, tag, NO_DIGEST, notes);
    }

    /**
     * Like {@link #of(EngineConfig, String, boolean, String, Consumer)}, with a digest.
     *
     * @param records number of the model's records since the start after which the digest is taken
     */
    static Report of(
            EngineConfig config,
            String model,
            boolean omitsUnsigned,
            String tag,
            long records,
            Consumer<String> notes) {
        try (SchemaRegistry registry = SchemaRegistries.of(config.registry());
                ModelLog log = ModelLog.open(config, model, notes)) {
            // what is there before the engine's position is read was sent for a record before it
            long predictionsEnd = log.end(Topic.PREDICTIONS);
            long mistakesEnd = log.end(Topic.MISTAKES);
            long countsEnd = log.end(Topic.COUNTS);
            ModelStatus status = latestStatus(log, registry);
            boolean isComplete = log.committed().isPresent();
            long end = log.endAfter(status.getOffset());
            RunStart start = RunStart.of(config, log, status, end, tag, notes);
            String command = "verify " + model;
            try (ModelLog.Sent predictions = log.sent(Topic.PREDICTIONS);
                    ModelLog.Sent mistakes = log.sent(Topic.MISTAKES);
                    ModelLog.Sent counts = log.sent(Topic.COUNTS);
                    Verification run = new Verification(
                            start.input(),
                            registry,
                            omitsUnsigned ? Changes.WITHOUT_UNSIGNED : Changes.NONE,
                            status,
                            new Sent(predictions, predictions.first() > 0),
                            new Sent(mistakes, mistakes.first() > 0),
                            new Sent(counts, counts.first() > 0))) {
                run.digestAfter = records;
                try {
                    log.read(start.first(), end, block -> block.forEach(run::learn));
                    if (isComplete) {
                        run.requireEnd(predictionsEnd, mistakesEnd, countsEnd);
                    }
                } catch (Difference e) {
                    Difference difference = e.taking(run.unsigned());
                    throw start.isCut() && run.equal().isNone() ? difference.because(start.cut(command)) : difference;
                }
                if (!run.isReproduced()) {
                    throw new CommandFailedException(start.cut(command));
                }
                return new Report(
                        log.input().place(status.getOffset()),
                        status,
                        run.equal(),
                        isComplete,
                        run.relearner.unauthorised(),
                        run.unsigned(),
                        Places.of(log.input(), run.relearner.omittedUnsigned()),
                        start.input().start(),
                        run.digest);
            }
        }
    }

    static ModelStatus latestStatus(ModelLog log, SchemaRegistry registry) {
        ConsumerRecord<byte[], byte[]> last = null;
        try (ModelLog.Sent statuses = log.sent(Topic.MODELS)) {
            while (statuses.hasNext()) {
                last = statuses.next();
            }
        }
        if (last == null || last.value() == null) {
            throw new CommandFailedException(
                    "model must exist, got '" + log.input().model() + "' (perceptron models list shows all)");
        }
        return EventReader.of(ModelStatus.class, registry).read(last.value());
    }

    /**
     * Creates a run.
     *
     * @param changes what is left out
     * @param status latest of the model
     */
    public Verification(
            ModelInput input,
            SchemaRegistry registry,
            Changes changes,
            ModelStatus status,
            Sent predictions,
            Sent mistakes,
            Sent counts) {
        this.input = input;
        this.check = new StatusCheck(input, status);
        this.predictions = new EventComparison<>(
                "predictions",
                predictions.events,
                EventReader.of(Prediction.class, registry),
                OwnEvents.reader(Prediction.class),
                event -> Arrays.asList(event.getEpoch(), event.getExamples()),
                input.start() == null
                        ? null
                        : event -> isBefore(event.getEpoch(), event.getExamples(), NamedSnapshot::examples),
                predictions.isCut,
                false);
        this.mistakes = new EventComparison<>(
                "mistakes",
                mistakes.events,
                EventReader.of(Mistake.class, registry),
                OwnEvents.reader(Mistake.class),
                event -> Arrays.asList(event.getEpoch(), event.getLabelled()),
                input.start() == null
                        ? null
                        : event -> isBefore(event.getEpoch(), event.getLabelled(), NamedSnapshot::labelled),
                mistakes.isCut,
                false);
        // compacted by the key, which is the model
        this.counts = new EventComparison<>(
                "counts",
                counts.events,
                EventReader.of(MistakeCount.class, registry),
                OwnEvents.reader(MistakeCount.class),
                event -> Arrays.asList(
                        event.getEpoch(), event.getWindowStart(), event.getTotalExamples(), event.getTotalLabelled()),
                null,
                counts.isCut,
                true);
        this.relearner = new Relearner(input, registry, changes, new Comparison());
    }

    /** Returns true for an event that the model has sent before the named snapshot from which the run starts. */
    private boolean isBefore(long epoch, long count, ToLongFunction<NamedSnapshot> atStart) {
        NamedSnapshot start = input.start();
        return epoch < start.epoch() || (epoch == start.epoch() && count <= atStart.applyAsLong(start));
    }

    /**
     * Learns the next record of the partition and compares its events.
     *
     * @throws Difference if the model has sent others
     */
    public void learn(ConsumerRecord<byte[], byte[]> next) {
        record = next;
        try {
            relearner.relearn(next);
        } catch (Difference e) {
            throw e.since(input.start());
        }
        Difference difference = check.learned(relearner, next.offset());
        if (difference != null) {
            throw difference;
        }
        boolean isCounted =
                input.start() == null || next.offset() > input.start().offset();
        if (isCounted && relearner.isOwn(next) && ++records == digestAfter) {
            digest = ModelDigest.of(relearner.model());
        }
    }

    private Places unsigned() {
        return Places.of(input, relearner.unsigned());
    }

    /** Returns true if the latest status was reproduced. */
    public boolean isReproduced() {
        return check.isReached();
    }

    private final class Comparison extends ReplayedEvents {
        Comparison() {
            super(model -> 0);
        }

        @Override
        public void predicted(Model model, Example example, Outcome outcome, long updates) {
            super.predicted(model, example, outcome, updates);
            long examples = model.counts().totals().examples();
            predictions.compare(
                    encoder.prediction(example, outcome, model.current().epoch(), updates, examples), place());
        }

        @Override
        public void mistaken(Model model, Example example, Outcome outcome, Lateness lateness) {
            super.mistaken(model, example, outcome, lateness);
            mistakes.compare(encoder.mistake(example, outcome, model, lateness), place());
        }

        @Override
        public void windowClosed(Model model, CountingWindow.Closed window) {
            super.windowClosed(model, window);
            // a named snapshot lacks the open window, and so where later ones begin and end
            if (input.start() == null) {
                counts.compare(encoder.mistakeCount(window, model), place());
            }
        }

        @Override
        public void status(Model model, StatusCause cause) {
            check.status(model, cause, record.offset());
        }

        private String place() {
            return input.place(record.offset());
        }
    }

    /**
     * Ends the comparison.
     *
     * @param predictionsEnd offset of the topic behind which predictions may be those of later records
     * @param mistakesEnd as there, of mistakes
     * @param countsEnd as there, of counts
     * @throws Difference if the model has sent an event that the log does not give
     */
    public void requireEnd(long predictionsEnd, long mistakesEnd, long countsEnd) {
        try {
            String prefix = Generation.ofExamples(input.topic()).prefix();
            predictions.requireEnd(predictionsEnd, prefix);
            mistakes.requireEnd(mistakesEnd, prefix);
            if (input.start() == null) {
                counts.requireEnd(countsEnd, prefix);
            }
        } catch (Difference e) {
            throw e.since(input.start());
        }
    }

    /** Numbers of events that are equal. */
    public record Counted(long predictions, long mistakes, long counts) {
        /** Returns true if nothing was compared. */
        public boolean isNone() {
            return predictions + mistakes + counts == 0;
        }
    }

    /** Numbers of events that are equal so far. */
    public Counted equal() {
        return new Counted(predictions.equal(), mistakes.equal(), counts.equal());
    }

    @Override
    public void close() {
        relearner.close();
    }
}
