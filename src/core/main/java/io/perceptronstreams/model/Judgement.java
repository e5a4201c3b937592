package io.perceptronstreams.model;

/**
 * Result of the trial of a challenger, or its end, for an alert.
 *
 * @param challenger its name
 * @param message sentence about it
 * @param action verb of the command that follows; null if there is none
 * @param isOver true if the challenger has ended
 */
public record Judgement(String challenger, String message, String action, boolean isOver) {
    /** The command that follows, for a model of a name; null if there is none. */
    public String command(String model) {
        return action == null ? null : "perceptron challengers " + action + " " + model + " " + challenger;
    }
}
