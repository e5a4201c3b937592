package io.perceptronstreams.model;

import io.perceptronstreams.learner.RandomStreams;
import io.perceptronstreams.learner.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Generated streams of examples whose concept changes at known places. */
final class DriftStreams {
    private DriftStreams() {}

    /**
     * Stretches of {@code length} examples each, labelled by another hyperplane each, one label in {@code noise} wrong;
     * over several blocks.
     */
    static List<Sample> changing(Random random, int stretches, int length, int dimension, int noise) {
        int[] indices = IntStream.range(0, dimension).map(k -> 97 * k).toArray();
        List<Sample> samples = new ArrayList<>();
        for (int stretch = 0; stretch < stretches; stretch++) {
            double[] hidden = RandomStreams.direction(random, dimension);
            for (int k = 0; k < length; k++) {
                double[] x = RandomStreams.direction(random, dimension);
                boolean isPositive = Sample.dense(1, x).dot(hidden) >= 0 ^ random.nextInt(noise) == 0;
                samples.add(Sample.sparse(isPositive ? 1 : -1, indices, x));
            }
        }
        return samples;
    }

    /** As {@link #changing}, but the second stretch means just the contrary of the first. */
    static List<Sample> turned(Random random, int length, int dimension) {
        List<Sample> samples = RandomStreams.separable(random, 2 * length, dimension, 0.1, true)
                .samples();
        List<Sample> turned = new ArrayList<>(samples.subList(0, length));
        for (Sample sample : samples.subList(length, 2 * length)) {
            turned.add(Sample.dense(-sample.y, sample.values));
        }
        return turned;
    }
}
