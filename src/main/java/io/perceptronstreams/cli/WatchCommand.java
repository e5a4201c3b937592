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

/** {@code perceptron watch predictions}: what comes out, as it comes. */
@Command(
        name = "watch",
        mixinStandardHelpOptions = true,
        description =
                "Print what the engine writes: predictions as a table of progressive loss; on a terminal mistakes as a table and counts"
                        + " as one with a row for each model, which fit into the window; all else line by line.",
        sortOptions = false)
public final class WatchCommand implements Callable<Integer> {
    private static final Set<Topic> OUTPUTS =
            EnumSet.of(Topic.PREDICTIONS, Topic.MISTAKES, Topic.COUNTS, Topic.MODELS, Topic.ALERTS, Topic.DEAD_LETTERS);

    @Parameters(
            paramLabel = "TOPIC",
            description = "One of ${COMPLETION-CANDIDATES}.",
            completionCandidates = Outputs.class)
    String topic;

    @Option(names = "--model", paramLabel = "MODEL", description = "Only of this model.")
    String model;

    @Option(names = "--from-beginning", description = "From the oldest record on (default: from now on).")
    boolean isFromBeginning;

    @Option(names = "--limit", paramLabel = "N", description = "End after so many records.")
    Long limit;

    @Option(names = "--json", description = "One JSON object per record.")
    boolean isJson;

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
        if (limit != null && limit < 1) {
            throw new ParameterException(spec.commandLine(), "--limit must be at least 1, got " + limit);
        }
        EngineConfig config = client.engineConfig();
        TopicWatcher watch =
                new TopicWatcher(watched, model, limit == null ? Long.MAX_VALUE : limit, isJson, Terminal.ofOutput());
        watch.run(
                config,
                isFromBeginning,
                spec.commandLine().getOut(),
                spec.commandLine().getErr());
        return 0;
    }

    /** For help and completion. */
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
