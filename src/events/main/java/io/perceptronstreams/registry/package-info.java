/** What is asked of a schema registry, {@link io.perceptronstreams.registry.SchemaRegistry}, and one in memory. */
package io.perceptronstreams.registry;
