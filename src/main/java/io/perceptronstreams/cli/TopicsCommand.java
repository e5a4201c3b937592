package io.perceptronstreams.cli;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.topology.PositionReset;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code perceptron topics …}: the topics that the engine depends on. */
@Command(
        name = "topics",
        mixinStandardHelpOptions = true,
        description = "Create or check the topics of the engine, or reset its place in them.")
public final class TopicsCommand {
    @Spec
    CommandSpec spec;

    @Command(name = "create", mixinStandardHelpOptions = true, description = "Create the topics that are missing.")
    int create(
            @Mixin ClientOptions client,
            @Option(names = "--partitions", paramLabel = "N", description = "Partitions of each (default: 4).")
                    String partitions,
            @Option(
                            names = "--replication-factor",
                            paramLabel = "N",
                            description = "Copies of each (default: what the broker has as default).")
                    String replicationFactor)
            throws Exception {
        Map<String, String> options = new java.util.HashMap<>();
        if (partitions != null) {
            options.put("topics.partitions", partitions);
        }
        if (replicationFactor != null) {
            options.put("topics.replication.factor", replicationFactor);
        }
        TopicReport.create(client.engineConfig(options), spec.commandLine().getOut());
        return 0;
    }

    @Command(
            name = "check",
            mixinStandardHelpOptions = true,
            description = "Say of each topic whether the engine can work with it; exit code 1 if not.")
    int check(@Mixin ClientOptions client) throws Exception {
        return TopicReport.check(client.engineConfig(), spec.commandLine().getOut()) ? 0 : 1;
    }

    @Command(
            name = "reset",
            mixinStandardHelpOptions = true,
            description = {
                "Make models and offsets fit together again after one of them was lost: the engine says when this is needed.",
                "The engine must be stopped. Prints what would be done, and asks."
            })
    int reset(
            @Mixin ClientOptions client,
            @Option(
                            names = "--to-earliest",
                            description =
                                    "Forget all models, and learn again everything that the examples topic still has.")
                    boolean isToEarliest,
            @Option(names = "--skip-gap", description = "Keep the models as they are, and go on behind what was lost.")
                    boolean isSkipGap,
            @Option(names = "--yes", description = "Do not ask.") boolean isSure)
            throws Exception {
        if (isToEarliest == isSkipGap) {
            throw CommandFailedException.wrongUsage("either --to-earliest or --skip-gap must be given");
        }
        PositionReset.Way way = isSkipGap ? PositionReset.Way.SKIP_GAP : PositionReset.Way.TO_EARLIEST;
        return TopicReset.run(
                        client.engineConfig(), way, isSure, spec.commandLine().getOut())
                ? 0
                : 1;
    }
}
