package io.perceptronstreams.config;

import java.util.List;
import org.apache.kafka.common.config.ConfigException;

/** Settings with which the engine cannot start. The message has one line for each fault, so that all are mended in one go. */
public final class InvalidConfigException extends ConfigException {
    private static final long serialVersionUID = 1L;

    private final transient List<String> faults;

    /** @param faults one line each, at least one; none may contain a secret */
    public InvalidConfigException(List<String> faults) {
        super(String.join("\n", faults));
        this.faults = List.copyOf(faults);
    }

    /** One line for each fault, in the order of the keys. */
    public List<String> faults() {
        return faults;
    }
}
