package io.perceptronstreams.embed;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * Processor that predicts and learns in a topology of another program: {@code examples.process(Learn.with(settings))}.
 *
 * <p>The key of a record is the name of its model, so that a stream with new keys must be repartitioned first. Each record is
 * {@linkplain OnlineModel#learn learned}, and its result forwarded with the same key and timestamp. The models are in a store of
 * the processor with a changelog, one value per model, and are exactly once where the application is.
 *
 * <p>A record without a key or value, and an example that cannot be used, throws before anything has changed; the {@code
 * processing.exception.handler} of the application decides whether the stream goes on.
 *
 * <p>Cost: per record O(weights of the model), because the whole model is written: for models of up to some thousand weights. A
 * value must fit into a record of the changelog (1 MB by default). Immutable and thread-safe; each task has its own models.
 *
 * @since 0.2.0
 */
public final class Learn implements ProcessorSupplier<String, LearnExample, String, LearnResult> {
    private final Map<String, String> settings;
    private final String name;

    private Learn(Map<String, String> settings, String name) {
        this.settings = settings;
        this.name = name;
    }

    /**
     * Returns a processor whose models begin with these settings, and whose store is named {@code learn-models}.
     *
     * @param settings as of {@link OnlineModel#create}; a stored model keeps those with which it began
     * @throws IllegalArgumentException if a setting is unknown, wrong, or needs a stream
     */
    public static Learn with(Map<String, String> settings) {
        var unused = OnlineModel.create(settings);
        return new Learn(Map.copyOf(settings), "learn");
    }

    /** Returns a processor with another name, whose store is {@code NAME-models}: for several in one topology. */
    public Learn named(String newName) {
        return new Learn(settings, newName);
    }

    /** Name of the store, which has the {@linkplain OnlineModel#toBytes bytes} of each model by its name. */
    public String storeName() {
        return name + "-models";
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
        return Set.of(Stores.keyValueStoreBuilder(
                        Stores.persistentKeyValueStore(storeName()), Serdes.String(), Serdes.ByteArray())
                .withCachingEnabled()
                .withLoggingEnabled(Map.of()));
    }

    @Override
    public Processor<String, LearnExample, String, LearnResult> get() {
        return new LearnTask(settings, storeName());
    }

    /** Models of one task: those in memory are the ones in the store. */
    private static final class LearnTask extends ContextualProcessor<String, LearnExample, String, LearnResult> {
        private static final int MAX_MODELS = 100;

        private final Map<String, String> settings;
        private final String storeName;
        private final Map<String, OnlineModel> models = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, OnlineModel> eldest) {
                return size() > MAX_MODELS;
            }
        };
        private KeyValueStore<String, byte[]> store;

        LearnTask(Map<String, String> settings, String storeName) {
            this.settings = settings;
            this.storeName = storeName;
        }

        @Override
        public void init(ProcessorContext<String, LearnResult> context) {
            super.init(context);
            // after an aborted transaction a task begins again with an older store
            models.clear();
            store = context.getStateStore(storeName);
        }

        @Override
        public void process(Record<String, LearnExample> record) {
            if (record.key() == null || record.value() == null) {
                throw new IllegalArgumentException(
                        "a record must have the name of a model as key and an example as value,"
                                + " got a record without a " + (record.key() == null ? "key" : "value"));
            }
            OnlineModel model = model(record.key());
            LearnResult result;
            try {
                result = model.learn(record.value());
                store.put(record.key(), model.toBytes());
            } catch (RuntimeException e) {
                // what is not in the store must not be in memory
                models.remove(record.key());
                throw e;
            }
            context().forward(record.withValue(result));
        }

        private OnlineModel model(String key) {
            OnlineModel known = models.get(key);
            if (known == null) {
                byte[] stored = store.get(key);
                known = stored == null ? OnlineModel.create(settings) : OnlineModel.fromBytes(stored);
                models.put(key, known);
            }
            return known;
        }
    }
}
