/** What commands share: Kafka clients, producing examples, following topics, sending commands, weights files, the terminal. */
package io.perceptronstreams.client;
