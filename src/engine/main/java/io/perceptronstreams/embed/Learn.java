package io.perceptronstreams.embed;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.settings.Settings;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processor that predicts and learns in a topology of another program: {@code examples.process(Learn.with(settings))}.
 *
 * <p>The key of a record is the name of its model, so that a stream with new keys must be repartitioned first. Each
 * example is {@linkplain OnlineModel#learn learned}, and its result forwarded with the same key and timestamp. The
 * models are in a store of the processor with a changelog, one value per model, and are exactly once where the
 * application is.
 *
 * <p>With the setting {@code await.labels.ms} an example without a label waits for its {@link LearnLabel}, in a second
 * store, which is always there: a stored model keeps its own settings. The time of a model is the largest timestamp of
 * its records. A label in time is learned as by the engine, and its result forwarded, with the prediction that was made
 * then; so is {@code label.default} when the time is over. A label before its example waits for
 * {@code await.examples.ms}, and is learned with it; where no example comes, the label is logged as refused.
 *
 * <p>A record without a key or value, an example or label that cannot be used, and an example after which the model
 * does not fit into a record of its changelog (1 MB by default) throws, and has changed nothing; the
 * {@code processing.exception.handler} of the application decides whether the stream goes on.
 *
 * <p>Cost: per record O(weights of the model), because the whole model is written: for models of up to some thousand
 * weights. Immutable and thread-safe; each task has its own models.
 *
 * @since 0.2.0
 */
public final class Learn implements ProcessorSupplier<String, LearnInput, String, LearnResult> {
    /** Default of {@code max.request.size}. */
    private static final int DEFAULT_MAX_REQUEST = 1 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(Learn.class);

    private final Map<String, String> settings;
    private final String name;

    private Learn(Map<String, String> settings, String name) {
        this.settings = settings;
        this.name = name;
    }

    /**
     * Returns a processor whose models begin with these settings, and whose store is named {@code learn-models}.
     *
     * @param settings as of {@link OnlineModel#create}, and {@code await.labels.ms}; a stored model keeps those with
     *     which it began
     * @throws IllegalArgumentException if a setting is unknown, wrong, or needs the engine
     */
    public static Learn with(Map<String, String> settings) {
        // fails now where a record would
        var unused = OnlineModel.create(settings, true);
        return new Learn(Map.copyOf(settings), "learn");
    }

    /**
     * Returns a processor with another name, for several in one topology: its store is {@code NAME-models}, that of
     * waiting examples {@code NAME-waiting}.
     */
    public Learn named(String newName) {
        return new Learn(settings, newName);
    }

    /** Name of the store, which has the {@linkplain OnlineModel#toBytes bytes} of each model by its name. */
    public String storeName() {
        return name + "-models";
    }

    private String waitingStoreName() {
        return name + "-waiting";
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
        Set<StoreBuilder<?>> stores = new HashSet<>();
        stores.add(Stores.keyValueStoreBuilder(
                        Stores.persistentKeyValueStore(storeName()), Serdes.String(), Serdes.ByteArray())
                .withCachingEnabled()
                .withLoggingEnabled(Map.of()));
        // without await.labels.ms, too: stored models may have it, from a time when it was set
        stores.add(Stores.keyValueStoreBuilder(
                        Stores.persistentKeyValueStore(waitingStoreName()), Serdes.String(), Serdes.String())
                .withCachingEnabled()
                .withLoggingEnabled(Map.of()));
        return stores;
    }

    @Override
    public Processor<String, LearnInput, String, LearnResult> get() {
        return new LearnTask();
    }

    /** Models of one task: those in memory are the ones in the store. */
    private final class LearnTask extends ContextualProcessor<String, LearnInput, String, LearnResult> {
        private static final int MAX_MODELS = 100;

        /** Maximum number of due examples that are resolved before one record, as in the engine. */
        private static final int MAX_RESOLVED = 1_000;

        /** Maximum number of characters of a waiting example. */
        private static final int MAX_WAITING = 256 * 1024;

        /** Size of a batch with one record besides key and value, at most. */
        private static final int RECORD_OVERHEAD = 128;

        private final Map<String, OnlineModel> models = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, OnlineModel> eldest) {
                return size() > MAX_MODELS;
            }
        };
        private KeyValueStore<String, byte[]> store;
        private KeyValueStore<String, String> waitingStore;
        private int maxBytes;

        @Override
        public void init(ProcessorContext<String, LearnResult> context) {
            super.init(context);
            // after an aborted transaction a task begins again with an older store
            models.clear();
            store = context.getStateStore(storeName());
            waitingStore = context.getStateStore(waitingStoreName());
            maxBytes = maxBytes(context.appConfigs());
        }

        @Override
        public void process(Record<String, LearnInput> record) {
            requireComplete(record.key(), record.value());
            long awaitMs = model(record.key()).settings().get(Settings.AWAIT_LABELS_MS);
            WaitingExamples waiting = awaitMs > 0 ? new WaitingExamples(waitingStore, record.key()) : null;
            if (waiting != null && waiting.hasTime()) {
                waiting.passTime(record.timestamp());
                resolveDue(record, waiting);
            }
            if (record.value() instanceof LearnLabel label) {
                learnLabel(record, label, waiting);
            } else if (waiting == null) {
                forward(record, change(record.key(), (LearnExample) record.value(), OnlineModel::learn));
            } else {
                learnOrAwait(record, (LearnExample) record.value(), waiting, record.timestamp() + awaitMs);
            }
        }

        private void forward(Record<String, LearnInput> record, LearnResult result) {
            context().forward(record.withValue(result));
        }

        private void learnOrAwait(
                Record<String, LearnInput> record, LearnExample example, WaitingExamples waiting, long due) {
            if (waiting.find(example.id()) != null) {
                throw new RejectedException(
                        RejectReason.DUPLICATE_EXAMPLE,
                        "the id of an example must be new while another waits for its label, got '" + example.id()
                                + "' again");
            }
            WaitingLabel early = waiting.findLabel(example.id());
            if (early != null) {
                learnEarly(record, example, early, waiting, due);
                return;
            }
            if (example.labelText() == null) {
                requireRoom(record.key(), waiting);
                requireLength(example);
            }
            LearnResult result = change(record.key(), example, OnlineModel::learn);
            keep(record, example, waiting, due);
            forward(record, result);
        }

        /** Notes a learned example: its id and, if it has no label, that it waits. */
        private void keep(Record<String, LearnInput> record, LearnExample example, WaitingExamples waiting, long due) {
            waiting.passTime(record.timestamp());
            boolean isLabelled = example.labelText() != null;
            if (!isLabelled) {
                Label predicted = model(record.key()).lastPredicted();
                waiting.add(WaitingExample.of(example, predicted, due, waiting.next()));
            }
            waiting.addId(
                    example.id(), isLabelled, model(record.key()).settings().lastIds());
        }

        /** Learns an example whose label is there already. */
        private void learnEarly(
                Record<String, LearnInput> record,
                LearnExample example,
                WaitingLabel early,
                WaitingExamples waiting,
                long due) {
            LearnExample used = example;
            LearnResult result;
            RejectedException refused = null;
            if (example.labelText() != null) {
                result = change(record.key(), example, OnlineModel::learn);
                refused = duplicateLabel();
            } else {
                try {
                    used = WaitingExample.of(example, null, 0, 0).labelled(early.label());
                    result = change(record.key(), used, OnlineModel::learn);
                } catch (RejectedException e) {
                    if (e.reason() == RejectReason.MODEL_FULL) {
                        throw e;
                    }
                    // if the example can be used alone, its label is at fault
                    refused = e;
                    requireLength(example);
                    used = example;
                    result = change(record.key(), example, OnlineModel::learn);
                }
            }
            waiting.removeLabel(early);
            keep(record, used, waiting, due);
            forward(record, result);
            if (refused != null) {
                logRefused(record.key(), early, refused);
            }
        }

        /**
         * A label that has waited cannot throw any more: the record is another one, which must not be refused for it.
         */
        private void logRefused(String name, WaitingLabel label, RejectedException why) {
            LOG.warn(
                    "label of '{}' for model '{}' is refused, {}: {}",
                    label.exampleId(),
                    name,
                    why.reason(),
                    why.getMessage());
        }

        private static RejectedException duplicateLabel() {
            return new RejectedException(
                    RejectReason.DUPLICATE_LABEL,
                    "an example must have one label, got a second one (the first counts)");
        }

        private void requireRoom(String name, WaitingExamples waiting) {
            int max = model(name).settings().get(Settings.AWAIT_LABELS_MAX);
            if (waiting.count() >= max) {
                throw new RejectedException(
                        RejectReason.PENDING_FULL,
                        "at most await.labels.max = " + max
                                + " examples and labels of a model must wait, got one more");
            }
        }

        private static void requireLength(LearnExample example) {
            int length = WaitingExample.of(example, null, 0, 0).toJson().length();
            if (length > MAX_WAITING) {
                throw new RejectedException(
                        RejectReason.PENDING_FULL,
                        "an example that waits must have at most " + MAX_WAITING + " characters as JSON, got " + length
                                + " (example '" + example.id() + "'; send it with its label)");
            }
        }

        private void learnLabel(Record<String, LearnInput> record, LearnLabel label, WaitingExamples waiting) {
            if (waiting == null) {
                throw new RejectedException(
                        RejectReason.LATE_LABEL,
                        "a model must have await.labels.ms > 0 to use a label without its example, got 0 (example '"
                                + label.exampleId() + "')");
            }
            WaitingExample then = waiting.find(label.exampleId());
            if (then == null) {
                awaitExample(record, label, waiting);
                return;
            }
            LearnResult result = learnLate(record.key(), then, label.label(), waiting);
            waiting.markLabelled(label.exampleId());
            forward(record, result);
        }

        private void awaitExample(Record<String, LearnInput> record, LearnLabel label, WaitingExamples waiting) {
            String id = label.exampleId();
            if (waiting.findLabel(id) != null || waiting.isLabelled(id)) {
                throw duplicateLabel();
            }
            Settings settings = model(record.key()).settings();
            if (waiting.isRecent(id)) {
                throw new RejectedException(
                        RejectReason.LABEL_TOO_LATE,
                        "a label must come at most await.labels.ms = " + settings.get(Settings.AWAIT_LABELS_MS)
                                + " after its example, in event time of the model, got it later (example '" + id
                                + "'; raise await.labels.ms)");
            }
            long awaitMs = settings.get(Settings.AWAIT_EXAMPLES_MS);
            if (awaitMs == 0) {
                throw new RejectedException(
                        RejectReason.LABEL_WITHOUT_EXAMPLE,
                        "a label must be of an example that has come, got '" + id
                                + "' (set await.examples.ms if labels come before their examples)");
            }
            requireRoom(record.key(), waiting);
            waiting.passTime(record.timestamp());
            waiting.addLabel(new WaitingLabel(id, record.timestamp() + awaitMs, waiting.next(), label.label()));
        }

        private LearnResult learnLate(String name, WaitingExample then, Object label, WaitingExamples waiting) {
            LearnResult result = change(
                    name, then.labelled(label), (model, example) -> model.learnLate(example, then.predictedLabel()));
            waiting.remove(then);
            return result;
        }

        /**
         * Learns {@code label.default} where the time of a label is over; without it the example only ends to wait. A
         * label whose example has not come is refused.
         */
        private void resolveDue(Record<String, LearnInput> record, WaitingExamples waiting) {
            for (int resolved = 0; resolved < MAX_RESOLVED; resolved++) {
                WaitingLabel label = waiting.nextDueLabel();
                WaitingExample example = waiting.nextDue();
                // by time, as in the engine: with more than the limit each resolves the same ones
                if (label != null && (example == null || isBefore(label, example))) {
                    resolve(record, label, waiting);
                } else if (example != null) {
                    resolve(record, example, waiting);
                } else {
                    return;
                }
            }
        }

        private static boolean isBefore(WaitingLabel label, WaitingExample example) {
            return label.due() == example.due() ? label.number() < example.number() : label.due() < example.due();
        }

        private void resolve(Record<String, LearnInput> record, WaitingLabel due, WaitingExamples waiting) {
            waiting.removeLabel(due);
            logRefused(
                    record.key(),
                    due,
                    new RejectedException(
                            RejectReason.LABEL_WITHOUT_EXAMPLE,
                            "a label must come at most await.examples.ms before its example, got none of its id"
                                    + " within that time"));
        }

        private void resolve(Record<String, LearnInput> record, WaitingExample due, WaitingExamples waiting) {
            String text = model(record.key()).settings().get(Settings.LABEL_DEFAULT);
            try {
                if (!text.isEmpty()) {
                    Object label = Label.parse(text) instanceof Label.Int number ? (Object) number.value() : text;
                    forward(record, learnLate(record.key(), due, label, waiting));
                    return;
                }
            } catch (RejectedException e) {
                // a default that the model cannot use is none
            }
            waiting.remove(due);
        }

        /** Changes a model and stores it; what fails changes nothing. */
        private LearnResult change(
                String name, LearnExample example, BiFunction<OnlineModel, LearnExample, LearnResult> use) {
            try {
                OnlineModel model = model(name);
                LearnResult result = use.apply(model, example);
                byte[] bytes = model.toBytes();
                requireSize(name, bytes, example);
                store.put(name, bytes);
                return result;
            } catch (RuntimeException e) {
                // what is not in the store must not be in memory
                models.remove(name);
                throw e;
            }
        }

        private void requireSize(String name, byte[] bytes, LearnExample example) {
            int size = bytes.length + name.getBytes(StandardCharsets.UTF_8).length + RECORD_OVERHEAD;
            if (size > maxBytes) {
                throw new RejectedException(
                        RejectReason.MODEL_FULL,
                        "model '" + name + "' must fit into a record of " + maxBytes + " bytes, got " + size
                                + " (example '" + example.id() + "'; raise producer.max.request.size, and"
                                + " max.message.bytes of the topic ending in " + storeName() + "-changelog)");
            }
        }

        private OnlineModel model(String key) {
            OnlineModel known = models.get(key);
            if (known == null) {
                byte[] stored = store.get(key);
                known = stored == null ? OnlineModel.create(settings, true) : OnlineModel.fromBytes(stored, true);
                models.put(key, known);
            }
            return known;
        }
    }

    static void requireComplete(String key, LearnInput value) {
        if (key == null || value == null) {
            throw new IllegalArgumentException(
                    "a record must have the name of a model as key and an example or label as value,"
                            + " got a record without a " + (key == null ? "key" : "value"));
        }
    }

    /** Maximum size of a record of a changelog with the settings of an application. */
    private static int maxBytes(Map<String, Object> config) {
        String name = ProducerConfig.MAX_REQUEST_SIZE_CONFIG;
        Object given = config.getOrDefault(StreamsConfig.producerPrefix(name), config.get(name));
        int ofRequest = given == null ? DEFAULT_MAX_REQUEST : Integer.parseInt(given.toString());
        Object ofTopic = config.get(StreamsConfig.topicPrefix(TopicConfig.MAX_MESSAGE_BYTES_CONFIG));
        return ofTopic == null ? ofRequest : Math.min(ofRequest, Integer.parseInt(ofTopic.toString()));
    }
}
