package io.perceptronstreams.example;

/** What an example looks like to a learner. */
public sealed interface Features permits FeatureVector, Sequence, Candidates {}
