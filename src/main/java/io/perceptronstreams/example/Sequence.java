package io.perceptronstreams.example;

import java.util.Arrays;

/**
 * The tokens of a sequence, each with its features, in objects that are reused from example to example.
 *
 * <p>A feature is a hashed name with the value 1; names that share an index within a token are added. Not thread-safe.
 */
public final class Sequence implements Features {
    /** The longest sequence that is taken: decoding is O(tokens) in memory, and one record must not decide how much that is. */
    public static final int MAX_TOKENS = 1 << 14;

    private FeatureVector[] tokens = new FeatureVector[0];
    private int size;

    /** Empties this sequence. */
    public Sequence clear() {
        size = 0;
        return this;
    }

    /**
     * Appends a token without features and gives it to be filled.
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

    /** How many tokens there are. */
    public int size() {
        return size;
    }

    /** The features of a token, from 0. */
    public FeatureVector token(int position) {
        return tokens[position];
    }
}
