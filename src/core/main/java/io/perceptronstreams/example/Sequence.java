package io.perceptronstreams.example;

import java.util.Arrays;

/**
 * The tokens of a sequence with their features. Objects are reused from example to example.
 *
 * <p>A feature is a hashed name with value 1; values of features with the same index are added. Not thread-safe.
 */
public final class Sequence implements Features {
    /** Maximum number of tokens; limits the memory that one record can use. */
    public static final int MAX_TOKENS = 1 << 14;

    private FeatureVector[] tokens = new FeatureVector[0];
    private int size;

    /** Removes all tokens. */
    public Sequence clear() {
        if (FeatureVector.areOversized(tokens, size)) {
            tokens = new FeatureVector[0];
        }
        size = 0;
        return this;
    }

    /**
     * Appends a token and returns its empty vector, to be filled by the caller.
     *
     * @throws RejectedException if there are {@link #MAX_TOKENS} already
     */
    public FeatureVector append() {
        if (size == MAX_TOKENS) {
            throw new RejectedException(
                    RejectReason.UNSUPPORTED_FEATURES,
                    "a sequence must have at most " + MAX_TOKENS + " tokens, got more (cut it)");
        }
        if (size == tokens.length) {
            tokens = Arrays.copyOf(tokens, Math.max(16, 2 * size));
        }
        if (tokens[size] == null) {
            tokens[size] = new FeatureVector(16);
        }
        return tokens[size++].resetSparse();
    }

    /** Number of tokens. */
    public int size() {
        return size;
    }

    @Override
    public long count() {
        long count = 0;
        for (int k = 0; k < size(); k++) {
            count += tokens[k].size();
        }
        return count;
    }

    /** The features of the token at a position, from 0. */
    public FeatureVector token(int position) {
        return tokens[position];
    }
}
