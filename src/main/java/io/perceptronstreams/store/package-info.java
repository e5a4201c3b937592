/**
 * Models that survive: {@link io.perceptronstreams.store.ModelStore} keeps them live in memory and, once per commit, writes what
 * has changed.
 */
package io.perceptronstreams.store;
