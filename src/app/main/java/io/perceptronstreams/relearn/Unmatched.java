package io.perceptronstreams.relearn;

import io.perceptronstreams.log.Changes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Changes of a candidate that have matched no record of the model, and classes that only its other labels have: each of
 * them may be a typing error, after which something would stay that was to be forgotten.
 *
 * @param changes of the candidate
 * @param ids without an example
 * @param labelIds ids of other labels for which no label came
 * @param times without a record
 * @param offsets without a record of the model
 * @param classes of other labels that no example of the log has
 */
public record Unmatched(
        Changes changes,
        List<String> ids,
        List<String> labelIds,
        List<Changes.Times> times,
        List<Changes.Offsets> offsets,
        List<String> classes) {
    /** Maximum number of ids or classes that a line names. */
    private static final int MAX_NAMED = 5;

    /** Returns true if everything has matched, and there is no new class. */
    public boolean isEmpty() {
        return lines().isEmpty();
    }

    /** A line for each kind of change, with the first ones that have matched nothing. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        add(lines, "--without-ids", "ids", "not found", ids, changes.ids().size());
        add(
                lines,
                "--labels",
                "ids",
                "without a label in the log",
                labelIds,
                changes.labels().size());
        for (Changes.Times each : times) {
            lines.add("--without-time " + Instant.ofEpochMilli(each.from()) + ".." + Instant.ofEpochMilli(each.to())
                    + ": no record of the model");
        }
        for (Changes.Offsets each : offsets) {
            lines.add("--without " + each.partition() + "@" + each.from() + ".." + each.to()
                    + ": no record of the model");
        }
        if (!classes.isEmpty()) {
            lines.add("--labels: no example of the log has the label " + named(classes));
        }
        return lines;
    }

    private static void add(List<String> lines, String option, String what, String how, List<String> some, int all) {
        if (!some.isEmpty()) {
            lines.add(String.format(
                    Locale.ROOT, "%s: %,d of %,d %s %s: %s", option, some.size(), all, what, how, named(some)));
        }
    }

    private static String named(List<String> all) {
        String first = String.join(", ", all.subList(0, Math.min(MAX_NAMED, all.size())));
        return all.size() <= MAX_NAMED
                ? first
                : first + String.format(Locale.ROOT, " and %,d more", all.size() - MAX_NAMED);
    }
}
