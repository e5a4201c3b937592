/**
 * Durable models: {@link io.perceptronstreams.store.ModelStore} keeps them in memory and writes changes at checkpoints.
 */
package io.perceptronstreams.store;
