package io.perceptronstreams.learner;

import java.util.List;

/**
 * State of a learner without its blocks, independent of the wire format.
 *
 * @param numbers in the order of the learner's {@link StateFields}; counts are exact below 2^53
 * @param names classes or tags in their order
 */
public record LearnerState(List<Double> numbers, List<String> names) {
    /** Keeps unmodifiable copies. */
    public LearnerState {
        numbers = List.copyOf(numbers);
        names = List.copyOf(names);
    }
}
