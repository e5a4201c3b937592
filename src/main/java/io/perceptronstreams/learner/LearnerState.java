package io.perceptronstreams.learner;

import java.util.List;

/**
 * What of a learner survives besides its blocks, free of any wire format.
 *
 * @param numbers each learner says which; long counts fit as long as they stay below 2^53
 * @param names such as the classes in their order of appearance
 */
public record LearnerState(List<Double> numbers, List<String> names) {
    /** Keeps unmodifiable copies. */
    public LearnerState {
        numbers = List.copyOf(numbers);
        names = List.copyOf(names);
    }
}
