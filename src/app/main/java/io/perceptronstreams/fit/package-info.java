/** What the command {@code fit} computes: a file of examples, read ahead, learned in passes, and a report on them. */
package io.perceptronstreams.fit;
