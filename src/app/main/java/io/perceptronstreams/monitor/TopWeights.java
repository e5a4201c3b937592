package io.perceptronstreams.monitor;

import io.perceptronstreams.event.FeatureName;
import io.perceptronstreams.event.WeightVector;
import io.perceptronstreams.event.WeightsSnapshot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;

/**
 * The largest weights of the newest snapshot of a model.
 *
 * <p>The chunks of a snapshot are consecutive, because they are written in one transaction to one partition. Only
 * {@link #MAX_WEIGHTS} weights are kept. Incomplete snapshots are skipped.
 */
final class TopWeights {
    static final int MAX_WEIGHTS = 20;

    private static final int MAX_NAMES = 10;

    private static final Comparator<Weight> SMALLEST_FIRST =
            Comparator.comparingDouble(weight -> Math.abs(weight.weight()));

    private final PriorityQueue<Weight> top = new PriorityQueue<>(SMALLEST_FIRST);
    private final Set<String> vectors = new HashSet<>();
    private final Map<Integer, Set<String>> names = new HashMap<>();
    private boolean isComplete;
    private long epoch;
    private long updates;
    private long nextChunk;
    private long size;
    private Snapshot newest;

    /**
     * One weight.
     *
     * @param vector class of the weight; empty for a learner with one vector
     * @param index of the feature; null for the bias
     * @param averaged mean over all examples
     * @param names of the feature, as far as the model keeps them; several if they have one index
     */
    record Weight(String vector, Integer index, double weight, double averaged, List<String> names) {
        Weight(String vector, Integer index, double weight, double averaged) {
            this(vector, index, weight, averaged, List.of());
        }
    }

    /**
     * The largest weights of one snapshot.
     *
     * @param size number of weights, including biases, that are not 0
     * @param top largest weights by absolute value, in descending order
     */
    record Snapshot(long timestamp, long epoch, long updates, long examples, long size, List<Weight> top) {}

    /** Adds the next chunk. */
    void add(Event<WeightsSnapshot> event) {
        WeightsSnapshot chunk = event.value();
        if (chunk.getChunk() == 0) {
            clear();
            isComplete = true;
            nextChunk = 0;
            epoch = chunk.getEpoch();
            updates = chunk.getUpdates();
        }
        isComplete = isComplete
                && chunk.getChunk() == nextChunk++
                && chunk.getEpoch() == epoch
                && chunk.getUpdates() == updates;
        if (isComplete) {
            chunk.getVectors().forEach(this::vector);
            names(chunk);
            if (nextChunk == chunk.getChunks()) {
                finish(event);
            }
        }
    }

    private void clear() {
        top.clear();
        vectors.clear();
        names.clear();
        size = 0;
        isComplete = false;
    }

    private void vector(WeightVector part) {
        String name = Truncation.text(part.getName(), 64);
        if (vectors.add(name)) {
            // every chunk of a vector contains its bias
            keep(new Weight(name, null, part.getBias(), part.getAveragedBias()));
        }
        List<Integer> indices = part.getIndices();
        for (int k = 0; k < indices.size(); k++) {
            keep(new Weight(
                    name,
                    indices.get(k),
                    part.getWeights().get(k),
                    part.getAveraged().get(k)));
        }
    }

    /** Keeps the names of the largest weights; names follow the weights of a snapshot. */
    private void names(WeightsSnapshot chunk) {
        Set<Integer> indices = new HashSet<>();
        top.forEach(weight -> indices.add(weight.index()));
        for (FeatureName each : chunk.getFeatureNames()) {
            if (indices.contains(each.getIndex())) {
                Set<String> ofIndex = names.computeIfAbsent(each.getIndex(), any -> new TreeSet<>());
                if (ofIndex.size() < MAX_NAMES) {
                    ofIndex.add(Truncation.text(each.getName(), 64));
                }
            }
        }
    }

    private Weight named(Weight weight) {
        return new Weight(
                weight.vector(),
                weight.index(),
                weight.weight(),
                weight.averaged(),
                List.copyOf(names.getOrDefault(weight.index(), Set.of())));
    }

    private void keep(Weight weight) {
        if (weight.weight() == 0) {
            return;
        }
        size++;
        top.add(weight);
        if (top.size() > MAX_WEIGHTS) {
            top.remove();
        }
    }

    private void finish(Event<WeightsSnapshot> chunk) {
        List<Weight> largest = new ArrayList<>();
        top.forEach(weight -> largest.add(named(weight)));
        largest.sort(SMALLEST_FIRST.reversed());
        newest = new Snapshot(
                chunk.timestamp(), epoch, updates, chunk.value().getExamples(), size, List.copyOf(largest));
        clear();
    }

    /** Newest complete snapshot; null without one. */
    Snapshot newest() {
        return newest;
    }
}
