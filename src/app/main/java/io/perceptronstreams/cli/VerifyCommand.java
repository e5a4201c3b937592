package io.perceptronstreams.cli;

import io.perceptronstreams.relearn.ClusterComparison.Verdict;
import io.perceptronstreams.relearn.VerificationReport;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code perceptron verify}: proves that a model has sent what its log gives. */
@Command(
        name = "verify",
        mixinStandardHelpOptions = true,
        description = {
            "Learn the records of a model again and compare what it has sent, field by field and bit by bit: each"
                    + " prediction, mistake and count, and its latest status.",
            "Reads only; the engine may run. Prints the numbers of events that are equal, or the first difference as JSON of"
                    + " both, with exit code 1. Needs all records of the model since its first one, or since that of --from-tag, and the settings"
                    + " models.auto.create, models.idle.ms and misrouted of the engine, if these are not the defaults"
                    + " (-D or --config).",
            "With --against, compare models with those of another cluster, whose examples are a copy of these, or the original:"
                    + " exit code 0 if all are equal, 1 if one differs, 4 if none differs but one could not be compared."
        })
public final class VerifyCommand implements Callable<Integer> {
    /** Exit code: no model differs, but one could not be compared. */
    public static final int INCOMPARABLE = 4;

    @Spec
    CommandSpec spec;

    @Mixin
    ClientOptions client;

    @Parameters(
            paramLabel = "MODEL",
            arity = "0..*",
            description = "One model; with --against several, or none for all.")
    List<String> models = List.of();

    @Mixin
    UnsignedOption unsigned;

    @Option(
            names = "--from-tag",
            paramLabel = "NAME",
            description = "Start from a named snapshot (versions list) instead of the first record, as where that was"
                    + " deleted. Counts, and what the snapshot lacks of the latest status, are not compared then.")
    String tag;

    @Option(
            names = "--against",
            paramLabel = "HOST:PORT",
            description =
                    "Bootstrap brokers of another cluster. Verifies each model on both sides and compares digests of all"
                            + " weights after the last record that both engines have processed; all other settings are those"
                            + " of this cluster.")
    String against;

    @Option(
            names = "--against-registry",
            paramLabel = "URL",
            description = "Schema registry of the other cluster (default: that of this one).")
    String againstRegistry;

    @Override
    public Integer call() {
        if (against == null) {
            if (models.size() != 1) {
                throw new ParameterException(
                        spec.commandLine(),
                        "one MODEL must be given, got " + models.size() + " (several only with --against)");
            }
            if (againstRegistry != null) {
                throw new ParameterException(spec.commandLine(), "--against-registry must be given with --against");
            }
            VerificationReport.print(
                    client.engineConfig(),
                    models.get(0),
                    unsigned.isWithout,
                    tag,
                    spec.commandLine().getOut(),
                    spec.commandLine().getErr());
            return 0;
        }
        Map<String, String> other = new HashMap<>(Map.of("bootstrap.servers", against));
        if (againstRegistry != null) {
            other.put("schema.registry.url", againstRegistry);
        }
        Map<Verdict, Integer> numbers = VerificationReport.printAgainst(
                client.engineConfig(),
                client.engineConfig(other),
                models,
                unsigned.isWithout,
                tag,
                spec.commandLine().getOut(),
                spec.commandLine().getErr());
        return numbers.containsKey(Verdict.DIFFERENT)
                ? 1
                : numbers.containsKey(Verdict.INCOMPARABLE) ? INCOMPARABLE : 0;
    }
}
