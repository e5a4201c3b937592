package io.perceptronstreams.sending;

import io.perceptronstreams.client.EventFormat;
import io.perceptronstreams.client.Remedy;
import io.perceptronstreams.client.TerminalText;
import io.perceptronstreams.client.Verdict;
import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.settings.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Numbers and reasons of the examples of a command that the engine has refused; and its advice.
 *
 * @param examples number sent
 * @param waiting number that the engine had not processed
 * @param cause reason why refusals of the waiting examples, or of all, are not known; null if all is known
 * @param byReason numbers of refused examples
 * @param first the first dead letter of each reason
 * @param last the last one of each reason, whose remedy takes all labels before it into account
 * @param advice alerts of kind ADVICE
 * @param verdict of the model after the examples; null if it is not known, or there is none
 * @param hasVote true if its portfolio votes
 * @param waitingLabels labels of the model that wait for their examples, where the command has sent labels
 */
record RefusalCounts(
        long examples,
        long waiting,
        String cause,
        Map<String, Long> byReason,
        Map<String, DeadLetter> first,
        Map<String, DeadLetter> last,
        List<Alert> advice,
        Verdict verdict,
        boolean hasVote,
        WaitingLabels waitingLabels) {
    /**
     * Labels that wait for their examples, as of the status after the last one.
     *
     * @param awaitMs {@code await.examples.ms} of the model
     */
    record WaitingLabels(long count, String awaitMs) {
        static final WaitingLabels NONE = new WaitingLabels(0, null);

        static WaitingLabels of(ModelStatus status) {
            Long count = status.getPendingLabels();
            return count == null || count == 0
                    ? NONE
                    : new WaitingLabels(count, status.getSettings().get(Settings.AWAIT_EXAMPLES_MS.name()));
        }

        private String toText(String model) {
            return String.format(
                    Locale.ROOT,
                    "%,d labels wait for examples with their ids, which have not come: for await.examples.ms=%s of event time,"
                            + " which the model's examples and labels move, or perceptron labels expire %s; then they are refused",
                    count,
                    awaitMs,
                    model);
        }
    }

    /** Nothing is known of the examples. */
    static RefusalCounts unknown(long examples, String cause) {
        return new RefusalCounts(
                examples, examples, cause, Map.of(), Map.of(), Map.of(), List.of(), null, false, WaitingLabels.NONE);
    }

    /** Counts dead letters of examples of a command. */
    static RefusalCounts of(
            long examples,
            long waiting,
            String cause,
            List<DeadLetter> letters,
            List<Alert> advice,
            Verdict verdict,
            boolean hasVote) {
        Map<String, Long> byReason = new TreeMap<>();
        Map<String, DeadLetter> first = new TreeMap<>();
        Map<String, DeadLetter> last = new TreeMap<>();
        for (DeadLetter letter : letters) {
            String reason = String.valueOf(letter.reason());
            byReason.merge(reason, 1L, Long::sum);
            first.putIfAbsent(reason, letter);
            last.put(reason, letter);
        }
        return new RefusalCounts(
                examples, waiting, cause, byReason, first, last, advice, verdict, hasVote, WaitingLabels.NONE);
    }

    RefusalCounts with(WaitingLabels labels) {
        return new RefusalCounts(examples, waiting, cause, byReason, first, last, advice, verdict, hasVote, labels);
    }

    long refused() {
        return byReason.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns true if it is known that no example was refused. */
    boolean isNoneRefused() {
        return cause == null && refused() == 0;
    }

    /**
     * Lines of text; none if it is known that no example was refused, no label waits, and there is neither advice nor
     * verdict.
     */
    List<String> toLines(String model) {
        List<String> lines = new ArrayList<>();
        if (refused() > 0) {
            String reasons = byReason.entrySet().stream()
                    .map(each -> String.format(Locale.ROOT, "%,d %s", each.getValue(), each.getKey()))
                    .collect(Collectors.joining(", "));
            lines.add(String.format(Locale.ROOT, "%,d of %,d examples were refused: %s", refused(), examples, reasons));
            first.forEach((reason, letter) -> lines.add("  " + reason + " at " + letter.topic() + "-"
                    + letter.sourcePartition() + "@" + letter.source() + ": " + letter.message()));
            last.values()
                    .forEach(letter -> Remedy.commands(model, String.valueOf(letter.message()))
                            .forEach(command -> lines.add("  " + command)));
        }
        if (cause != null) {
            lines.add(String.format(
                    Locale.ROOT,
                    "not known yet whether %,d of %,d examples are refused: %s (perceptron watch dead-letters --model %s"
                            + " --from-beginning shows them)",
                    waiting,
                    examples,
                    cause,
                    model));
        }
        if (waitingLabels.count > 0) {
            lines.add(waitingLabels.toText(model));
        }
        advice.forEach(each -> lines.add("advice: " + TerminalText.sanitize(each.getMessage())));
        if (verdict != null) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%,d labelled examples of %s so far%s: %s",
                    verdict.labelled(),
                    model,
                    refused() == 0 ? "" : String.format(Locale.ROOT, ", %,d others refused now", refused()),
                    TerminalText.sanitize(verdict.toText())));
            if (verdict.isOfNoUse() && !hasVote) {
                lines.add(
                        "no better than a prediction without features; learners that vote, on what was sent: perceptron"
                                + " what-if " + model + " --portfolio (other causes: docs/bad-model.md)");
            }
        }
        return lines;
    }

    /**
     * Fields of a JSON object; {@code refused} is null where it is not known, and {@code advice}, {@code
     * pendingLabels} and the model's {@code totals} are missing without any.
     * Names and reasons need no escaping.
     */
    String toJsonFields() {
        String reasons = byReason.entrySet().stream()
                .map(each -> "\"" + each.getKey() + "\":" + each.getValue())
                .collect(Collectors.joining(","));
        String kinds =
                advice.stream().map(each -> "\"" + each.getAdvice() + "\"").collect(Collectors.joining(","));
        return "\"refused\":" + (cause == null ? Long.toString(refused()) : "null") + ",\"waiting\":" + waiting
                + ",\"reasons\":{" + reasons + "}" + (kinds.isEmpty() ? "" : ",\"advice\":[" + kinds + "]")
                + (waitingLabels.count == 0 ? "" : ",\"pendingLabels\":" + waitingLabels.count)
                + (verdict == null ? "" : "," + totals());
    }

    private String totals() {
        String object = EventFormat.json(json -> verdict.writeJson(json, "totals"));
        return object.substring(1, object.length() - 1);
    }
}
