package io.perceptronstreams.client;

import io.perceptronstreams.format.ShellWord;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Changes of settings that a message of the engine names, as commands: {@code set negative.label=0 if 0 is right},
 * {@code reset with algorithm=multiclass labels=}, {@code challenge with scale=standard trial.promote=auto}.
 */
public final class Remedy {
    private static final Pattern CHANGES =
            Pattern.compile("\\b(set|reset with|challenge with|copy with) ([a-z.]+=[^ );]*(?: [a-z.]+=[^ );]*)*)");

    /** Name of a challenger, and end of the name of a copy. */
    private static final String NEXT = "next";

    private Remedy() {}

    /** Returns the commands that make the changes for a model. */
    public static List<String> commands(String model, String message) {
        return CHANGES.matcher(message)
                .results()
                .map(found -> command(model, found))
                .distinct()
                .toList();
    }

    /** Returns the message with commands in place of the changes. */
    public static String withCommands(String model, String message) {
        return CHANGES.matcher(message).replaceAll(found -> Matcher.quoteReplacement(command(model, found)));
    }

    /** Returns the message with options {@code --set} in place of the changes. */
    public static String withOptions(String message) {
        return CHANGES.matcher(message)
                .replaceAll(found ->
                        Matcher.quoteReplacement("--set " + found.group(2).replace(" ", " --set ")));
    }

    private static String command(String model, MatchResult found) {
        // a label in the message may look like a change
        String changes =
                Arrays.stream(found.group(2).split(" ", -1)).map(ShellWord::of).collect(Collectors.joining(" "));
        return "perceptron "
                + switch (found.group(1)) {
                    case "set" -> "models set " + model + " " + changes;
                    case "challenge with" -> "challengers begin " + model + " " + NEXT + " " + changes;
                    case "copy with" -> "models copy " + model + " " + model + "-" + NEXT + " " + changes;
                    default -> "models reset " + model + " " + changes + " --yes";
                };
    }
}
