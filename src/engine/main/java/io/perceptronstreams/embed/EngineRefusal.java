package io.perceptronstreams.embed;

import org.jspecify.annotations.NullMarked;

/**
 * Record that the engine could not use: the headers of its dead letter, or of some of its examples.
 *
 * @param reason name of the reason, such as {@code LABEL_WITHOUT_EXAMPLE} (docs/dead-letters.md)
 * @param message violated rule, value and remedy
 * @param partition partition of the record in the examples topic
 * @param offset offset of the record there
 * @since 0.2.0
 */
@NullMarked
public record EngineRefusal(String reason, String message, int partition, long offset) {}
