/**
 * Tests on streams of errors: drift detectors of one model's error rate, which {@link
 * io.perceptronstreams.drift.DriftSettings} creates, and the {@link io.perceptronstreams.drift.Trial} between two
 * models.
 */
package io.perceptronstreams.drift;
