/** Sends examples and labels, at a rate or with a delay, and counts those that the engine refuses. */
package io.perceptronstreams.sending;
