package io.perceptronstreams.client;

import io.perceptronstreams.serde.DeadLetter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * How many of the examples of a command the engine has refused, and why.
 *
 * @param examples number sent
 * @param waiting number that the engine had not processed
 * @param cause why it is not known whether the waiting ones, or any, were refused; null if all is known
 * @param byReason numbers of refused examples
 * @param first the first dead letter of each reason
 */
record Refusals(long examples, long waiting, String cause, Map<String, Long> byReason, Map<String, DeadLetter> first) {
    // messages name a setting that mends them: "set negative.label=0 if 0 is right"
    private static final Pattern SETTING = Pattern.compile("\\bset ([a-z.]+=[^ );]+)");

    /** Nothing is known of the examples. */
    static Refusals unknown(long examples, String cause) {
        return new Refusals(examples, examples, cause, Map.of(), Map.of());
    }

    /** Counts dead letters of examples of a command. */
    static Refusals of(long examples, long waiting, String cause, List<DeadLetter> letters) {
        Map<String, Long> byReason = new TreeMap<>();
        Map<String, DeadLetter> first = new TreeMap<>();
        for (DeadLetter letter : letters) {
            String reason = String.valueOf(letter.reason());
            byReason.merge(reason, 1L, Long::sum);
            first.putIfAbsent(reason, letter);
        }
        return new Refusals(examples, waiting, cause, byReason, first);
    }

    long refused() {
        return byReason.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Lines of text; none if it is known that no example was refused. */
    List<String> toLines(String model) {
        List<String> lines = new ArrayList<>();
        if (refused() > 0) {
            String reasons = byReason.entrySet().stream()
                    .map(each -> String.format(Locale.ROOT, "%,d %s", each.getValue(), each.getKey()))
                    .collect(Collectors.joining(", "));
            lines.add(String.format(Locale.ROOT, "%,d of %,d examples were refused: %s", refused(), examples, reasons));
            first.forEach((reason, letter) -> lines.add("  " + reason + " at " + letter.topic() + "-"
                    + letter.sourcePartition() + "@" + letter.sourceOffset() + ": " + letter.message()));
            first.values().forEach(letter -> {
                Matcher setting = SETTING.matcher(String.valueOf(letter.message()));
                if (setting.find()) {
                    lines.add("  perceptron models set " + model + " " + setting.group(1));
                }
            });
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
        return lines;
    }

    /** Fields of a JSON object; {@code refused} is null where it is not known. Names and reasons need no escaping. */
    String toJsonFields() {
        String reasons = byReason.entrySet().stream()
                .map(each -> "\"" + each.getKey() + "\":" + each.getValue())
                .collect(Collectors.joining(","));
        return "\"refused\":" + (cause == null ? Long.toString(refused()) : "null") + ",\"waiting\":" + waiting
                + ",\"reasons\":{" + reasons + "}";
    }
}
