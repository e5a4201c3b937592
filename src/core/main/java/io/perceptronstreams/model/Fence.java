package io.perceptronstreams.model;

import java.util.Map;
import java.util.Set;

/**
 * End of the use of a partition's records: its models go to the next generation of topics. Made and lifted by
 * {@link ModelCommand.Action#FENCE}, at one place of the log of each partition.
 *
 * @param isForwarding true if records behind the fence are sent on to the next generation, false if they are refused
 */
public record Fence(boolean isForwarding) {
    /** Setting of the command: {@link #FORWARD} or {@link #REFUSE}. */
    public static final String AFTER = "after";

    /** Setting of the command that lifts a fence, with the value true, in place of {@link #AFTER}. */
    public static final String LIFT = "lift";

    /** Value of {@link #AFTER}: records behind the fence are sent on. */
    public static final String FORWARD = "forward";

    /** Value of {@link #AFTER}: records behind the fence become dead letters. */
    public static final String REFUSE = "refuse";

    /** Settings of the command that lifts a fence. */
    public static final Map<String, String> LIFTING = Map.of(LIFT, "true");

    /**
     * Returns the fence of a command; null if it lifts one.
     *
     * @throws IllegalArgumentException if the command has other settings
     */
    static Fence of(Map<String, String> settings) {
        if (settings.equals(LIFTING)) {
            return null;
        }
        String after = settings.get(AFTER);
        if (!settings.keySet().equals(Set.of(AFTER)) || !(FORWARD.equals(after) || REFUSE.equals(after))) {
            throw new IllegalArgumentException(
                    "FENCE must have the setting after=forward, after=refuse, or lift=true, got " + settings);
        }
        return new Fence(FORWARD.equals(after));
    }

    /** Settings of the command that makes this fence. */
    public Map<String, String> settings() {
        return Map.of(AFTER, isForwarding ? FORWARD : REFUSE);
    }
}
