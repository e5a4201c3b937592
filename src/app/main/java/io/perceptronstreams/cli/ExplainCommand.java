package io.perceptronstreams.cli;

import io.perceptronstreams.client.ClusterPlace;
import io.perceptronstreams.config.EngineConfig;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code perceptron explain}: why a model has predicted what it has. */
@Command(
        name = "explain",
        mixinStandardHelpOptions = true,
        description = {
            "Learn the records of a model again up to an example, and print why it was predicted so: the terms of its score by the"
                    + " weights as of then, the largest first, and what the example has changed.",
            "Right predictions have an explanation, too, and the setting explain is not needed. Reads only; the engine may"
                    + " run. Compares the prediction with the one in perceptron-predictions, if it is still there; exit code 1"
                    + " if it differs. Needs what verify needs."
        })
public final class ExplainCommand implements Callable<Integer> {
    @Spec
    CommandSpec spec;

    @Mixin
    ClientOptions client;

    @Parameters(index = "0", paramLabel = "MODEL")
    String model;

    @Parameters(
            index = "1",
            paramLabel = "EXAMPLE",
            description =
                    "Place of the example, PARTITION@OFFSET, with #NUMBER from 0 if its record has several, or its id; of equal"
                            + " ids the last one. CLUSTER/PARTITION@OFFSET is refused on another cluster.")
    String example;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "10",
            description = "Maximum number of terms (default: ${DEFAULT-VALUE}).")
    int limit;

    @Mixin
    UnsignedOption unsigned;

    @Option(
            names = "--from-tag",
            paramLabel = "NAME",
            description =
                    "Start from a named snapshot before the example (versions list) instead of the first record, as"
                            + " where that was deleted.")
    String tag;

    @Option(names = "--json", description = "Print one JSON object.")
    boolean isJson;

    @Override
    public Integer call() {
        Usage.atLeast(1, "--limit", limit, spec);
        EngineConfig config = client.engineConfig();
        example = ClusterPlace.own(config, example);
        ExplanationReport.print(
                config, this, spec.commandLine().getOut(), spec.commandLine().getErr());
        return 0;
    }
}
