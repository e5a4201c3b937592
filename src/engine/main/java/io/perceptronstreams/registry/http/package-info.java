/**
 * The client of a schema registry over HTTP: its settings, {@link RegistryConfig}, and {@link SchemaRegistries}, which
 * creates it.
 */
package io.perceptronstreams.registry.http;
