package io.perceptronstreams.learner;

import java.util.ArrayList;
import java.util.List;

/**
 * Writes or reads the numbers of a {@link LearnerState} in one fixed order.
 *
 * <p>A learner lists its fields once: {@code bias = numbers.any(bias)} appends the field when a state is written, and
 * returns the stored number when it is read.
 */
final class StateNumbers {
    /** Adding 1 does not change a larger double. */
    private static final double MAX_COUNT = 1L << 53;

    private final String owner;
    private final List<Double> written = new ArrayList<>();
    private final List<Double> stored;
    private int next;

    private StateNumbers(List<Double> stored, String owner) {
        this.stored = stored;
        this.owner = owner;
    }

    /** Collects the numbers of a learner. */
    static StateNumbers writer() {
        return new StateNumbers(null, "");
    }

    /**
     * Reads stored numbers.
     *
     * @param owner name of the learner in messages, such as "a two-class perceptron"
     */
    static StateNumbers reader(LearnerState state, String owner) {
        return new StateNumbers(state.numbers(), owner);
    }

    boolean isReading() {
        return stored != null;
    }

    /** Returns true if there are more numbers to read. */
    boolean hasNext() {
        return next < stored.size();
    }

    /** Any number, also an infinite one or NaN. */
    double any(double number) {
        return exchange(number, "a number", true);
    }

    double finite(double number) {
        return exchange(number, "a finite number", Double.isFinite(peek(number)));
    }

    /** A finite number >= 0. */
    double square(double number) {
        return exchange(number, "a finite number >= 0", peek(number) >= 0 && Double.isFinite(peek(number)));
    }

    /** A number >= 0, also an infinite one. */
    double notNegative(double number) {
        return exchange(number, "a number >= 0", peek(number) >= 0);
    }

    /** A count that changes by 1: from 0 to 2^53. */
    double count(double number) {
        double value = peek(number);
        return exchange(number, "a count from 0 to 2^53", value >= 0 && value <= MAX_COUNT);
    }

    private double peek(double number) {
        return isReading() && hasNext() ? stored.get(next) : number;
    }

    private double exchange(double number, String rule, boolean isValid) {
        if (!isReading()) {
            written.add(number);
            return number;
        }
        if (!hasNext() || !isValid) {
            throw new IllegalArgumentException("the state of " + owner + " must have " + rule + " at position " + next
                    + ", got " + (hasNext() ? stored.get(next) : "only " + stored.size() + " numbers"));
        }
        return stored.get(next++);
    }

    /**
     * Ends reading.
     *
     * @throws IllegalArgumentException if there are numbers left
     */
    void requireEnd() {
        if (hasNext()) {
            throw new IllegalArgumentException(
                    "the state of " + owner + " must have " + next + " numbers, got " + stored.size());
        }
    }

    List<Double> written() {
        return written;
    }
}
