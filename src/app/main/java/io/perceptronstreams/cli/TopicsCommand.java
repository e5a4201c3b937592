package io.perceptronstreams.cli;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.topology.PositionReset;
import java.io.PrintWriter;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code perceptron topics …}: creates and checks the topics of the engine, sets how long they are kept, resets its
 * position, moves its models to another number of partitions.
 */
@Command(
        name = "topics",
        mixinStandardHelpOptions = true,
        description =
                "Create or check the topics of the engine, set how long they are kept, reset its position in them, or move"
                        + " its models to another number of partitions.")
public final class TopicsCommand {
    /** What {@code create --dry-run} prints. */
    enum Plan {
        COMMANDS,
        STRIMZI
    }

    @Spec
    CommandSpec spec;

    @Command(
            name = "create",
            mixinStandardHelpOptions = true,
            description =
                    "Create missing topics. Examples and outputs are kept without limit, unless topics.retention.ms or"
                            + " topics.retention.bytes (-D) sets one.")
    int create(
            @Mixin ClientOptions client,
            @Option(names = "--partitions", paramLabel = "N", description = "Partitions of each topic (default: 4).")
                    String partitions,
            @Option(
                            names = "--replication-factor",
                            paramLabel = "N",
                            description = "Copies of each topic (default: the broker's default).")
                    String replicationFactor,
            @Option(
                            names = "--dry-run",
                            paramLabel = "FORM",
                            arity = "0..1",
                            fallbackValue = "commands",
                            description = {
                                "Create nothing, ask no broker: print all topics and the rights of each kind of client, for an administrator.",
                                "commands: lines for kafka-topics and kafka-acls (default); strimzi: KafkaTopic and KafkaUser in YAML,"
                                        + " for a cluster my-cluster."
                            })
                    Plan dryRun)
            throws Exception {
        Map<String, String> options = new java.util.HashMap<>();
        if (partitions != null) {
            options.put("topics.partitions", partitions);
        }
        if (replicationFactor != null) {
            options.put("topics.replication.factor", replicationFactor);
        }
        if (dryRun != null) {
            TopicReport.plan(
                    client.engineConfig(options),
                    dryRun == Plan.STRIMZI,
                    spec.commandLine().getOut());
            return 0;
        }
        TopicReport.create(client.engineConfig(options), spec.commandLine().getOut());
        return 0;
    }

    @Command(
            name = "check",
            mixinStandardHelpOptions = true,
            description = "Check that the engine can use the topics; exit code 1 if not.")
    int check(
            @Mixin ClientOptions client,
            @Option(
                            names = "--against",
                            paramLabel = "HOST:PORT",
                            description =
                                    "Bootstrap brokers of the cluster of whose examples topic this one is a copy, as by"
                                            + " MirrorMaker 2: compare settings and each committed record, too.")
                    String against,
            @Option(
                            names = "--json",
                            description =
                                    "Print one JSON object per topic, with its faults and, if none has any, notes.")
                    boolean isJson)
            throws Exception {
        return TopicReport.check(
                        client.engineConfig(),
                        against == null ? null : client.engineConfig(Map.of("bootstrap.servers", against)),
                        isJson,
                        spec.commandLine().getOut())
                ? 0
                : 1;
    }

    @Command(
            name = "retention",
            mixinStandardHelpOptions = true,
            description = {
                "Set how long brokers keep examples and outputs in topics that exist, by default without limit.",
                "-D topics.retention.ms=N and -D topics.retention.bytes=N set limits. Kafka's default, a week, is an age by event"
                        + " time: examples of last month are deleted within minutes."
            })
    int retention(@Mixin ClientOptions client) throws Exception {
        TopicReport.retention(client.engineConfig(), spec.commandLine().getOut());
        return 0;
    }

    @Command(
            name = "reset",
            mixinStandardHelpOptions = true,
            description = {
                "Make models and offsets consistent after a loss. An error message of the engine asks for it.",
                "The engine must be stopped. Prints the planned changes and asks for confirmation."
            })
    int reset(
            @Mixin ClientOptions client,
            @Option(
                            names = "--to-earliest",
                            description = "Delete all models and learn all records of the examples topic again.")
                    boolean isToEarliest,
            @Option(names = "--skip-gap", description = "Keep the models and continue after the lost records.")
                    boolean isSkipGap,
            @Mixin Question question)
            throws Exception {
        if (isToEarliest == isSkipGap) {
            throw CommandFailedException.wrongUsage("either --to-earliest or --skip-gap must be given");
        }
        PositionReset.Way way = isSkipGap ? PositionReset.Way.SKIP_GAP : PositionReset.Way.TO_EARLIEST;
        TopicReport.reset(
                client.engineConfig(),
                way,
                question,
                spec.commandLine().getOut(),
                new PrintWriter(spec.commandLine().getErr(), true));
        return 0;
    }

    @Command(
            name = "repartition",
            mixinStandardHelpOptions = true,
            description = {
                "Move all models to new topics with another number of partitions, and nothing else: no record is used twice or lost.",
                "The new topics have the prefix of the old ones and -gen2, -gen3, …. The engine must be running; from a fence in the"
                        + " log on it uses no records. Prints an estimate, asks, moves, and prints what to start then. After a"
                        + " failure the same command goes on. See docs/partitions.md."
            })
    int repartition(
            @Mixin ClientOptions client,
            @Option(names = "--to", paramLabel = "N", description = "Partitions of the new topics, more or fewer.")
                    Integer to,
            @Option(
                            names = "--after-fence",
                            paramLabel = "WAY",
                            description = {
                                "What the old engine does with records that still come: forward sends them on to the new topics, in"
                                        + " order for each model (default); refuse makes them dead letters."
                            },
                            defaultValue = "FORWARD",
                            showDefaultValue = CommandLine.Help.Visibility.NEVER)
                    TopicRepartition.AfterFence afterFence,
            @Option(names = "--dry-run", description = "Only print the estimate and the new topics.") boolean isDryRun,
            @Option(
                            names = "--back",
                            description = "Lift the fence and delete the new topics, as long as they have no examples.")
                    boolean isBack,
            @Option(
                            names = "--timeout",
                            paramLabel = "SECONDS",
                            description = "Maximum time to wait for the engine's answer (default: 60).",
                            defaultValue = "60",
                            showDefaultValue = CommandLine.Help.Visibility.NEVER)
                    double timeoutSeconds,
            @Mixin Question question)
            throws Exception {
        if (isBack == (to != null) || (isBack && isDryRun)) {
            throw CommandFailedException.wrongUsage("either --to N, or --back alone, must be given");
        }
        TopicRepartition repartition = new TopicRepartition(
                client.engineConfig(),
                timeoutSeconds,
                question,
                spec.commandLine().getOut());
        if (isBack) {
            repartition.back();
        } else {
            repartition.run(to, afterFence, isDryRun);
        }
        return 0;
    }
}
