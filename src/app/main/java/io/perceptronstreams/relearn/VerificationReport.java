package io.perceptronstreams.relearn;

import static io.perceptronstreams.config.EngineConfigDef.BOOTSTRAP_SERVERS;

import io.perceptronstreams.client.ClusterPlace;
import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.ModelKey;
import io.perceptronstreams.client.TerminalText;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.log.NamedSnapshot;
import io.perceptronstreams.model.Versions;
import io.perceptronstreams.relearn.ClusterComparison.Verdict;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Prints the result of a verification. */
public final class VerificationReport {
    private VerificationReport() {}

    /**
     * Learns the records of a model again and prints whether it gives what was sent.
     *
     * @param tag named snapshot from which it starts, or null
     * @throws CommandFailedException if there is a difference, after both events were printed
     */
    public static void print(
            EngineConfig config, String model, boolean omitsUnsigned, String tag, PrintWriter out, PrintWriter err) {
        ModelKey.of(model);
        requireTag(tag);
        requireKey(config, omitsUnsigned);
        try {
            Verification.Report report = Verification.of(config, model, omitsUnsigned, tag, notes(err));
            ModelStatus status = report.status();
            out.println(String.format(
                    Locale.ROOT,
                    "reproduced %s at %s: epoch %d, version %,d, %,d examples, %,d labelled, %,d errors, %,d mistakes",
                    model,
                    report.place(),
                    status.getEpoch(),
                    status.getUpdates(),
                    status.getExamples(),
                    status.getLabelled(),
                    status.getErrors(),
                    status.getMistakes()));
            Verification.Counted equal = report.equal();
            out.println(String.format(
                    Locale.ROOT,
                    "%,d predictions, %,d mistakes%s: %s.",
                    equal.predictions(),
                    equal.mistakes(),
                    report.start() == null
                            ? String.format(Locale.ROOT, ", %,d counts", equal.counts())
                            : " since " + since(model, report.start()),
                    equal.isNone() ? "nothing to compare, the topics have no events of these records" : "all equal"));
            if (report.start() != null) {
                out.println("not compared: events up to offset "
                        + report.start().offset() + "; counts; " + notCompared(report.start()));
            }
            if (report.unauthorised() > 0) {
                out.println(String.format(
                        Locale.ROOT, "%,d commands or weights refused as NOT_AUTHORISED", report.unauthorised()));
            }
            printUnsigned(report.unsigned(), out);
            if (!report.omitted().isEmpty()) {
                out.println(String.format(
                        Locale.ROOT,
                        "%,d commands or weights without a valid signature left out, %s",
                        report.omitted().all().size(),
                        report.omitted()));
            }
            if (!report.isComplete()) {
                out.println("not compared: events of the topics after these, because group " + config.applicationId()
                        + " has no committed offset any more");
            }
        } catch (Difference e) {
            throw printed(e, out);
        }
    }

    /**
     * Compares models with those of the same names on another cluster, and prints a line for each.
     *
     * @param models their names; empty for all that one of the engines has
     * @param tag named snapshot from which both sides start, or null
     * @return number of models by verdict; none of a verdict that no model has
     */
    public static SortedMap<Verdict, Integer> printAgainst(
            EngineConfig config,
            EngineConfig against,
            List<String> models,
            boolean omitsUnsigned,
            String tag,
            PrintWriter out,
            PrintWriter err) {
        models.forEach(ModelKey::of);
        requireTag(tag);
        requireKey(config, omitsUnsigned);
        ClusterComparison comparison = new ClusterComparison(config, against, omitsUnsigned, tag, notes(err));
        out.println("here: cluster " + ClusterPlace.cluster(config) + " at " + config.get(BOOTSTRAP_SERVERS)
                + ", there: cluster " + ClusterPlace.cluster(against) + " at " + against.get(BOOTSTRAP_SERVERS));
        SortedMap<Verdict, Integer> numbers = new TreeMap<>();
        for (String model : models.isEmpty() ? comparison.models() : models) {
            ClusterComparison.Result result = comparison.compare(model);
            numbers.merge(result.verdict(), 1, Integer::sum);
            out.println(TerminalText.sanitize(model + ": "
                    + switch (result.verdict()) {
                        case EQUAL -> "";
                        case DIFFERENT -> "different: ";
                        case INCOMPARABLE -> "not compared: ";
                    }
                    + result.text()));
            out.flush();
        }
        out.println(String.format(
                Locale.ROOT,
                "%,d equal, %,d different, %,d not compared",
                numbers.getOrDefault(Verdict.EQUAL, 0),
                numbers.getOrDefault(Verdict.DIFFERENT, 0),
                numbers.getOrDefault(Verdict.INCOMPARABLE, 0)));
        return numbers;
    }

    /** Prints lines at once, before a run that may take long. */
    public static Consumer<String> notes(PrintWriter err) {
        return line -> {
            err.println("perceptron: " + line);
            err.flush();
        };
    }

    /** Name and offset of a named snapshot from which a run has started. */
    public static String since(String model, NamedSnapshot start) {
        return Versions.key(model, start.name()) + " at offset " + start.offset();
    }

    /** What a named snapshot lacks of the status, which is not compared then. */
    public static String notCompared(NamedSnapshot start) {
        return "of the status, which a named snapshot lacks: " + String.join(", ", Verification.lacked(start))
                + ", and challengers from before it";
    }

    /**
     * Checks the name of a snapshot, or null.
     *
     * @throws CommandFailedException if no snapshot can have it
     */
    public static void requireTag(String tag) {
        if (tag != null && !Versions.isValid(tag)) {
            throw CommandFailedException.wrongUsage("--from-tag must be the name of a snapshot without the model, "
                    + Versions.RULE + ", got '" + tag + "'");
        }
    }

    /**
     * Checks that signatures can be checked where that is needed.
     *
     * @throws CommandFailedException if commands without a valid signature are to be left out, but no key is known
     */
    public static void requireKey(EngineConfig config, boolean omitsUnsigned) {
        if (omitsUnsigned && config.get(EngineConfigDef.COMMANDS_KEY).isEmpty()) {
            throw CommandFailedException.wrongUsage("--without-unsigned must have the engine's commands.key, got none"
                    + " (-D commands.key=…, or PERCEPTRON_COMMANDS_KEY)");
        }
    }

    /** Prints the commands that were taken without a valid signature, if there are any. */
    public static void printUnsigned(Places unsigned, PrintWriter out) {
        if (!unsigned.isEmpty()) {
            out.println(String.format(
                    Locale.ROOT,
                    "%,d commands or weights taken without a valid signature, at %s (from before commands.key was set, or"
                            + " their dead letters were deleted)",
                    unsigned.all().size(),
                    unsigned));
        }
    }

    /** Prints both events of a difference, and returns the failure of the command. */
    public static CommandFailedException printed(Difference difference, PrintWriter out) {
        if (difference.sent() != null) {
            out.println("sent:      " + TerminalText.sanitize(difference.sent()));
        }
        if (difference.relearned() != null) {
            out.println("relearned: " + TerminalText.sanitize(difference.relearned()));
        }
        return new CommandFailedException(difference.getMessage());
    }
}
