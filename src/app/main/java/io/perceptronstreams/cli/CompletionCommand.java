package io.perceptronstreams.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code perceptron completion}: prints a completion script for shells. */
@Command(
        name = "completion",
        mixinStandardHelpOptions = true,
        description = {
            "Print a script that completes commands and options in bash and zsh.",
            "bash, zsh: source <(perceptron completion)"
        })
public final class CompletionCommand implements Callable<Integer> {
    @Spec
    CommandSpec spec;

    @Override
    public Integer call() {
        CommandLine program = spec.root().commandLine();
        spec.commandLine().getOut().print(AutoComplete.bash(program.getCommandName(), program));
        return 0;
    }
}
