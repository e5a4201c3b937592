package io.perceptronstreams.model;

import java.util.List;

/**
 * Stored state of an {@link Advisor}.
 *
 * @param given kinds of advice that were given, one bit each
 * @param numbers of the comparison and of the observation of sizes that are under way; empty if there is none
 */
public record AdviceState(long given, List<Double> numbers) {
    /** Keeps an unmodifiable copy. */
    public AdviceState {
        numbers = List.copyOf(numbers);
    }

    /** Returns true if there is nothing to store. */
    public boolean isEmpty() {
        return given == 0 && numbers.isEmpty();
    }
}
