/**
 * Encoding and decoding of events. {@link io.perceptronstreams.serde.Topic} lists the topics with their schemas, {@link
 * io.perceptronstreams.serde.InputDecoder} reads the examples topic, {@link io.perceptronstreams.serde.EventEncoder}
 * writes all others.
 */
package io.perceptronstreams.serde;
