package io.perceptronstreams.serde;

import java.util.Locale;

/**
 * The topics of the engine: name, event and cleanup policy of each.
 *
 * <p>Record keys are model names in UTF-8 everywhere, so that a model's records keep their order.
 */
public enum Topic {
    EXAMPLES("Example", "delete"),
    PREDICTIONS("Prediction", "delete"),
    MISTAKES("Mistake", "delete"),
    COUNTS("MistakeCount", "compact,delete"),
    MODELS("ModelStatus", "compact"),
    WEIGHTS("WeightsSnapshot", "compact"),
    ALERTS("Alert", "delete"),
    DEAD_LETTERS(null, "delete");

    private final String event;
    private final String cleanupPolicy;
    private final String suffix = name().toLowerCase(Locale.ROOT).replace('_', '-');

    Topic(String event, String cleanupPolicy) {
        this.event = event;
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

    /** Name of the topic's events; null where values are not events: dead letters are read as bytes. */
    public String event() {
        return event;
    }
}
