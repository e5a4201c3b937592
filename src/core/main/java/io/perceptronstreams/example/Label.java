package io.perceptronstreams.example;

import java.util.List;

/** A true or predicted label. */
public sealed interface Label {
    /** The label -1 of the two-class learners. */
    Label MINUS_ONE = new Int(-1);

    /** The label 0 of the two-class learners, in place of -1. */
    Label ZERO = new Int(0);

    /** The label +1 of the two-class learners. */
    Label PLUS_ONE = new Int(1);

    /** An int label: -1, 0 or +1, or a class name spelled as a number. */
    record Int(int value) implements Label {
        @Override
        public String toString() {
            return Integer.toString(value);
        }
    }

    /** The name of a class. Ordered as {@link String}, so that a {@code HashMap} of names with equal hashes is fast. */
    record ClassName(String name) implements Label, Comparable<ClassName> {
        /** Maximum length of a name in an event, in UTF-16 units. */
        public static final int MAX_CHARACTERS = 256;

        @Override
        public int compareTo(ClassName other) {
            return name.compareTo(other.name);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** One tag for each token of a sequence. */
    record Tags(List<String> tags) implements Label {
        /**
         * Maximum length of all tags together, in UTF-16 units: label and prediction must fit into one record, at 3
         * bytes each.
         */
        public static final int MAX_CHARACTERS = 1 << 17;

        /** Keeps an unmodifiable copy. */
        public Tags {
            tags = List.copyOf(tags);
        }

        /**
         * Returns the number of tokens for which another label has another tag or none; all if it is no list of tags.
         */
        public int differences(Label other) {
            List<String> found = other instanceof Tags others ? others.tags : List.of();
            int count = 0;
            for (int k = 0; k < tags.size(); k++) {
                count += k < found.size() && tags.get(k).equals(found.get(k)) ? 0 : 1;
            }
            return count;
        }

        @Override
        public String toString() {
            return tags.toString();
        }
    }

    /** Returns the label that a text spells: an int, in its shortest form, or a class name. */
    static Label parse(String text) {
        try {
            int number = Integer.parseInt(text);
            if (Integer.toString(number).equals(text)) {
                return of(number);
            }
        } catch (NumberFormatException e) {
            // a name
        }
        return new ClassName(text);
    }

    /** Returns the label of an int; allocates nothing for -1, 0 and +1. */
    static Label of(int value) {
        return switch (value) {
            case -1 -> MINUS_ONE;
            case 0 -> ZERO;
            case 1 -> PLUS_ONE;
            default -> new Int(value);
        };
    }
}
