/** Shared by the commands: Kafka clients, senders of commands, readers of topics, weights files. */
package io.perceptronstreams.client;
