/**
 * Labels that come after or before their examples, and ids that come twice:
 * {@link io.perceptronstreams.labels.LateLabels} keeps the examples and labels of a model that wait, in memory and in a
 * {@link io.perceptronstreams.labels.WaitingStore}.
 */
package io.perceptronstreams.labels;
