package io.perceptronstreams.cli;

import io.perceptronstreams.client.Columns;
import io.perceptronstreams.client.EventFormat;
import io.perceptronstreams.client.LastMistakes;
import io.perceptronstreams.client.TerminalText;
import io.perceptronstreams.monitor.MistakeCauses;
import io.perceptronstreams.monitor.MistakeCauses.Cause;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code perceptron mistakes …}: looks for what mistakes have in common. */
@Command(
        name = "mistakes",
        mixinStandardHelpOptions = true,
        description = "Look for what mistakes have in common; the command top may be left out.")
public final class MistakesCommand {
    @Spec
    CommandSpec spec;

    /** Options for the mistakes to read and the lines to print. */
    static final class Selection {
        @Option(
                names = "--by",
                paramLabel = "KEY",
                defaultValue = "feature",
                description =
                        "feature: the features of the evidence, with a kernel its examples, which needs the setting explain;"
                                + " pair: the pairs of true and emitted label (default: ${DEFAULT-VALUE}).")
        MistakeCauses.Key key;

        @Option(
                names = "--last",
                paramLabel = "N",
                defaultValue = "1000",
                description = "Mistakes to count, the last ones (default: ${DEFAULT-VALUE}).")
        int last;

        @Option(
                names = "--records",
                paramLabel = "N",
                defaultValue = "100000",
                description = "Records to read from each partition of the topic (default: ${DEFAULT-VALUE}).")
        long records;

        @Option(
                names = "--limit",
                paramLabel = "N",
                defaultValue = "20",
                description = "Lines to print (default: ${DEFAULT-VALUE}).")
        int limit;

        @Option(names = "--json", description = "Print one JSON object per line.")
        boolean isJson;
    }

    @Command(
            name = "top",
            mixinStandardHelpOptions = true,
            description =
                    "List the features or pairs of labels that are most often in a model's last mistakes: those that pulled"
                            + " to the wrong answer most often first. The top suspects need not be guilty: common features"
                            + " are in many mistakes.")
    int top(@Mixin ClientOptions client, @Mixin Selection selection, @Parameters(paramLabel = "MODEL") String model) {
        Usage.atLeast(1, "--last", selection.last, spec);
        Usage.atLeast(1, "--records", selection.records, spec);
        Usage.atLeast(1, "--limit", selection.limit, spec);
        MistakeCauses causes = LastMistakes.causes(client.engineConfig(), model, selection.last, selection.records);
        print(causes, selection, model, spec.commandLine().getOut());
        return 0;
    }

    /** Prints the causes as a table or as JSON. */
    static void print(MistakeCauses causes, Selection selection, String model, PrintWriter out) {
        List<Cause> top =
                causes.top(selection.key).stream().limit(selection.limit).toList();
        if (selection.isJson) {
            top.forEach(cause -> out.println(EventFormat.json(cause)));
            return;
        }
        boolean isFeature = selection.key == MistakeCauses.Key.FEATURE;
        out.println(causes.size() + " mistakes of " + TerminalText.sanitize(model)
                + (isFeature ? ", " + causes.explained() + " with evidence" : ""));
        if (isFeature && causes.explained() == 0 && causes.size() > 0) {
            out.println("no evidence: set it for the next mistakes (perceptron models set "
                    + TerminalText.sanitize(model) + " explain=5)");
            return;
        }
        Columns<Cause> table = new Columns<Cause>().add("mistakes", "%,9d", Cause::mistakes);
        if (isFeature) {
            table.add("pulled wrong", " %,12d", Cause::pulledWrong);
        }
        table.add(isFeature ? "mean pull" : "mean margin", " %12.5g", Cause::meanContribution)
                .add(
                        isFeature ? "feature" : "label as predicted",
                        "  %s",
                        cause -> TerminalText.sanitize(cause.name()));
        if (!top.isEmpty()) {
            out.println(table.header());
        }
        top.forEach(cause -> out.println(table.row(cause)));
    }
}
