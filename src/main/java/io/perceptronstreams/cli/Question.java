package io.perceptronstreams.cli;

import io.perceptronstreams.client.CommandFailedException;
import java.io.Console;

/** Asks the user before a command acts. */
final class Question {
    private Question() {}

    /**
     * Asks on the terminal.
     *
     * @param action of the command, for the message
     * @throws CommandFailedException if the answer is not yes, or there is no terminal
     */
    @SuppressWarnings("SystemConsoleNull") // a console without terminal is at its end of input: not confirmed
    static void requireYes(String action) {
        Console console = System.console();
        if (console == null) {
            throw new CommandFailedException(
                    action + " must be confirmed, got neither a terminal nor --yes; nothing was changed");
        }
        String answer = String.valueOf(console.readLine("Do this? (yes/no) "));
        if (!"yes".equalsIgnoreCase(answer.strip())) {
            throw new CommandFailedException(action + " must be confirmed with yes; nothing was changed");
        }
    }
}
