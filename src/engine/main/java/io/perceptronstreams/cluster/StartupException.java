package io.perceptronstreams.cluster;

import java.util.List;

/** The engine cannot start, or cannot go on. Each fault is one line with its remedy. */
public final class StartupException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient List<String> faults;

    public StartupException(List<String> faults) {
        this(faults, null);
    }

    public StartupException(List<String> faults, Throwable cause) {
        super(String.join("; ", faults), cause);
        this.faults = List.copyOf(faults);
    }

    /** One line for each fault. */
    public List<String> faults() {
        return faults;
    }
}
