package io.perceptronstreams.log;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import java.util.Arrays;

/**
 * Examples of a block of records that the first of several runs has decoded, for the others.
 *
 * <p>Only vectors without names are kept: names are read from the record on demand. Used by one thread.
 */
public final class SharedExamples {
    private final Example[] examples;
    private final FeatureHasher[] hashers;
    private int place;

    /** @param records maximum number of records of a block */
    public SharedExamples(int records) {
        examples = new Example[records];
        hashers = new FeatureHasher[records];
    }

    /** Forgets the examples of the last block. */
    public void clear() {
        Arrays.fill(hashers, null);
    }

    /** Sets the place of the record in its block that is decoded next. */
    void at(int record) {
        place = record;
    }

    /**
     * Copies the example of the record, if it was decoded with a hasher that maps features in the same way.
     *
     * @return false if it was not
     */
    boolean copyTo(Example example, FeatureHasher hasher) {
        if (hashers[place] == null || !hashers[place].isSameAs(hasher)) {
            return false;
        }
        example.set(examples[place]);
        return true;
    }

    void keep(Example example, FeatureHasher hasher) {
        if (example.features() != example.vector() || example.vector().isHashed()) {
            return;
        }
        if (examples[place] == null) {
            examples[place] = new Example();
        }
        examples[place].set(example);
        hashers[place] = hasher;
    }
}
