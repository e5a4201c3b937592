package io.perceptronstreams.embedded;

import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;

/** Which earlier schemas of its subject a new one must get along with, and in which direction. */
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
     * What keeps {@code candidate} from following {@code earlier}; empty if nothing.
     *
     * @param earlier oldest first; only the last one counts unless the level is transitive
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
