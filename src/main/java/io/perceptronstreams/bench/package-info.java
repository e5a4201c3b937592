/** The benchmark: the engine beside a topology that only copies. Start reading at {@code BenchCommand}, then {@code BenchRound}. */
package io.perceptronstreams.bench;
