package io.perceptronstreams.store;

import io.perceptronstreams.learner.Algorithm;
import io.perceptronstreams.learner.LearnerState;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.model.Counts;
import io.perceptronstreams.model.Counts.Counter;
import io.perceptronstreams.model.DriftState;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads headers of the old forms 1 and 2. They hold all settings by name and the names of the learner, but neither
 * position nor numbers of blocks.
 */
final class OldHeaders {
    static final int FIRST = 1;
    static final int LAST = 2;

    private OldHeaders() {}

    /**
     * Decodes a header of form 1 or 2.
     *
     * @throws UnreadableModelException if the bytes are not a header
     */
    static StoredHeader decode(byte[] header) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(header))) {
            return StoredHeader.ofOldForm(decode(in, false));
        } catch (IOException | RuntimeException e) {
            // missing bytes, unknown constants, and any exception of a learner or detector for invalid values
            throw new UnreadableModelException(
                    "a stored model of form " + header[0] + " must be complete and possible, got: " + e, e);
        }
    }

    /**
     * Returns true if the model of a header of form 1 or 2 is deleted.
     *
     * @throws UnreadableModelException if the bytes are not such a header
     */
    static boolean isDeleted(byte[] header) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(header))) {
            int form = in.readUnsignedByte();
            if (form < FIRST || form > LAST) {
                throw new UnreadableModelException(
                        "a stored model must be of form 1 to " + HeaderCodec.FORM + ", got " + form);
            }
            return in.readUTF().equals(ModelState.DELETED.name());
        } catch (IOException e) {
            throw new UnreadableModelException(
                    "a stored model of form " + header[0] + " must be complete, got: " + e, e);
        }
    }

    private static Model decode(DataInputStream in, boolean isShadow) throws IOException {
        int form = in.readUnsignedByte();
        ModelState state = ModelState.valueOf(in.readUTF());
        long epoch = in.readLong();
        long rerouted = in.readLong();
        int publishedChunks = in.readInt();
        long statusTime = form > 1 ? in.readLong() : 0;
        Map<String, String> settings = new LinkedHashMap<>();
        for (int count = in.readInt(); count > 0; count--) {
            settings.put(in.readUTF(), in.readUTF());
        }
        Model model = new Model();
        read(in, model.totals());
        model.window().restore(in.readBoolean(), in.readLong(), in.readLong());
        read(in, model.window().counts());
        // form 1 had one learner only; a deleted model has none
        Algorithm algorithm = form > 1
                ? Algorithm.valueOf(in.readUTF())
                : state == ModelState.DELETED ? Algorithm.AUTO : Algorithm.PERCEPTRON;
        List<Double> numbers = readDoubles(in);
        List<String> names = new ArrayList<>();
        for (int count = in.readInt(); count > 0; count--) {
            names.add(in.readUTF());
        }
        model.restore(
                state,
                epoch,
                rerouted,
                Settings.DEFAULTS.with(settings),
                algorithm,
                algorithm == Algorithm.AUTO
                        ? new LearnerState(List.of(), List.of())
                        : new LearnerState(numbers, names));
        model.publications().markStatus(statusTime);
        model.publications().markSnapshot(publishedChunks);
        if (form > 1) {
            DriftState drift = new DriftState(in.readLong(), readDoubles(in), readDoubles(in));
            if (isShadow && !drift.trial().isEmpty()) {
                throw new IllegalArgumentException("a shadow must have no shadow");
            }
            model.drift().restore(drift, drift.trial().isEmpty() ? null : decode(in, true));
        }
        return model;
    }

    private static List<Double> readDoubles(DataInputStream in) throws IOException {
        List<Double> numbers = new ArrayList<>();
        for (int count = in.readInt(); count > 0; count--) {
            numbers.add(in.readDouble());
        }
        return numbers;
    }

    private static void read(DataInputStream in, Counts counts) throws IOException {
        counts.set(Counter.EXAMPLES, in.readLong());
        counts.set(Counter.LABELLED, in.readLong());
        counts.set(Counter.ERRORS, in.readLong());
        counts.set(Counter.MISTAKES, in.readLong());
        counts.set(Counter.MARGIN_MISTAKES, in.readLong());
        counts.set(Counter.UPDATES, in.readLong());
        counts.setHingeLoss(in.readDouble());
    }
}
