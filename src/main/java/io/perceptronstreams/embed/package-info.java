/**
 * Learners inside another program: {@link io.perceptronstreams.embed.OnlineModel}, the model of the engine without Kafka.
 *
 * <p>The public types are those that a program outside of this one may rely on. {@code PublicTypesTest} holds their list.
 */
package io.perceptronstreams.embed;
