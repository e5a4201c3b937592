package io.perceptronstreams.cli;

import io.perceptronstreams.example.SimilarName;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/** The option or command that a misspelt argument may mean. */
public final class Suggestion {
    private Suggestion() {}

    /**
     * Returns the nearest name as the end of a message, empty if none is near.
     *
     * <p>Never a command that asks before it acts, because it discards something.
     */
    public static String of(CommandLine command, String argument) {
        List<String> known = new ArrayList<>();
        command.getCommandSpec().options().stream()
                .filter(each -> !each.hidden())
                .forEach(each -> known.addAll(List.of(each.names())));
        command.getSubcommands().forEach((name, each) -> {
            if (!asks(each)) {
                known.add(name);
            }
        });
        int end = argument.startsWith("-") ? argument.indexOf('=') : -1;
        return SimilarName.of(end < 0 ? argument : argument.substring(0, end), known)
                .map(near -> "; did you mean " + near + "?")
                .orElse("");
    }

    private static boolean asks(CommandLine command) {
        return command.getCommandSpec().mixins().values().stream()
                .anyMatch(mixin -> mixin.userObject() instanceof Question);
    }
}
