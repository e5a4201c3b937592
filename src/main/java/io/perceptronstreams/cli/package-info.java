/**
 * What the user types: {@link io.perceptronstreams.Main} and one class per command. Commands hold options only and hand the
 * work to classes of their own, so that help needs neither Kafka nor Avro.
 */
package io.perceptronstreams.cli;
