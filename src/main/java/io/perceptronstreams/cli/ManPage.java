package io.perceptronstreams.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi.Text;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Manual page of a command, built from the model of its help, in the macros of man(7).
 *
 * <p>picocli's own generator writes AsciiDoc, which needs Asciidoctor to become a manual page. The page has no date, so that
 * equal versions give equal bytes.
 */
final class ManPage {
    private final CommandSpec command;
    private final Help help;
    private final StringBuilder roff = new StringBuilder();

    ManPage(CommandLine commandLine) {
        command = commandLine.getCommandSpec();
        help = new Help(command, Help.defaultColorScheme(Help.Ansi.OFF));
    }

    /** Name of the page, such as {@code perceptron-models-set}. */
    String name() {
        return command.qualifiedName("-");
    }

    /** Subcommands that are not hidden. */
    static List<CommandLine> subcommands(CommandLine command) {
        return command.getSubcommands().values().stream()
                .filter(each -> !each.getCommandSpec().usageMessage().hidden())
                .toList();
    }

    String toRoff() {
        roff.setLength(0);
        String version = String.join(" ", command.version());
        line(".TH " + quoted(name().toUpperCase(Locale.ROOT)) + " 1 \"\" " + quoted(version) + " \"User Commands\"");
        String description = oneLine(help.description());
        section("NAME");
        line(escaped(name()) + " \\- " + escaped(firstSentence(description)));
        section("SYNOPSIS");
        text(help.synopsis(0));
        section("DESCRIPTION");
        text(description);
        arguments();
        commands();
        footer();
        exitCodes();
        return roff.toString();
    }

    private static String firstSentence(String text) {
        int end = text.indexOf(". ");
        String sentence = end < 0 ? text : text.substring(0, end);
        return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
    }

    private void arguments() {
        section("OPTIONS");
        for (PositionalParamSpec parameter : command.positionalParameters()) {
            if (!parameter.hidden()) {
                argument(help.createDefaultParameterRenderer()
                        .render(parameter, help.parameterLabelRenderer(), help.colorScheme()));
            }
        }
        for (OptionSpec option : command.options()) {
            if (!option.hidden()) {
                argument(help.createDefaultOptionRenderer()
                        .render(option, help.parameterLabelRenderer(), help.colorScheme()));
            }
        }
    }

    /** Rows of the help's table; the last column is the description, the first shows whether the argument is required. */
    private void argument(Text[][] rows) {
        int last = rows[0].length - 1;
        String names = Arrays.stream(rows[0], 1, last).map(Text::toString).collect(Collectors.joining(""));
        String description =
                Arrays.stream(rows).map(row -> row[last].toString()).collect(Collectors.joining(" "));
        item(names.strip().replace(",-", ", -"), description);
    }

    private void commands() {
        List<CommandLine> subcommands = subcommands(command.commandLine());
        if (subcommands.isEmpty()) {
            return;
        }
        section("COMMANDS");
        for (CommandLine subcommand : subcommands) {
            ManPage page = new ManPage(subcommand);
            item(page.command.name(), page.help.description() + " See " + page.name() + "(1).");
        }
    }

    /** The settings, which help shows with names indented by two spaces and descriptions by four. */
    private void footer() {
        var renderer = command.usageMessage().sectionMap().get(UsageMessageSpec.SECTION_KEY_FOOTER);
        String footer = renderer == null ? "" : renderer.render(help);
        String item = null;
        for (String each : footer.lines().filter(line -> !line.isBlank()).toList()) {
            if (!each.startsWith(" ")) {
                section(each.replace(":", "").toUpperCase(Locale.ROOT));
            } else if (item == null) {
                item = each.strip();
            } else {
                item(item, each);
                item = null;
            }
        }
    }

    private void exitCodes() {
        section("EXIT STATUS");
        for (Map.Entry<String, String> code :
                command.usageMessage().exitCodeList().entrySet()) {
            item(code.getKey(), code.getValue());
        }
    }

    private void section(String title) {
        line(".SH " + quoted(title));
    }

    private void item(String name, String description) {
        line(".TP");
        line(".B " + quoted(name));
        text(description);
    }

    /** A paragraph; a line that begins with a dot or an apostrophe would be a macro. */
    private void text(String paragraph) {
        String escaped = escaped(oneLine(paragraph));
        line(escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped);
    }

    private static String oneLine(String text) {
        return text.strip().replaceAll("\\s+", " ");
    }

    private void line(String line) {
        roff.append(line).append('\n');
    }

    private static String quoted(String argument) {
        return '"' + escaped(argument).replace("\"", "\"\"") + '"';
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\e").replace("-", "\\-");
    }
}
