package io.perceptronstreams.cli;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.EventFormat;
import io.perceptronstreams.client.ShutdownSignal;
import io.perceptronstreams.client.TerminalText;
import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.cluster.TopicValidator;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.deadletters.DeadLetterFormat;
import io.perceptronstreams.deadletters.DeadLetterLog;
import io.perceptronstreams.deadletters.DeadLetterReplay;
import io.perceptronstreams.deadletters.DeadLetterSelection;
import io.perceptronstreams.deadletters.DeadLetterValues;
import io.perceptronstreams.deadletters.ReplaySelection;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.Repartition;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The output of {@code perceptron dead-letters}.
 *
 * @param isTerminal whether the output is a terminal
 */
record DeadLetterReport(EngineConfig config, PrintWriter out, PrintWriter err, boolean isTerminal) {
    /** Maximum number of commands in a line about those that are left out. */
    private static final int MAX_NAMES = 3;

    void list(DeadLetterSelection selection, boolean isJson) {
        Summary summary = new Summary();
        try (DeadLetterLog log = DeadLetterLog.open(config)) {
            log.read(selection, summary::add);
        }
        print(isJson ? summary.toJson() : summary.toLines(selection));
    }

    void show(String place, boolean isJson) {
        try (DeadLetterLog log = DeadLetterLog.open(config);
                SchemaRegistry registry = SchemaRegistries.of(config.registry())) {
            DeadLetterValues values = new DeadLetterValues(registry);
            print(
                    isJson
                            ? List.of(DeadLetterFormat.json(log.at(place), values))
                            : DeadLetterFormat.lines(log.at(place), values));
        }
    }

    void export(DeadLetterSelection selection, boolean isValues, Path output) throws IOException {
        try (DeadLetterLog log = DeadLetterLog.open(config);
                SchemaRegistry registry = SchemaRegistries.of(config.registry())) {
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
            for (byte[] each : values.examples(record.value())) {
                values.json(each).ifPresentOrElse(target::println, () -> undecoded[0]++);
            }
        });
        if (undecoded[0] > 0) {
            err.println(String.format(
                    Locale.ROOT,
                    "%,d values are left out: they are neither JSON nor Avro of a schema in the registry"
                            + " (without --values, their bytes are written)",
                    undecoded[0]));
        }
    }

    void replay(ReplaySelection selection, long max, boolean isDryRun, boolean isJson, Question question)
            throws InterruptedException {
        try (ShutdownSignal stop = new ShutdownSignal();
                DeadLetterLog log = DeadLetterLog.open(config);
                SchemaRegistry registry = SchemaRegistries.of(config.registry())) {
            String target = target();
            DeadLetterReplay replay = new DeadLetterReplay(config, log, registry, selection, max, target);
            DeadLetterReplay.Plan plan = replay.plan();
            print(isJson ? List.of(EventFormat.json(plan)) : lines(plan, selection));
            if (isDryRun || plan.count() == 0) {
                return;
            }
            question.requireYes("replay", "Do this?");
            DeadLetterReplay.Result result = replay.run(stop::isRequested);
            if (isJson) {
                out.println(EventFormat.json(result));
                return;
            }
            out.println(String.format(
                    Locale.ROOT,
                    "sent %,d records to %s; the models learn them at their new places in the log",
                    result.sent(),
                    target));
            if (result.lost() > 0) {
                out.println(String.format(
                        Locale.ROOT,
                        "%,d records are lost: too large for the dead-letter topic, and deleted from the examples topic",
                        result.lost()));
            }
        }
    }

    /** The examples topic of the generation that has the models now. */
    private String target() throws InterruptedException {
        try (Admin admin = Admin.create(config.admin())) {
            return Repartition.holder(admin, config).topic(Topic.EXAMPLES);
        } catch (ExecutionException e) {
            throw new CommandFailedException(TopicValidator.explain(e, config), e);
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
        if (!plan.commands().isEmpty()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%,d of them are commands or weights, which the engine executes now: %s",
                    count(plan.commands()),
                    names(plan.commands(), Integer.MAX_VALUE)));
        }
        if (!plan.withoutCommands().isEmpty()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%,d left out: commands or weights (--commands sends them, too): %s",
                    count(plan.withoutCommands()),
                    names(plan.withoutCommands(), MAX_NAMES)));
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

    private static long count(Map<String, Long> numbers) {
        return numbers.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Commands with their numbers where those are more than one. */
    private static String names(Map<String, Long> commands, int max) {
        String names = commands.entrySet().stream()
                .limit(max)
                .map(each -> (each.getValue() == 1 ? "" : String.format(Locale.ROOT, "%,d ", each.getValue()))
                        + each.getKey())
                .collect(Collectors.joining(", "));
        return commands.size() > max ? names + " and " + (commands.size() - max) + " more" : names;
    }

    private void print(List<String> lines) {
        lines.forEach(line -> out.println(isTerminal ? TerminalText.sanitize(line) : line));
        out.flush();
    }

    /** Counts dead letters by reason. Memory: one entry for each reason and model. */
    private static final class Summary {
        /** Maximum number of model names in a line of text. */
        private static final int MAX_MODELS = 3;

        private final Map<String, Group> groups = new TreeMap<>();

        /** The dead letters of one reason. */
        private static final class Group {
            private final Set<String> models = new TreeSet<>();
            private long count;
            private long cameBack;
            private long oldest = Long.MAX_VALUE;
            private long newest = Long.MIN_VALUE;
            private DeadLetter last;

            void add(ConsumerRecord<byte[], byte[]> record, DeadLetter letter) {
                count++;
                if (DeadLetter.replays(record.headers()) > 0) {
                    cameBack++;
                }
                oldest = Math.min(oldest, record.timestamp());
                newest = Math.max(newest, record.timestamp());
                models.add(String.valueOf(EventFormat.model(record)));
                last = letter;
            }

            String names() {
                String names =
                        String.join(", ", models.stream().limit(MAX_MODELS).toList());
                return models.size() > MAX_MODELS ? names + " and " + (models.size() - MAX_MODELS) + " more" : names;
            }
        }

        /** Adds a dead letter. */
        void add(ConsumerRecord<byte[], byte[]> record) {
            DeadLetter letter = DeadLetter.of(record.headers());
            groups.computeIfAbsent(letter.reason(), reason -> new Group()).add(record, letter);
        }

        /**
         * For each reason a line with counts and one with the latest message; then the command that sends them again.
         */
        List<String> toLines(DeadLetterSelection selection) {
            if (groups.isEmpty()) {
                return List.of("no dead letters");
            }
            List<String> lines = new ArrayList<>();
            groups.forEach((reason, group) -> {
                lines.add(String.format(
                        Locale.ROOT,
                        "%,9d %s of %s, %s to %s%s",
                        group.count,
                        reason,
                        group.names(),
                        Instant.ofEpochMilli(group.oldest),
                        Instant.ofEpochMilli(group.newest),
                        group.cameBack == 0 ? "" : String.format(Locale.ROOT, "; %,d came back", group.cameBack)));
                lines.add("          " + group.last.topic() + "-" + group.last.sourcePartition() + "@"
                        + group.last.sourceOffset() + ": " + group.last.message());
            });
            boolean isOfCommands = groups.keySet().stream().allMatch(DeadLetter::isOfCommands);
            lines.add("after the cause is mended: perceptron dead-letters replay" + selection.toOptions()
                    + (isOfCommands && selection.reason() == null ? " --commands" : "") + " --dry-run");
            return lines;
        }

        /** One JSON object for each reason. */
        List<String> toJson() {
            return groups.entrySet().stream()
                    .map(each -> EventFormat.json(json -> {
                        Group group = each.getValue();
                        json.writeStringField("reason", each.getKey());
                        json.writeNumberField("count", group.count);
                        json.writeNumberField("cameBack", group.cameBack);
                        json.writeNumberField("oldest", group.oldest);
                        json.writeNumberField("newest", group.newest);
                        json.writeArrayFieldStart("models");
                        for (String model : group.models) {
                            json.writeString(model);
                        }
                        json.writeEndArray();
                        json.writeStringField("message", group.last.message());
                    }))
                    .toList();
        }
    }
}
