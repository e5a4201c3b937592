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

    /** Setting of the command that has fences refuse, with the value true, in place of {@link #AFTER}. */
    public static final String CLOSE = "close";

    /** Value of {@link #AFTER}: records behind the fence are sent on. */
    public static final String FORWARD = "forward";

    /** Value of {@link #AFTER}: records behind the fence become dead letters. */
    public static final String REFUSE = "refuse";

    /** Settings of the command that lifts a fence. */
    public static final Map<String, String> LIFTING = Map.of(LIFT, "true");

    /** Settings of the command by which a fence that sends records on refuses them; without a fence it does nothing. */
    public static final Map<String, String> CLOSING = Map.of(CLOSE, "true");

    /**
     * Returns the fence behind a command, or null.
     *
     * @param there fence before it, or null
     * @throws IllegalArgumentException if the command has other settings, or there is another fence
     */
    static Fence behind(Fence there, Map<String, String> settings) {
        if (settings.equals(LIFTING)) {
            return null;
        }
        if (settings.equals(CLOSING)) {
            return there == null ? null : new Fence(false);
        }
        String after = settings.get(AFTER);
        if (!settings.keySet().equals(Set.of(AFTER)) || !(FORWARD.equals(after) || REFUSE.equals(after))) {
            throw new IllegalArgumentException(
                    "FENCE must have the setting after=forward, after=refuse, close=true, or lift=true, got "
                            + settings);
        }
        Fence wanted = new Fence(FORWARD.equals(after));
        if (there != null && !there.equals(wanted)) {
            throw new IllegalArgumentException("a fence must be lifted before another one is made, got one with after="
                    + there.settings().get(AFTER) + " (perceptron topics repartition --back)");
        }
        return wanted;
    }

    /** Settings of the command that makes this fence. */
    public Map<String, String> settings() {
        return Map.of(AFTER, isForwarding ? FORWARD : REFUSE);
    }
}
