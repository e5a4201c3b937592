package io.perceptronstreams.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.perceptronstreams.client.Columns;
import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.CommandSender;
import io.perceptronstreams.client.Confirmation;
import io.perceptronstreams.client.ModelKey;
import io.perceptronstreams.client.PlainComparison;
import io.perceptronstreams.client.TerminalText;
import io.perceptronstreams.client.WeightsFile;
import io.perceptronstreams.client.WeightsImport;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.drift.Trial;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.format.InputFile;
import io.perceptronstreams.log.Changes;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelDefaults;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.relearn.Verification;
import io.perceptronstreams.relearn.VerificationReport;
import io.perceptronstreams.relearn.WhatIf;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.settings.Settings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.temporal.TemporalAccessor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads the options of {@code what-if} and prints its result. */
final class WhatIfReport {
    private static final int MAX_CANDIDATES = 100;
    private static final int MAX_ATTEMPTS = 10;

    /** Beginning of the name of the snapshot before a replacement; the offset of the model's latest status follows. */
    private static final String BEFORE = "before-replace-";

    private static final Pattern OFFSETS = Pattern.compile("(\\d{1,9})@(\\d{1,18})\\.\\.(\\d{1,18})");

    private final String model;
    private final PrintWriter out;
    private final List<Changes> candidates = new ArrayList<>();

    WhatIfReport(String model, PrintWriter out) {
        ModelKey.of(model);
        this.model = model;
        this.out = out;
    }

    /**
     * Reads the options.
     *
     * @throws IllegalArgumentException if one is wrong, or nothing is changed
     */
    void read(
            Map<String, String> settings,
            String grid,
            List<String> offsets,
            List<String> times,
            Path ids,
            Path labels,
            boolean omitsUnsigned)
            throws IOException {
        Map<Utf8Slice, Label> others = new HashMap<>();
        Map<Utf8Slice, Long> knownFrom = new HashMap<>();
        if (labels != null) {
            readLabels(labels, others, knownFrom);
        }
        Changes omissions = new Changes(
                Map.of(),
                offsets.stream().map(WhatIfReport::offsets).toList(),
                times.stream().map(WhatIfReport::times).toList(),
                ids == null ? Set.of() : ids(ids),
                others,
                knownFrom,
                omitsUnsigned);
        for (Map<String, String> each : combinations(settings, grid)) {
            ModelDefaults.changed(Settings.DEFAULTS, each);
            candidates.add(omissions.with(each));
        }
        if (candidates.equals(List.of(Changes.NONE))) {
            throw new IllegalArgumentException(
                    "something must be changed, got no --set, --grid, --without, --without-time,"
                            + " --without-ids, --without-unsigned or --labels");
        }
    }

    /** Every combination of the values of a grid, each with these settings. */
    static List<Map<String, String>> combinations(Map<String, String> settings, String grid) {
        List<Map<String, String>> all = List.of(settings);
        if (grid == null) {
            return all;
        }
        for (String axis : grid.split(";", -1)) {
            int equals = axis.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException(
                        "--grid must be KEY=A,B and further ones after a semicolon, got '" + axis + "'");
            }
            String key = axis.substring(0, equals).strip();
            List<Map<String, String>> more = new ArrayList<>();
            for (Map<String, String> each : all) {
                for (String value : axis.substring(equals + 1).split(",", -1)) {
                    Map<String, String> with = new LinkedHashMap<>(each);
                    with.put(key, value.strip());
                    more.add(with);
                }
            }
            if (more.size() > MAX_CANDIDATES) {
                throw new IllegalArgumentException(
                        "--grid must have at most " + MAX_CANDIDATES + " combinations, got more");
            }
            all = more;
        }
        return all;
    }

    private static Changes.Offsets offsets(String text) {
        Matcher range = OFFSETS.matcher(text);
        if (!range.matches()) {
            throw new IllegalArgumentException("--without must be PARTITION@FROM..TO, got '" + text + "'");
        }
        long from = Long.parseLong(range.group(2));
        long to = Long.parseLong(range.group(3));
        if (from > to) {
            throw new IllegalArgumentException("--without must have FROM of at most TO, got '" + text + "'");
        }
        return new Changes.Offsets(Integer.parseInt(range.group(1)), from, to);
    }

    /** The end may have the date, and without one also the zone, of the begin. */
    static Changes.Times times(String text) {
        int dots = text.indexOf("..");
        try {
            String first = text.substring(0, Math.max(0, dots));
            String last = text.substring(dots + 2);
            long from = millis(first, ZoneOffset.UTC);
            long to = last.contains("T")
                    ? millis(last, ZoneOffset.UTC)
                    : millis(first.substring(0, first.indexOf('T') + 1) + last, zone(first));
            if (from >= to) {
                throw new IllegalArgumentException(
                        "--without-time must have a first time before the second one, got '" + text + "'");
            }
            return new Changes.Times(from, to);
        } catch (DateTimeParseException | StringIndexOutOfBoundsException e) {
            throw new IllegalArgumentException(
                    "--without-time must be two times such as 2026-11-01T08:00..10:00, got '" + text + "'", e);
        }
    }

    private static TemporalAccessor parse(String text) {
        return DateTimeFormatter.ISO_DATE_TIME.parseBest(text, ZonedDateTime::from, LocalDateTime::from);
    }

    private static ZoneId zone(String text) {
        return parse(text) instanceof ZonedDateTime zoned ? zoned.getZone() : ZoneOffset.UTC;
    }

    /** @param otherwise zone of a time without one */
    private static long millis(String text, ZoneId otherwise) {
        TemporalAccessor time = parse(text);
        ZonedDateTime zoned = time instanceof ZonedDateTime given ? given : ((LocalDateTime) time).atZone(otherwise);
        return zoned.toInstant().toEpochMilli();
    }

    private static Set<Utf8Slice> ids(Path file) throws IOException {
        return InputFile.lines(file).stream()
                .filter(line -> !line.isEmpty())
                .map(line -> new Utf8Slice().set(line))
                .collect(Collectors.toCollection(HashSet::new));
    }

    /** The lines of a file: an id, a label and, if it has one, the event time from which on that was known. */
    private static void readLabels(Path file, Map<Utf8Slice, Label> labels, Map<Utf8Slice, Long> knownFrom)
            throws IOException {
        for (String line : InputFile.lines(file)) {
            String[] fields = line.split("\t", -1);
            boolean isWhole = fields.length == 2 || fields.length == 3;
            if (!isWhole || fields[0].isEmpty() || fields[1].isEmpty()) {
                throw new IllegalArgumentException("each line of --labels must be an id, a tab and a label, and may end"
                        + " with a tab and the time from which on it was known, got '" + line + "' (" + file + ")");
            }
            Utf8Slice id = new Utf8Slice().set(fields[0]);
            labels.put(id, Label.parse(fields[1]));
            knownFrom.remove(id);
            if (fields.length == 3) {
                knownFrom.put(id, time(fields[2], line, file));
            }
        }
    }

    private static long time(String text, String line, Path file) {
        try {
            return text.matches("[0-9]{1,15}")
                    ? Long.parseLong(text)
                    : OffsetDateTime.parse(text).toInstant().toEpochMilli();
        } catch (DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException("the time in a line of --labels must be in ms since 1970 or as in"
                    + " 2026-01-31T12:00:00Z, got '" + line + "' (" + file + ")");
        }
    }

    /**
     * Runs, prints, and does with the best candidate what the command asks for.
     *
     * @throws CommandFailedException if there is no such model, or the candidate cannot be used
     */
    void run(EngineConfig config, WhatIfCommand command) throws IOException {
        VerificationReport.requireTag(command.tag);
        VerificationReport.requireKey(config, command.unsigned.isWithout);
        Consumer<String> notes =
                VerificationReport.notes(command.spec.commandLine().getErr());
        WhatIf.run(config, model, candidates, command.alpha, command.tag, notes, (result, best) -> {
            requireReproduced(result, best, command);
            print(result, command.isJson);
            if (best.hasLearnedBefore() && !command.isJson) {
                out.println("the weights of " + VerificationReport.since(model, result.start())
                        + " may have learned what is left out, or the labels that were replaced");
            }
            out.flush();
            if (!best.imports().isEmpty() && !command.isJson) {
                out.println(
                        "the candidates take imported weights, which may have learned what is left out; without them: --without "
                                + String.join(" --without ", best.imports()));
            }
            if (command.save != null) {
                save(best, command);
            }
            if (command.challenger != null) {
                challenge(config, best, command);
            }
            if (command.isReplacing) {
                command.question.requireYes(
                        "replace",
                        "Replace everything that " + model + " has learned by " + name(best.settings()) + "?");
                replace(config, result, best, command);
            }
        });
    }

    /** Figures of a control that is another model than the one that was say nothing about it. */
    private void requireReproduced(WhatIf.Result result, WhatIf.Best best, WhatIfCommand command) {
        if (result.fault() != null
                && (!command.allowsUnreproduced || result.control().labelled() == 0)) {
            if (command.save != null || command.challenger != null || command.isReplacing) {
                // it may be the reason
                requireSigned(best, command);
            }
            throw new CommandFailedException(model + " must be reproduced by its log, got: "
                    + TerminalText.sanitize(result.fault())
                    + (command.allowsUnreproduced ? "" : "; --allow-unreproduced compares what is there"));
        }
    }

    /** Writes the weights of the best candidate to a file. */
    private void save(WhatIf.Best best, WhatIfCommand command) throws IOException {
        if (best.model() == null) {
            throw new CommandFailedException("a candidate must have a model to be saved, got none");
        }
        requireSigned(best, command);
        WeightsFile.write(weightsOf(best, command), command.save);
        if (!command.isJson) {
            out.println(TerminalText.sanitize("saved " + name(best.settings()) + ": " + command.save));
        }
    }

    /** Begins a challenger with the weights of the best candidate. */
    private void challenge(EngineConfig config, WhatIf.Best best, WhatIfCommand command) throws IOException {
        requireReplaceable(best, command);
        try (WeightsFile weights = WeightsFile.of(weightsOf(best, command), name(best.settings()))) {
            WeightsImport.ofChallenger(config, model, command.challenger, Map.of())
                    .send(
                            weights,
                            name(best.settings()),
                            new Confirmation(command.timeoutSeconds, true, command.isJson),
                            out);
        }
    }

    /** @throws IllegalArgumentException if there are several candidates */
    void requireOne(String option) {
        if (candidates.size() > 1) {
            throw new IllegalArgumentException(
                    option + " must have one candidate, got " + candidates.size() + " (choose one with --set)");
        }
    }

    /**
     * Makes the model that of the candidate, and gives its weights before a name.
     *
     * @throws CommandFailedException if the control has not reproduced the model, or the engine refuses the weights
     */
    private void replace(EngineConfig config, WhatIf.Result result, WhatIf.Best best, WhatIfCommand command)
            throws IOException {
        requireReplaceable(best, command);
        Confirmation confirmation = new Confirmation(command.timeoutSeconds, true, command.isJson);
        CommandSender sender = new CommandSender(config);
        sender.send(model, "SNAPSHOT", Map.of("name", BEFORE + result.status().getOffset()), confirmation, out);
        for (int attempt = 1; ; attempt++) {
            long through = best.readOn();
            requireReplaceable(best, command);
            try (WeightsFile weights = WeightsFile.of(weightsOf(best, command), name(best.settings()))) {
                WeightsImport.ofModel(config, model, through).send(weights, name(best.settings()), confirmation, out);
                return;
            } catch (CommandFailedException e) {
                if (!e.isRefusal(RejectReason.OUTDATED_WEIGHTS) || attempt == MAX_ATTEMPTS) {
                    throw e;
                }
                // read on, with the records that cannot be learned afterwards
            }
        }
    }

    /** The operator signs the weights, and so all that has made them. */
    private static void requireSigned(WhatIf.Best best, WhatIfCommand command) {
        if (!best.unsigned().isEmpty() && !command.isWithUnsigned) {
            throw new CommandFailedException(
                    "with commands.key a candidate must take only commands and weights with a valid signature, got "
                            + best.unsigned()
                            + " without one and without a dead letter (leave them out: --without-unsigned; take them if"
                            + " they are from before commands.key was set: --with-unsigned; after a change of the key"
                            + " give the earlier one, too: -D commands.key=NEW,EARLIER)");
        }
    }

    private static void requireReplaceable(WhatIf.Best best, WhatIfCommand command) {
        requireSigned(best, command);
        if (!best.unmatched().isEmpty()) {
            throw new CommandFailedException(TerminalText.sanitize(
                    "a candidate that replaces or challenges a model must change what the log has, got "
                            + String.join("; ", best.unmatched().lines())
                            + " (correct them, or remove them from the command and its files; a class that is meant to be new: --set"
                            + " classes=…, with all of them)"));
        }
        if (best.fault() != null) {
            throw new CommandFailedException("a model must be reproduced to be replaced or challenged, got: "
                    + TerminalText.sanitize(best.fault()));
        }
        if (!best.imports().isEmpty()) {
            throw new CommandFailedException(
                    "without ids, or with other labels, a candidate must not take imported weights, which may"
                            + " have learned them, got some (leave them out, too: --without "
                            + String.join(" --without ", best.imports()) + ")");
        }
        if (best.hasLearnedBefore()) {
            throw new CommandFailedException(
                    "without ids or times, or with other labels, a candidate must not start from a"
                            + " named snapshot, which may have learned them, got --from-tag");
        }
        if (best.model() == null || best.model().state() != ModelState.LIVE) {
            throw new CommandFailedException("a candidate must be live to replace or challenge a model, got "
                    + (best.model() == null ? "none" : best.model().state()) + " (thaw the model first)");
        }
    }

    /**
     * The model whose weights are saved or sent: weights are of one learner, of a portfolio that votes of the member
     * that leads.
     */
    private Model weightsOf(WhatIf.Best best, WhatIfCommand command) {
        best.model().voters().stream()
                .filter(each -> each.isLeading() && !command.isJson)
                .forEach(each -> out.println(TerminalText.sanitize(name(best.settings()) + ": the weights are those of "
                        + each.name() + ", which leads in the vote of the portfolio, and predict alone")));
        return best.model().leading();
    }

    private void print(WhatIf.Result result, boolean isJson) throws IOException {
        if (isJson) {
            printJson(result);
            return;
        }
        String as = result.place() + ": version " + text("%,d", result.status().getUpdates());
        out.println(
                result.fault() == null
                        ? "reproduced " + model + " at " + as + from(result) + controlled(result)
                        : "not reproduced: " + model + " at " + as + "; " + TerminalText.sanitize(result.fault()));
        if (result.start() != null) {
            out.println("not compared: " + VerificationReport.notCompared(result.start()));
        }
        table(result);
        result.candidates().stream()
                .filter(each -> each.verdict() == Trial.Verdict.OPEN && each.onlyControl() + each.onlyCandidate() > 0)
                .findFirst()
                .ifPresent(best -> out.println(TerminalText.sanitize(
                        PlainComparison.of(name(best), best.onlyControl(), best.onlyCandidate()))));
        for (WhatIf.Row each : result.candidates()) {
            if (each.omitted() > 0) {
                out.println(TerminalText.sanitize(
                        name(each) + text(": %,d records of the model left out", each.omitted())));
            }
            each.unmatched().lines().forEach(line -> out.println(TerminalText.sanitize(name(each) + ": " + line)));
            if (!each.unsigned().isEmpty()) {
                out.println(TerminalText.sanitize(name(each)
                        + text(
                                ": %,d commands or weights without a valid signature left out, %s",
                                each.unsigned().all().size(), each.unsigned())));
            }
            if (each.beginning() != null) {
                out.println(TerminalText.sanitize(name(each) + ": another model begins, without the command at "
                        + each.beginning() + " and its settings (give them with --set)"));
            }
            if (each.refused() != null) {
                out.println(TerminalText.sanitize(name(each)
                        + ": refused, though the model has used it, the record at offset " + each.refused()));
            }
        }
        out.println(text("%,d records in %.1f s", result.records(), result.seconds())
                + (result.fault() == null ? "" : "; all figures: not reproduced"));
    }

    private String from(WhatIf.Result result) {
        return result.start() == null ? "" : ", from " + VerificationReport.since(model, result.start());
    }

    private static String controlled(WhatIf.Result result) {
        return result.control().unsigned().isEmpty()
                ? ""
                : text(
                        ", without %,d commands or weights without a valid signature",
                        result.control().unsigned().all().size());
    }

    private record Line(String name, long labelled, long errors, WhatIf.Row row, boolean isCandidate) {
        double rate() {
            return labelled == 0 ? Double.NaN : 100.0 * errors / labelled;
        }

        <T> T ofRun(Function<WhatIf.Row, T> value) {
            return row == null ? null : value.apply(row);
        }

        <T> T ofCandidate(Function<WhatIf.Row, T> value) {
            return isCandidate ? value.apply(row) : null;
        }
    }

    private void table(WhatIf.Result result) {
        List<Line> lines = new ArrayList<>();
        lines.add(new Line(
                "as it was", result.control().labelled(), result.control().errors(), result.control(), false));
        result.candidates()
                .forEach(each -> lines.add(new Line(name(each), each.labelled(), each.errors(), each, true)));
        if (result.baselineLabelled() > 0) {
            lines.add(new Line(
                    "always the most frequent label", result.baselineLabelled(), result.majorityErrors(), null, false));
            lines.add(new Line("always the last label", result.baselineLabelled(), result.sameErrors(), null, false));
        }
        // best first
        lines.sort(Comparator.comparingDouble(Line::rate));
        int width = lines.stream()
                .mapToInt(each -> TerminalText.columns(each.name))
                .max()
                .orElse(0);
        Columns<Line> columns = new Columns<Line>()
                .add("settings", "%-" + Math.max(8, width) + "s", Line::name)
                .add("labelled", " %12s", each -> text("%,d", each.labelled))
                .add("errors", " %10s", each -> text("%,d", each.errors))
                .add("rate", " %8s", each -> each.labelled() == 0 ? null : text("%.2f %%", each.rate()))
                .add("mistakes", " %10s", each -> each.ofRun(row -> text("%,d", row.mistakes())))
                .add("updates", " %10s", each -> each.ofRun(row -> text("%,d", row.updates())))
                .add("won", " %9s", each -> each.ofCandidate(row -> text("%,d", row.onlyControl())))
                .add("lost", " %9s", each -> each.ofCandidate(row -> text("%,d", row.onlyCandidate())))
                .add("evidence", " %8s", each -> each.ofCandidate(row -> text("%.2f", row.evidence())))
                .add("verdict", "  %-7s", each -> each.ofCandidate(row -> verdict(row)))
                .add("ns", " %6s", each -> each.ofRun(row -> text("%,.0f", row.nanos())));
        out.println(columns.header());
        lines.forEach(each -> out.println(TerminalText.sanitize(columns.row(each))));
    }

    private static String verdict(WhatIf.Row row) {
        return row.verdict().name().toLowerCase(Locale.ROOT);
    }

    private static String name(WhatIf.Row row) {
        return name(row.settings());
    }

    private static String name(Map<String, String> settings) {
        return settings.isEmpty()
                ? "other records"
                : settings.entrySet().stream()
                        .map(each -> each.getKey() + "=" + each.getValue())
                        .collect(Collectors.joining(" "));
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    private void printJson(WhatIf.Result result) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = EventJson.WRITER.createGenerator(text)) {
            json.writeStartObject();
            json.writeStringField("model", model);
            json.writeStringField("place", result.place());
            json.writeBooleanField("reproduced", result.fault() == null);
            json.writeStringField("fault", result.fault());
            if (result.start() != null) {
                json.writeStringField("fromTag", result.start().name());
                json.writeNumberField("fromOffset", result.start().offset());
                json.writeFieldName("notCompared");
                EventJson.write(json, Verification.lacked(result.start()));
            }
            json.writeNumberField("records", result.records());
            json.writeNumberField("seconds", result.seconds());
            json.writeNumberField("majorityErrors", result.majorityErrors());
            json.writeNumberField("sameErrors", result.sameErrors());
            json.writeFieldName("control");
            write(json, result.control());
            json.writeArrayFieldStart("candidates");
            for (WhatIf.Row each : result.candidates()) {
                write(json, each);
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        out.println(text);
    }

    private static void write(JsonGenerator json, WhatIf.Row row) throws IOException {
        json.writeStartObject();
        boolean isCandidate = row.settings() != null;
        if (isCandidate) {
            json.writeFieldName("settings");
            EventJson.write(json, row.settings());
        }
        json.writeNumberField("labelled", row.labelled());
        json.writeNumberField("errors", row.errors());
        json.writeNumberField("mistakes", row.mistakes());
        json.writeNumberField("updates", row.updates());
        if (isCandidate) {
            json.writeNumberField("onlyControlWrong", row.onlyControl());
            json.writeNumberField("onlyCandidateWrong", row.onlyCandidate());
            json.writeNumberField("evidence", row.evidence());
            json.writeStringField("verdict", verdict(row));
            json.writeNumberField("omitted", row.omitted());
            json.writeStringField("refused", row.refused());
            json.writeStringField("omittedBeginning", row.beginning());
            json.writeFieldName("unmatched");
            EventJson.write(json, row.unmatched().lines());
        }
        json.writeFieldName("omittedUnsigned");
        EventJson.write(json, row.unsigned().all());
        json.writeNumberField("nanosPerRecord", row.nanos());
        json.writeEndObject();
    }
}
