/** Benchmark of the engine against a copying topology. Start at {@code BenchCommand} and {@code BenchRound}. */
package io.perceptronstreams.bench;
