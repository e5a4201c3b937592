/**
 * Stored state: every part lists its fields once, in {@link io.perceptronstreams.state.StoredFields}, to write and to
 * read them; files of it are {@link io.perceptronstreams.state.OwnerOnly}.
 */
package io.perceptronstreams.state;
