/** The schema registry client: {@link io.perceptronstreams.registry.SchemaRegistry}, over HTTP or in memory. */
package io.perceptronstreams.registry;
