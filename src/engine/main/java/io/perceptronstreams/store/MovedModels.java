package io.perceptronstreams.store;

import io.perceptronstreams.model.Fence;
import io.perceptronstreams.model.ModelDefaults;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.store.InputPosition.Decisions;
import io.perceptronstreams.store.InputPosition.Summary;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.common.utils.Utils;

/**
 * Distributes the stored models of some partitions over another number of partitions, each with all its records.
 *
 * <p>Records of models stay as they are, because offsets of a later generation are larger than those in them. Of what a
 * partition has besides, each new one gets the defaults and the time of the last signature for them; refusals are left
 * out, because no record before the fence is learned again. The times of new partitions are those of their models, as
 * after {@code topics reset}. Cost: O(1) memory besides the positions. Usage: {@link #begin}, {@link #add} of each
 * record, for one partition after the other, then {@link #finish}. Not thread-safe.
 */
public final class MovedModels {
    private static final byte[] ALL = ModelDefaults.KEY.getBytes(StandardCharsets.UTF_8);

    private final int partitions;
    private final Sink sink;
    private final Map<Integer, InputPosition> before = new TreeMap<>();
    private int partition;
    private long signedMicros = Long.MIN_VALUE;
    private long models;

    /** Receives records of the new partitions. */
    @FunctionalInterface
    public interface Sink {
        void put(int partition, Bytes key, byte[] value);
    }

    /** @param partitions their new number */
    public MovedModels(int partitions, Sink sink) {
        this.partitions = partitions;
        this.sink = sink;
    }

    /** Begins with the records of a former partition. */
    public void begin(int number) {
        partition = number;
    }

    /**
     * Adds a record, the last one of its key.
     *
     * @throws IllegalArgumentException if it is none of a store of this version
     */
    public void add(Bytes key, byte[] value) {
        if (key.equals(ModelKeys.POSITION)) {
            before.put(partition, InputPosition.decode(value));
        } else if (ModelKeys.isSignedTime(key)) {
            byte[] name = ModelKeys.ofSignedTime(key);
            if (ModelDefaults.isKey(name)) {
                signedMicros = Math.max(signedMicros, ByteBuffer.wrap(value).getLong());
            } else {
                sink.put(partition(name), key, value);
            }
        } else if (ModelKeys.isRemoval(key)) {
            // of a range of keys of one model, whose first one is the value
            sink.put(partition(ModelKeys.name(Bytes.wrap(value))), key, value);
        } else if (!ModelKeys.isRefusal(key)) {
            if (key.compareTo(ModelKeys.FIRST_OF_MODELS) < 0 || key.compareTo(ModelKeys.END_OF_MODELS) >= 0) {
                throw new IllegalArgumentException("a record of the changelog must be one of this version, got the key "
                        + key + " in partition " + partition);
            }
            models += ModelKeys.isHeader(key) ? 1 : 0;
            sink.put(partition(ModelKeys.name(key)), key, value);
        }
    }

    private int partition(byte[] name) {
        return Utils.toPositive(Utils.murmur2(name)) % partitions;
    }

    /** Number of models so far, deleted ones included. */
    public long models() {
        return models;
    }

    /** Positions of the former partitions so far, by their number. */
    public Map<Integer, InputPosition> before() {
        return before;
    }

    /**
     * Adds what each new partition has besides models; its position last.
     *
     * @param topicId of the new examples topic
     * @param next offset of its first records
     * @param decisions of the first engine; no record is processed under them
     * @return settings of models to be created, which are those of the first of the former partitions
     * @throws IllegalArgumentException if a former partition has no {@link Fence}
     */
    public Settings finish(Uuid topicId, long next, Decisions decisions) {
        before.forEach((number, position) -> {
            if (position.fence() == null) {
                throw new IllegalArgumentException("partition " + number + " must have a fence, got none");
            }
        });
        Settings defaults = before.values().stream().findFirst().orElseThrow().defaults();
        InputPosition position = new InputPosition(topicId, next, -1, decisions, Summary.UNKNOWN, defaults, "");
        for (int k = 0; k < partitions; k++) {
            if (signedMicros != Long.MIN_VALUE) {
                sink.put(
                        k,
                        ModelKeys.signedTime(ALL),
                        ByteBuffer.allocate(Long.BYTES).putLong(signedMicros).array());
            }
            sink.put(k, ModelKeys.POSITION, position.encode());
        }
        return defaults;
    }
}
