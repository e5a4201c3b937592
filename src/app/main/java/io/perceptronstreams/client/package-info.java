/** Shared by the commands: Kafka clients, senders of examples and commands, readers of topics, weights files. */
package io.perceptronstreams.client;
