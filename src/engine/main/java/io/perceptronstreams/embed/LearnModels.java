package io.perceptronstreams.embed;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.labels.LabelEvent;
import io.perceptronstreams.labels.Lateness;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.log.ReplayedEvents;
import io.perceptronstreams.model.InputRecord;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelCommand;
import io.perceptronstreams.model.ModelSession;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.model.PendingStatuses;
import io.perceptronstreams.model.StoredEvents;
import io.perceptronstreams.model.WeightsChunk;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.store.InputPosition;
import io.perceptronstreams.store.InputPosition.Decisions;
import io.perceptronstreams.store.ModelStore;
import io.perceptronstreams.store.StoreCounters;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Models of a task in a topology of another program: session and store of the engine, with a {@link LearnJournal} in
 * place of the log. All events but results are dropped. Not thread-safe.
 */
final class LearnModels implements AutoCloseable {
    // the journal takes the place of a topic
    private static final Uuid NO_TOPIC = Uuid.ZERO_UUID;
    private static final Decisions DECISIONS =
            new Decisions(true, false, 1, ModelSession.REVISION, false, Decisions.DEFAULT_AHEAD_MS);

    private static final ModelCommand BEGINNING = new ModelCommand(ModelCommand.Action.CONFIGURE, Map.of());

    private static final Logger LOG = LoggerFactory.getLogger(Learn.class);

    private final LearnStore batches;
    private final ModelStore store;
    private final LearnJournal journal;
    private final ModelSession session;
    private final InputBytes encoder = new InputBytes();
    private final ExampleFiller filler = new ExampleFiller();
    private final Example example = new Example();
    private final Settings defaults;
    private final List<LearnResult> results = new ArrayList<>();
    // of models that their first example creates
    private FeatureHasher defaultHasher;
    // the only model of a copy, or null
    private byte[] copied;
    private boolean isReplayed;
    private boolean isBroken;
    private long next;
    private long replayed;
    // the example of the current input that already has a result
    private Example predicted;

    /**
     * Creates the models of a store. Writes, so that it must be done while a record is processed.
     *
     * @param defaults settings of models to come
     * @param counters of the stores that share the limit
     * @param heapLimit maximum heap of the models in memory, in bytes; above it those that were not used lately are
     *     written and dropped
     */
    LearnModels(LearnStore batches, Settings defaults, StoreCounters counters, long heapLimit) {
        this.defaults = defaults;
        this.batches = batches;
        store = new ModelStore(batches, counters, heapLimit);
        journal = new LearnJournal(batches);
        session = new ModelSession(store, new Results(), new Inputs(), true, new PendingStatuses());
    }

    /** Returns a copy of a model of a store that others use, with all inputs so far; null if there never was one. */
    static Model copy(ReadOnlyKeyValueStore<Bytes, byte[]> shared, String name) {
        LearnStore copy = LearnStore.copy(shared, name.getBytes(StandardCharsets.UTF_8));
        if (copy == null) {
            return null;
        }
        try (LearnModels models = new LearnModels(copy, null, new StoreCounters(), Long.MAX_VALUE)) {
            models.copied = name.getBytes(StandardCharsets.UTF_8);
            return models.model(name);
        }
    }

    /**
     * Learns from an input.
     *
     * @param forward receives its results, and those of examples that are due at its time
     * @throws RejectedException if it cannot be used
     * @throws IllegalArgumentException if it is too large for the changelog
     */
    void learn(byte[] model, long timestamp, LearnInput input, Consumer<LearnResult> forward) {
        replay();
        requireWhole();
        // also of a labelled example in a full journal: another label may correct it
        byte[] bytes = encoder.of(input);
        isBroken = true;
        batches.begin(next + 1);
        RejectedException refused = null;
        try {
            apply(next, model, timestamp, input, bytes);
        } catch (RejectedException e) {
            refused = e;
        }
        batches.endBatch();
        if (!journal.isFull()) {
            // also one that is refused: it moves the time
            journal.append(next, timestamp, model, bytes);
        }
        next++;
        isBroken = false;
        // here, where an exception of a processor behind this one finds the models complete; examples that were due
        // have results also if the input is refused
        List.copyOf(results).forEach(forward);
        if (refused != null) {
            throw refused;
        }
    }

    /**
     * Writes the inputs since the last call, or what they have changed. A task continues from there after a crash.
     *
     * @throws IllegalStateException if an input has failed in the middle, so that a model may have a part of it
     */
    void commit() {
        requireWhole();
        if (journal.isFull()) {
            checkpoint();
        } else {
            isBroken = true;
            journal.write();
            isBroken = false;
        }
    }

    private void requireWhole() {
        if (isBroken) {
            throw new IllegalStateException(
                    "models must be whole, but an earlier record or write has failed in the middle (see the log; the"
                            + " task must begin again from its last commit)");
        }
    }

    /** Learns the inputs since the last checkpoint. */
    private void replay() {
        if (isReplayed) {
            return;
        }
        requireWhole();
        isBroken = true;
        if (store.position() == null) {
            begin(0);
        } else {
            InputPosition position = store.position();
            defaultHasher = store.defaults().hasher();
            next = journal.replay(position.next(), (number, timestamp, model, input) -> {
                if (copied != null && !Arrays.equals(model, copied)) {
                    return;
                }
                try {
                    apply(number, model, timestamp, InputBytes.read(input), input);
                } catch (RejectedException e) {
                    // as when it came
                }
                batches.endBatch();
            });
            boolean isOfOtherRevision = position.decisions().revision() != ModelSession.REVISION;
            if (isOfOtherRevision && next > position.next()) {
                LOG.warn(
                        "the last {} examples and labels are learned again in another revision of the arithmetic, {}"
                                + " after {}: weights may differ from those of their results",
                        next - position.next(),
                        ModelSession.REVISION,
                        position.decisions().revision());
            }
            // models that were written early, before a crash without transactions, have later inputs
            boolean isBehind = next < batches.inputs();
            replayed = next;
            next = Math.max(next, batches.inputs());
            // a copy that is only read begins no model
            if (defaults != null
                    && (isOfOtherRevision || isBehind || !store.defaults().equals(defaults))) {
                begin(next);
            }
        }
        isReplayed = true;
        isBroken = false;
    }

    /** Sets the settings of models to come to those of this program, also in a replay from here on. */
    private void begin(long number) {
        store.setDefaults(defaults);
        defaultHasher = defaults.hasher();
        checkpoint(number);
    }

    private void checkpoint(long number) {
        isBroken = true;
        long before = batches.written();
        batches.begin(number);
        store.checkpoint(NO_TOPIC, number, DECISIONS, false);
        batches.endBatch();
        journal.begin(batches.written() - before);
        next = number;
        isBroken = false;
    }

    private void apply(long number, byte[] model, long timestamp, LearnInput input, byte[] bytes) {
        results.clear();
        predicted = null;
        store.passTime(timestamp);
        LiveModel known = store.find(model);
        if (known == null) {
            batches.own(model);
        }
        if (known != null && number <= known.position()) {
            // written after the checkpoint, with this input
            return;
        }
        InputRecord record = new InputRecord(model, number, timestamp, store.streamTime(), false);
        boolean isThere = known != null && known.model().state() != ModelState.DELETED;
        if (input instanceof LearnLabel label) {
            if (!isThere && store.defaults().hasLateLabels() && store.defaults().get(Settings.AWAIT_EXAMPLES_MS) > 0) {
                // may wait for the first example
                session.command(record, known, BEGINNING);
            }
            session.label(record, store.find(model), event(label), bytes);
        } else {
            filler.fill((LearnExample) input, isThere ? known.model().pipeline().hasher() : defaultHasher, example);
            session.example(record, known, example, bytes);
        }
    }

    private static LabelEvent event(LearnLabel label) {
        return new LabelEvent(
                new Utf8Slice().set(label.exampleId()),
                ExampleFiller.label(label.label()),
                1,
                label.source(),
                label.knowableAt() == null ? LabelEvent.UNKNOWN : label.knowableAt());
    }

    /** Number of the first input that the store did not have when it was opened; numbers of some were used before. */
    long replayed() {
        replay();
        return replayed;
    }

    /** Number of the next input. */
    long inputs() {
        replay();
        return next;
    }

    /** Writes all changed models, so that no input before is learned again. */
    void checkpoint() {
        if (isReplayed && !isBroken && next > store.position().next()) {
            checkpoint(next);
        }
    }

    /** A model with all inputs, or null if there never was one. */
    Model model(String name) {
        replay();
        LiveModel found = store.find(name.getBytes(StandardCharsets.UTF_8));
        return found == null ? null : found.model();
    }

    @Override
    public void close() {
        store.close();
    }

    /** Makes results of events. */
    private final class Results extends ReplayedEvents {
        Results() {
            super(model -> 0);
        }

        @Override
        public void count(boolean isNeeded) {
            // nothing is sent whose bytes would be limited
        }

        @Override
        public void predicted(Model model, Example scored, Outcome outcome, long updates) {
            predicted = scored;
            forward(scored, outcome);
        }

        @Override
        public void labelled(Model model, Example scored, Outcome outcome) {
            // the label of an example that was predicted before
            if (predicted != scored) {
                forward(scored, outcome);
            }
            predicted = null;
        }

        @Override
        public void mistaken(Model model, Example scored, Outcome outcome, Lateness lateness) {
            if (lateness != null && lateness.replaced() != null) {
                forward(scored, outcome, lateness.replaced().label().toString());
            }
        }

        private void forward(Example scored, Outcome outcome) {
            forward(scored, outcome, null);
        }

        private void forward(Example scored, Outcome outcome, String replaced) {
            results.add(LearnResult.of(
                    scored.id().toString(),
                    scored.label() == null ? null : scored.label().toString(),
                    replaced,
                    outcome));
        }

        @Override
        public void labelRefused(InputRecord record, Waiting label, RejectedException why) {
            // the record is another one, which must not be refused for it
            LOG.warn(
                    "label of '{}' for model '{}' is refused, {}: {}",
                    label.id(),
                    new String(record.name(), StandardCharsets.UTF_8),
                    why.reason(),
                    why.getMessage());
        }

        @Override
        public void quarantined(Model model, String reason) {
            LOG.error("a model is quarantined: {}", reason);
        }
    }

    /** Reads inputs that waited. */
    private static final class Inputs implements StoredEvents {
        private final ExampleFiller filler = new ExampleFiller();
        private final Example example = new Example();

        @Override
        public Example example(byte[] value, FeatureHasher hasher) {
            filler.fill((LearnExample) InputBytes.read(value), hasher, example);
            return example;
        }

        @Override
        public LabelEvent label(Waiting waiting) {
            return event((LearnLabel) InputBytes.read(waiting.value()));
        }

        @Override
        public WeightsChunk chunk(byte[] value) {
            throw new IllegalStateException("no weights are imported");
        }

        @Override
        public void examples(byte[] name, long from, long to, Supplier<FeatureHasher> hasher, ExampleSink sink) {
            throw new IllegalStateException("no weights are imported");
        }
    }
}
