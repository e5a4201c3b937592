package io.perceptronstreams.embed;

import org.jspecify.annotations.NullMarked;

/**
 * Value of a stream that {@code Learn} reads: an example, or the label of an earlier one.
 *
 * @since 0.2.0
 */
@NullMarked
public sealed interface LearnInput permits LearnExample, LearnLabel {}
