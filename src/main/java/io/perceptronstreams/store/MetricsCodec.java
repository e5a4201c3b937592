package io.perceptronstreams.store;

import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.model.Baselines;
import io.perceptronstreams.model.ClassCounts;
import io.perceptronstreams.model.Counts;
import io.perceptronstreams.model.Counts.Counter;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.RecentScores;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes what the metrics of a model need besides its confusion matrix.
 *
 * <p>Layout, with numbers and doubles as in {@link ByteWriter}; places are those of the matrix:
 *
 * <pre>
 * signed    of the totals, then of the window: labelled - compared, errors - errors of these, errors of predicting the
 *           commonest label - errors of the model, the same of the last label
 * unsigned  place of the last true label + 1; 0 without one
 * 8 bytes   only if that is 1, the place of the labels without a row: hash of its name, lowest byte first
 * unsigned  number of places with examples for which no label was emitted; an unsigned count for each
 * unsigned  number of places in the window; for each: unsigned seen, predicted, correct
 * doubles   the last scores, with their count; then their true classes, a bit each, 1 for the positive one
 * </pre>
 */
final class MetricsCodec {
    private MetricsCodec() {}

    /** Returns true if there is anything to store. */
    static boolean isNeeded(Model model) {
        return model.totals().of(Counter.COMPARED) > 0;
    }

    static void write(Model model, ByteWriter out) {
        write(model.totals(), out);
        write(model.window().counts(), out);
        Baselines.State baselines = model.counts().baselines();
        out.writeUnsigned(baselines.last() + 1L);
        if (baselines.last() == 0) {
            for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
                out.writeByte((int) (baselines.lastHash() >>> shift));
            }
        }
        out.writeUnsigned(baselines.unanswered().size());
        baselines.unanswered().forEach(out::writeUnsigned);
        ClassCounts window = model.counts().windowClasses();
        out.writeUnsigned(window.places());
        for (int place = 0; place < window.places(); place++) {
            out.writeUnsigned(window.seen(place));
            out.writeUnsigned(window.predicted(place));
            out.writeUnsigned(window.correct(place));
        }
        write(model.counts().scores(), out);
    }

    private static void write(Counts counts, ByteWriter out) {
        out.writeSigned(counts.labelled() - counts.of(Counter.COMPARED));
        out.writeSigned(counts.errors() - counts.of(Counter.COMPARED_ERRORS));
        out.writeSigned(counts.of(Counter.MAJORITY_ERRORS) - counts.of(Counter.COMPARED_ERRORS));
        out.writeSigned(counts.of(Counter.SAME_ERRORS) - counts.of(Counter.COMPARED_ERRORS));
    }

    private static void write(RecentScores scores, ByteWriter out) {
        List<Double> numbers = new ArrayList<>(scores.size());
        byte[] positives = new byte[(scores.size() + Byte.SIZE - 1) / Byte.SIZE];
        for (int k = 0; k < scores.size(); k++) {
            numbers.add(scores.score(k));
            positives[k / Byte.SIZE] |= (byte) ((scores.isPositive(k) ? 1 : 0) << k % Byte.SIZE);
        }
        out.writeDoubles(numbers);
        out.writeBytes(positives);
    }

    /**
     * Restores what {@link #write} wrote, into a model with its counts, settings and matrix.
     *
     * @throws IllegalArgumentException if it does not fit to the matrix
     */
    static void read(ByteReader in, Model model) {
        read(in, model.totals());
        read(in, model.window().counts());
        int last = in.readInt(Integer.MAX_VALUE - 1) - 1;
        long hash = 0;
        for (int shift = 0; last == 0 && shift < Long.SIZE; shift += Byte.SIZE) {
            hash |= (long) in.readByte() << shift;
        }
        List<Long> unanswered = new ArrayList<>();
        for (int left = in.readCount(1); left > 0; left--) {
            unanswered.add(in.readUnsigned());
        }
        model.counts().restoreBaselines(new Baselines.State(last, hash, unanswered));
        int places = in.readCount(3);
        for (int place = 0; place < places; place++) {
            model.counts().windowClasses().set(place, in.readUnsigned(), in.readUnsigned(), in.readUnsigned());
        }
        List<Double> scores = in.readDoubles();
        byte[] positives = in.readBytes((scores.size() + Byte.SIZE - 1) / Byte.SIZE);
        // after a change of the setting all of them count until the next label, as in a model that was not stored
        int capacity = Math.max(scores.size(), model.settings().get(Settings.AUC_WINDOW));
        for (int k = 0; k < scores.size(); k++) {
            model.counts().scores().add(scores.get(k), (positives[k / Byte.SIZE] >> k % Byte.SIZE & 1) != 0, capacity);
        }
    }

    private static void read(ByteReader in, Counts counts) {
        counts.set(Counter.COMPARED, counts.labelled() - in.readSigned());
        long errors = counts.errors() - in.readSigned();
        counts.set(Counter.COMPARED_ERRORS, errors);
        counts.set(Counter.MAJORITY_ERRORS, errors + in.readSigned());
        counts.set(Counter.SAME_ERRORS, errors + in.readSigned());
    }
}
