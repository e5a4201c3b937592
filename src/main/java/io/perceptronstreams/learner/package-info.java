/** Learning algorithms: {@link io.perceptronstreams.learner.Learner} is the contract; one class per learner. */
package io.perceptronstreams.learner;
