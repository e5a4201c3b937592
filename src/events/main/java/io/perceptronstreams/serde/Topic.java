package io.perceptronstreams.serde;

import java.util.Locale;

/**
 * Topics of the engine, with event type and cleanup policy.
 *
 * <p>Record keys are model names in UTF-8, so that the records of a model keep their order.
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

    /** Topic name without prefix and hyphen; also the name for {@code perceptron watch} and in the HTTP API. */
    public String suffix() {
        return suffix;
    }

    /** Full name of the topic, such as {@code perceptron-dead-letters}. */
    public String name(String prefix) {
        return prefix + "-" + suffix();
    }

    /** Required {@code cleanup.policy} of the topic. */
    public String cleanupPolicy() {
        return cleanupPolicy;
    }

    /** Returns true if brokers delete records by their event time, unless the topic is without a limit. */
    public boolean isDeletedByTime() {
        return cleanupPolicy.contains("delete");
    }

    /** Schema name of the events; null for dead letters, whose values are arbitrary bytes. */
    public String event() {
        return event;
    }
}
