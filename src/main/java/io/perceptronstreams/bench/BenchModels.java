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

/** The models {@code model-K} that examples are spread over: their names, and which one is next. */
final class BenchModels {
    /** How popular the models are. */
    enum Distribution {
        /** The model of rank r gets a share of examples that is proportional to r^-1.1. */
        ZIPF,
        /** All get the same share. */
        UNIFORM;

        private static final double EXPONENT = 1.1;

        private double weight(int rank) {
            return this == ZIPF ? Math.pow(rank, -EXPONENT) : 1;
        }
    }

    private final List<byte[]> keys;

    // The sum of all weights up to each model's own; null where the models take turns.
    private final double[] sums;
    private final Random random;
    private int turn;

    private BenchModels(List<byte[]> keys, double[] sums, long seed) {
        this.keys = keys;
        this.sums = sums;
        this.random = new Random(seed);
    }

    /** One model for each partition; they take turns. */
    static BenchModels onePerPartition(int partitions) {
        double[] weights = new double[partitions];
        Arrays.fill(weights, 1);
        return new BenchModels(keys(weights, partitions), null, 0);
    }

    /** Models of which the next one is drawn, with as nearly the same share of examples on each partition as can be. */
    static BenchModels drawn(int count, Distribution distribution, int partitions, long seed) {
        double[] weights = new double[count];
        Arrays.setAll(weights, k -> distribution.weight(k + 1));
        double[] sums = weights.clone();
        Arrays.parallelPrefix(sums, Double::sum);
        return new BenchModels(keys(weights, partitions), sums, seed);
    }

    /**
     * A name for each weight, the next free one that murmur2 puts on the partition with the least weight so far.
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
            int least = 0;
            for (int partition = 1; partition < partitions; partition++) {
                least = loads[partition] < loads[least] ? partition : least;
            }
            while (free.get(least).isEmpty()) {
                byte[] key = ("model-" + number++).getBytes(StandardCharsets.UTF_8);
                free.get(Utils.toPositive(Utils.murmur2(key)) % partitions).add(key);
            }
            keys.add(free.get(least).remove());
            loads[least] += weight;
        }
        return keys;
    }

    /** All names, the most popular model first. */
    List<byte[]> keys() {
        return keys;
    }

    /** The place, in {@link #keys}, of the model that the next example is for. */
    int next() {
        if (sums == null) {
            turn = (turn + 1) % keys.size();
            return turn;
        }
        int place = Arrays.binarySearch(sums, random.nextDouble() * sums[sums.length - 1]);
        return place < 0 ? -place - 1 : place + 1;
    }
}
