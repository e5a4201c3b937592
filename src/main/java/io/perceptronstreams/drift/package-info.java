/**
 * Drift detection: {@link io.perceptronstreams.drift.DriftDetector} watches the errors of a model; {@link
 * io.perceptronstreams.drift.DriftSettings} creates detectors.
 */
package io.perceptronstreams.drift;
