package io.perceptronstreams.topology;

import java.util.Locale;

/**
 * Every topic of the engine, once: its name and what it needs of the broker.
 *
 * <p>Record keys are model names in UTF-8 everywhere, so that a model's records keep their order.
 */
public enum Topic {
    EXAMPLES("delete"),
    PREDICTIONS("delete"),
    MISTAKES("delete"),
    COUNTS("compact,delete"),
    MODELS("compact"),
    WEIGHTS("compact"),
    ALERTS("delete"),
    DEAD_LETTERS("delete");

    private final String cleanupPolicy;
    private final String suffix = name().toLowerCase(Locale.ROOT).replace('_', '-');

    Topic(String cleanupPolicy) {
        this.cleanupPolicy = cleanupPolicy;
    }

    /** What follows the prefix and a hyphen in the topic's name, and what {@code perceptron watch} calls it. */
    public String suffix() {
        return suffix;
    }

    /** The topic's full name, such as {@code perceptron-dead-letters}. */
    public String name(String prefix) {
        return prefix + "-" + suffix();
    }

    /** Kafka's {@code cleanup.policy} that the topic must have. */
    public String cleanupPolicy() {
        return cleanupPolicy;
    }
}
