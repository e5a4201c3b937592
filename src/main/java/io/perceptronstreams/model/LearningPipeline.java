package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.Algorithm;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.LearnerState;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;
import java.util.Map;

/**
 * From features to an outcome, in one epoch of a model: its settings, hasher, scaler and learner, and the names of the
 * features that it has learned from.
 *
 * <p>Not thread-safe.
 */
final class LearningPipeline {
    private final LearnerSlot slot;
    private final Scaler scaler = new Scaler();
    private final FeatureNameTable names;
    private Settings settings;
    private FeatureHasher hasher;

    private LearningPipeline(Settings settings, LearnerSlot slot) {
        this.settings = settings;
        this.slot = slot;
        this.hasher = settings.hasher();
        this.names = new FeatureNameTable(settings.get(Settings.NAMES_MAX));
    }

    /** Creates a pipeline that has learned nothing. */
    static LearningPipeline of(Settings settings) {
        return new LearningPipeline(settings, LearnerSlot.of(settings));
    }

    /** Creates a pipeline with a stored learner, still without its blocks. */
    static LearningPipeline restored(Settings settings, Algorithm algorithm, LearnerState state) {
        return new LearningPipeline(settings, LearnerSlot.restored(settings, algorithm, state));
    }

    /**
     * Scales features in place, before {@link #learn} or {@link #compare}.
     *
     * @param isLearned false if the statistics are not to change
     * @throws RejectedException if they cannot be scaled, or their statistics would have no room
     */
    void scale(Features x, boolean isLearned) {
        scaler.scale(x, settings);
        if (isLearned) {
            scaler.requireRoom(x, settings);
        }
    }

    /** As {@link #scale}, for features that are part of the statistics already. */
    void rescale(Features x) {
        scaler.rescale(x, settings);
    }

    /**
     * Predicts and, if the example has a label, compares and learns.
     *
     * @param example with scaled features
     * @param isNew false if its features are part of the statistics already
     * @param counts those of the model before the example
     * @throws RejectedException if the example cannot be used
     */
    void learn(Example example, boolean isNew, EpochCounts counts, Outcome outcome) {
        long version = counts.totals().updates();
        if (example.label() == null) {
            learner().predict(example.features(), outcome);
        } else {
            settings = slot.learn(example, settings, counts, outcome);
        }
        if (isNew) {
            scaler.keep(example.features(), settings);
        }
        if (outcome.isUpdated() && names.hasRoom() && example.names() != null) {
            names.learn(example, hasher, algorithm().has(Algorithm.Trait.DUAL) ? null : vector(0), version);
        }
    }

    /** Like {@link #learn}, but only compares; a first label may decide which labels the model has. */
    void compare(Example example, boolean isFirst, Outcome outcome) {
        if (example.label() == null) {
            learner().predict(example.features(), outcome);
        } else {
            settings = slot.evaluate(example, settings, isFirst, outcome);
        }
    }

    /** Predicts and, if the example has a label, compares; changes nothing. Scales the example's features in place. */
    void evaluate(Example example, Outcome outcome) {
        Features x = example.features();
        scaler.scale(x, settings);
        if (example.label() == null) {
            learner().predict(x, outcome);
        } else {
            learner().evaluate(x, example.label(), outcome);
        }
    }

    /**
     * Applies changed settings.
     *
     * @param counts those of the epoch
     * @throws IllegalArgumentException if one cannot change any more; then none is changed
     */
    void configure(Settings changed, Counts counts) {
        if (counts.examples() > 0) {
            changed.requireSameFeatures(settings);
        }
        slot.configure(settings, changed, counts.labelled() > 0 || slot.hasWeights(), counts.updates());
        use(changed);
    }

    /**
     * Continues with the settings of the model that this replaces.
     *
     * @param version the number of updates of this pipeline
     */
    void adopt(Settings model, long version) {
        use(slot.adopt(model, version));
    }

    /**
     * Compares the learner with other weights from now on; sets {@link Settings#COMPARATOR} to {@link
     * Settings#IMPORTED}.
     *
     * @throws IllegalArgumentException if the learner does not support it, or there is no room; then nothing has
     *     changed
     */
    void compareWith(BlockVector weights, double bias) {
        slot.pin(weights, bias);
        Map<String, String> all = settings.toMap();
        all.put("comparator", Settings.IMPORTED);
        use(Settings.DEFAULTS.with(all));
    }

    private void use(Settings changed) {
        settings = changed;
        hasher = settings.hasher();
        names.limit(settings.get(Settings.NAMES_MAX), hasher);
    }

    Settings settings() {
        return settings;
    }

    FeatureHasher hasher() {
        return hasher;
    }

    FeatureNameTable names() {
        return names;
    }

    Algorithm algorithm() {
        return slot.algorithm();
    }

    Learner learner() {
        return slot.learner();
    }

    /** Number of the learner's sets of blocks, without {@link Model#STATISTICS}. */
    int vectors() {
        return learner().blocks().size();
    }

    /** A set of blocks: one of the learner's, or {@link Model#STATISTICS}. */
    Blocks vector(int number) {
        if (number == Model.STATISTICS) {
            return scaler.statistics();
        }
        if (number < 0 || number >= vectors()) {
            throw new IllegalArgumentException("a model with algorithm=" + algorithm() + " must have vectors below "
                    + vectors() + ", got " + number);
        }
        return learner().blocks().get(number);
    }

    /** Estimated heap, in bytes. */
    long heapBytes() {
        long bytes =
                scaler.statistics().heapBytes() + names.heapBytes() + learner().heapBytes();
        for (Blocks blocks : learner().blocks()) {
            bytes += blocks.heapBytes();
        }
        return bytes;
    }
}
