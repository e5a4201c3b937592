/**
 * A Kafka broker and a schema registry in this process, for people without a cluster and for tests: {@link
 * io.perceptronstreams.embedded.EmbeddedBroker} and {@code EmbeddedRegistry}. Both listen on
 * 127.0.0.1 only and come back with everything after a kill.
 */
package io.perceptronstreams.embedded;
