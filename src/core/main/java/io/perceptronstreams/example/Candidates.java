package io.perceptronstreams.example;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The outputs to choose from, each with its joint features f(x, y). Objects are reused from example to example. Not
 * thread-safe.
 */
public final class Candidates implements Features {
    /** Maximum number of candidates; limits the memory that one record can use. */
    public static final int MAX_CANDIDATES = 1 << 14;

    private final List<String> outputs = new ArrayList<>();
    private FeatureVector[] vectors = new FeatureVector[0];

    /** Removes all candidates. */
    public Candidates clear() {
        if (FeatureVector.areOversized(vectors, outputs.size())) {
            vectors = new FeatureVector[0];
        }
        outputs.clear();
        return this;
    }

    /**
     * Appends a candidate and returns its empty vector, to be filled by the caller.
     *
     * @throws RejectedException if there are {@link #MAX_CANDIDATES} already
     */
    public FeatureVector append(String output) {
        int size = outputs.size();
        if (size == MAX_CANDIDATES) {
            throw new RejectedException(
                    RejectReason.UNSUPPORTED_FEATURES,
                    "an example must have at most " + MAX_CANDIDATES + " candidates, got more");
        }
        if (size == vectors.length) {
            vectors = Arrays.copyOf(vectors, Math.max(16, 2 * size));
        }
        if (vectors[size] == null) {
            vectors[size] = new FeatureVector(16);
        }
        outputs.add(output);
        return vectors[size].resetSparse();
    }

    /** Number of candidates. */
    public int size() {
        return outputs.size();
    }

    @Override
    public long count() {
        long count = 0;
        for (int k = 0; k < size(); k++) {
            count += vectors[k].size();
        }
        return count;
    }

    /** The output of the candidate at a position, from 0. */
    public String output(int position) {
        return outputs.get(position);
    }

    /** The joint features of the candidate at a position, from 0. */
    public FeatureVector features(int position) {
        return vectors[position];
    }
}
