package io.perceptronstreams.embedded;

import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;

/** Compatibility level of a subject: the earlier schemas that a new one is checked against, and the direction. */
enum CompatibilityLevel {
    NONE(false, false, false),
    BACKWARD(true, false, false),
    BACKWARD_TRANSITIVE(true, false, true),
    FORWARD(false, true, false),
    FORWARD_TRANSITIVE(false, true, true),
    FULL(true, true, false),
    FULL_TRANSITIVE(true, true, true);

    private final boolean readsEarlier;
    private final boolean isReadByEarlier;
    private final boolean isTransitive;

    CompatibilityLevel(boolean readsEarlier, boolean isReadByEarlier, boolean isTransitive) {
        this.readsEarlier = readsEarlier;
        this.isReadByEarlier = isReadByEarlier;
        this.isTransitive = isTransitive;
    }

    /**
     * Returns the incompatibilities of {@code candidate} with {@code earlier}; empty if there are none.
     *
     * @param earlier oldest first; only the last is checked unless the level is transitive
     */
    List<String> problems(Schema candidate, List<Schema> earlier) {
        var problems = new ArrayList<String>();
        int from = isTransitive ? 0 : Math.max(0, earlier.size() - 1);
        for (var other : earlier.subList(from, earlier.size())) {
            if (readsEarlier) {
                collect(candidate, other, "new schema cannot read data of an earlier one", problems);
            }
            if (isReadByEarlier) {
                collect(other, candidate, "an earlier schema cannot read data of the new one", problems);
            }
        }
        return problems;
    }

    private static void collect(Schema reader, Schema writer, String direction, List<String> problems) {
        SchemaCompatibility.checkReaderWriterCompatibility(reader, writer)
                .getResult()
                .getIncompatibilities()
                .forEach(found -> problems.add(
                        direction + ": " + found.getType() + " at " + found.getLocation() + ": " + found.getMessage()));
    }
}
