/** Settings of the engine: {@link io.perceptronstreams.config.EngineConfig}, its keys, and where their values come from. */
package io.perceptronstreams.config;
