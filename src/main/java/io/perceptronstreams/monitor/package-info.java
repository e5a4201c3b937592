/**
 * What a user looks at: the HTTP API, server-sent events and metrics, all from read-committed topics; {@code Monitor} starts it.
 *
 * <p>It only reads. It has threads, queues and limits of its own, so that neither a slow browser nor a fault here costs the engine
 * anything but the CPU time of reading.
 */
package io.perceptronstreams.monitor;
