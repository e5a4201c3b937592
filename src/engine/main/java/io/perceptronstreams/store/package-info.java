/** Durable models: {@link io.perceptronstreams.store.ModelStore} caches them and writes changes at checkpoints. */
package io.perceptronstreams.store;
