package io.perceptronstreams.topology;

import java.util.List;

/** Says what must be mended before the engine can start: one line for each fault, each with what to do. */
public final class StartUpException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public StartUpException(List<String> faults) {
        super(String.join(System.lineSeparator(), faults));
    }
}
