package io.perceptronstreams.store;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/** Makes a {@link ModelStore} over RocksDB for each task; all of one builder share one limit on live models. */
public final class ModelStoreBuilder implements StoreBuilder<ModelStore> {
    private final StoreCounters counters = new StoreCounters();
    private final Map<String, String> logConfig = new HashMap<>();
    private final String name;
    private final long heapLimit;

    /**
     * A builder of stores.
     *
     * @param heapLimit bytes of live models in this process, above which the least recently used are dropped
     */
    public ModelStoreBuilder(String name, long heapLimit) {
        this.name = name;
        this.heapLimit = heapLimit;
    }

    @Override
    public ModelStore build() {
        return new ModelStore(Stores.persistentKeyValueStore(name).get(), counters, heapLimit);
    }

    /** What all stores of this builder hold and have done. */
    public StoreCounters counters() {
        return counters;
    }

    /** Does nothing: a model store caches by its nature. */
    @Override
    public StoreBuilder<ModelStore> withCachingEnabled() {
        return this;
    }

    @Override
    public StoreBuilder<ModelStore> withCachingDisabled() {
        throw new UnsupportedOperationException("a model store is a cache and writes once per commit");
    }

    @Override
    public StoreBuilder<ModelStore> withLoggingEnabled(Map<String, String> config) {
        logConfig.putAll(config);
        return this;
    }

    @Override
    public StoreBuilder<ModelStore> withLoggingDisabled() {
        throw new UnsupportedOperationException("without its changelog a model store would not survive");
    }

    @Override
    public Map<String, String> logConfig() {
        return logConfig;
    }

    @Override
    public boolean loggingEnabled() {
        return true;
    }

    @Override
    public String name() {
        return name;
    }
}
