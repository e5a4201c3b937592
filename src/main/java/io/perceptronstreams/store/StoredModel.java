package io.perceptronstreams.store;

import io.perceptronstreams.learner.Model;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.common.utils.Utils;

/** A live model of a {@link ModelStore}, with what the store and the topology want to know of it besides. */
public final class StoredModel {
    private final byte[] name;
    private final int keyHash;
    private final Model model;
    private final StoredNames names;
    private boolean isChanged;
    private long timestamp;
    private long heapBytes;

    StoredModel(byte[] name, Model model, StoredNames names) {
        this.name = name;
        this.keyHash = Utils.toPositive(Utils.murmur2(name));
        this.model = model;
        this.names = names;
    }

    /** The record key: the model's name in UTF-8. Not to be changed. */
    public byte[] name() {
        return name;
    }

    /** What Java's producer takes modulo the number of partitions to place records with this key. */
    public int keyHash() {
        return keyHash;
    }

    public Model model() {
        return model;
    }

    /** The names that lie in records of their own. */
    StoredNames names() {
        return names;
    }

    Bytes key() {
        return Bytes.wrap(name);
    }

    boolean isChanged() {
        return isChanged;
    }

    /** Returns whether this is news. */
    boolean markChanged(long recordTimestamp) {
        boolean isNews = !isChanged;
        isChanged = true;
        timestamp = recordTimestamp;
        return isNews;
    }

    void markWritten() {
        isChanged = false;
    }

    /** Event time of the last change, in ms. */
    long timestamp() {
        return timestamp;
    }

    /** Measures the model and returns how much it has grown since the last time. */
    long heapGrowth() {
        long before = heapBytes;
        heapBytes = model.heapBytes();
        return heapBytes - before;
    }

    long heapBytes() {
        return heapBytes;
    }
}
