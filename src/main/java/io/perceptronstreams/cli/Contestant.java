package io.perceptronstreams.cli;

import io.perceptronstreams.topology.EngineConfig;
import io.perceptronstreams.topology.Topic;

/** What is compared, each in a process of its own. */
enum Contestant {
    /** The copying topology. */
    COPY("copy", 14),
    /** The engine, on the same records. */
    ENGINE("engine", 14),
    /** The engine, on the same records, with the monitor in its process. */
    MONITORED("with monitor", 14),
    /** The engine, on the same examples with their features spread over 2^24 indices. */
    WIDE("engine 2^24", 24);

    private final String title;
    private final int bits;

    Contestant(String title, int bits) {
        this.title = title;
        this.bits = bits;
    }

    /** The heading of its column. */
    String title() {
        return title;
    }

    /** Whether it is asked for latencies, too. */
    boolean isLatencyMeasured() {
        return this == COPY || this == ENGINE;
    }

    /** Indices of its examples are below 2 to this power. */
    int bits() {
        return bits;
    }

    /** What its topics start with; the examples lie there for all rounds. */
    String prefix() {
        return "bench-" + bits;
    }

    /** Where its answers come out, one for each example. */
    String output(EngineConfig config) {
        return this == COPY ? copies(config) : config.topic(Topic.PREDICTIONS);
    }

    static String copies(EngineConfig config) {
        return config.topicsPrefix() + "-copies";
    }
}
