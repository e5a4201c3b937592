/**
 * Files of examples: {@link io.perceptronstreams.format.ExampleSource} opens one, and each {@link
 * io.perceptronstreams.format.ExampleFormat} has a reader (libsvm, csv, jsonl, vw, conllu).
 */
package io.perceptronstreams.format;
