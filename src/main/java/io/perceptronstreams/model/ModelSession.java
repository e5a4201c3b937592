package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.Outcome;
import java.util.function.Function;

/**
 * What a decoded record of the log does to the models of its partition, in the order of the log.
 *
 * <p>An example, a command or a chunk of weights goes in; {@link ModelEvents} come out. The same records give the same models and the
 * same events, bit for bit: nothing here depends on a clock, on chance, on Kafka, or on which models are in memory. A record is used
 * whole or, with a {@link RejectedException}, refused whole and without a trace (but one that would make a model's weights overflow
 * also quarantines the model). The engine and its replay share this class; only the engine calls {@link #expire}. Not thread-safe.
 */
public final class ModelSession {
    /**
     * Revision of the arithmetic: to be raised by every change after which the same log gives other weights, counts or decisions. A
     * replay by another revision than that of the first pass would mix both.
     */
    public static final int REVISION = 2;

    /** Maximum number of idle models that are deleted after one record, so that no record takes long. */
    public static final int MAX_EXPIRED = 100;

    private final Models models;
    private final ModelEvents events;
    private final SnapshotImport gathering;
    private final boolean createsModels;

    /**
     * A session over the models of a partition.
     *
     * @param events listens to what happens
     * @param decodeChunk reads the value of a chunk that was put aside
     * @param createsModels whether a model exists from its first example on, without a command
     */
    public ModelSession(
            Models models, ModelEvents events, Function<byte[], WeightsChunk> decodeChunk, boolean createsModels) {
        this.models = models;
        this.events = events;
        this.gathering = new SnapshotImport(models, decodeChunk);
        this.createsModels = createsModels;
    }

    /**
     * Scores an example and, where it has a label, learns from it.
     *
     * @param known what {@link Models#find} gives for the record's name
     * @param example its features are scaled in place
     * @throws RejectedException if it cannot be used
     */
    public void example(InputRecord record, LiveModel known, Example example) {
        if (!isThere(known)) {
            if (!createsModels) {
                throw new RejectedException(
                        RejectReason.UNKNOWN_MODEL,
                        "a model must be configured before its first example, got none of this name (models set, or"
                                + " models.auto.create=true)");
            }
            models.requireRoom(record.name());
        }
        LiveModel live = known == null ? models.create(record.name()) : known;
        Model model = live.model();
        Model.State before = model.state();
        long version = model.version();
        Outcome outcome;
        try {
            outcome = model.process(example, record.timestamp());
        } catch (RejectedException e) {
            if (model.state() != before) {
                models.changed(live, record);
                events.quarantined(model, e.getMessage());
                publishStatus(record, model, StatusCause.QUARANTINED);
            }
            throw e;
        }
        models.changed(live, record);
        countRerouted(record, model);
        events.predicted(model, example, outcome, version);
        if (outcome.kind() != Outcome.Kind.CORRECT) {
            events.mistaken(model, example, outcome);
        }
        boolean isWindowClosed = publishClosedWindow(model);
        if (model.totals().examples() == 1) {
            publishStatus(record, model, StatusCause.FIRST_EXAMPLE);
        } else if (isWindowClosed) {
            publishStatus(record, model, StatusCause.WINDOW);
        } else if (model.publications().isStatusDue(record.timestamp())) {
            publishStatus(record, model, StatusCause.TIME);
        }
        if (model.isSnapshotDue()) {
            publishSnapshot(model);
        }
        if (model.isWatched()) {
            adapt(record, live);
        }
    }

    /** Last, because a reset or takeover changes everything that was published above. */
    private void adapt(InputRecord record, LiveModel live) {
        Model model = live.model();
        if (model.alarm() != null) {
            events.drifted(model);
        }
        Model.Adaptation adaptation = model.adapt();
        if (adaptation != Model.Adaptation.NONE) {
            publishClosedWindow(model);
            publishStatus(record, model, StatusCause.valueOf(adaptation.name()));
        }
        removeEndedEpochs(record, live);
    }

    private void removeEndedEpochs(InputRecord record, LiveModel live) {
        for (long epoch : live.model().pollEndedEpochs()) {
            models.removeEpoch(live, epoch, record);
        }
    }

    /**
     * Obeys a command.
     *
     * @param known what {@link Models#find} gives for the record's name
     * @throws RejectedException if it cannot be obeyed
     */
    public void command(InputRecord record, LiveModel known, ModelCommand command) {
        if (!isThere(known)) {
            if (command.action() != ModelCommand.Action.CONFIGURE) {
                throw new RejectedException(
                        RejectReason.INVALID_COMMAND,
                        command.action() + " must be for a model that exists, got none of this name");
            }
            models.requireRoom(record.name());
        }
        LiveModel live = known == null ? models.create(record.name()) : known;
        Model model = live.model();
        try {
            switch (command.action()) {
                case CONFIGURE -> model.configure(command.settings());
                case RESET -> {
                    model.reset();
                    publishClosedWindow(model);
                    models.unstage(live.name(), record.offset());
                }
                case DELETE -> {
                    delete(model);
                    models.unstage(live.name(), record.offset());
                }
                case FREEZE -> model.freeze(true);
                case THAW -> model.freeze(false);
                case SNAPSHOT -> publishSnapshot(model);
            }
        } catch (IllegalArgumentException e) {
            throw new RejectedException(RejectReason.INVALID_COMMAND, e.getMessage());
        }
        models.changed(live, record);
        countRerouted(record, model);
        publishStatus(record, model, StatusCause.valueOf(command.action().name()));
        removeEndedEpochs(record, live);
    }

    /**
     * Takes a chunk of weights; the last one of a snapshot replaces the model, or pins what it is compared with.
     *
     * @param known what {@link Models#find} gives for the record's name
     * @param value the bytes of the chunk
     * @param purpose value of the header {@link ImportPurpose#HEADER}, or null; heeded with the last chunk
     * @throws RejectedException if it cannot be used; then the import has ended
     */
    public void weights(InputRecord record, LiveModel known, byte[] value, WeightsChunk chunk, String purpose) {
        Model imported = gathering.add(record.name(), value, chunk, record.offset());
        if (imported == null) {
            return;
        }
        if (ImportPurpose.named(purpose) == ImportPurpose.COMPARATOR) {
            compare(record, known, imported);
            return;
        }
        if (!isThere(known)) {
            models.requireRoom(record.name());
        }
        LiveModel live = known == null ? models.create(record.name()) : known;
        Model model = live.model();
        long epoch = model.epoch();
        model.replaceWith(imported);
        publishClosedWindow(model);
        countRerouted(record, model);
        publishStatus(record, model, StatusCause.IMPORT);
        models.replaceEpoch(live, epoch, record);
        removeEndedEpochs(record, live);
    }

    /** Pins the imported weights as those that the model is compared with. */
    private void compare(InputRecord record, LiveModel known, Model imported) {
        if (!isThere(known)) {
            throw new RejectedException(
                    RejectReason.INVALID_WEIGHTS,
                    "a comparator must be for a model that exists, got none of this name");
        }
        Model model = known.model();
        try {
            LinearWeights u = LinearWeights.of(imported, model.settings().hashBits());
            model.compareWith(u.weights(), u.bias());
        } catch (IllegalArgumentException e) {
            throw new RejectedException(RejectReason.INVALID_WEIGHTS, e.getMessage());
        }
        countRerouted(record, model);
        publishStatus(record, model, StatusCause.COMPARATOR);
        models.writeNow(known, record);
    }

    /**
     * Deletes models that are idle, those seen least recently first and {@link #MAX_EXPIRED} at most; to be called after every record
     * of the partition, used or refused.
     *
     * <p>Not to be called in a replay: models that have expired were written at once, with the offset of the record after which they
     * did. Chunks that are put aside for a model stay: an import that has begun becomes a model all the same.
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
            InputRecord record = new InputRecord(idle.name(), offset, streamTime, streamTime, false);
            events.expires(record);
            delete(idle.model());
            publishStatus(record, idle.model(), StatusCause.EXPIRED);
            models.end(idle, record);
        }
    }

    private void delete(Model model) {
        model.delete();
        removeChunks(model, 0);
        publishClosedWindow(model);
    }

    private static boolean isThere(LiveModel known) {
        return known != null && known.model().state() != Model.State.DELETED;
    }

    /** Returns whether there was one. */
    private boolean publishClosedWindow(Model model) {
        CountingWindow.Closed window = model.window().pollClosed();
        if (window != null) {
            events.windowClosed(model, window);
        }
        return window != null;
    }

    private void publishStatus(InputRecord record, Model model, StatusCause cause) {
        events.status(model, cause);
        model.publications().markStatus(record.timestamp());
    }

    private void publishSnapshot(Model model) {
        removeChunks(model, events.snapshot(model));
    }

    /** Removes the chunks of the last snapshot from {@code first} on. */
    private void removeChunks(Model model, int first) {
        int end = model.publications().chunks();
        if (first < end) {
            events.chunksRemoved(model, first, end);
        }
        model.publications().markSnapshot(first);
    }

    private static void countRerouted(InputRecord record, Model model) {
        if (record.isRerouted()) {
            model.countRerouted();
        }
    }
}
