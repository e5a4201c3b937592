package io.perceptronstreams.topology;

import java.util.List;

/** Says what must be mended before the engine can start: one line for each fault, each with what to do. */
public final class StartupException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient List<String> faults;

    public StartupException(List<String> faults) {
        super(String.join("; ", faults));
        this.faults = List.copyOf(faults);
    }

    /** One line for each fault. */
    public List<String> faults() {
        return faults;
    }
}
