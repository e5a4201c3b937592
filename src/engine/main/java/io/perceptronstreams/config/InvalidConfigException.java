package io.perceptronstreams.config;

import java.util.List;
import org.apache.kafka.common.config.ConfigException;

/** Invalid settings. The message has one line for each fault, so that all can be corrected at once. */
public final class InvalidConfigException extends ConfigException {
    private static final long serialVersionUID = 1L;

    private final transient List<String> faults;

    /** @param faults one line each, at least one; must not contain a secret */
    public InvalidConfigException(List<String> faults) {
        super(String.join("\n", faults));
        this.faults = List.copyOf(faults);
    }

    /** One line for each fault, in the order of the keys. */
    public List<String> faults() {
        return faults;
    }
}
