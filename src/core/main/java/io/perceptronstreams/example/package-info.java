/** Examples: {@link io.perceptronstreams.example.Example} with features and label, and the hashing of feature names. */
package io.perceptronstreams.example;
