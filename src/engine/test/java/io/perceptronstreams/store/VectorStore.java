package io.perceptronstreams.store;

import static io.perceptronstreams.store.StoreDriver.DECISIONS;
import static io.perceptronstreams.store.StoreDriver.utf8;

import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.Pipeline;
import io.perceptronstreams.weights.BlockVector;
import java.util.Arrays;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** An in-memory store that model stores are opened on, one after another, and the vectors that it holds. */
final class VectorStore {
    static final byte[] M = utf8("m");

    /** Number of the vector that the weights are compared with. */
    static final int COMPARATOR = 1;

    private final KeyValueStore<Bytes, byte[]> inner =
            Stores.inMemoryKeyValueStore("models").get();

    KeyValueStore<Bytes, byte[]> inner() {
        return inner;
    }

    ModelStore open(long heapLimit) {
        return new ModelStore(inner, new StoreCounters(), heapLimit);
    }

    /** As another task finds it, or the same after it was closed. */
    Model readBack(String name) {
        try (ModelStore store = open(Long.MAX_VALUE)) {
            return store.find(utf8(name)).model();
        }
    }

    StoredHeader header(String name) {
        return new HeaderCodec().decode(inner.get(ModelKeys.header(utf8(name))), (epoch, part) -> null);
    }

    /** Number of stored blocks of a vector in the present epoch of m. */
    int blocks(int vector) {
        // and not by a store, which would remove those that are left
        long epoch = header("m").model().current().epoch();
        return count(ModelKeys.block(M, epoch, vector, 0), ModelKeys.block(M, epoch, vector, Integer.MAX_VALUE));
    }

    /** Number of stored records of an epoch of m. */
    int records(long epoch) {
        return count(ModelKeys.firstOfEpoch(M, epoch), ModelKeys.endOfEpoch(M, epoch));
    }

    private int count(Bytes first, Bytes last) {
        int count = 0;
        try (KeyValueIterator<Bytes, byte[]> entries = inner.range(first, last)) {
            for (; entries.hasNext(); entries.next()) {
                count++;
            }
        }
        return count;
    }

    static void checkpoint(ModelStore store) {
        store.checkpoint(Uuid.ONE_UUID, 100, DECISIONS, false);
    }

    /** The model with the raw bits of all its vectors, those of the comparator included. */
    static String text(Model model) {
        StringBuilder text = new StringBuilder(ModelText.of(model));
        for (int vector = Pipeline.STATISTICS; vector < model.pipeline().vectors(); vector++) {
            int number = vector;
            model.pipeline()
                    .vector(vector)
                    .forEach((block, values) -> text.append(number)
                            .append(' ')
                            .append(block)
                            .append(' ')
                            .append(Arrays.hashCode(values))
                            .append('\n'));
        }
        return text.toString();
    }

    /** Number of entries of a vector that is held in the header. */
    static int entries(Model model, int vector) {
        return ((BlockVector) model.pipeline().vector(vector)).entries();
    }
}
