package io.perceptronstreams.cli;

import io.perceptronstreams.relearn.VerificationReport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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
                    + " (-D or --config)."
        })
public final class VerifyCommand implements Runnable {
    @Spec
    CommandSpec spec;

    @Mixin
    ClientOptions client;

    @Parameters(paramLabel = "MODEL")
    String model;

    @Mixin
    UnsignedOption unsigned;

    @Option(
            names = "--from-tag",
            paramLabel = "NAME",
            description = "Start from a named snapshot (versions list) instead of the first record, as where that was"
                    + " deleted. Counts, and what the snapshot lacks of the latest status, are not compared then.")
    String tag;

    @Override
    public void run() {
        VerificationReport.print(
                client.engineConfig(),
                model,
                unsigned.isWithout,
                tag,
                spec.commandLine().getOut(),
                spec.commandLine().getErr());
    }
}
