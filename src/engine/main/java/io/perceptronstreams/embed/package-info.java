/**
 * Learners inside another program: {@link io.perceptronstreams.embed.OnlineModel}, the model of the engine without
 * Kafka, {@link io.perceptronstreams.embed.Learn}, a processor that has such models, and
 * {@link io.perceptronstreams.embed.Engine} with {@link io.perceptronstreams.embed.PerceptronTopics}, the engine and
 * its topics.
 *
 * <p>The public types are those that a program outside of this one may rely on. {@code PublicTypesTest} holds their
 * list.
 */
package io.perceptronstreams.embed;
