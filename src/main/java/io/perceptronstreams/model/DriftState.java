package io.perceptronstreams.model;

import java.util.List;

/**
 * The state of a drift monitor.
 *
 * @param lastEpoch highest epoch that the model or a shadow of it ever had
 * @param detector numbers of the detector; empty without one
 * @param trial numbers of the trial of a shadow; empty without one
 */
public record DriftState(long lastEpoch, List<Double> detector, List<Double> trial) {
    /** Keeps unmodifiable copies. */
    public DriftState {
        detector = List.copyOf(detector);
        trial = List.copyOf(trial);
    }
}
