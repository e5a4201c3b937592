package io.perceptronstreams.bench;

import io.perceptronstreams.client.CommandFailedException;

/**
 * Which examples a benchmark is made of.
 *
 * @param stream which streams are measured
 * @param mistakes wanted fraction of mistakes on the hard stream
 * @param live number of live features
 * @param models over which one more contestant's examples are spread; null for no such contestant
 * @param modelsDistribution how they are spread over them
 */
record BenchExamples(
        Streams stream,
        double mistakes,
        int live,
        Integer models,
        BenchModels.Distribution modelsDistribution,
        long seed) {

    /** What {@code --stream} takes. */
    enum Streams {
        HARD,
        EASY,
        BOTH;

        boolean isHard() {
            return this != EASY;
        }

        boolean isEasy() {
            return this != HARD;
        }
    }

    static final int MAX_MODELS = 100_000;

    private static final double MAX_MISTAKES = 0.4;

    /** @throws CommandFailedException if a number makes no sense */
    BenchExamples {
        BenchSettings.require(
                mistakes >= 0 && mistakes <= MAX_MISTAKES,
                "--mistakes must be from 0 to " + MAX_MISTAKES + ", got " + mistakes);
        BenchSettings.require(
                live >= SyntheticStream.MIN_LIVE && live <= SyntheticStream.MAX_LIVE,
                "--live must be from " + SyntheticStream.MIN_LIVE + " to " + SyntheticStream.MAX_LIVE + ", got "
                        + live);
        BenchSettings.require(
                models == null || (models >= 2 && models <= MAX_MODELS),
                "--models must be from 2 to " + MAX_MODELS + ", got " + models);
        BenchSettings.require(
                models == null || stream.isHard(),
                "--models must stand without --stream easy: many models are measured on the hard stream");
    }
}
