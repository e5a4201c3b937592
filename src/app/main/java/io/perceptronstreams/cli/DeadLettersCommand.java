package io.perceptronstreams.cli;

import io.perceptronstreams.client.ClusterPlace;
import io.perceptronstreams.client.Terminal;
import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.deadletters.DeadLetterSelection;
import io.perceptronstreams.deadletters.ReplaySelection;
import io.perceptronstreams.example.RejectReason;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code perceptron dead-letters …}: shows rejected records, and sends them again after the cause was mended. */
@Command(
        name = "dead-letters",
        mixinStandardHelpOptions = true,
        description = "Show the records that the engine has rejected, and send them again after the cause is mended;"
                + " the command list may be left out.")
public final class DeadLettersCommand {
    @Spec
    CommandSpec spec;

    /** Options that select dead letters. */
    static final class SelectionOptions {
        @Mixin
        ClientOptions client;

        @Option(
                names = "--reason",
                paramLabel = "REASON",
                description = "Only dead letters of this reason, such as INVALID_LABEL.")
        private RejectReason reason;

        @Option(names = "--model", paramLabel = "MODEL", description = "Only dead letters of this model.")
        private String model;

        @Option(
                names = "--since",
                paramLabel = "TIME",
                description = "Only dead letters of this event time or later, such as 2026-01-31T12:00:00Z.")
        private String since;

        DeadLetterSelection selection() {
            return DeadLetterSelection.of(reason, model, since);
        }

        /** Returns true if only commands and weights are selected. */
        boolean isOfCommands() {
            return reason != null && DeadLetter.isOfCommands(reason.name());
        }
    }

    @Command(name = "list", mixinStandardHelpOptions = true, description = "Count them by reason.")
    int list(
            @Mixin SelectionOptions options,
            @Option(names = "--json", description = "Print one JSON object per reason.") boolean isJson) {
        report(options.client).list(options.selection(), isJson);
        return 0;
    }

    @Command(name = "show", mixinStandardHelpOptions = true, description = "Show one: reason, headers and value.")
    int show(
            @Mixin ClientOptions client,
            @Parameters(
                            paramLabel = "PARTITION@OFFSET",
                            description =
                                    "Place in the dead-letter topic, as watch dead-letters prints it; after CLUSTER/ it is"
                                            + " refused on another cluster.")
                    String place,
            @Option(names = "--json", description = "Print one JSON object, as export does.") boolean isJson) {
        report(client).show(ClusterPlace.own(client.engineConfig(), place), isJson);
        return 0;
    }

    @Command(
            name = "export",
            mixinStandardHelpOptions = true,
            description =
                    "Write them as one JSON object per line, with reason, headers, the decoded value and its bytes in base64.")
    int export(
            @Mixin SelectionOptions options,
            @Option(
                            names = "--values",
                            description = "Only the decoded values, as produce --format jsonl reads them."
                                    + " Those that cannot be decoded are counted and left out.")
                    boolean isValues,
            @Option(
                            names = {"-o", "--output"},
                            paramLabel = "FILE",
                            description = "File (default: standard output).")
                    Path output)
            throws Exception {
        report(options.client).export(options.selection(), isValues, output);
        return 0;
    }

    @Command(
            name = "replay",
            mixinStandardHelpOptions = true,
            description = {
                "Send examples and labels again to the examples topic, each once: value, key, headers and event time"
                        + " unchanged.",
                "Prints the planned number by reason, and the models and actions of commands, and asks for"
                        + " confirmation. The models learn the records at their new place in the log. Records that are rejected again come back as dead letters. A later replay continues after"
                        + " the earlier ones, also after a crash."
            })
    int replay(
            @Mixin SelectionOptions options,
            @Option(names = "--limit", paramLabel = "N", description = "Send at most N.") Long max,
            @Option(
                            names = "--max-replays",
                            paramLabel = "N",
                            defaultValue = "" + ReplaySelection.MAX_REPLAYS,
                            description =
                                    "Leave out records that were sent again N times and came back (default: ${DEFAULT-VALUE}).")
                    int maxReplays,
            @Option(
                            names = "--timestamp",
                            paramLabel = "now",
                            description = "Give them the current time; required for reason INVALID_TIMESTAMP.")
                    String timestamp,
            @Option(
                            names = "--commands",
                            description =
                                    "Send commands and weights, too, which the engine executes now. Otherwise they are"
                                            + " left out, unless --reason is INVALID_COMMAND, INVALID_WEIGHTS or NOT_AUTHORISED.")
                    boolean isWithCommands,
            @Option(names = "--dry-run", description = "Print the planned number by reason only.") boolean isDryRun,
            @Option(names = "--json", description = "Print the plan as one JSON object, and the result as another one.")
                    boolean isJson,
            @Mixin Question question)
            throws Exception {
        Usage.atLeast(1, "--limit", max, spec);
        Usage.atLeast(1, "--max-replays", maxReplays, spec);
        if (timestamp != null && !timestamp.equals("now")) {
            throw new ParameterException(spec.commandLine(), "--timestamp must be now, got '" + timestamp + "'");
        }
        ReplaySelection selection = new ReplaySelection(
                options.selection(), maxReplays, timestamp != null, isWithCommands || options.isOfCommands());
        report(options.client).replay(selection, max == null ? Long.MAX_VALUE : max, isDryRun, isJson, question);
        return 0;
    }

    private DeadLetterReport report(ClientOptions client) {
        return new DeadLetterReport(
                client.engineConfig(),
                spec.commandLine().getOut(),
                spec.commandLine().getErr(),
                Terminal.isOutput());
    }
}
