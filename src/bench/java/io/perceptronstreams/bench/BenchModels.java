package io.perceptronstreams.bench;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.kafka.common.utils.Utils;

/** Names of the models {@code model-K}, and the sequence in which they get examples. */
final class BenchModels {
    /** Distribution of examples over models. */
    enum Distribution {
        /** The share of the model of rank r is proportional to r^-1.1. */
        ZIPF,
        /** All models have the same share. */
        UNIFORM;

        private static final double EXPONENT = 1.1;

        private double weight(int rank) {
            return this == ZIPF ? Math.pow(rank, -EXPONENT) : 1;
        }
    }

    private final List<byte[]> keys;

    // prefix sums of the weights; null for round robin
    private final double[] sums;
    private final Random random;
    private int turn;

    private BenchModels(List<byte[]> keys, double[] sums, long seed) {
        this.keys = keys;
        this.sums = sums;
        this.random = new Random(seed);
    }

    /** One model per partition, in turn. */
    static BenchModels onePerPartition(int partitions) {
        double[] weights = new double[partitions];
        Arrays.fill(weights, 1);
        return new BenchModels(keys(weights, partitions), null, 0);
    }

    /** Models drawn at random; the shares of examples are balanced over the partitions as far as possible. */
    static BenchModels drawn(int count, Distribution distribution, int partitions, long seed) {
        double[] weights = new double[count];
        Arrays.setAll(weights, k -> distribution.weight(k + 1));
        double[] sums = weights.clone();
        Arrays.parallelPrefix(sums, Double::sum);
        return new BenchModels(keys(weights, partitions), sums, seed);
    }

    /**
     * A name for each weight: the next free one on the partition (by murmur2) with the least total weight so far.
     *
     * @param weights in descending order
     */
    private static List<byte[]> keys(double[] weights, int partitions) {
        List<Queue<byte[]>> free = Stream.generate(() -> (Queue<byte[]>) new ArrayDeque<byte[]>())
                .limit(partitions)
                .toList();
        double[] loads = new double[partitions];
        List<byte[]> keys = new ArrayList<>();
        int number = 0;
        for (double weight : weights) {
            int lightest = 0;
            for (int partition = 1; partition < partitions; partition++) {
                lightest = loads[partition] < loads[lightest] ? partition : lightest;
            }
            while (free.get(lightest).isEmpty()) {
                byte[] key = ("model-" + number++).getBytes(StandardCharsets.UTF_8);
                free.get(Utils.toPositive(Utils.murmur2(key)) % partitions).add(key);
            }
            keys.add(free.get(lightest).remove());
            loads[lightest] += weight;
        }
        return keys;
    }

    /** All names, in descending order of weight. */
    List<byte[]> keys() {
        return keys;
    }

    /** Index in {@link #keys} of the model for the next example. */
    int next() {
        if (sums == null) {
            turn = (turn + 1) % keys.size();
            return turn;
        }
        int index = Arrays.binarySearch(sums, random.nextDouble() * sums[sums.length - 1]);
        return index < 0 ? -index - 1 : index + 1;
    }
}
