/** A model's log, learned again: {@link io.perceptronstreams.relearn.Verification} of what it has sent. */
package io.perceptronstreams.relearn;
