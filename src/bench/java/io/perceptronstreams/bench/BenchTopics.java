package io.perceptronstreams.bench;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.KafkaClients;
import io.perceptronstreams.client.ProgressBar;
import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.cluster.TopicCreator;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.event.Example;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.sending.ExampleSender;
import io.perceptronstreams.sending.LabelDelay;
import io.perceptronstreams.sending.LabelSplitter;
import io.perceptronstreams.sending.RateLimiter;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.avro.Schema;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/** The topics of a benchmark. The input topics are filled before the first round and read in every round. */
final class BenchTopics {
    private final BenchSettings settings;
    private final Map<String, String> addresses;
    private final double turned;
    private final LearnedExamples late;

    /**
     * @param addresses connection settings of the cluster
     * @param turned fraction of turned labels on the hard stream
     */
    BenchTopics(BenchSettings settings, Map<String, String> addresses, double turned) {
        this.settings = settings;
        this.addresses = addresses;
        this.turned = turned;
        this.late = new LearnedExamples(settings.data().labelsAfter() == null ? 0 : settings.examples());
    }

    /** Returns the configuration for clients of an input and its outputs. */
    EngineConfig config(BenchInput input) {
        return config(input, Map.of());
    }

    private EngineConfig config(BenchInput input, Map<String, String> own) {
        return EngineConfig.of(settings(input, own), Map.of(), null, Map.of());
    }

    /** Returns all settings of a variant's process: the common settings and its {@code own}. */
    Map<String, String> settings(BenchInput input, Map<String, String> own) {
        Map<String, String> all = settings.streams();
        all.putAll(addresses);
        all.put("topics.prefix", input.prefix());
        all.putAll(own);
        return all;
    }

    /** Creates all topics and fills the input topics with the first examples of the stream. */
    void fill(SyntheticStream stream, ProgressBar progress) throws ExecutionException, InterruptedException {
        List<Sender> senders = new ArrayList<>();
        try {
            for (BenchInput input : Variant.inputs(settings.data())) {
                create(input);
                senders.add(sender(input, 20));
            }
            long start = System.nanoTime();
            for (int sent = 0; sent < settings.examples(); progress.update(++sent)) {
                stream.next();
                for (Sender sender : senders) {
                    sender.send(stream);
                }
            }
            double rate = settings.examples() * 1e9 / (System.nanoTime() - start);
            for (Sender sender : senders) {
                sender.sendLastLabels(stream, rate);
            }
        } finally {
            senders.forEach(Sender::close);
        }
    }

    private void create(BenchInput input) throws ExecutionException, InterruptedException {
        EngineConfig config = config(input);
        try (Admin admin = Admin.create(config.admin())) {
            admin.createTopics(List.of(
                            new NewTopic(Variant.copies(config), Optional.of(settings.partitions()), Optional.empty())))
                    .all()
                    .get();
            TopicCreator.create(admin, config);
        }
    }

    /** Replaces the output topics of an input by empty ones, so that disk and page cache do not fill up. */
    void clear(BenchInput input) throws ExecutionException, InterruptedException {
        EngineConfig config = config(input);
        try (Admin admin = Admin.create(config.admin())) {
            List<String> outputs = admin.listTopics().names().get().stream()
                    .filter(name -> name.startsWith(input.prefix() + "-"))
                    .filter(name -> !name.equals(config.topic(Topic.EXAMPLES)))
                    .toList();
            admin.deleteTopics(outputs).all().get();
        }
        create(input);
    }

    /** Returns the number of records of an input up to the one from which an example is learned; of full records. */
    long records(BenchInput input, long example) {
        return input == BenchInput.LATE_LABELS
                ? late.records(example)
                : example / settings.batch(input) + settings.commandRecords(input);
    }

    /** Returns how many examples have been learned from the first records of an input. */
    long learned(BenchInput input, long records) {
        return input == BenchInput.LATE_LABELS
                ? late.learned(records)
                : Math.max(0, records - settings.commandRecords(input)) * settings.batch(input);
    }

    /** Counts the mistakes with example ids from {@code after}, exclusive, to {@code last}, inclusive. */
    long mistakes(BenchInput input, long after, long last) {
        EngineConfig config = config(input);
        AtomicLong mistakes = new AtomicLong();
        try (TopicScan tail = TopicScan.open(config, config.topic(Topic.MISTAKES))) {
            tail.readAll(mistake -> {
                long id = LatencyProbe.id(mistake.value());
                if (id > after && id <= last) {
                    mistakes.incrementAndGet();
                }
            });
        }
        return mistakes.get();
    }

    /**
     * Requires that no example was refused.
     *
     * @throws CommandFailedException if there is a dead letter: figures would be those of refusing
     */
    void requireNoDeadLetters(BenchInput input) {
        EngineConfig config = config(input);
        List<DeadLetter> letters = new ArrayList<>();
        AtomicLong count = new AtomicLong();
        try (TopicScan scan = TopicScan.open(config, config.topic(Topic.DEAD_LETTERS))) {
            scan.readAll(letter -> {
                if (count.getAndIncrement() == 0) {
                    letters.add(DeadLetter.of(letter.headers()));
                }
            });
        }
        if (!letters.isEmpty()) {
            throw new CommandFailedException("the engine must learn from all examples, but refused " + count
                    + " of them; the first: " + letters.get(0).message());
        }
    }

    /**
     * Mean bytes of a record in the log: an example, a prediction, a mistake; NaN where there is none. A record of
     * several examples counts as one.
     */
    record RecordBytes(double example, double prediction, double mistake) {
        static final RecordBytes NONE = new RecordBytes(Double.NaN, Double.NaN, Double.NaN);
    }

    /** Returns what the records of an input and of its outputs take on the disk of one broker. */
    RecordBytes bytes(BenchInput input) throws ExecutionException, InterruptedException {
        EngineConfig config = config(input);
        try (Admin admin = Admin.create(config.admin())) {
            return new RecordBytes(
                    bytes(admin, config.topic(Topic.EXAMPLES)),
                    bytes(admin, config.topic(Topic.PREDICTIONS)),
                    bytes(admin, config.topic(Topic.MISTAKES)));
        }
    }

    private double bytes(Admin admin, String topic) throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
        for (int partition = 0; partition < settings.partitions(); partition++) {
            ends.put(new TopicPartition(topic, partition), OffsetSpec.latest());
        }
        long records = admin.listOffsets(ends).all().get().values().stream()
                .mapToLong(ListOffsetsResult.ListOffsetsResultInfo::offset)
                .sum();
        int broker = admin.describeCluster().nodes().get().iterator().next().id();
        long size = admin.describeLogDirs(List.of(broker)).allDescriptions().get().get(broker).values().stream()
                .flatMap(each -> each.replicaInfos().entrySet().stream())
                .filter(each -> each.getKey().topic().equals(topic))
                .mapToLong(each -> each.getValue().size())
                .sum();
        return (double) size / records;
    }

    /** Creates a sender of examples to an input. */
    Sender sender(BenchInput input, int lingerMs) {
        return new Sender(input, config(input, Map.of("producer.linger.ms", Integer.toString(lingerMs))));
    }

    /** Sends each example to the next model, with its label or some time before it. */
    final class Sender implements AutoCloseable {
        private final BenchInput input;
        private final BenchModels models;
        private final Producer<byte[], byte[]> producer;
        private final List<ExampleSender> senders = new ArrayList<>();

        // one for each model; empty if examples have their labels
        private final List<LabelSplitter> splitters = new ArrayList<>();
        private long labels;
        private long records;

        private Sender(BenchInput input, EngineConfig config) {
            this.input = input;
            this.models = settings.models(input);
            String topic = config.topic(Topic.EXAMPLES);
            producer = KafkaClients.producer(config);
            command(topic, settings.commands(input));
            try (SchemaRegistry registry = SchemaRegistries.of(config.registry())) {
                EventWriter examples = writer(registry, "Example", topic + "-value");
                EventWriter lateLabels =
                        input == BenchInput.LATE_LABELS ? writer(registry, "Label", topic + "-Label") : null;
                int batch = settings.batch(input);
                EventWriter batches = batch == 1 ? null : writer(registry, "ExampleBatch", topic + "-ExampleBatch");
                for (byte[] key : models.keys()) {
                    List<String> model = List.of(new String(key, StandardCharsets.UTF_8));
                    senders.add(new ExampleSender(producer, topic, model, examples, lateLabels, batch, batches));
                }
            }
            if (input == BenchInput.LATE_LABELS) {
                LabelDelay delay = settings.data().labelsAfter();
                senders.forEach(sender -> splitters.add(new LabelSplitter(sender, delay)));
            }
        }

        private static EventWriter writer(SchemaRegistry registry, String event, String subject) {
            Schema schema = EventSchemas.schema(event);
            return new EventWriter(schema, registry.register(subject, schema));
        }

        private void command(String topic, List<String> commands) {
            for (String command : commands) {
                for (byte[] key : models.keys()) {
                    // a failure shows in the first example
                    var unused =
                            producer.send(new ProducerRecord<>(topic, key, command.getBytes(StandardCharsets.UTF_8)));
                    records++;
                }
            }
        }

        /** Sends the stream's current example. */
        void send(SyntheticStream stream) {
            Example example = stream.example(input.bits(stream), input.isHard() ? turned : 0);
            int model = models.next();
            if (splitters.isEmpty()) {
                senders.get(model).send(example);
                return;
            }
            LabelSplitter splitter = splitters.get(model);
            long before = splitter.labels();
            splitter.send(example, null);
            long sent = splitter.labels() - before;
            labels += sent;
            records += 1 + sent;
            late.add(sent, records);
        }

        /** Sends further examples of the stream at the same rate until all labels of the topic's examples are sent. */
        void sendLastLabels(SyntheticStream stream, double rate) {
            long start = System.nanoTime();
            for (int sent = 0; !splitters.isEmpty() && labels < settings.examples(); sent++) {
                RateLimiter.await(start, sent, rate);
                stream.next();
                send(stream);
            }
        }

        /** @throws CommandFailedException if the broker has rejected an example */
        @Override
        public void close() {
            try (producer) {
                senders.forEach(ExampleSender::finish);
            }
        }
    }
}
