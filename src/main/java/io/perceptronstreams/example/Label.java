package io.perceptronstreams.example;

import java.util.List;

/** The true or the predicted answer to an example. */
public sealed interface Label {
    /** The label -1 of the two-class learners. */
    Label MINUS_ONE = new Of(-1);

    /** The label +1 of the two-class learners. */
    Label PLUS_ONE = new Of(1);

    /** An int label: -1 or +1, or the name it spells where classes have names. */
    record Of(int value) implements Label {
        @Override
        public String toString() {
            return Integer.toString(value);
        }
    }

    /** The name of a class. */
    record Named(String name) implements Label {
        /** The longest name of an event, in UTF-16 units. */
        public static final int MAX_CHARACTERS = 256;

        @Override
        public String toString() {
            return name;
        }
    }

    /** One tag for each token of a sequence. */
    record Tags(List<String> tags) implements Label {
        /** The most characters of all tags of one sequence: label and prediction must fit into one record, at 3 bytes each. */
        public static final int MAX_CHARACTERS = 1 << 17;

        /** Keeps an unmodifiable copy. */
        public Tags {
            tags = List.copyOf(tags);
        }

        @Override
        public String toString() {
            return tags.toString();
        }
    }

    /** The label of an int, without allocation for -1 and +1. */
    static Label of(int value) {
        return value == 1 ? PLUS_ONE : value == -1 ? MINUS_ONE : new Of(value);
    }
}
