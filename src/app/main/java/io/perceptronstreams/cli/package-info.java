/**
 * The commands of {@link io.perceptronstreams.Main}, one class each. A command class contains only options and
 * delegates the work, so that {@code --help} loads neither Kafka nor Avro.
 */
package io.perceptronstreams.cli;
