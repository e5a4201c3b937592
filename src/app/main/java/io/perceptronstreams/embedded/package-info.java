/**
 * Kafka broker and schema registry in this process, for tests and for use without a cluster: {@link
 * io.perceptronstreams.embedded.EmbeddedBroker} and {@code EmbeddedRegistry}. Both listen on 127.0.0.1 only; their data
 * survive a kill.
 */
package io.perceptronstreams.embedded;
