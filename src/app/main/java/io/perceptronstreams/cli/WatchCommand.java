package io.perceptronstreams.cli;

import io.perceptronstreams.client.Terminal;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.serde.Topic;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code perceptron watch TOPIC}: prints the records of an output topic as they arrive. */
@Command(
        name = "watch",
        mixinStandardHelpOptions = true,
        description =
                "Print the output of the engine: predictions as a table of progressive loss, other topics line by line,"
                        + " on a terminal mistakes and counts with the most important fields in columns.",
        sortOptions = false)
public final class WatchCommand implements Callable<Integer> {
    private static final Set<Topic> OUTPUTS =
            EnumSet.of(Topic.PREDICTIONS, Topic.MISTAKES, Topic.COUNTS, Topic.MODELS, Topic.ALERTS, Topic.DEAD_LETTERS);

    @Parameters(
            paramLabel = "TOPIC",
            description = "One of ${COMPLETION-CANDIDATES}.",
            completionCandidates = Outputs.class)
    String topic;

    @Option(names = "--model", paramLabel = "MODEL", description = "Only records of this model.")
    String model;

    @Option(names = "--from-beginning", description = "Start at the oldest record (default: now).")
    boolean isFromBeginning;

    @Option(names = "--limit", paramLabel = "N", description = "Stop after N records.")
    Long limit;

    @Option(names = "--json", description = "Print one JSON object per record.")
    boolean isJson;

    @Option(
            names = "--explain",
            description =
                    "Print after each mistake what pulled to which side; needs the setting explain. With --json each"
                            + " mistake has it already.")
    boolean isExplained;

    @Mixin
    ClientOptions client;

    @Spec
    CommandSpec spec;

    @Override
    public Integer call() {
        Topic watched = OUTPUTS.stream()
                .filter(each -> each.suffix().equals(topic))
                .findFirst()
                .orElseThrow(() -> new ParameterException(
                        spec.commandLine(),
                        "topic must be one of " + String.join(", ", new Outputs()) + ", got '" + topic + "'"));
        Usage.atLeast(1, "--limit", limit, spec);
        if (isExplained && (watched != Topic.MISTAKES || isJson)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--explain must be used with mistakes" + (isJson ? " without --json" : ", got '" + topic + "'"));
        }
        EngineConfig config = client.engineConfig();
        TopicWatcher watch =
                new TopicWatcher(watched, model, limit == null ? Long.MAX_VALUE : limit, isJson, Terminal.isOutput());
        if (isExplained) {
            watch.explained();
        }
        watch.run(
                config,
                isFromBeginning,
                spec.commandLine().getOut(),
                spec.commandLine().getErr());
        return 0;
    }

    /** Suffixes of the topics, for help and completion. */
    static final class Outputs implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Arrays.stream(Topic.values())
                    .filter(OUTPUTS::contains)
                    .map(Topic::suffix)
                    .iterator();
        }
    }
}
