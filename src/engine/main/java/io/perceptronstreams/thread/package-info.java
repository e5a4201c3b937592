/** Threads in the background: how they repeat their work after a failure, wait and end. */
package io.perceptronstreams.thread;
