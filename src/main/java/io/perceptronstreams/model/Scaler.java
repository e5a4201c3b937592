package io.perceptronstreams.model;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;

/** Scales the features of a model's examples by the setting {@code scale}, and keeps the statistics for it. */
final class Scaler {
    private final Standardizer standardizer = new Standardizer();

    /** Statistics of scale=standard. */
    Blocks statistics() {
        return standardizer.statistics();
    }

    /**
     * Scales in place.
     *
     * @throws RejectedException if the features are not a vector, or a statistic would overflow
     */
    void scale(Features x, Settings settings) {
        switch (settings.get(Settings.SCALE)) {
            case NONE -> {}
            case UNIT_NORM -> vector(x, settings).scaleToUnitNorm();
            case UNIT_NORM_BIAS -> {
                FeatureVector vector = vector(x, settings);
                if (settings.get(Settings.BIAS)) {
                    vector.scaleToUnitNormWithBias();
                } else {
                    vector.scaleToUnitNorm();
                }
            }
            case STANDARD -> standardizer.scale(vector(x, settings));
        }
    }

    /** As {@link #scale}, for an example that is part of the statistics already. */
    void rescale(Features x, Settings settings) {
        if (settings.get(Settings.SCALE) == Settings.Scale.STANDARD) {
            standardizer.rescale(vector(x, settings));
        } else {
            scale(x, settings);
        }
    }

    private static FeatureVector vector(Features x, Settings settings) {
        if (x instanceof FeatureVector vector) {
            return vector;
        }
        throw new RejectedException(
                RejectReason.UNSUPPORTED_FEATURES,
                "features must be dense, sparse or named where scale=" + Settings.spelled(settings.get(Settings.SCALE))
                        + ", got " + (x instanceof Sequence ? "a Sequence" : "Candidates") + " (set scale=none)");
    }

    /**
     * Checks that {@link #keep} has room. Unlabelled examples change statistics, too, and could otherwise fill the
     * memory.
     *
     * @throws RejectedException if there is none
     */
    void requireRoom(Features x, Settings settings) {
        if (settings.get(Settings.SCALE) != Settings.Scale.STANDARD) {
            return;
        }
        FeatureVector vector = (FeatureVector) x;
        BlockVector statistics = standardizer.statistics();
        // one more for the count of examples
        long room = settings.get(Settings.BLOCKS_MAX) + 1L;
        if (statistics.maxCount() + vector.size() < room) {
            return; // room for a block each: no need to count
        }
        int newBlocks = standardizer.newBlocks(vector);
        if (newBlocks > 0 && statistics.count() + newBlocks > room) {
            throw new RejectedException(
                    RejectReason.MODEL_FULL,
                    "a model must not standardize more than blocks.max = " + settings.get(Settings.BLOCKS_MAX)
                            + " blocks of 128 features (raise blocks.max, or hash names into fewer bits)");
        }
    }

    /** Adds the last scaled example to the statistics. */
    void keep(Features x, Settings settings) {
        if (settings.get(Settings.SCALE) == Settings.Scale.STANDARD) {
            standardizer.keep((FeatureVector) x);
        }
    }
}
