/**
 * Long tests that disturb brokers and engines at random and compare all they have written with one uninterrupted pass.
 * They run only with {@code ./mvnw verify -Pchaos}.
 */
package io.perceptronstreams.chaos;
