/** Drift detectors of the error rate; {@link io.perceptronstreams.drift.DriftSettings} creates them. */
package io.perceptronstreams.drift;
