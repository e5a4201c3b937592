/** Benchmark of the engine against a topology that only copies; start at {@code BenchCommand} and {@code BenchRound}. */
package io.perceptronstreams.bench;
