/**
 * Models: {@link io.perceptronstreams.model.ModelSession} applies records to the models of a partition; a {@link
 * io.perceptronstreams.model.Model} has a life on the stream, and in each epoch an {@link
 * io.perceptronstreams.model.EpochModel}, which learns and counts.
 */
package io.perceptronstreams.model;
