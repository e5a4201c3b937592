package io.perceptronstreams.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code perceptron gen-manpage}: writes manual pages, for packages; hidden from the help. */
@Command(
        name = "gen-manpage",
        hidden = true,
        mixinStandardHelpOptions = true,
        description = "Write a manual page of section 1 for the program and for each of its commands.")
public final class ManPageCommand implements Callable<Integer> {
    @Option(
            names = {"-d", "--outdir"},
            paramLabel = "DIR",
            defaultValue = ".",
            description = "Directory of the files; made if it is missing (default: the current one).")
    private Path directory;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        Files.createDirectories(directory);
        write(spec.root().commandLine());
        return 0;
    }

    private void write(CommandLine command) throws IOException {
        ManPage page = new ManPage(command);
        Files.writeString(directory.resolve(page.name() + ".1"), page.toRoff());
        for (CommandLine subcommand : ManPage.subcommands(command)) {
            write(subcommand);
        }
    }
}
