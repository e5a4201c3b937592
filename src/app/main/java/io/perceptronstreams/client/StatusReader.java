package io.perceptronstreams.client;

import static io.perceptronstreams.event.ModelState.DELETED;

import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.cluster.StartupException;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.drift.RoundSides;
import io.perceptronstreams.event.ChallengerStatus;
import io.perceptronstreams.event.ConfusionMatrix;
import io.perceptronstreams.event.Corrections;
import io.perceptronstreams.event.Decisions;
import io.perceptronstreams.event.Estimates;
import io.perceptronstreams.event.Forecasts;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.event.ModelVersion;
import io.perceptronstreams.event.TrialVerdict;
import io.perceptronstreams.event.WeightsCounts;
import io.perceptronstreams.model.ModelDefaults;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.UnknownSchemaException;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.settings.Settings;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.avro.generic.IndexedRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.utils.Utils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the latest status of every model from the compacted topic. */
public final class StatusReader {
    private static final Logger LOG = LoggerFactory.getLogger(StatusReader.class);

    /** Minimum width of the names in the list. */
    private static final int NAME_WIDTH = 24;

    private static final int MIN_CHALLENGER_WIDTH = 10;
    private static final int MIN_VERSION_WIDTH = 10;

    /** Maximum number of dead letters per partition that are counted. */
    private static final int MAX_LETTERS = 10_000;

    /** Order of the list: ascending names, or the largest number first. */
    public enum Order {
        NAME,
        EXAMPLES,
        LABELLED,
        ERRORS,
        MISTAKES,
        UPDATES;

        /** A switch, because references to methods would load Avro with this enum, for the help. */
        private long count(ModelStatus status) {
            return switch (this) {
                case NAME -> 0;
                case EXAMPLES -> status.getExamples();
                case LABELLED -> status.getLabelled();
                case ERRORS -> status.getErrors();
                case MISTAKES -> status.getMistakes();
                case UPDATES -> status.getUpdates();
            };
        }

        private Comparator<Map.Entry<String, Latest>> comparator() {
            return Comparator.comparingLong((Map.Entry<String, Latest> each) ->
                            count(each.getValue().status()))
                    .reversed()
                    .thenComparing(Map.Entry.comparingByKey());
        }
    }

    /**
     * The models to list.
     *
     * @param state null for all
     */
    public record Selection(ModelState state, Order order, long limit) {
        private List<Map.Entry<String, Latest>> of(Map<String, Latest> all) {
            return all.entrySet().stream()
                    .filter(each -> state == null
                            || state.name()
                                    .equals(each.getValue().status().getState().name()))
                    .sorted(order.comparator())
                    .limit(limit)
                    .toList();
        }
    }

    /** A status with its record. */
    public record Latest(ConsumerRecord<byte[], byte[]> record, ModelStatus status) {}

    private final EngineConfig config;

    public StatusReader(EngineConfig config) {
        this.config = config;
    }

    /** Prints one line for each model of a selection. */
    public void list(Selection selection, boolean isJson, PrintWriter out) {
        Map<String, Latest> all = new TreeMap<>(read());
        List<Latest> defaults = takeDefaults(all);
        list(selection, all, isJson || all.isEmpty() ? null : refused(), isJson, out);
        if (!isJson) {
            printDefaults(defaults, false, out);
        }
    }

    static void list(Selection selection, Map<String, Latest> all, Refused refused, boolean isJson, PrintWriter out) {
        List<Map.Entry<String, Latest>> listed = selection.of(all);
        int width = listed.stream().mapToInt(each -> each.getKey().length()).reduce(NAME_WIDTH, Math::max);
        boolean isAnyApart = listed.stream().anyMatch(each -> status(each).getOfWeights() != null);
        Columns<Map.Entry<String, Latest>> table = table(width, refused, isAnyApart);
        if (!isJson) {
            out.println(table.header());
        }
        for (Map.Entry<String, Latest> each : listed) {
            Latest latest = each.getValue();
            out.println(
                    isJson
                            ? EventFormat.json(latest.record(), latest.status())
                            : TerminalText.sanitize(table.row(each)));
        }
        if (!isJson && listed.size() < all.size()) {
            out.println(String.format(Locale.ROOT, "%,d of %,d models", listed.size(), all.size()));
        }
    }

    /** Prints the settings of models to be created. */
    public void defaults(boolean isJson, PrintWriter out) {
        List<Latest> defaults = takeDefaults(new TreeMap<>(read()));
        if (!isJson && defaults.isEmpty()) {
            out.println("new models start with the settings of perceptron models set --help"
                    + " (perceptron models defaults KEY=VALUE… changes them)");
        }
        printDefaults(defaults, isJson, out);
    }

    /** Removes the defaults, whose keys are not names of models, from the statuses. */
    private static List<Latest> takeDefaults(Map<String, Latest> all) {
        List<Latest> defaults = all.entrySet().stream()
                .filter(each -> ModelDefaults.isStatusKey(each.getKey()))
                .map(Map.Entry::getValue)
                .toList();
        all.keySet().removeIf(ModelDefaults::isStatusKey);
        return defaults;
    }

    /** Prints one JSON object for each partition, or one line for all partitions that have the same defaults. */
    static void printDefaults(List<Latest> defaults, boolean isJson, PrintWriter out) {
        List<Latest> sorted = defaults.stream()
                .sorted(Comparator.comparingInt(each -> each.status().getPartition()))
                .toList();
        if (isJson) {
            sorted.forEach(each -> out.println(EventFormat.json(each.record(), each.status())));
            return;
        }
        Map<String, List<Integer>> groups = new LinkedHashMap<>();
        sorted.forEach(each -> groups.computeIfAbsent(changed(each.status()), any -> new ArrayList<>())
                .add(each.status().getPartition()));
        groups.forEach((settings, partitions) -> out.println(
                "new models" + (groups.size() == 1 ? "" : " of partitions " + partitions) + " start with " + settings));
    }

    /** Settings with another value than in a model without defaults. */
    private static String changed(ModelStatus status) {
        Map<String, String> builtIn = Settings.DEFAULTS.toMap();
        String changed = new TreeMap<>(status.getSettings())
                .entrySet().stream()
                        .filter(each -> !each.getValue().equals(builtIn.get(each.getKey())))
                        .map(each -> each.getKey() + "=" + each.getValue())
                        .collect(Collectors.joining(" "));
        return changed.isEmpty() ? "the settings of perceptron models set --help" : changed;
    }

    /**
     * Prints the latest status of a model.
     *
     * @throws CommandFailedException if there is no such model
     */
    public void show(String model, boolean isJson, PrintWriter out) {
        Latest latest = require(model);
        Refused refused = refused();
        if (isJson) {
            out.println(json(model, latest, refused));
            return;
        }
        out.println("model: " + model);
        out.println("refused: " + (refused == null ? "not readable" : refused.of(model))
                + (refused == null || refused.of(model).equals("0")
                        ? ""
                        : " (in no count below; perceptron dead-letters list --model " + model + ")"));
        print(latest.status(), "", out);
    }

    /**
     * The fields of a status, and {@code refused}, the number of its dead letters, null if they are not readable; with
     * {@code refusedIsPart}, there are older ones that were not counted.
     */
    static String json(String model, Latest latest, Refused refused) {
        return EventFormat.json(json -> {
            EventFormat.writeFields(latest.record(), latest.status(), json);
            if (refused == null) {
                json.writeNullField("refused");
            } else {
                json.writeNumberField("refused", refused.byModel().getOrDefault(model, 0L));
                json.writeBooleanField("refusedIsPart", refused.isPartOf().test(model));
            }
        });
    }

    /**
     * Prints the model and its challengers, as of its latest status.
     *
     * @throws CommandFailedException if there is no such model
     */
    public void trial(String model, boolean isJson, PrintWriter out) {
        trial(model, require(model), isJson, out);
    }

    /**
     * Prints the named snapshots of a model, as of its latest status.
     *
     * @throws CommandFailedException if there is no such model
     */
    public void versions(String model, boolean isJson, PrintWriter out) {
        Latest latest = require(model);
        List<ModelVersion> versions = latest.status().getVersions();
        if (isJson) {
            versions.forEach(each -> out.println(EventFormat.json(latest.record(), each)));
            return;
        }
        if (versions.isEmpty()) {
            out.println("no named snapshot (perceptron versions tag " + model + " NAME publishes one)");
            return;
        }
        int width = versions.stream().mapToInt(each -> each.getName().length()).reduce(MIN_VERSION_WIDTH, Math::max);
        Columns<ModelVersion> table = new Columns<ModelVersion>()
                .add("name", "%-" + width + "s", ModelVersion::getName)
                .add("epoch", " %,8d", ModelVersion::getEpoch)
                .add("updates", " %,12d", ModelVersion::getUpdates)
                .add("offset", " %,14d", ModelVersion::getOffset);
        out.println(table.header());
        versions.forEach(each -> out.println(TerminalText.sanitize(table.row(each))));
    }

    static void trial(String model, Latest latest, boolean isJson, PrintWriter out) {
        List<ChallengerStatus> challengers = latest.status().getChallengers();
        if (isJson) {
            challengers.forEach(each -> out.println(EventFormat.json(latest.record(), each)));
            return;
        }
        ModelStatus status = latest.status();
        out.println(TerminalText.sanitize(String.format(
                Locale.ROOT,
                "%s: %s, %s, %,d labelled, %,d errors%s",
                model,
                status.getState().toString().toLowerCase(Locale.ROOT),
                status.getAlgorithm(),
                status.getLabelled(),
                status.getErrors(),
                status.getVote() == null ? "" : "; predicts by a vote, of which it has " + percent(status.getVote()))));
        if (challengers.isEmpty()) {
            out.println("no challenger (perceptron challengers begin " + model + " NAME KEY=VALUE… begins one)");
            return;
        }
        int width =
                challengers.stream().mapToInt(each -> each.getName().length()).reduce(MIN_CHALLENGER_WIDTH, Math::max);
        Columns<ChallengerStatus> table = new Columns<ChallengerStatus>()
                .add("challenger", "%-" + width + "s", ChallengerStatus::getName)
                .add("algorithm", " %-13s", ChallengerStatus::getAlgorithm)
                .add("compared", " %,10d", ChallengerStatus::getLabelled)
                .add("errors", " %,9d", ChallengerStatus::getErrors)
                .add("model-errors", " %,12d", ChallengerStatus::getChampionErrors)
                .add("won", " %,9d", ChallengerStatus::getOnlyChampionWrong)
                .add("lost", " %,9d", ChallengerStatus::getOnlyChallengerWrong)
                .add("evidence", " %8.2f", ChallengerStatus::getEvidence)
                .add("needed", " %6.2f", ChallengerStatus::getThreshold);
        if (status.getVote() != null) {
            table.add("vote", " %7s", each -> each.getVote() == null ? null : percent(each.getVote()));
        }
        table.add("verdict", "  %s", StatusReader::verdict);
        out.println(table.header());
        challengers.forEach(each -> out.println(TerminalText.sanitize(table.row(each))));
        challengers.stream()
                .filter(each -> each.getVote() == null
                        && each.getVerdict() == TrialVerdict.OPEN
                        && PlainComparison.isClear(each.getOnlyChampionWrong(), each.getOnlyChallengerWrong()))
                .forEach(each -> out.println(TerminalText.sanitize(PlainComparison.of(
                        each.getName(), each.getOnlyChampionWrong(), each.getOnlyChallengerWrong()))));
        challengers.stream()
                .filter(each -> each.getVote() == null && sides(each).isInRuns())
                .forEach(each -> out.println(TerminalText.sanitize(runs(each))));
    }

    private static RoundSides sides(ChallengerStatus challenger) {
        return challenger.getSideChanges() == null
                ? RoundSides.NONE
                : RoundSides.of(challenger.getRoundsAhead(), challenger.getRoundsBehind(), challenger.getSideChanges());
    }

    private static String runs(ChallengerStatus challenger) {
        RoundSides sides = sides(challenger);
        return String.format(
                Locale.ROOT,
                "%s: disagreements come in longer runs than its rounds forgive, so that a verdict may be wrong more often"
                        + " than trial.alpha says: the better side of a round has changed %,d times, independent rounds"
                        + " would about %,.0f times (trial.growth=square has longer rounds)",
                challenger.getName(),
                sides.changes(),
                sides.expectedChanges());
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }

    private static String verdict(ChallengerStatus challenger) {
        if (challenger.getVote() != null) {
            return "none: votes";
        }
        if (challenger.getVerdict() != TrialVerdict.OPEN) {
            return challenger.getVerdict().toString().toLowerCase(Locale.ROOT);
        }
        if (challenger.getLabelled() == 0) {
            return "open: warm-up";
        }
        return challenger.getRemaining() == null
                ? "open: none in sight"
                : String.format(Locale.ROOT, "open: about %,d more examples at this rate", challenger.getRemaining());
    }

    /**
     * Checks that a command or weights are for a model that exists: a record for another one would only become a dead
     * letter, under the name of a model that does not exist.
     *
     * @throws CommandFailedException if there is no such model, or it was deleted
     */
    void requireExisting(String model) {
        if (require(model).status().getState() == DELETED) {
            throw new CommandFailedException("model must exist, got '" + model
                    + "', which was deleted (perceptron models set " + model + " KEY=VALUE… begins it again)");
        }
    }

    /**
     * Returns the latest status of a model.
     *
     * @throws CommandFailedException if there is no such model
     */
    public Latest require(String model) {
        Latest latest = read().get(model);
        if (latest == null) {
            throw noModel(model);
        }
        return latest;
    }

    public static CommandFailedException noModel(String model) {
        return new CommandFailedException("model must exist, got '" + model + "' (perceptron models list shows all)");
    }

    /** Prints each field that has a value. */
    static void print(IndexedRecord event, String indent, PrintWriter out) {
        for (Schema.Field field : event.getSchema().getFields()) {
            Object value = event.get(field.pos());
            if (value == null || (value instanceof Collection<?> list && list.isEmpty())) {
                continue;
            }
            if (value instanceof Map<?, ?> settings) {
                out.println(indent + field.name() + ":");
                new TreeMap<>(settings)
                        .forEach((key, setting) ->
                                out.println(indent + "  " + TerminalText.sanitize(key + ": " + setting)));
            } else if (value instanceof ConfusionMatrix matrix) {
                out.println(indent + "confusion (rows: true label, columns: emitted label):");
                ConfusionTable.lines(matrix).forEach(line -> out.println(indent + "  " + line));
            } else if (value instanceof Forecasts forecasts) {
                out.println(indent + field.name() + ":");
                print(ForecastText.of(forecasts), forecasts.getRanges(), indent, out);
            } else if (value instanceof Decisions decisions) {
                out.println(indent + field.name() + ":");
                print(ForecastText.of(decisions), List.of(), indent, out);
            } else if (value instanceof Estimates estimates) {
                out.println(indent + field.name() + ":");
                print(ForecastText.of(estimates), estimates.getWindows(), indent, out);
            } else if (value instanceof Corrections corrections) {
                out.println(indent + field.name() + ":");
                print(ForecastText.of(corrections), corrections.getSources(), indent, out);
            } else if (value instanceof Collection<?> parts && parts.iterator().next() instanceof IndexedRecord) {
                out.println(indent + field.name() + ":");
                records(parts).forEach(line -> out.println(indent + "  " + line));
            } else if (value instanceof IndexedRecord part) {
                out.println(indent + field.name() + ":");
                print(part, indent + "  ", out);
            } else {
                out.println(indent + field.name() + ": " + TerminalText.sanitize(EventFormat.text(value)));
            }
        }
    }

    private static void print(List<String> lines, List<? extends IndexedRecord> table, String indent, PrintWriter out) {
        lines.forEach(line -> out.println(indent + "  " + line));
        if (!table.isEmpty()) {
            records(table).forEach(line -> out.println(indent + "  " + line));
        }
    }

    /** Records of one schema as a table with a column for each field; a missing value is a hyphen. */
    private static List<String> records(Collection<?> records) {
        List<List<String>> rows = new ArrayList<>();
        for (Object each : records) {
            IndexedRecord record = (IndexedRecord) each;
            if (rows.isEmpty()) {
                rows.add(record.getSchema().getFields().stream()
                        .map(Schema.Field::name)
                        .toList());
            }
            rows.add(record.getSchema().getFields().stream()
                    .map(field -> record.get(field.pos()))
                    .map(value -> value == null ? "-" : TerminalText.sanitize(EventFormat.text(value)))
                    .toList());
        }
        List<String> lines = new ArrayList<>();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < row.size(); column++) {
                int place = column;
                int width = rows.stream()
                        .mapToInt(each -> TerminalText.columns(each.get(place)))
                        .max()
                        .orElse(0);
                String space = " ".repeat(width - TerminalText.columns(row.get(column)));
                line.append(column == 0 ? row.get(column) + space : "  " + space + row.get(column));
            }
            lines.add(line.toString());
        }
        return lines;
    }

    /** Reads the latest status by record key, ascending: of models and of {@link ModelDefaults}. */
    public Map<String, Latest> read() {
        try (SchemaRegistry registry = SchemaRegistries.of(config.registry());
                TopicScan tail = TopicScan.open(config, config.topic(Topic.MODELS))) {
            return latest(tail, EventReader.of(ModelStatus.class, registry));
        }
    }

    /**
     * Numbers of the latest dead letters by model, without commands and weights.
     *
     * @param isPartOf true for a model that may have older ones, which were not read
     */
    record Refused(Map<String, Long> byModel, Predicate<String> isPartOf) {
        /** @param max maximum number of dead letters per partition */
        static Refused of(TopicScan letters, long max) {
            Map<String, Long> counts = new HashMap<>();
            Set<Integer> cut = new HashSet<>();
            letters.readLast(max, record -> {
                        if (!DeadLetter.isOfCommands(
                                String.valueOf(DeadLetter.of(record.headers()).reason()))) {
                            counts.merge(String.valueOf(EventFormat.model(record)), 1L, Long::sum);
                        }
                    })
                    .forEach(each -> cut.add(each.partition()));
            // the engine leaves the partition of a dead letter to the producer, which takes murmur2 of the key
            int partitions = letters.partitions().size();
            return new Refused(counts, model -> cut.contains(ClientCheck.murmur2(Utils.utf8(model), partitions)));
        }

        /** The number of a model, with a + behind it if it may be more. */
        String of(String model) {
            return byModel.getOrDefault(model, 0L) + (isPartOf.test(model) ? "+" : "");
        }
    }

    /** Null if the dead letters are not readable: this user may have no right to. */
    private Refused refused() {
        try (TopicScan letters = TopicScan.open(config, config.topic(Topic.DEAD_LETTERS))) {
            return Refused.of(letters, MAX_LETTERS);
        } catch (KafkaException | StartupException e) {
            return null;
        }
    }

    /** Reads the latest status by model name; one that cannot be read is left out, with a warning. */
    public static Map<String, Latest> latest(TopicScan tail, EventReader<ModelStatus> events) {
        Map<String, ConsumerRecord<byte[], byte[]>> records = new TreeMap<>();
        tail.readAll(record -> {
            if (record.value() == null) {
                records.remove(EventFormat.model(record));
            } else {
                records.put(EventFormat.model(record), record);
            }
        });
        Map<String, Latest> latest = new TreeMap<>();
        records.forEach((model, record) -> {
            try {
                latest.put(model, new Latest(record, events.read(record.value())));
            } catch (IllegalArgumentException | UnknownSchemaException e) {
                LOG.warn(
                        "status must be readable, got {}-{}@{}: {}",
                        record.topic(),
                        record.partition(),
                        record.offset(),
                        e.getMessage());
            }
        });
        return latest;
    }

    /**
     * @param refused numbers by model; null if they are not readable
     * @param isAnyApart true for a column with the errors of the present weights, where other ones have predicted, too
     */
    private static Columns<Map.Entry<String, Latest>> table(int width, Refused refused, boolean isAnyApart) {
        Columns<Map.Entry<String, Latest>> table = new Columns<Map.Entry<String, Latest>>()
                .add("model", "%-" + width + "s", Map.Entry::getKey)
                .add("state", " %-12s", of -> status(of).getState().toString().toLowerCase(Locale.ROOT))
                .add("algorithm", " %-12s", of -> status(of).getAlgorithm())
                .add("examples", " %12s", of -> status(of).getExamples())
                .add("labelled", " %12s", of -> status(of).getLabelled())
                .add("errors", " %10s", of -> status(of).getErrors())
                .add("refused", " %10s", of -> refused == null ? "?" : refused.of(of.getKey()))
                .add("mistakes", " %10s", of -> status(of).getMistakes())
                .add("updates", " %10s", of -> status(of).getUpdates());
        if (isAnyApart) {
            table.add("of-weights", " %21s", of -> ofWeights(status(of)));
        }
        return table.add(
                "as of",
                "  %s",
                of -> Instant.ofEpochMilli(of.getValue().record().timestamp()));
    }

    /** Errors of the present weights, and the labelled examples since they began to learn. */
    private static String ofWeights(ModelStatus status) {
        WeightsCounts counts = status.getOfWeights();
        return counts == null ? null : counts.getErrors() + "/" + counts.getLabelled();
    }

    private static ModelStatus status(Map.Entry<String, Latest> of) {
        return of.getValue().status();
    }
}
