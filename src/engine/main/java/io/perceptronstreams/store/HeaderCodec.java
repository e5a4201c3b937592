package io.perceptronstreams.store;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.learner.LearnerState;
import io.perceptronstreams.model.Challenger;
import io.perceptronstreams.model.EpochModel;
import io.perceptronstreams.model.FeatureNameTable;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.model.Pipeline;
import io.perceptronstreams.model.Publications;
import io.perceptronstreams.model.Versions;
import io.perceptronstreams.settings.NegativeLabel;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.state.StoredBits;
import io.perceptronstreams.state.StoredFields;
import io.perceptronstreams.state.UnreadableModelException;
import io.perceptronstreams.weights.BlockVector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.KafkaException;

/**
 * Encodes the header of a model, and the headers of its challengers: everything except names and the blocks of large
 * vectors.
 *
 * <p>{@link #exchange} lists the fields. Everything that a release has written must stay readable. The numbers of
 * states and algorithms never change. See {@link SettingsCodec} before changing settings. A later version of a learner
 * may have more vectors, but not fewer; it should not write them while they are empty. Cost: O(numbers and entries), no
 * allocation besides the result. Not thread-safe.
 */
final class HeaderCodec {
    /**
     * Number of the layout of a model with probabilities and corrections of labels; a release with another one has
     * another number.
     */
    static final int FORM = 16;

    /** Layout of a model with probabilities, whose part is packed as bits, and without corrections. */
    static final int FORM_OF_BITS = 15;

    /** Layout of a model with corrections, and without probabilities, or with those of a former setting. */
    static final int FORM_OF_CORRECTIONS = 14;

    /** Layout of other models. */
    static final int FORM_WITHOUT_CORRECTIONS = 13;

    /** Layout without probabilities. */
    private static final int FORM_WITHOUT_PROBABILITIES = 12;

    /**
     * Layout without the time of the last example and the starts of trials, and with one count of what was emitted and
     * of the weights.
     */
    private static final int FORM_WITH_ONE_COUNT = 11;

    /** Layout without the sides of the rounds of a trial. */
    private static final int FORM_WITHOUT_SIDES = 10;

    /** Layout without named snapshots, and with all entries of small vectors in the header. */
    private static final int FORM_WITHOUT_VERSIONS = 9;

    /** Layout with one challenger at most, the shadow of a drift, in the header. */
    private static final int FORM_WITH_SHADOW = 8;

    /**
     * Upper bound on the size of a header, which fits into the smallest record that {@code TopicValidator} allows.
     *
     * <p>Settings are below {@link SettingsCodec#MAX_BYTES}; a small vector has 8,192 entries of at most three lanes,
     * 31 bytes each, of which a header has at most half, because otherwise they are copied first, and a learner at most
     * two small ones besides the statistics; learners and detectors have a few hundred numbers, an advisor at most 22.
     * A challenger has a header of its own. A confusion matrix takes at most 17 KiB, that of the present weights, if it
     * is another one, 40 bytes in a two-class model, and a multiclass model has no small vector besides the statistics;
     * the last 2,000 scores take at most 18 KiB twice, and {@link Versions#MAX} named snapshots 10 KiB; probabilities,
     * decisions and estimates less than 4 KiB, pairs of sources 13 KiB. With default settings a two-class perceptron
     * takes about 140 bytes besides its entries.
     */
    static final int MAX_BYTES = 570 * 1024;

    // of the states, and the bit above them
    private static final int PENDING = 4;
    private static final ModelState[] STATES = ModelState.values();
    // of the byte of the algorithm: 64 algorithms, and the decision about the negative label
    private static final int NEGATIVE_LABEL_BIT = 6;

    private static final int[] NO_BLOCKS = {};

    private static final NegativeLabel[] NEGATIVE_LABELS = NegativeLabel.values();
    private static final Algorithm[] ALGORITHMS = Algorithm.values();

    /** Source of the records of a model that are under {@link ModelKeys#NAMES}. */
    @FunctionalInterface
    interface NamesSource {
        /**
         * Returns a part of the names of an epoch, {@link ModelKeys#CHALLENGER}, or {@link ModelKeys#copy(int)}; null
         * if it is missing.
         */
        byte[] part(long epoch, int part);
    }

    private final StoredFields out = new StoredFields();
    private final SettingsCodec settingsCodec = new SettingsCodec();
    // a header without its vectors is exchanged, and their place
    private boolean isPacked;
    private int vectorsAt;

    /**
     * The fields of a header that are readable without its model.
     *
     * @param form number of the layout
     * @param position see {@link StoredHeader#position}
     * @param lastSeen see {@link StoredHeader#lastSeen}
     * @param isStatusPending see {@link Publications#isStatusPending}
     * @param pendingTime see {@link Publications#pendingTime}
     */
    record Start(int form, long position, long lastSeen, ModelState state, boolean isStatusPending, long pendingTime) {
        private static final Start NONE = new Start(
                FORM, LiveModel.NO_POSITION, StoredHeader.UNKNOWN, ModelState.LIVE, false, StoredHeader.UNKNOWN);

        static Start of(Model model, long position, long lastSeen) {
            boolean isPending = model.publications().isStatusPending();
            long pendingTime = isPending ? model.publications().pendingTime() : StoredHeader.UNKNOWN;
            boolean hasCorrections =
                    model.late().settledCount() > 0 || !model.corrections().isEmpty();
            int form = formOf(model.current(), hasCorrections);
            return new Start(form, position, lastSeen, model.state(), isPending, pendingTime);
        }

        boolean isDeleted() {
            return state == ModelState.DELETED;
        }

        private Start exchange(StoredFields fields) {
            int newForm = fields.form(form, FORM_WITH_SHADOW, FORM, "model");
            long newPosition = fields.signed(position);
            long newLastSeen = fields.signed(lastSeen);
            int bits = fields.bits(number(state) | (isStatusPending ? PENDING : 0));
            boolean isPending = (bits & PENDING) != 0;
            return new Start(
                    newForm,
                    newPosition,
                    newLastSeen,
                    fields.constant(bits & ~PENDING, STATES, HeaderCodec::number),
                    isPending,
                    isPending ? fields.near(newLastSeen, pendingTime) : StoredHeader.UNKNOWN);
        }
    }

    /** The layout to write; the others can hold any model, too, in more bytes or without corrections. */
    private static int formOf(EpochModel model, boolean hasCorrections) {
        if (model.pipeline().given().get(Settings.CALIBRATE) == Settings.Calibrate.NONE) {
            return hasCorrections ? FORM_OF_CORRECTIONS : FORM_WITHOUT_CORRECTIONS;
        }
        return hasCorrections ? FORM : FORM_OF_BITS;
    }

    private static boolean isOfBits(int form) {
        return form >= FORM_OF_BITS;
    }

    private static boolean isOfCorrections(int form) {
        return form == FORM_OF_CORRECTIONS || form == FORM;
    }

    /**
     * Reads the start of a header. Cost: O(1).
     *
     * @throws UnreadableModelException if the bytes are not a header, or have another form
     */
    static Start start(byte[] header) {
        return Start.NONE.exchange(new StoredFields(header));
    }

    /** Returns a header with another position. */
    byte[] withPosition(byte[] header, long position) {
        StoredFields in = new StoredFields(header);
        Start start = Start.NONE.exchange(in);
        out.clear();
        var unused = new Start(
                        start.form, position, start.lastSeen, start.state, start.isStatusPending, start.pendingTime)
                .exchange(out);
        out.rest(in.rest(null));
        return out.toBytes();
    }

    /**
     * Encodes the header of a model.
     *
     * @param position offset of the last record of the input partition that was applied to the model; -1 if none
     * @param lastSeen stream time at that record, in ms
     */
    byte[] encode(Model model, long position, long lastSeen) {
        out.clear();
        var unused = exchange(out, Start.of(model, position, lastSeen), model, null);
        return out.toBytes();
    }

    /** Packs a model; see {@link PackedModel#fits}. It must not be used afterwards. */
    PackedModel pack(Model model, long position, long lastSeen) {
        isPacked = true;
        try {
            byte[] fields = encode(model, position, lastSeen);
            FeatureNameTable names = model.pipeline().names();
            return new PackedModel(
                    model.current().epoch(),
                    fields,
                    vectorsAt,
                    PackedModel.vectors(model.pipeline()),
                    names.isUntouched() ? null : names);
        } finally {
            isPacked = false;
        }
    }

    /** Makes a model of a packed one, which must not be used afterwards. */
    Model unpack(PackedModel packed) {
        isPacked = true;
        try {
            Model model = exchange(new StoredFields(packed.fields()), Start.NONE, Model.toRestore(), null)
                    .model();
            packed.moveTo(model.pipeline());
            return model;
        } finally {
            isPacked = false;
        }
    }

    /** Encodes the header of a packed model, as {@link #encode} does. */
    byte[] encode(PackedModel packed) {
        out.clear();
        byte[] fields = packed.fields();
        int at = packed.vectorsAt();
        out.raw(at, fields);
        out.upTo(packed.vectors().length, packed.vectors().length);
        for (BlockVector vector : packed.vectors()) {
            write(out, vector);
        }
        out.rest(Arrays.copyOfRange(fields, at, fields.length));
        return out.toBytes();
    }

    private static void write(StoredFields out, BlockVector vector) {
        BlockVector small = vector == null ? null : StoredHeader.small(vector);
        int entries = small == null ? 0 : small.entries();
        if (entries == 0) {
            out.unsigned(2L * (vector == null ? 0 : StoredHeader.storedBlocks(vector)));
            return;
        }
        out.unsigned(2L * entries + 1);
        int copied = out.upTo(entries, small.storedEntries());
        exchangeEntries(out, entries, copied > 0, small);
    }

    /** Encodes the header of a challenger, which {@link #decode} finds by its epoch. */
    byte[] encode(Challenger challenger) {
        out.clear();
        var unused = exchangeChallenger(out, new Model(challenger.model()), null, new StoredNames());
        return out.toBytes();
    }

    /**
     * Decodes a header.
     *
     * <p>A model with missing names is restored without names, except those in its settings, and quarantined; {@link
     * StoredHeader#missing} describes the loss. A challenger without a valid header is left out.
     *
     * @param names source of names and headers of challengers, if the header has any
     * @throws UnreadableModelException if the bytes are not a header, or have another form
     * @throws KafkaException if {@code names} throws it
     */
    StoredHeader decode(byte[] header, NamesSource names) {
        StoredFields in = new StoredFields(header);
        StoredHeader[] decoded = new StoredHeader[1];
        try {
            UnreadableModelException.ifRefused(
                    "valid fields", () -> decoded[0] = exchange(in, Start.NONE, Model.toRestore(), names));
        } catch (UnreadableModelException e) {
            if (e.getCause() instanceof KafkaException failure) {
                // of the store, not of what it has stored
                throw failure;
            }
            throw e;
        }
        in.requireEnd();
        return decoded[0];
    }

    private StoredHeader exchange(StoredFields fields, Start given, Model model, NamesSource source) {
        Start start = given.exchange(fields);
        if (fields.isReading() && start.isStatusPending) {
            model.publications().markPending(start.pendingTime);
        }
        StoredNames names = new StoredNames();
        if (start.form == FORM_WITH_SHADOW) {
            return readWithShadow(fields, start, model, source, names);
        }
        List<StoredHeader.Part> challengers = new ArrayList<>();
        List<Challenger> restored = new ArrayList<>();
        Map<Long, StoredHeader.Headless> headless = new HashMap<>();
        List<Challenger> before = model.challengers().all();
        int count = fields.count(8, before.size());
        boolean isVote = false;
        for (int k = 0; k < count; k++) {
            Challenger old = fields.isReading() ? null : before.get(k);
            String name = fields.text(old == null ? null : old.name());
            long epoch = fields.unsigned(old == null ? 0 : old.model().epoch());
            long since = fields.signed(old == null ? 0 : old.since());
            Challenger.Options options = (old == null ? Challenger.Options.NONE : old.options()).exchange(fields);
            isVote |= options.isVoting();
            Challenger challenger = old;
            StoredHeader.Part part = null;
            if (fields.isReading()) {
                Model own = new Model();
                String fault = null;
                try {
                    part = readChallenger(source.part(epoch, ModelKeys.CHALLENGER), own, source, names);
                } catch (KafkaException e) {
                    // the store could not be read, which says nothing of the challenger
                    throw e;
                } catch (RuntimeException e) {
                    // not of another version: the header of the model, written with it, could be read
                    fault = e.toString();
                }
                if (part == null) {
                    headless.put(epoch, new StoredHeader.Headless(name, fault));
                }
                challenger = new Challenger(name, own.current(), since, options, Challenger.UNKNOWN);
            }
            if (start.form > FORM_WITH_ONE_COUNT) {
                challenger.exchange(fields);
            } else if (start.form > FORM_WITHOUT_SIDES) {
                challenger.exchangeWithoutStart(fields);
            } else {
                challenger.exchangeWithoutSides(fields);
            }
            if (part != null) {
                challengers.add(part);
                restored.add(challenger);
            }
        }
        StoredHeader.Part live = exchange(fields, start.form, model, start.state, null, start.lastSeen, source, names);
        // not before, because the model begins without any
        restored.forEach(model.challengers()::restore);
        exchangeEnd(fields, model, start);
        if (start.form > FORM_WITHOUT_VERSIONS) {
            model.publications().exchangeVersions(fields);
        }
        if (start.form > FORM_WITH_ONE_COUNT) {
            model.publications().exchangeLastExample(fields, start.lastSeen);
            model.counts().exchangeEmitted(fields, model.pipeline().settings(), !isOfBits(start.form));
            if (isVote) {
                model.challengers().exchangeVote(fields);
            }
        }
        if (isOfBits(start.form)) {
            StoredBits bits = new StoredBits(fields);
            model.counts().exchangeEmittedForecasts(bits);
            if (isVote) {
                model.challengers().exchangeSureness(bits);
            }
            bits.end();
        } else if (start.form > FORM_WITHOUT_PROBABILITIES) {
            model.counts().exchangeEmittedReliability(fields);
        }
        if (start.form > FORM_WITHOUT_PROBABILITIES) {
            model.decisions().exchange(fields);
            model.estimates().exchange(fields);
            if (isVote && !isOfBits(start.form)) {
                model.challengers().exchangeSureness(fields);
            }
        }
        if (isOfCorrections(start.form)) {
            model.late().exchangeSettled(fields);
            model.corrections().exchange(fields);
        }
        return new StoredHeader(start.position, start.lastSeen, names, model, live, challengers, headless);
    }

    private StoredHeader.Part readChallenger(byte[] header, Model own, NamesSource source, StoredNames names) {
        if (header == null) {
            return null;
        }
        StoredFields in = new StoredFields(header);
        StoredHeader.Part part = exchangeChallenger(in, own, source, names);
        in.requireEnd();
        return part;
    }

    private static void exchangeEnd(StoredFields fields, Model model, Start start) {
        model.current().advisor().exchange(fields);
        model.late().exchange(fields, start.lastSeen);
    }

    /** Exchanges the fields of a model, of which a challenger has no values for publications and drift. */
    private StoredHeader.Part exchangeChallenger(
            StoredFields fields, Model challenger, NamesSource source, StoredNames names) {
        int form = fields.form(formOf(challenger.current(), false), FORM_WITHOUT_VERSIONS, FORM, "challenger");
        return exchange(fields, form, challenger, ModelState.LIVE, null, 0, source, names);
    }

    private StoredHeader readWithShadow(
            StoredFields in, Start start, Model model, NamesSource source, StoredNames names) {
        boolean hasShadow = in.flag(false);
        Model shadow = hasShadow ? new Model() : null;
        List<StoredHeader.Part> challengers = new ArrayList<>();
        if (hasShadow) {
            ModelState state = in.constant(in.bits(0), STATES, HeaderCodec::number);
            challengers.add(exchange(in, start.form, shadow, state, null, start.lastSeen, source, names));
        }
        StoredHeader.Part live = exchange(in, start.form, model, start.state, shadow, start.lastSeen, source, names);
        exchangeEnd(in, model, start);
        return new StoredHeader(start.position, start.lastSeen, names, model, live, challengers, Map.of());
    }

    /**
     * Exchanges a model.
     *
     * @param form of the header
     * @param shadow read before it in the form with a shadow, or null
     */
    private StoredHeader.Part exchange(
            StoredFields fields,
            int form,
            Model model,
            ModelState state,
            Model shadow,
            long lastSeen,
            NamesSource source,
            StoredNames names) {
        Pipeline old = model.pipeline();
        int bits = fields.bits(old.algorithm().number() | old.negative().number() << NEGATIVE_LABEL_BIT);
        NegativeLabel negative = fields.constant(bits >>> NEGATIVE_LABEL_BIT, NEGATIVE_LABELS, NegativeLabel::number);
        int number = bits & (1 << NEGATIVE_LABEL_BIT) - 1;
        Algorithm algorithm = fields.constant(number, ALGORITHMS, Algorithm::number);
        long epoch = fields.unsigned(model.current().epoch());
        model.publications().exchange(fields, lastSeen);
        Settings settings = settingsCodec.exchange(fields, old.given());
        LearnerState learner = old.learner().state();
        List<Double> numbers = fields.numbers(learner.numbers());
        int nameCount = fields.upTo(Integer.MAX_VALUE, learner.names().size());
        List<String> missing = new ArrayList<>();
        if (fields.isReading()) {
            List<String> found = StoredNames.decode(nameCount, part -> source.part(epoch, part));
            boolean isComplete = found.size() == nameCount;
            if (isComplete) {
                names.add(epoch, found);
            } else {
                missing.add("the learner of epoch " + epoch + " must have " + nameCount + " names, got the first "
                        + found.size());
            }
            // the learner requires the classes in its settings
            LearnerState complete = new LearnerState(numbers, isComplete ? found : settings.get(Settings.CLASSES));
            model.restore(
                    EpochModel.restored(epoch, settings, negative, algorithm, complete),
                    isComplete ? state : ModelState.QUARANTINED);
        }
        model.drift().exchange(fields, epoch);
        if (shadow != null) {
            Challenger ofDrift = Challenger.ofDrift(shadow.current(), settings.drift());
            ofDrift.exchangeTrial(fields);
            model.challengers().restore(ofDrift);
        }
        model.counts().exchange(fields, settings, lastSeen, !isOfBits(form));
        if (isOfBits(form)) {
            model.current().exchangeForecasts(fields);
        } else if (form > FORM_WITHOUT_PROBABILITIES) {
            model.current().exchangeCalibration(fields);
        }
        model.current().exchangeLabelBefore(fields);
        int featureNames =
                fields.upTo(Integer.MAX_VALUE, model.pipeline().names().size());
        int[] blocks = NO_BLOCKS;
        if (isPacked) {
            vectorsAt = fields.size();
        } else {
            blocks = exchangeVectors(fields, form, model.current(), source, missing);
        }
        return new StoredHeader.Part(model.current(), blocks, featureNames, missing.isEmpty() ? null : missing.get(0));
    }

    /**
     * Exchanges the entries of small vectors; returns the number of separate blocks of each vector.
     *
     * @param form of the header
     * @param source of copies
     * @param missing receives descriptions of missing copies
     */
    private static int[] exchangeVectors(
            StoredFields fields, int form, EpochModel model, NamesSource source, List<String> missing) {
        Pipeline pipeline = model.pipeline();
        int[] blocks = new int[pipeline.vectors() - Pipeline.STATISTICS];
        int vectors = fields.upTo(blocks.length, pipeline.learner().storedVectors() - Pipeline.STATISTICS);
        for (int k = 0; k < vectors; k++) {
            int vector = k + Pipeline.STATISTICS;
            BlockVector small = StoredHeader.small(pipeline.vector(vector));
            int entries = small == null ? 0 : small.entries();
            // 2n for n separate blocks, 2n + 1 for n entries
            long twice = fields.unsigned(
                    entries == 0 ? 2L * StoredHeader.storedBlocks(pipeline.vector(vector)) : 2L * entries + 1);
            long count = twice >>> 1;
            if (count > Integer.MAX_VALUE) {
                throw fields.fault("have a possible number of blocks or entries", count);
            }
            if ((twice & 1) == 0) {
                blocks[k] = (int) count;
            } else if (small != null) {
                int copied = form <= FORM_WITHOUT_VERSIONS ? 0 : fields.upTo((int) count, small.storedEntries());
                if (copied > 0 && fields.isReading()) {
                    byte[] copy = source.part(model.epoch(), ModelKeys.copy(vector));
                    RuntimeException fault = readCopy(copy, small);
                    if (fault != null) {
                        missing.add("the copy of vector " + vector + " of epoch " + model.epoch()
                                + " must be valid, got " + fault);
                    } else if (small.entries() != copied) {
                        missing.add("the copy of vector " + vector + " of epoch " + model.epoch() + " must have "
                                + copied + " entries, got " + small.entries());
                    }
                }
                exchangeEntries(fields, (int) count, copied > 0, small);
                if (small.entries() != count && missing.isEmpty()) {
                    if (copied == 0) {
                        throw fields.fault("have " + count + " entries of vector " + vector, small.entries());
                    }
                    missing.add("vector " + vector + " of epoch " + model.epoch() + " must have " + count
                            + " entries with those of its copy, got " + small.entries());
                }
            } else {
                throw fields.fault("have vector " + vector + " in blocks", count + " entries");
            }
        }
        return blocks;
    }

    /** Returns the fault of a copy; null if there is none, or no copy. */
    private static RuntimeException readCopy(byte[] copy, BlockVector vector) {
        try {
            if (copy != null) {
                EntriesCodec.decodeCopy(copy, vector);
            }
            return null;
        } catch (RuntimeException e) {
            // not of another version: the header, written with it, could be read
            return e;
        }
    }

    private static void exchangeEntries(StoredFields fields, int count, boolean isCopied, BlockVector small) {
        if (isCopied) {
            EntriesCodec.exchangeChanged(fields, fields.upTo(count, small.changedEntries()), small);
        } else {
            EntriesCodec.exchange(fields, count, small);
        }
    }

    /** The number of a state in stored headers; never changes. */
    static int number(ModelState state) {
        return switch (state) {
            case LIVE -> 0;
            case FROZEN -> 1;
            case QUARANTINED -> 2;
            case DELETED -> 3;
        };
    }
}
