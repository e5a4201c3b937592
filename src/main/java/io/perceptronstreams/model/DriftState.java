package io.perceptronstreams.model;

import java.util.List;

/**
 * What of the watch over a model's errors survives.
 *
 * @param lastEpoch the highest number that an epoch of the model, or of a shadow of it, ever had
 * @param detector numbers of the detector, none where there is none
 * @param trial numbers of the comparison with a shadow, none where there is none
 */
public record DriftState(long lastEpoch, List<Double> detector, List<Double> trial) {
    /** Keeps unmodifiable copies. */
    public DriftState {
        detector = List.copyOf(detector);
        trial = List.copyOf(trial);
    }
}
