package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.labels.LabelEvent;
import io.perceptronstreams.model.ExampleSession.Applied;
import io.perceptronstreams.model.ExampleSession.Time;
import io.perceptronstreams.settings.Settings;
import java.util.Map;

/**
 * Applies decoded records to the models of a partition, in the order of the log, and calls {@link ModelEvents}.
 *
 * <p>The same records give the same models and events, bit for bit, regardless of clock, Kafka, and which models are in
 * memory. A record is either applied completely or rejected with a {@link RejectedException} and without a change; but
 * a record whose update shows that the state is corrupt quarantines the model. The engine and its replay share this
 * class; only the engine calls {@link #expire}. Not thread-safe.
 */
public final class ModelSession {
    /**
     * Revision of the arithmetic. Every change after which the same log gives other weights, counts or decisions must
     * increase it: a replay with another revision than the first pass would mix both.
     */
    public static final int REVISION = 25;

    /** Maximum number of idle models that are deleted after one record; limits the time for a record. */
    public static final int MAX_EXPIRED = 100;

    /** Maximum number of examples that are learned for an import that lacks them; limits the time for a record. */
    public static final int MAX_REREAD = 100_000;

    /** Maximum number of records of the partition, of any model, that are read for these examples. */
    public static final int MAX_REREAD_RECORDS = 1_000_000;

    /** Maximum number of bytes of these records, among them the chunks of the import: keys, values and headers. */
    public static final long MAX_REREAD_BYTES = 1 << 29;

    /**
     * Maximum work to learn the examples that an import lacks, about eight seconds; they are learned in one
     * transaction.
     */
    public static final long MAX_REREAD_WORK = 1 << 30;

    private final Models models;
    private final StoredEvents stored;
    private final ModelEvents events;
    private final SnapshotImport gathering;
    private final boolean createsModels;
    private final PendingStatuses pendingStatuses;
    private final ExampleSession examples;

    /**
     * Creates a session for the models of a partition.
     *
     * @param events listener
     * @param stored decodes stored events
     * @param createsModels true if a model is created by its first example, without a command
     * @param pendingStatuses shared by a replay and the session after it
     */
    public ModelSession(
            Models models,
            ModelEvents events,
            StoredEvents stored,
            boolean createsModels,
            PendingStatuses pendingStatuses) {
        this.models = models;
        this.stored = stored;
        this.events = events;
        this.gathering = new SnapshotImport(models, stored::chunk);
        this.createsModels = createsModels;
        this.pendingStatuses = pendingStatuses;
        this.examples = new ExampleSession(models, events, stored, pendingStatuses);
    }

    /**
     * Begins a record of several examples.
     *
     * @param known result of {@link Models#find} for the record's name
     * @throws RejectedException if the model neither exists nor may be created
     */
    public void beginExamples(InputRecord record, LiveModel known) {
        requireModel(record, known);
        examples.beginRecord();
    }

    private void requireModel(InputRecord record, LiveModel known) {
        if (!isThere(known)) {
            if (!createsModels) {
                throw new RejectedException(
                        RejectReason.UNKNOWN_MODEL,
                        "a model must be configured before its first example, got none of this name (models set, or"
                                + " models.auto.create=true)");
            }
            models.requireRoom(record.name());
        }
    }

    /**
     * Scores an example and, if it has a label, learns from it.
     *
     * <p>Of a record of several, {@link #endExamples} must follow the last one. In between, {@link Models#find} must
     * not be called: it may write a model, whose position would be that of a record that it contains in part.
     *
     * @param known result of {@link Models#find} for the record's name; of a record of several the result of
     *     {@link #model}
     * @param example its features are scaled in place
     * @param value its bytes; null if it is not {@link #mayWait}
     * @throws RejectedException if it cannot be used
     */
    public void example(InputRecord record, LiveModel known, Example example, byte[] value) {
        requireModel(record, known);
        LiveModel live = existing(record, known);
        try {
            examples.example(record, live, example, value, !isThere(known));
        } catch (RejectedException e) {
            forgetDefaults(live.model());
            throw e;
        }
    }

    /**
     * Checks that one more example of a record of several may be decoded and used.
     *
     * @throws RejectedException if those before it have taken too much work
     */
    public void requireWork() {
        examples.requireWork();
    }

    /**
     * Counts the work of an example of several that cannot be read.
     *
     * @param example its vector has the features that were made before it was refused
     */
    public void unreadable(Example example) {
        examples.unreadable(example.vector());
    }

    /** Ends a record of several examples. */
    public void endExamples() {
        examples.endRecord();
    }

    /** Returns true if an example may be stored until its label, or another one, comes. */
    public boolean mayWait(LiveModel known, Example example) {
        if (example.label() != null) {
            Settings settings = isThere(known) ? known.model().pipeline().settings() : models.defaults();
            return settings.hasSources();
        }
        return isThere(known)
                ? ExampleSession.hasTime(known.model())
                : models.defaults().hasLateLabels();
    }

    /** Returns the known model of a record, or a new one, which is deleted until its first example. */
    public LiveModel model(InputRecord record, LiveModel known) {
        return known == null ? models.create(record.name()) : known;
    }

    /**
     * Learns the label of an example that came before it, or keeps it until the example comes.
     *
     * @param known result of {@link Models#find} for the record's name
     * @param value its bytes
     * @throws RejectedException if it cannot be used
     */
    public void label(InputRecord record, LiveModel known, LabelEvent label, byte[] value) {
        if (!isThere(known)) {
            throw ExampleSession.withoutExample("got one for a model that does not exist");
        }
        examples.label(record, known, label, value);
    }

    /** Returns the model of a record; one that does not exist yet has the defaults as its settings. */
    private LiveModel existing(InputRecord record, LiveModel known) {
        LiveModel live = model(record, known);
        if (!isThere(known)) {
            live.model().startWith(models.defaults());
        }
        return live;
    }

    /** Leaves a deleted model as it was before a rejected record. */
    private static void forgetDefaults(Model model) {
        if (model.state() == ModelState.DELETED) {
            model.startWith(Settings.DEFAULTS);
        }
    }

    /**
     * Changes the settings of models to be created from now on, in this partition, while models that exist keep theirs;
     * or makes or lifts a {@link Fence}.
     *
     * @throws RejectedException if it is another command, no model can be created with the settings, or there is
     *     another fence
     */
    public void defaults(ModelCommand command) {
        if (command.action() == ModelCommand.Action.FENCE) {
            fence(command);
            return;
        }
        if (command.action() != ModelCommand.Action.DEFAULTS) {
            throw new RejectedException(
                    RejectReason.INVALID_COMMAND,
                    "a command with the key " + ModelDefaults.KEY + " must be DEFAULTS or FENCE, got "
                            + command.action());
        }
        try {
            models.setDefaults(ModelDefaults.changed(models.defaults(), command.settings()));
        } catch (IllegalArgumentException e) {
            throw new RejectedException(RejectReason.INVALID_COMMAND, e.getMessage());
        }
        events.defaultsChanged(models.defaults());
    }

    /** Makes, changes or lifts a fence; one that is there already is answered again. */
    private void fence(ModelCommand command) {
        try {
            models.setFence(Fence.behind(models.fence(), command.settings()));
        } catch (IllegalArgumentException e) {
            throw new RejectedException(RejectReason.INVALID_COMMAND, e.getMessage());
        }
        events.fenced(models.defaults());
    }

    /**
     * Executes a command.
     *
     * @param known result of {@link Models#find} for the record's name
     * @throws RejectedException if the command cannot be executed
     */
    public void command(InputRecord record, LiveModel known, ModelCommand command) {
        if (command.action() == ModelCommand.Action.DEFAULTS || command.action() == ModelCommand.Action.FENCE) {
            throw new RejectedException(
                    RejectReason.INVALID_COMMAND,
                    command.action() + " must have the record key " + ModelDefaults.KEY + ", got the name of a model");
        }
        if (removesVersion(known, command)) {
            examples.use(record, known, Time.NONE, () -> execute(record, known, command));
            return;
        }
        if (!isThere(known)) {
            if (command.action() != ModelCommand.Action.CONFIGURE) {
                throw new RejectedException(
                        RejectReason.INVALID_COMMAND,
                        command.action() + " must be for a model that exists, got none of this name");
            }
            models.requireRoom(record.name());
        }
        Time time =
                !isThere(known) ? Time.NONE : command.action() == ModelCommand.Action.TICK ? Time.MOVES : Time.STAYS;
        LiveModel live = existing(record, known);
        examples.use(record, live, time, () -> execute(record, live, command));
    }

    /** Returns true for the removal of a named snapshot of a deleted model, which keeps these. */
    private static boolean removesVersion(LiveModel known, ModelCommand command) {
        return known != null
                && !isThere(known)
                && command.action() == ModelCommand.Action.SNAPSHOT
                && command.settings().containsKey(Versions.DROP);
    }

    private Applied execute(InputRecord record, LiveModel live, ModelCommand command) {
        Model model = live.model();
        Runnable write = () -> models.changed(live, record);
        try {
            switch (command.action()) {
                case CONFIGURE -> model.configure(command.settings());
                case RESET -> {
                    model.reset(command.settings());
                    models.unstage(live.name(), record.offset());
                }
                case DELETE -> {
                    delete(model);
                    models.unstage(live.name(), record.offset());
                }
                case FREEZE -> model.freeze(true);
                case THAW -> model.freeze(false);
                case SNAPSHOT -> examples.snapshot(Versions.Command.of(command.settings()));
                case TICK -> {
                    // the time has advanced already
                }
                case CHALLENGE -> {
                    Challenger begun = model.challenge(command.settings());
                    if (begun != null) {
                        write = () -> models.beginEpoch(live, begun.model(), record);
                    }
                }
                case WITHDRAW -> model.withdraw(command.settings());
                case PROMOTE -> model.promote(command.settings());
                case DEFAULTS, FENCE -> throw new IllegalStateException();
            }
        } catch (IllegalArgumentException e) {
            forgetDefaults(model);
            throw new RejectedException(RejectReason.INVALID_COMMAND, e.getMessage());
        }
        return examples.changed(command.action().cause(), write);
    }

    /**
     * Adds a chunk of weights; the last chunk of a snapshot replaces the model, pins the weights or begins a
     * challenger.
     *
     * @param known result of {@link Models#find} for the record's name
     * @param value the bytes of the chunk
     * @param purpose value of the header {@link ImportPurpose#HEADER}, or null; read with the last chunk only
     * @throws RejectedException if it cannot be used; then the import has ended
     */
    public void weights(InputRecord record, LiveModel known, byte[] value, WeightsChunk chunk, String purpose) {
        Model imported = gathering.add(record.name(), value, chunk, record.offset());
        if (imported == null) {
            return;
        }
        switch (ImportPurpose.named(purpose)) {
            case COMPARATOR -> compare(record, known, imported);
            case CHALLENGER -> challenge(record, known, imported, ImportPurpose.challenge(purpose));
            case MODEL -> {
                long through = ImportPurpose.learnedThrough(purpose);
                if (through == LiveModel.NO_POSITION) {
                    replace(record, known, imported);
                } else {
                    catchUp(record, known, imported, through);
                    // readers of a replica may have let other models take its place in memory
                    replace(record, models.find(record.name()), imported);
                }
            }
        }
    }

    private void replace(InputRecord record, LiveModel known, Model imported) {
        if (!isThere(known)) {
            models.requireRoom(record.name());
        }
        LiveModel live = known == null ? models.create(record.name()) : known;
        examples.use(record, live, Time.NONE, () -> {
            Model model = live.model();
            long epoch = model.current().epoch();
            model.replaceWith(imported);
            return examples.changed(StatusCause.IMPORT, () -> models.replaceEpoch(live, epoch, record));
        });
    }

    /** Begins a challenger with the imported weights. */
    private void challenge(InputRecord record, LiveModel known, Model imported, Map<String, String> command) {
        if (!isThere(known)) {
            throw new RejectedException(
                    RejectReason.INVALID_WEIGHTS,
                    "a challenger must be for a model that exists, got none of this name");
        }
        examples.use(record, known, Time.NONE, () -> {
            try {
                Challenger begun = known.model().challenge(command, imported);
                return examples.changed(StatusCause.CHALLENGED, () -> models.beginEpoch(known, begun.model(), record));
            } catch (IllegalArgumentException e) {
                throw new RejectedException(RejectReason.INVALID_WEIGHTS, e.getMessage());
            }
        });
    }

    /**
     * Learns the examples of the model that imported weights lack, so that these replace it without a gap.
     *
     * @param through offset up to which the weights have learned
     * @throws RejectedException if what they lack cannot be learned
     */
    private void catchUp(InputRecord record, LiveModel known, Model imported, long through) {
        if (!isThere(known)) {
            throw outdated("be for a model that exists, got none of this name");
        }
        if (through >= record.offset()) {
            throw outdated("have learned records before their own at offset " + record.offset() + ", got " + through);
        }
        // deleted as idle, which no record of the log says
        long began = known.model().counts().since();
        if (began > through) {
            throw outdated("be of the model that has the name now, which began at offset " + began
                    + ", got those of an earlier one, with its records up to offset " + through
                    + " (run what-if --replace again)");
        }
        if (record.offset() - through > MAX_REREAD_RECORDS) {
            throw outdated("lack at most " + MAX_REREAD_RECORDS + " records of the partition, got "
                    + (record.offset() - through));
        }
        if (through + 1 == record.offset()) {
            return;
        }
        // also if the model has used none of them: the weights may have settings with which they can
        CatchUp catchUp = new CatchUp(
                imported,
                through,
                imported.pipeline().settings().hasLateLabels()
                        || !known.model().late().isEmpty());
        stored.examples(
                record.name(),
                through + 1,
                record.offset(),
                () -> imported.pipeline().hasher(),
                catchUp);
        if (imported.state() != ModelState.LIVE) {
            throw outdated("be usable after the examples since, got " + imported.state());
        }
    }

    /** Learns examples in imported weights, each as it would have been learned when it came. */
    static final class CatchUp implements StoredEvents.ExampleSink {
        private final Model model;
        private final long through;
        private final boolean hasTime;
        private int count;
        private long work;
        private long offset = LiveModel.NO_POSITION;
        private long workOfRecord;

        /**
         * @param through offset up to which the model has learned
         * @param hasTime true if examples wait for labels, or ids are known
         */
        CatchUp(Model model, long through, boolean hasTime) {
            this.model = model;
            this.through = through;
            this.hasTime = hasTime;
            model.listen(ModelListener.NONE);
        }

        @Override
        public void example(long itsOffset, int part, long timestamp, Example example) {
            requireNoTime();
            // records may have many
            if (++count > MAX_REREAD) {
                throw outdated("lack at most " + MAX_REREAD + " examples, got more after offset " + through);
            }
            if (itsOffset != offset) {
                offset = itsOffset;
                workOfRecord = 0;
            }
            // an example of several that the model would have refused takes no time here, either
            if (part != InputRecord.WHOLE && workOfRecord >= ExampleSession.MAX_EXAMPLES_WORK) {
                return;
            }
            long steps = ExampleSession.work(model, example.features());
            workOfRecord += steps;
            work += steps;
            if (work > MAX_REREAD_WORK) {
                throw outdated(
                        "lack examples of at most " + MAX_REREAD_WORK + " steps, got more after offset " + through);
            }
            model.at(offset);
            try {
                model.process(example, timestamp);
            } catch (RejectedException e) {
                // no example of the model
            }
        }

        @Override
        public void label() {
            // refused by a model that does not wait for labels
            requireNoTime();
        }

        private void requireNoTime() {
            if (hasTime) {
                throw outdated("lack no record of a model that waits for labels or knows ids, got some after offset "
                        + through);
            }
        }
    }

    private static RejectedException outdated(String rule) {
        return new RejectedException(RejectReason.OUTDATED_WEIGHTS, "weights that replace a model must " + rule);
    }

    /** Pins the imported weights as comparator. */
    private void compare(InputRecord record, LiveModel known, Model imported) {
        if (!isThere(known)) {
            throw new RejectedException(
                    RejectReason.INVALID_WEIGHTS,
                    "a comparator must be for a model that exists, got none of this name");
        }
        Pipeline pipeline = known.model().pipeline();
        examples.use(record, known, Time.NONE, () -> {
            try {
                LinearWeights u = LinearWeights.of(imported, pipeline.settings().get(Settings.HASH_BITS));
                pipeline.compareWith(u.weights(), u.bias());
            } catch (IllegalArgumentException e) {
                throw new RejectedException(RejectReason.INVALID_WEIGHTS, e.getMessage());
            }
            return examples.changed(StatusCause.COMPARATOR, () -> models.writeNow(known, record));
        });
    }

    /**
     * Deletes idle models, at most {@link #MAX_EXPIRED}, those seen least recently first. Must be called after every
     * record of the partition, used or rejected.
     *
     * <p>Must not be called in a replay: a deletion was written at once, with the offset of its record. Stored chunks
     * of an import stay: the import still becomes a model.
     *
     * @param offset of the record
     * @param streamTime largest event time of the partition's records up to this one, in ms
     */
    public void expire(long offset, long streamTime) {
        for (int count = 0; count < MAX_EXPIRED; count++) {
            LiveModel idle = models.idle(streamTime);
            if (idle == null) {
                return;
            }
            expire(idle, offset, streamTime);
        }
    }

    /**
     * Deletes a model that {@link #expire(long, long)} deleted in an earlier pass over the records; does nothing if it
     * does not exist, or has learned the record or later ones.
     *
     * @param offset of the record after which it was deleted
     * @param streamTime as there
     */
    public void expire(byte[] name, long offset, long streamTime) {
        LiveModel known = models.find(name);
        if (isThere(known) && known.position() < offset) {
            expire(known, offset, streamTime);
        }
    }

    private void expire(LiveModel idle, long offset, long streamTime) {
        InputRecord record = new InputRecord(idle.name(), offset, streamTime, streamTime, false);
        events.expires(record);
        examples.use(record, idle, Time.NONE, () -> {
            delete(idle.model());
            return examples.changed(StatusCause.EXPIRED, examples::end);
        });
    }

    private void delete(Model model) {
        model.delete();
        examples.removeChunks(0);
    }

    private static boolean isThere(LiveModel known) {
        return known != null && known.model().state() != ModelState.DELETED;
    }

    /**
     * Publishes the statuses of models that have been silent for a second and whose last status lacks records; to be
     * called every quarter of a second. Changes nothing that decides a later event.
     *
     * @param isLast publishes all that are pending, because the engine stops
     * @return true if a status was published, which changes a model
     */
    public boolean tick(boolean isLast) {
        boolean[] isAny = new boolean[1];
        pendingStatuses.tick(isLast, record -> {
            LiveModel live = models.find(record.name());
            // another position: the model was dropped from memory and has changed since
            if (live != null
                    && live.position() == record.offset()
                    && live.model().publications().isStatusPending()) {
                events.silent(live.model(), record);
                pendingStatuses.published(live);
                models.statusPublished(live);
                isAny[0] = true;
            }
        });
        return isAny[0];
    }
}
