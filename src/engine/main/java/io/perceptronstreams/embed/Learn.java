package io.perceptronstreams.embed;

import io.perceptronstreams.cluster.TopicValidator;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelName;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.store.StoreCounters;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * Processor that predicts and learns in a topology of another program.
 *
 * <pre>{@code
 * KStream<String, LearnInput> inputs = payments.mapValues(
 *         payment -> LearnExample.of(payment.id()).label(payment.verdict()).feature("amount", payment.amount()));
 * KStream<String, LearnResult> results = inputs.process(
 *         Learn.with(Map.of("algorithm", "pa-i", "labels", "ok,fraud")).named("fraud"));
 * results.filter((model, result) -> "fraud".equals(result.predicted())).to("alarms", alarms);
 *
 * ReadOnlyKeyValueStore<Bytes, byte[]> store = streams.store(
 *         StoreQueryParameters.fromNameAndType("fraud-models", QueryableStoreTypes.keyValueStore()));
 * OnlineModel copy = OnlineModel.fromBytes(Learn.toBytes(store, "cards"));
 * }</pre>
 *
 * <p>The key of a record is the name of its model, so that a stream with new keys must be repartitioned first. Each
 * example is predicted and learned as by the engine, with all of its settings, and its result forwarded with the same
 * key and timestamp. The models are in a store of the processor with a changelog, and are exactly once where the
 * application is. With {@code at_least_once} a record that comes again after a crash is learned again, as a whole.
 *
 * <p>With the setting {@code await.labels.ms} an example without a label waits for its {@link LearnLabel}. The time of
 * a model is the largest timestamp of its records. A label in time is learned, and its result forwarded, with the
 * prediction that was made then; so is {@code label.default} when the time is over. A label before its example waits
 * for {@code await.examples.ms}, and is learned with it; where no example comes, the label is logged as refused.
 *
 * <p>A record without a key or value, and an example or label that cannot be used, throws, and has changed nothing but
 * the time; the {@code processing.exception.handler} of the application decides whether the stream goes on.
 *
 * <p>Cost: per record the work of the model. Each commit writes the smaller of two: the records since the last commit,
 * or the blocks that they have changed; blocks are written after ten seconds at the latest. After a crash the records
 * since then are learned again, without results. Memory: models that were used lately, at most a quarter of the heap
 * for all processors of the JVM, but at least one for each task. Immutable and thread-safe; each task has its own
 * models.
 *
 * @since 0.2.0
 */
@NullMarked
public final class Learn implements ProcessorSupplier<String, LearnInput, String, LearnResult> {
    private static final Duration CHECKPOINT_INTERVAL = Duration.ofSeconds(10);

    /** Default of {@code max.request.size} of a producer. */
    private static final int DEFAULT_MAX_REQUEST = 1_048_576;

    private static final StoreCounters COUNTERS = new StoreCounters();

    private static final long HEAP_LIMIT = Runtime.getRuntime().maxMemory() / 4;

    private final Map<String, String> settings;
    private final String name;
    private final CommitHook commitHook = new CommitHook();

    private Learn(Map<String, String> settings, String name) {
        this.settings = settings;
        this.name = name;
    }

    /**
     * Returns a processor whose models begin with these settings, and whose store is named {@code learn-models}. A
     * second store, {@code learn-commits}, keeps nothing.
     *
     * @param settings as of {@code perceptron models set}; a stored model keeps those with which it began
     * @throws IllegalArgumentException if a setting is unknown or wrong
     */
    public static Learn with(Map<String, String> settings) {
        // fails now where a record would
        var unused = Settings.DEFAULTS.with(settings);
        return new Learn(Map.copyOf(settings), "learn");
    }

    /** Returns a processor with another name, for several in one topology: its stores begin with it. */
    public Learn named(String newName) {
        return new Learn(settings, newName);
    }

    /** Name of the store of the models, which {@link #toBytes} reads. */
    public String storeName() {
        return name + "-models";
    }

    /**
     * Returns a model of a store as bytes for {@link OnlineModel#fromBytes}, unless its settings need a stream, and for
     * {@code perceptron weights import}.
     *
     * <p>The task of the model may run meanwhile: the bytes are those of its last commit, or of a record after it.
     * Cost: O(weights), and learning the inputs of the model since the last checkpoint of the store.
     *
     * @param store the store {@link #storeName}, as {@code KafkaStreams.store} returns it: of one task, or of all tasks
     *     in the process
     * @return null if the store has no model of this name
     * @throws IllegalStateException if its task writes models without a pause for some seconds, or if the weights are
     *     corrupt
     */
    public static byte @Nullable [] toBytes(ReadOnlyKeyValueStore<Bytes, byte[]> store, String model) {
        Model found = LearnModels.copy(store, model);
        return found == null ? null : OnlineModel.toBytes(found);
    }

    private String commitsName() {
        return name + "-commits";
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
        // without a cache: what is written at a commit is written once, and in its order
        StoreBuilder<?> models = Stores.keyValueStoreBuilder(
                        Stores.persistentKeyValueStore(storeName()), Serdes.Bytes(), Serdes.ByteArray())
                .withCachingDisabled()
                .withLoggingEnabled(Map.of());
        return Set.of(models, commitHook.store(commitsName()));
    }

    @Override
    public Processor<String, LearnInput, String, LearnResult> get() {
        return new LearnTask();
    }

    private final class LearnTask extends ContextualProcessor<String, LearnInput, String, LearnResult> {
        private LearnModels models;
        private boolean isTransactional;
        private boolean isRequested;
        private KeyValueStore<Bytes, byte[]> commits;
        private long task;

        @Override
        public void init(ProcessorContext<String, LearnResult> context) {
            super.init(context);
            // after an aborted transaction a task begins again with an older store
            close();
            Object guarantee = context.appConfigs().get(StreamsConfig.PROCESSING_GUARANTEE_CONFIG);
            isTransactional = StreamsConfig.EXACTLY_ONCE_V2.equals(guarantee);
            int maxRecord = maxRecord(context.appConfigs());
            if (maxRecord < TopicValidator.MAX_RECORD_BYTES) {
                throw new IllegalArgumentException(
                        "producer.max.request.size and topic.max.message.bytes must be at least "
                                + TopicValidator.MAX_RECORD_BYTES + " with Learn, got " + maxRecord);
            }
            isRequested = false;
            commits = context.getStateStore(commitsName());
            task = commitHook.add(this::commit);
            context.schedule(CHECKPOINT_INTERVAL, PunctuationType.WALL_CLOCK_TIME, now -> checkpoint());
        }

        @Override
        public void process(Record<String, LearnInput> record) {
            requireComplete(record.key(), record.value());
            byte[] model = record.key().getBytes(StandardCharsets.UTF_8);
            if (!ModelName.isValid(model)) {
                throw new IllegalArgumentException("the key of a record must be the name of a model, " + ModelName.RULE
                        + ", got '" + record.key() + "'");
            }
            if (models == null) {
                LearnStore batches = new LearnStore(
                        context().getStateStore(storeName()), context().taskId().partition(), isTransactional);
                models = new LearnModels(batches, Settings.DEFAULTS.with(settings), COUNTERS, HEAP_LIMIT);
            }
            try {
                models.learn(
                        model,
                        record.timestamp(),
                        record.value(),
                        result -> context().forward(record.withValue(result)));
            } finally {
                // afterwards: without a cache the commit is called at once
                if (!isRequested) {
                    isRequested = true;
                    CommitHook.request(commits, task);
                }
            }
        }

        private void commit() {
            isRequested = false;
            if (models != null) {
                models.commit();
            }
        }

        private void checkpoint() {
            if (models != null) {
                models.checkpoint();
            }
        }

        @Override
        public void close() {
            commitHook.remove(task);
            if (models != null) {
                models.close();
                models = null;
            }
        }
    }

    /** Maximum size of a record of a changelog with the settings of an application. */
    private static int maxRecord(Map<String, Object> config) {
        String name = ProducerConfig.MAX_REQUEST_SIZE_CONFIG;
        Object given = config.getOrDefault(StreamsConfig.producerPrefix(name), config.get(name));
        int ofRequest = given == null ? DEFAULT_MAX_REQUEST : Integer.parseInt(given.toString());
        Object ofTopic = config.get(StreamsConfig.topicPrefix(TopicConfig.MAX_MESSAGE_BYTES_CONFIG));
        return ofTopic == null ? ofRequest : Math.min(ofRequest, Integer.parseInt(ofTopic.toString()));
    }

    static void requireComplete(String key, LearnInput value) {
        if (key == null || value == null) {
            throw new IllegalArgumentException(
                    "a record must have the name of a model as key and an example or label as value,"
                            + " got a record without a " + (key == null ? "key" : "value"));
        }
    }
}
