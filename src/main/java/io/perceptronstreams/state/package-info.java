/** Stored state: every part lists its fields once, in {@link io.perceptronstreams.state.StoredFields}, to write and to read them. */
package io.perceptronstreams.state;
