package io.perceptronstreams.relearn;

import io.perceptronstreams.log.ModelInput;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Places of records, PARTITION@OFFSET each.
 *
 * @param all in the order of the log
 */
public record Places(List<String> all) {
    private static final int MAX_NAMED = 20;

    static Places of(ModelInput input, List<Long> offsets) {
        return new Places(offsets.stream()
                .map(each -> input.at(each).partition() + "@" + each)
                .toList());
    }

    public boolean isEmpty() {
        return all.isEmpty();
    }

    /** The first ones, and the number of the others. */
    @Override
    public String toString() {
        String first = all.stream().limit(MAX_NAMED).collect(Collectors.joining(", "));
        return all.size() <= MAX_NAMED
                ? first
                : first + String.format(Locale.ROOT, " and %,d others", all.size() - MAX_NAMED);
    }
}
