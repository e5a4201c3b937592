package io.perceptronstreams.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code perceptron gen-manpage}: writes manual pages with the text of the help, for packages; hidden from the help.
 *
 * <p>picocli's own generator writes AsciiDoc, which needs Asciidoctor to become a manual page. A page has no date, so
 * that equal versions give equal bytes.
 */
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
        String name = command.getCommandSpec().qualifiedName("-");
        Files.writeString(directory.resolve(name + ".1"), page(name, command));
        for (CommandLine subcommand : command.getSubcommands().values()) {
            if (!subcommand.getCommandSpec().usageMessage().hidden()) {
                write(subcommand);
            }
        }
    }

    /** The page in the macros of man(7), with the help as it is printed. */
    private static String page(String name, CommandLine command) {
        String title = escaped(name);
        String version = escaped(String.join(" ", command.getCommandSpec().version()));
        String description = command.getHelp().description().strip().replaceAll("\\s+", " ");
        return ".TH \"" + title.toUpperCase(Locale.ROOT) + "\" 1 \"\" \"" + version + "\" \"User Commands\"\n"
                + ".SH NAME\n" + title + " \\- "
                + escaped(description.replaceFirst("\\.( .*)?$", "")) + "\n"
                + ".SH DESCRIPTION\n.nf\n"
                // a line that begins with a dot or an apostrophe would be a macro
                + escaped(command.getUsageMessage(Ansi.OFF)).replaceAll("(?m)^(?=[.'])", "\\\\\\\\&")
                + ".fi\n";
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\e").replace("-", "\\-");
    }
}
