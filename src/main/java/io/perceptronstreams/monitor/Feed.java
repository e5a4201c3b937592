package io.perceptronstreams.monitor;

/** The topics that are read, each once. Predictions are not among them: they are as many as the examples. */
enum Feed {
    MODELS("models", "ModelStatus"),
    COUNTS("counts", "MistakeCount"),
    MISTAKES("mistakes", "Mistake"),
    ALERTS("alerts", "Alert"),
    WEIGHTS("weights", "WeightsSnapshot"),
    DEAD_LETTERS("dead-letters", null);

    private final String suffix;
    private final String schema;

    Feed(String suffix, String schema) {
        this.suffix = suffix;
        this.schema = schema;
    }

    /** What follows the prefix and a hyphen in the topic's name. */
    String suffix() {
        return suffix;
    }

    /** The topic's full name. */
    String topic(String prefix) {
        return prefix + "-" + suffix;
    }

    /** Name of the events' schema; null where the values are not events. */
    String schema() {
        return schema;
    }

    /** Whether all of it is read at the start: without its first status a model would not be known. */
    boolean isReadWhole() {
        return this == MODELS;
    }
}
