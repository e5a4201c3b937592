package io.perceptronstreams.learner;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Writes or reads the fields of a {@link LearnerState} in one fixed order.
 *
 * <p>A learner lists its fields once: {@code bias = fields.any(bias)} appends the field when a state is written, and
 * returns the stored number when it is read.
 */
public final class StateFields {
    /** Adding 1 does not change a larger double. */
    private static final double MAX_COUNT = 1L << 53;

    private final String owner;
    private final LearnerState stored;
    private final List<Double> numbers = new ArrayList<>();
    private List<String> names = List.of();
    private int next;

    private StateFields(LearnerState stored, String owner) {
        this.stored = stored;
        this.owner = owner;
    }

    /** Returns the state of a learner. */
    static LearnerState write(Consumer<StateFields> learner) {
        StateFields fields = new StateFields(null, "");
        learner.accept(fields);
        return new LearnerState(fields.numbers, fields.names);
    }

    /**
     * Restores a learner.
     *
     * @param name of the learner in messages
     * @throws IllegalArgumentException if it is not a valid state of this learner
     */
    static void read(LearnerState state, String name, Consumer<StateFields> learner) {
        StateFields fields = new StateFields(state, name);
        learner.accept(fields);
        fields.requireEnd();
    }

    public boolean isReading() {
        return stored != null;
    }

    /** Returns true if there are more numbers to read. */
    boolean hasNext() {
        return next < stored.numbers().size();
    }

    /** Number of numbers that are left to read. */
    int left() {
        return stored.numbers().size() - next;
    }

    /** The classes or tags; a learner without them has no such line. */
    public List<String> names(List<String> present) {
        names = isReading() ? stored.names() : present;
        return names;
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

    /** A finite number > 0. */
    double positive(double number) {
        return exchange(number, "a finite number > 0", peek(number) > 0 && Double.isFinite(peek(number)));
    }

    /** A number >= 0, also an infinite one. */
    double notNegative(double number) {
        return exchange(number, "a number >= 0", peek(number) >= 0);
    }

    /** A count that changes by 1: from 0 to 2^53. */
    public double count(double number) {
        double value = peek(number);
        return exchange(number, "a count from 0 to 2^53", value >= 0 && value <= MAX_COUNT);
    }

    private double peek(double number) {
        return isReading() && hasNext() ? stored.numbers().get(next) : number;
    }

    private double exchange(double number, String rule, boolean isValid) {
        if (!isReading()) {
            numbers.add(number);
            return number;
        }
        if (!hasNext() || !isValid) {
            int size = stored.numbers().size();
            throw invalid(
                    rule + " at position " + next,
                    hasNext() ? "" + stored.numbers().get(next) : "only " + size + " numbers");
        }
        return stored.numbers().get(next++);
    }

    private void requireEnd() {
        if (hasNext()) {
            throw invalid(next + " numbers", "" + stored.numbers().size());
        }
        if (names.size() < stored.names().size()) {
            throw invalid("no names", "" + stored.names().size());
        }
    }

    private IllegalArgumentException invalid(String rule, String found) {
        return new IllegalArgumentException("the state of " + owner + " must have " + rule + ", got " + found);
    }
}
