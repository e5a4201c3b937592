/**
 * The dashboard, HTTP API, server-sent events and metrics, from read-committed topics; {@code Monitor} is the entry
 * point.
 *
 * <p>The monitor only reads, unless it is told to accept examples, labels and commands ({@code EventRequests}). Its
 * threads, queues and limits are separate, so that slow browsers and faults do not affect the engine.
 */
package io.perceptronstreams.monitor;
