package io.perceptronstreams.cli;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.DeadLetterFormat;
import io.perceptronstreams.client.DeadLetterLog;
import io.perceptronstreams.client.DeadLetterReplay;
import io.perceptronstreams.client.DeadLetterSelection;
import io.perceptronstreams.client.DeadLetterSummary;
import io.perceptronstreams.client.DeadLetterValues;
import io.perceptronstreams.client.ReplaySelection;
import io.perceptronstreams.client.ShutdownSignal;
import io.perceptronstreams.client.Terminal;
import io.perceptronstreams.client.TerminalText;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.Topic;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The output of {@code perceptron dead-letters}.
 *
 * @param terminal null if the output is none
 */
record DeadLetterReport(EngineConfig config, PrintWriter out, PrintWriter err, Terminal terminal) {
    void list(DeadLetterSelection selection, boolean isJson) {
        DeadLetterSummary summary = new DeadLetterSummary();
        try (DeadLetterLog log = DeadLetterLog.open(config)) {
            log.read(selection, summary::add);
        }
        print(isJson ? summary.toJson() : summary.toLines(selection));
    }

    void show(String place) {
        try (DeadLetterLog log = DeadLetterLog.open(config);
                SchemaRegistry registry = SchemaRegistry.of(config.registry())) {
            print(DeadLetterFormat.lines(log.at(place), new DeadLetterValues(registry)));
        }
    }

    void export(DeadLetterSelection selection, boolean isValues, Path output) throws IOException {
        try (DeadLetterLog log = DeadLetterLog.open(config);
                SchemaRegistry registry = SchemaRegistry.of(config.registry())) {
            if (output == null) {
                export(log, selection, isValues, registry, out);
                return;
            }
            try (PrintWriter file = new PrintWriter(Files.newBufferedWriter(output, StandardCharsets.UTF_8))) {
                export(log, selection, isValues, registry, file);
                if (file.checkError()) {
                    throw new CommandFailedException("file must take all dead letters, got an error of writing '"
                            + output + "' (is the disk full?)");
                }
            }
        }
    }

    private void export(
            DeadLetterLog log,
            DeadLetterSelection selection,
            boolean isValues,
            SchemaRegistry registry,
            PrintWriter target) {
        DeadLetterValues values = new DeadLetterValues(registry);
        long[] undecoded = new long[1];
        log.read(selection, record -> {
            if (!isValues) {
                target.println(DeadLetterFormat.json(record, values));
                return;
            }
            Optional<String> value = values.json(record.value());
            value.ifPresentOrElse(target::println, () -> undecoded[0]++);
        });
        if (undecoded[0] > 0) {
            err.println(String.format(
                    Locale.ROOT,
                    "%,d values are left out: they are neither JSON nor Avro of a schema in the registry"
                            + " (without --values, their bytes are written)",
                    undecoded[0]));
        }
    }

    void replay(ReplaySelection selection, long max, boolean isDryRun, boolean isConfirmed)
            throws InterruptedException {
        try (ShutdownSignal stop = new ShutdownSignal();
                DeadLetterLog log = DeadLetterLog.open(config)) {
            DeadLetterReplay replay = new DeadLetterReplay(config, log, selection, max);
            DeadLetterReplay.Plan plan = replay.plan();
            print(lines(plan, selection));
            if (isDryRun || plan.count() == 0) {
                return;
            }
            if (!isConfirmed) {
                Question.requireYes("replay");
            }
            DeadLetterReplay.Result result = replay.run(stop::isRequested);
            out.println(String.format(
                    Locale.ROOT,
                    "sent %,d records to %s; the models learn them at their new places in the log",
                    result.sent(),
                    config.topic(Topic.EXAMPLES)));
            if (result.lost() > 0) {
                out.println(String.format(
                        Locale.ROOT,
                        "%,d records are lost: too large for the dead-letter topic, and deleted from the examples topic",
                        result.lost()));
            }
        }
    }

    private static List<String> lines(DeadLetterReplay.Plan plan, ReplaySelection selection) {
        List<String> lines = new ArrayList<>();
        if (plan.count() == 0) {
            lines.add("nothing to send: no dead letter of this selection, or all were sent by earlier replays");
        } else {
            lines.add(String.format(
                    Locale.ROOT,
                    "%,d records to send: %s",
                    plan.count(),
                    plan.byReason().entrySet().stream()
                            .map(each -> String.format(Locale.ROOT, "%,d %s", each.getValue(), each.getKey()))
                            .collect(Collectors.joining(", "))));
        }
        if (plan.wornOut() > 0) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%,d left out: sent %d times, and rejected each time (--max-replays %d sends them again)",
                    plan.wornOut(),
                    selection.maxReplays(),
                    selection.maxReplays() + 1));
        }
        if (plan.withoutTime() > 0) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%,d left out: their time is invalid (--timestamp now replaces it)",
                    plan.withoutTime()));
        }
        if (plan.isFirst()) {
            lines.add("no earlier replay is known (the broker forgets its position offsets.retention.minutes after the"
                    + " last one)");
        }
        return lines;
    }

    private void print(List<String> lines) {
        lines.forEach(line -> out.println(terminal == null ? line : TerminalText.sanitize(line)));
        out.flush();
    }
}
