package io.perceptronstreams.example;

/** The features of an example. */
public sealed interface Features permits FeatureVector, Sequence, Candidates {
    /** Number of feature values, in all tokens or candidates together. */
    long count();
}
