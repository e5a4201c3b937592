package io.perceptronstreams.log;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.model.PendingStatuses;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.store.ModelStore;
import java.util.function.Supplier;

/** The models of one partition, and what reads records into them. Not thread-safe. */
public final class PartitionModels {
    /** Of values that have no example. */
    static final FeatureHasher DEFAULT_HASHER = new FeatureHasher(Settings.DEFAULTS.get(Settings.HASH_BITS));

    private final int number;
    private final ModelStore store;
    private final InputDecoder decoder;
    private final RegistryRetry registryRetry;
    private final PendingStatuses pendingStatuses;
    private final InputRecords records;
    private Settings defaults = Settings.DEFAULTS;
    private FeatureHasher defaultHasher = DEFAULT_HASHER;

    /**
     * Creates the models of a partition.
     *
     * @param number of the partition
     * @param decoder of the current record
     * @param registryRetry used while the registry does not answer
     * @param pendingStatuses statuses that the replay leaves to the records after it
     * @param records of the topic, for imports that lack some
     */
    public PartitionModels(
            int number,
            ModelStore store,
            InputDecoder decoder,
            RegistryRetry registryRetry,
            PendingStatuses pendingStatuses,
            InputRecords records) {
        this.number = number;
        this.store = store;
        this.decoder = decoder;
        this.registryRetry = registryRetry;
        this.pendingStatuses = pendingStatuses;
        this.records = records;
    }

    int number() {
        return number;
    }

    ModelStore store() {
        return store;
    }

    InputDecoder decoder() {
        return decoder;
    }

    PendingStatuses pendingStatuses() {
        return pendingStatuses;
    }

    InputRecords records() {
        return records;
    }

    /** Decodes a value; waits while the registry does not answer. */
    <T> T decode(byte[] value, Supplier<T> decoding) {
        return registryRetry.decode(value, decoding, this::name);
    }

    /** Decodes a value again that could not be decoded, as {@link RegistryRetry#decodeAgain}. */
    <T> T decodeAgain(RuntimeException why, byte[] value, Supplier<T> decoding) {
        return registryRetry.decodeAgain(why, value, decoding, this::name);
    }

    private String name() {
        return "partition " + number;
    }

    /** Hasher of the features of a model; null is a model that its first example creates. */
    FeatureHasher hasher(LiveModel known) {
        if (known != null && known.model().state() != ModelState.DELETED) {
            return known.model().pipeline().hasher();
        }
        if (!store.defaults().equals(defaults)) {
            defaults = store.defaults();
            defaultHasher = defaults.hasher();
        }
        return defaultHasher;
    }

    /** Gives an example without an id the place of its record, by which its prediction can be found. */
    void identify(Example example, long offset) {
        if (example.id().length() == 0) {
            example.id().set(number + "@" + offset);
        }
    }

    /** Gives one of several examples of a record, from 0, without an id its place. */
    void identify(Example example, long offset, int part) {
        if (example.id().length() == 0) {
            example.id().set(number + "@" + offset + "#" + part);
        }
    }
}
