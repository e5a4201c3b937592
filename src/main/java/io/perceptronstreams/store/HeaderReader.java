package io.perceptronstreams.store;

import io.perceptronstreams.learner.Algorithm;
import io.perceptronstreams.learner.LearnerState;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.model.AdviceState;
import io.perceptronstreams.model.Counts;
import io.perceptronstreams.model.DriftState;
import io.perceptronstreams.model.LateState;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.weights.BlockVector;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/** Reads one header; see {@link HeaderCodec} for the layout. */
final class HeaderReader {
    private final ByteReader in;
    private final SettingsCodec settingsCodec;
    private final HeaderCodec.NamesSource source;
    private final StoredNames names = new StoredNames();
    private long lastSeen;
    private int[] shadowBlocks = {};
    private int featureNames;
    private int shadowFeatureNames;
    private String missingNames;

    /**
     * Creates a reader of the bytes after the form.
     *
     * @param source of the names, if the header has any
     */
    HeaderReader(ByteReader in, SettingsCodec settingsCodec, HeaderCodec.NamesSource source) {
        this.in = in;
        this.settingsCodec = settingsCodec;
        this.source = source;
    }

    StoredHeader read() {
        long position = in.readSigned();
        lastSeen = in.readSigned();
        Model model = new Model();
        int[] blocks = read(model, false);
        if (in.left() > 0) {
            readAdvice(model);
        }
        if (in.left() > 0) {
            readLate(model);
        }
        in.requireEnd();
        return new StoredHeader(model, position, lastSeen, names, missingNames, blocks, shadowBlocks)
                .withFeatureNames(featureNames, shadowFeatureNames);
    }

    /** Restores a new model; returns the expected number of blocks of each vector. */
    private int[] read(Model model, boolean isShadow) {
        int flags = in.readByte();
        ModelState state = constant("state", ModelState.values(), HeaderCodec::number, flags & HeaderCodec.STATE);
        boolean hasShadow = (flags & HeaderCodec.SHADOW) != 0;
        if (isShadow && hasShadow) {
            throw in.fault("have no shadow of a shadow", flags);
        }
        if ((flags & HeaderCodec.STATUS_PENDING) != 0) {
            model.publications().markPending(lastSeen - in.readSigned());
        }
        Algorithm algorithm = constant("algorithm", Algorithm.values(), Algorithm::number, in.readByte());
        long epoch = in.readUnsigned();
        long lastEpoch = epoch + in.readSigned();
        long rerouted = in.readUnsigned();
        model.publications().markSnapshot((int) in.readSigned());
        model.publications().markStatus(lastSeen + in.readSigned());
        Settings settings = settingsCodec.read(in);
        long start = lastSeen + in.readSigned();
        model.window().restore((flags & HeaderCodec.OPEN) != 0, start, start + in.readSigned());
        readCounts(model);
        List<Double> numbers = in.readDoubles();
        List<String> learnerNames = readNames(epoch);
        DriftState drift = new DriftState(lastEpoch, in.readDoubles(), in.readDoubles());
        // the learner requires the classes in its settings
        List<String> present = learnerNames == null ? settings.get(Settings.CLASSES) : learnerNames;
        UnreadableModelException.ifRefused(
                "a valid state of its learner",
                () -> model.restore(
                        learnerNames == null ? ModelState.QUARANTINED : state,
                        epoch,
                        rerouted,
                        settings,
                        algorithm,
                        new LearnerState(numbers, present)));
        int[] blocks = readVectors(model);
        if ((flags & HeaderCodec.CONFUSION) != 0) {
            UnreadableModelException.ifRefused(
                    "a valid confusion matrix", () -> ConfusionCodec.read(in, model.confusion()));
        }
        if ((flags & HeaderCodec.METRICS) != 0) {
            UnreadableModelException.ifRefused("valid metrics", () -> MetricsCodec.read(in, model));
        } else {
            model.counts().restoreBaselines(null);
        }
        if ((flags & HeaderCodec.FEATURE_NAMES) != 0) {
            int count = in.readInt(Integer.MAX_VALUE);
            featureNames = isShadow ? featureNames : count;
            shadowFeatureNames = isShadow ? count : 0;
        }
        Model shadow = hasShadow ? new Model() : null;
        if (hasShadow) {
            shadowBlocks = read(shadow, true);
        }
        UnreadableModelException.ifRefused(
                "a valid watch for drift", () -> model.drift().restore(drift, shadow));
        return blocks;
    }

    private void readAdvice(Model model) {
        AdviceState advice = new AdviceState(in.readUnsigned(), in.readDoubles());
        UnreadableModelException.ifRefused(
                "a valid state of its advisor", () -> model.advisor().restore(advice));
    }

    private void readLate(Model model) {
        long streamTime = lastSeen - in.readSigned();
        long pending = in.readUnsigned();
        long labels = in.readUnsigned();
        long firstId = in.readUnsigned();
        long nextId = firstId + in.readUnsigned();
        CountsCodec.readLate(in, model.totals());
        CountsCodec.readLate(in, model.window().counts());
        List<Long> delays = new ArrayList<>();
        for (int left = in.left() == 0 ? 0 : in.readCount(1); left > 0; left--) {
            delays.add(in.readUnsigned());
        }
        long generation = in.left() == 0 ? 0 : in.readUnsigned();
        UnreadableModelException.ifRefused(
                "valid numbers of its late labels",
                () -> model.late()
                        .restore(new LateState(streamTime, pending, labels, firstId, nextId, delays, generation)));
    }

    private <E> E constant(String what, E[] constants, ToIntFunction<E> numbers, int number) {
        for (E constant : constants) {
            if (numbers.applyAsInt(constant) == number) {
                return constant;
            }
        }
        throw in.fault("have a known " + what, number + ", written by a newer engine?");
    }

    private void readCounts(Model model) {
        Counts totals = model.totals();
        Counts window = model.window().counts();
        CountsCodec.read(in, totals);
        CountsCodec.read(in, window);
        double[] hingeLoss = new double[2];
        in.readDoubles(hingeLoss, 0, 2);
        totals.setHingeLoss(hingeLoss[0]);
        window.setHingeLoss(hingeLoss[1]);
    }

    /** Returns null if names are missing. */
    private List<String> readNames(long epoch) {
        int count = in.readInt(Integer.MAX_VALUE);
        List<String> read = NamesCodec.decode(count, part -> source.part(epoch, part));
        if (read.size() < count) {
            missingNames =
                    "the learner of epoch " + epoch + " must have " + count + " names, got the first " + read.size();
            return null;
        }
        names.add(epoch, read);
        return read;
    }

    private int[] readVectors(Model model) {
        int[] blocks = new int[model.vectors() - Model.STATISTICS];
        int vectors = in.readInt(Integer.MAX_VALUE);
        if (vectors > blocks.length) {
            throw in.fault("have " + blocks.length + " vectors", vectors);
        }
        for (int k = 0; k < vectors; k++) {
            int vector = k + Model.STATISTICS;
            long twice = in.readUnsigned();
            long count = twice >>> 1;
            if (count > Integer.MAX_VALUE) {
                throw in.fault("have a possible number of blocks or entries", count);
            }
            if ((twice & 1) == 0) {
                blocks[k] = (int) count;
            } else if (model.vector(vector) instanceof BlockVector small) {
                UnreadableModelException.ifRefused(
                        "valid entries of vector " + vector, () -> EntriesCodec.read(in, (int) count, small));
            } else {
                throw in.fault("have vector " + vector + " in blocks", count + " entries");
            }
        }
        return blocks;
    }
}
