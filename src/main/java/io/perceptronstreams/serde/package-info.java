/**
 * Bytes to records and back: {@link io.perceptronstreams.serde.WireFormat} is the header of every Avro value, {@link
 * io.perceptronstreams.serde.SchemaRegistry} knows the schema behind its id.
 */
package io.perceptronstreams.serde;
