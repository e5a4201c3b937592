/**
 * Readers of example files: {@link io.perceptronstreams.format.ExampleSource} opens a file in an {@link
 * io.perceptronstreams.format.ExampleFormat} (libsvm, csv, arff, jsonl, vw, conllu).
 */
package io.perceptronstreams.format;
