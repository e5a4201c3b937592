/**
 * Bytes to records and back: {@link io.perceptronstreams.serde.InputDecoder} for the examples topic, {@link
 * io.perceptronstreams.serde.EventEncoder} for all others, and the schema registry.
 */
package io.perceptronstreams.serde;
