package io.perceptronstreams.cli;

import io.perceptronstreams.client.ClientCheck;
import io.perceptronstreams.client.ReaderCheck;
import java.io.PrintWriter;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code perceptron client-check}: the partition rule of the producers, and the isolation level of the consumers. */
@Command(
        name = "client-check",
        mixinStandardHelpOptions = true,
        description =
                "Show for each model whether its latest records are in the partition of murmur2, as Java's clients and the"
                        + " engine choose it, or in the one of CRC32, the default of librdkafka (kcat, Python, Go, .NET). Exit"
                        + " code 1 if some are in a wrong one. With --readers, write a record of an aborted and one of a"
                        + " committed transaction, which show whether a consumer leaves out what was aborted.")
public final class ClientCheckCommand implements Callable<Integer> {
    @Spec
    CommandSpec spec;

    @Mixin
    ClientOptions client;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "10000",
            description = "Maximum number of records, the same share from each partition (default: ${DEFAULT-VALUE}).")
    int max;

    @Option(
            names = "--readers",
            description =
                    "Write the two records into the topic PREFIX-client-check, in the output.format of the engine: read it with"
                            + " your consumer as you read the predictions.")
    boolean isOfReaders;

    @Option(
            names = "--json",
            description = "Print one JSON object per model, and one of records without a model's name.")
    boolean isJson;

    @Override
    public Integer call() {
        Usage.atLeast(1, "--limit", max, spec);
        if (isOfReaders) {
            ReaderCheck check = ReaderCheck.write(
                    client.engineConfig(), UUID.randomUUID().toString().substring(0, 8));
            print(check, spec.commandLine().getOut());
            return 0;
        }
        ClientCheck check = ClientCheck.of(client.engineConfig(), max);
        (isJson ? check.toJson() : check.toLines()).forEach(spec.commandLine().getOut()::println);
        return check.isRight() ? 0 : 1;
    }

    private void print(ReaderCheck check, PrintWriter out) {
        if (isJson) {
            out.println("{\"topic\":\"" + check.topic() + "\",\"id\":\"" + check.id() + "\",\"aborted\":"
                    + check.aborted() + ",\"committed\":" + check.committed() + "}");
            return;
        }
        out.println("check " + check.id() + ": an aborted record at " + check.topic() + "-0@" + check.aborted()
                + ", a committed one at " + check.topic() + "-0@" + check.committed());
        out.println(
                "read the topic with your consumer, as it reads the predictions; of this check it must see the committed"
                        + " record alone. If it sees the aborted one, too, it needs isolation.level=read_committed");
    }
}
