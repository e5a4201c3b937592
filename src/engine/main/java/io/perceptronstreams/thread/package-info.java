/**
 * Threads in the background: how they repeat their work after a failure, wait and end, and how they run what another
 * thread leaves to them.
 */
package io.perceptronstreams.thread;
