package io.perceptronstreams.store;

import io.perceptronstreams.learner.LearnerState;
import io.perceptronstreams.model.AdviceState;
import io.perceptronstreams.model.CountingWindow;
import io.perceptronstreams.model.DriftState;
import io.perceptronstreams.model.LateState;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.model.Publications;
import io.perceptronstreams.weights.BlockVector;

/**
 * Encodes the header of a model: everything except its names and the blocks of its large vectors.
 *
 * <p>Form 5, with numbers, doubles and strings as in {@link ByteWriter}:
 *
 * <pre>
 * byte      5
 * signed    position, last seen (stream time at the record of that position)
 * model     the model
 * unsigned  if the state of its advisor is not empty: kinds of advice that it has given, a bit each
 * doubles   with them: the advisor's numbers, with their count; both, even if empty, if late labels follow
 * late      if the model, or an earlier one of its name, has waited for labels or kept ids:
 * signed    last seen - stream time of the model
 * unsigned  waiting examples, waiting labels, number of the first of the last ids, how many ids
 * signed    of the totals, then of the window: unlabelled, defaulted, late, duplicates
 * unsigned  if a label has come in time, or a generation follows: number of counts of delays, and the counts
 * unsigned  if it is not 0: generation of the records in the store
 *
 * model:
 * byte      bits 0-1 state, bit 2 last status lacks records, bit 3 has metrics, bit 4 window is open, bit 5 has a shadow, bit 6 has a confusion matrix, bit 7 has names of features
 * signed    with bit 2: last seen - event time of the last record
 * byte      algorithm
 * unsigned  epoch
 * signed    last epoch - epoch
 * unsigned  rerouted records
 * signed    chunks of the last snapshot, time of the last status - last seen
 * settings  see {@link SettingsCodec}
 * signed    start of the window - last seen, end - start
 * counts    totals
 * counts    of the window
 * doubles   two: hinge loss of the totals, of the window
 * doubles   the learner's numbers, with their count
 * unsigned  number of names of the learner, which are in separate records, see {@link NamesCodec}
 * doubles   the detector's numbers, with their count
 * doubles   the trial's numbers, with their count
 * unsigned  number of vectors; the statistics come first
 * vector    each of them: unsigned 2n for n blocks, which are in separate records; 2n + 1 for n entries, which
 *           follow, see {@link EntriesCodec}
 * matrix    the confusion matrix, if any, see {@link ConfusionCodec}
 * metrics   with bit 3: see {@link MetricsCodec}
 * unsigned  with bit 7: number of names of features, which are in separate records, see {@link FeatureNamesCodec}
 * model     the shadow, if any
 *
 * counts, see {@link CountsCodec}:
 * signed    examples, examples - labelled, mistakes, errors - mistakes, margin mistakes,
 *           updates - mistakes - margin mistakes
 * </pre>
 *
 * <p>Everything that a release has written must stay readable. The numbers of states and algorithms never change. See {@link SettingsCodec} before changing settings. A later version of a learner may have more vectors, but
 * not fewer; it should not write them while they are empty. Cost: O(numbers and entries), no allocation besides the
 * result. Not thread-safe.
 */
final class HeaderCodec {
    /** Number of the layout; a release with another one has another number. */
    static final int FORM = 5;

    /**
     * Upper bound on the size of a header, which fits into the smallest record that {@code TopicValidator} allows.
     *
     * <p>Settings are below {@link SettingsCodec#MAX_BYTES}; a small vector has 2,048 entries of at most three lanes,
     * 31 bytes each, and a learner at most two small ones besides the statistics; learners and detectors have a few hundred
     * numbers, an advisor at most 21; a shadow doubles the sum. A confusion matrix takes at most 17 KiB in a
     * multiclass model, which has no small vector besides the statistics, and 40 bytes in a two-class model; the last
     * 2,000 scores take 18 KiB. With default settings a two-class perceptron takes about 120 bytes besides its entries.
     */
    static final int MAX_BYTES = 560 * 1024;

    static final int STATE = 0x3;
    static final int STATUS_PENDING = 0x4;
    static final int METRICS = 0x8;
    static final int OPEN = 0x10;
    static final int SHADOW = 0x20;
    static final int CONFUSION = 0x40;
    static final int FEATURE_NAMES = 0x80;

    /** Source of the stored names of a model. */
    @FunctionalInterface
    interface NamesSource {
        /** Returns a part of the names of an epoch, or null if it is missing. */
        byte[] part(long epoch, int part);
    }

    private final ByteWriter out = new ByteWriter();
    private final EntriesCodec entries = new EntriesCodec(out);
    private final SettingsCodec settings = new SettingsCodec();

    /**
     * Encodes the header of a model.
     *
     * @param position offset of the last record of the input partition that was applied to the model; -1 if none
     * @param lastSeen stream time at that record, in ms
     */
    byte[] encode(Model model, long position, long lastSeen) {
        out.clear();
        out.writeByte(FORM);
        out.writeSigned(position);
        out.writeSigned(lastSeen);
        write(model, lastSeen);
        AdviceState advice = model.advisor().state();
        boolean isLate = model.late().hasState();
        if (!advice.isEmpty() || isLate) {
            out.writeUnsigned(advice.given());
            out.writeDoubles(advice.numbers());
        }
        if (isLate) {
            LateState late = model.late().state();
            out.writeSigned(lastSeen - late.streamTime());
            out.writeUnsigned(late.pending());
            out.writeUnsigned(late.labels());
            out.writeUnsigned(late.firstId());
            out.writeUnsigned(late.nextId() - late.firstId());
            CountsCodec.writeLate(model.totals(), out);
            CountsCodec.writeLate(model.window().counts(), out);
            if (!late.delays().isEmpty() || late.generation() > 0) {
                out.writeUnsigned(late.delays().size());
                late.delays().forEach(out::writeUnsigned);
            }
            if (late.generation() > 0) {
                out.writeUnsigned(late.generation());
            }
        }
        return out.copyFrom(0);
    }

    /** Returns a header with another position. */
    byte[] withPosition(byte[] header, long position) {
        ByteReader in = read(header);
        in.readSigned();
        out.clear();
        out.writeByte(FORM);
        out.writeSigned(position);
        out.writeBytes(in.readBytes(in.left()));
        return out.copyFrom(0);
    }

    /** Returns a reader of the bytes after the form. */
    private static ByteReader read(byte[] header) {
        ByteReader in = new ByteReader(header);
        int form = in.readByte();
        if (form != FORM) {
            throw UnreadableModelException.ofForm(form, "model", FORM);
        }
        return in;
    }

    private void write(Model model, long lastSeen) {
        Model shadow = model.drift().shadow();
        CountingWindow window = model.window();
        Publications publications = model.publications();
        LearnerState learner = model.learner().state();
        DriftState drift = model.drift().state();
        out.writeByte(number(model.state())
                | (publications.isStatusPending() ? STATUS_PENDING : 0)
                | (window.isOpen() ? OPEN : 0)
                | (shadow == null ? 0 : SHADOW)
                | (model.confusion().isEmpty() ? 0 : CONFUSION)
                | (MetricsCodec.isNeeded(model) ? METRICS : 0)
                | (model.names().size() == 0 ? 0 : FEATURE_NAMES));
        if (publications.isStatusPending()) {
            out.writeSigned(lastSeen - publications.pendingTime());
        }
        out.writeByte(model.algorithm().number());
        out.writeUnsigned(model.epoch());
        out.writeSigned(drift.lastEpoch() - model.epoch());
        out.writeUnsigned(model.rerouted());
        out.writeSigned(publications.chunks());
        out.writeSigned(publications.statusTime() - lastSeen);
        settings.write(model.settings(), out);
        out.writeSigned(window.start() - lastSeen);
        out.writeSigned(window.end() - window.start());
        CountsCodec.write(model.totals(), out);
        CountsCodec.write(window.counts(), out);
        out.writePair(model.totals().hingeLoss(), window.counts().hingeLoss());
        out.writeDoubles(learner.numbers());
        out.writeUnsigned(learner.names().size());
        out.writeDoubles(drift.detector());
        out.writeDoubles(drift.trial());
        int vectors = model.learner().storedVectors();
        out.writeUnsigned(vectors - Model.STATISTICS);
        for (int vector = Model.STATISTICS; vector < vectors; vector++) {
            BlockVector small = StoredHeader.small(model.vector(vector));
            if (small == null || small.entries() == 0) {
                out.writeUnsigned(2L * StoredHeader.storedBlocks(model.vector(vector)));
            } else {
                out.writeUnsigned(2L * small.entries() + 1);
                entries.write(small);
            }
        }
        if (!model.confusion().isEmpty()) {
            ConfusionCodec.write(model.confusion(), out);
        }
        if (MetricsCodec.isNeeded(model)) {
            MetricsCodec.write(model, out);
        }
        if (model.names().size() > 0) {
            out.writeUnsigned(model.names().size());
        }
        if (shadow != null) {
            write(shadow, lastSeen);
        }
    }

    /**
     * Decodes a header.
     *
     * <p>A model with missing names is restored without names, except those in its settings, and quarantined; {@link
     * StoredHeader#missing} describes the loss.
     *
     * @param names source of the names, if the header has any
     * @throws UnreadableModelException if the bytes are not a header, or have another form
     */
    StoredHeader decode(byte[] header, NamesSource names) {
        return new HeaderReader(read(header), settings, names).read();
    }

    /**
     * The fields of a header that are readable without its model.
     *
     * @param position see {@link StoredHeader#position}
     * @param lastSeen see {@link StoredHeader#lastSeen}
     * @param isStatusPending see {@link Publications#isStatusPending}
     * @param pendingTime see {@link Publications#pendingTime}
     */
    record Start(long position, long lastSeen, boolean isDeleted, boolean isStatusPending, long pendingTime) {}

    /**
     * Reads the start of a header. Cost: O(1).
     *
     * @throws UnreadableModelException if the bytes are not a header, or have another form
     */
    static Start start(byte[] header) {
        ByteReader in = read(header);
        long position = in.readSigned();
        long lastSeen = in.readSigned();
        int flags = in.readByte();
        boolean isPending = (flags & STATUS_PENDING) != 0;
        return new Start(
                position,
                lastSeen,
                (flags & STATE) == number(ModelState.DELETED),
                isPending,
                isPending ? lastSeen - in.readSigned() : StoredHeader.UNKNOWN);
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
