/** Shared by the commands: Kafka clients, sending examples and commands, reading topics, weights files, the terminal. */
package io.perceptronstreams.client;
