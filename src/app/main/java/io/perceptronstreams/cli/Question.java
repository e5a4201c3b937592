package io.perceptronstreams.cli;

import io.perceptronstreams.client.CommandFailedException;
import java.io.Console;
import picocli.CommandLine.Option;

/** Asks the user before a command acts. */
final class Question {
    @Option(names = "--yes", description = "Do not ask for confirmation.")
    private boolean isConfirmed;

    /**
     * Asks on the terminal, unless the user has confirmed already.
     *
     * @param action of the command, for the message
     * @param consequence of the action, which is asked about
     * @throws CommandFailedException if the answer is not yes, or there is no terminal
     */
    @SuppressWarnings("SystemConsoleNull") // a console without terminal is at its end of input: not confirmed
    void requireYes(String action, String consequence) {
        if (isConfirmed) {
            return;
        }
        Console console = System.console();
        if (console == null) {
            throw new CommandFailedException(
                    action + " must be confirmed, got neither a terminal nor --yes; nothing was changed");
        }
        String answer = String.valueOf(console.readLine("%s (yes/no) ", consequence));
        if (!"yes".equalsIgnoreCase(answer.strip())) {
            throw new CommandFailedException(action + " must be confirmed with yes; nothing was changed");
        }
    }
}
