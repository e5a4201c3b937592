/** Configuration of the engine: {@link io.perceptronstreams.config.EngineConfig}, its keys and sources. */
package io.perceptronstreams.config;
