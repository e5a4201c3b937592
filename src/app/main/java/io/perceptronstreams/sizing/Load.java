package io.perceptronstreams.sizing;

/**
 * What an installation has to do.
 *
 * @param learner what each model is
 * @param models number of models
 * @param rate examples per second of all models together
 * @param features non-zero features of an example
 * @param weights weights of a model
 * @param zipf exponent of the shares of the models: that of rank r gets a share proportional to r^-zipf; 0: equal
 *     shares
 * @param labelsLate fraction of the examples whose label comes as a record of its own
 * @param labelDelaySeconds time until such a label comes
 * @param mistakes fraction of the predictions that are wrong
 * @param batch examples in a record
 * @param replication copies of each record on the brokers
 * @param cores processor cores of an instance
 * @param checkpointSeconds time between two checkpoints, {@code checkpoint.interval.ms}
 * @param commitSeconds time between two commits under load, {@code commit.interval.ms}
 */
public record Load(
        Learner learner,
        double models,
        double rate,
        double features,
        double weights,
        double zipf,
        double labelsLate,
        double labelDelaySeconds,
        double mistakes,
        double batch,
        double replication,
        double cores,
        double checkpointSeconds,
        double commitSeconds) {}
