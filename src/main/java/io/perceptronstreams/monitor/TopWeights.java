package io.perceptronstreams.monitor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import org.apache.avro.generic.GenericRecord;

/**
 * The largest weights of a model's newest snapshot.
 *
 * <p>A snapshot's chunks come one after the other, for they are of one transaction in one partition. Each is let go at once and
 * only {@link #MOST} weights are kept, however large the model. One that is not whole is left out.
 */
final class TopWeights {
    static final int MOST = 20;

    private static final Comparator<Weight> SMALLEST_FIRST =
            Comparator.comparingDouble(weight -> Math.abs(weight.weight()));

    private final PriorityQueue<Weight> top = new PriorityQueue<>(SMALLEST_FIRST);
    private final Set<String> vectors = new HashSet<>();
    private boolean isWhole;
    private long epoch;
    private long version;
    private long nextChunk;
    private long size;
    private Snapshot newest;

    /**
     * One weight.
     *
     * @param vector the class whose weight it is; empty where there is one vector
     * @param index of the feature; null for the bias
     * @param averaged the mean over all examples so far
     */
    record Weight(String vector, Integer index, double weight, double averaged) {}

    /**
     * The weights at one place in the log.
     *
     * @param size how many weights are not 0, biases included
     * @param top the largest in absolute value, the largest first
     */
    record Snapshot(long timestamp, long epoch, long version, long examples, long size, List<Weight> top) {}

    /** Takes the next chunk. */
    void add(Event chunk) {
        if (chunk.number("chunk") == 0) {
            clear();
            isWhole = true;
            nextChunk = 0;
            epoch = chunk.number("epoch");
            version = chunk.number("version");
        }
        isWhole = isWhole
                && chunk.number("chunk") == nextChunk++
                && chunk.number("epoch") == epoch
                && chunk.number("version") == version;
        if (isWhole && chunk.value().get("vectors") instanceof List<?> parts) {
            parts.forEach(part -> vector((GenericRecord) part));
            if (nextChunk == chunk.number("chunks")) {
                finish(chunk);
            }
        }
    }

    private void clear() {
        top.clear();
        vectors.clear();
        size = 0;
        isWhole = false;
    }

    private void vector(GenericRecord part) {
        String name = Truncation.text(part.get("name").toString(), 64);
        if (vectors.add(name)) {
            // every chunk of a vector has its bias
            keep(new Weight(name, null, (Double) part.get("bias"), (Double) part.get("averagedBias")));
        }
        List<?> indices = (List<?>) part.get("indices");
        List<?> weights = (List<?>) part.get("weights");
        List<?> averaged = (List<?>) part.get("averaged");
        for (int k = 0; k < indices.size(); k++) {
            keep(new Weight(name, (Integer) indices.get(k), (Double) weights.get(k), (Double) averaged.get(k)));
        }
    }

    private void keep(Weight weight) {
        if (weight.weight() == 0) {
            return;
        }
        size++;
        top.add(weight);
        if (top.size() > MOST) {
            top.remove();
        }
    }

    private void finish(Event chunk) {
        List<Weight> largest = new ArrayList<>(top);
        largest.sort(SMALLEST_FIRST.reversed());
        newest = new Snapshot(chunk.timestamp(), epoch, version, chunk.number("seen"), size, List.copyOf(largest));
        clear();
    }

    /** Null before the first whole one. */
    Snapshot newest() {
        return newest;
    }
}
