/** When did the world change? Detectors that watch a model's stream of errors; {@link io.perceptronstreams.drift.DriftSettings} creates them. */
package io.perceptronstreams.drift;
