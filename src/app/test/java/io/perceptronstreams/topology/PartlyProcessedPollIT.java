package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.log.EngineServices;
import io.perceptronstreams.log.InputLog;
import io.perceptronstreams.log.KafkaInputLog;
import io.perceptronstreams.log.RegistryRetry;
import io.perceptronstreams.log.RestoreProgress;
import io.perceptronstreams.log.ShutdownBarrier;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.store.StoreCounters;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.KafkaClientSupplier;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A partition goes to another member of the group while some batches of a poll are processed, and others wait in Kafka
 * Streams.
 *
 * <p>The first member processes nothing from the start of the second one on until that has begun. A rebalance lets a
 * member process on between the polls in which it joins the group, assigns the partitions, and revokes its own; so the
 * partition moved with any number of records of any poll processed, or, on a fast machine, not before the last one was.
 */
final class PartlyProcessedPollIT {
    private static final int PARTITIONS = 2;

    /** Of each partition: several batches of a poll, and several polls. */
    private static final int EXAMPLES = 5_000;

    private static final int POLLED_RECORDS = 3_000;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /** Models that lie in the partitions 0 and 1. */
    private static final List<String> MODELS = List.of("a", "d");

    @TempDir
    Path directory;

    private final SharedCluster cluster = new SharedCluster("partly-processed-poll");

    @Test
    void shouldLearnTheRestOfAPollElsewhere() throws Exception {
        assertThat(cluster.run("topics", "create", "-D", "topics.partitions=" + PARTITIONS))
                .isZero();
        for (String model : MODELS) {
            cluster.send(
                    model,
                    IntStream.range(0, EXAMPLES)
                            .mapToObj(PartlyProcessedPollIT::example)
                            .toArray(String[]::new));
        }
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrapServers()));
                Member second = new Member("second", null);
                Member first = new Member("first", second)) {
            first.streams.start();
            await().atMost(PATIENCE).until(() -> isAllCommitted(admin));

            assertThat(second.begun).as("partitions that have moved").hasSize(1);
            int moved = second.begun.keySet().iterator().next();
            assertThat(second.begun.get(moved))
                    .as("the first record of partition %d elsewhere", moved)
                    .isEqualTo(first.next.get(moved))
                    .isBetween(1L, EXAMPLES - 1L);
        }
        try (SchemaRegistry registry =
                SchemaRegistries.of(cluster.config(Map.of()).registry())) {
            Map<Topic, Long> compared =
                    new LogComparison(cluster.bootstrapServers(), registry, PARTITIONS, cluster.prefix()).run();
            assertThat(compared).containsEntry(Topic.PREDICTIONS, (long) PARTITIONS * EXAMPLES);
        }
    }

    private static String example(int number) {
        return "{\"id\":\"" + number + "\",\"label\":" + (number % 3 == 0 ? 1 : -1) + ",\"features\":[1," + number % 7
                + "]}";
    }

    private boolean isAllCommitted(Admin admin) throws Exception {
        Map<TopicPartition, OffsetAndMetadata> positions = admin.listConsumerGroupOffsets(cluster.prefix())
                .partitionsToOffsetAndMetadata()
                .get();
        return positions.size() == PARTITIONS
                && positions.values().stream().allMatch(position -> position.offset() == EXAMPLES);
    }

    /**
     * An engine with one thread, which polls after every batch: Kafka Streams does so when the time until a poll is due
     * is half over.
     */
    private final class Member implements AutoCloseable {
        final KafkaStreams streams;

        /** By partition, the offset of the first record that it has processed, and the one after the last. */
        final Map<Integer, Long> begun = new ConcurrentHashMap<>();

        final Map<Integer, Long> next = new ConcurrentHashMap<>();
        private final SchemaRegistry registry;
        private final InputLog log;
        private final ShutdownBarrier stop = new ShutdownBarrier();
        private final Member other;
        private boolean isOtherStarted;
        private Consumer<byte[], byte[]> consumer;

        /**
         * @param other is started when a batch of every partition is processed, and more of a poll are not; may be null
         */
        Member(String name, Member other) {
            this.other = other;
            EngineConfig config = cluster.config(Map.of(
                    "data.dir", directory.resolve(name).toString(),
                    "num.stream.threads", "1",
                    "max.poll.interval.ms", "1",
                    // a poll waits although all partitions are paused
                    "poll.ms", "1",
                    "max.poll.records", Integer.toString(POLLED_RECORDS),
                    "buffered.records.per.partition", "2"));
            registry = SchemaRegistries.of(config.registry());
            log = new KafkaInputLog(config, stop::isRequested);
            EngineServices.Limits limits = StartupChecks.check(config);
            EngineServices services = new EngineServices(
                    config,
                    registry,
                    limits,
                    EngineRunner.ids(config, registry),
                    log,
                    new RegistryRetry(0),
                    stop,
                    new RestoreProgress(partition -> {}),
                    new StoreCounters(),
                    System::nanoTime);
            Properties properties = new Properties();
            properties.putAll(config.streams());
            streams = new KafkaStreams(
                    LearningTopology.build(config, limits.aheadMs(), () -> new Watched(services)),
                    properties,
                    new Clients());
        }

        @Override
        public void close() {
            stop.request(PATIENCE);
            assertThat(stop.await()).isTrue();
            assertThat(streams.close(PATIENCE)).isTrue();
            log.close();
            registry.close();
        }

        private final class Watched implements Processor<byte[], byte[], byte[], byte[]> {
            private final LearnProcessor learner;
            private int partition;

            Watched(EngineServices services) {
                learner = new LearnProcessor(services);
            }

            @Override
            public void init(ProcessorContext<byte[], byte[]> context) {
                partition = context.taskId().partition();
                learner.init(context);
            }

            @Override
            public void process(Record<byte[], byte[]> record) {
                InputBatch batch = InputBatch.in(record.headers());
                begun.putIfAbsent(partition, batch.first().offset());
                learner.process(record);
                next.put(partition, batch.last().offset() + 1);
                // a partition with more than a few batches is paused
                if (other != null
                        && !isOtherStarted
                        && next.size() == PARTITIONS
                        && consumer.paused().size() == PARTITIONS) {
                    isOtherStarted = true;
                    other.streams.start();
                }
            }

            @Override
            public void close() {
                learner.close();
            }
        }

        /** The consumer itself is not as impatient as Kafka Streams, or it would leave the group. */
        private final class Clients implements KafkaClientSupplier {
            private final StreamClients clients = new StreamClients(
                    () -> new CommitPace(10, 100, 1_000, System::nanoTime),
                    null,
                    failure -> failure,
                    new WarmCopies(0, System::nanoTime),
                    true);

            @Override
            public Admin getAdmin(Map<String, Object> config) {
                return clients.getAdmin(config);
            }

            @Override
            public Producer<byte[], byte[]> getProducer(Map<String, Object> config) {
                return clients.getProducer(config);
            }

            @Override
            @SuppressWarnings("unchecked")
            public Consumer<byte[], byte[]> getConsumer(Map<String, Object> config) {
                config.put("max.poll.interval.ms", 300_000);
                consumer = clients.getConsumer(config);
                return (Consumer<byte[], byte[]>) Proxy.newProxyInstance(
                        getClass().getClassLoader(), new Class<?>[] {Consumer.class}, (proxy, method, arguments) -> {
                            Object result = invoke(method, arguments);
                            long deadline = System.nanoTime() + PATIENCE.toNanos();
                            while (method.getName().equals("poll")
                                    && ((ConsumerRecords<?, ?>) result).isEmpty()
                                    && isOtherStarted
                                    && other.begun.isEmpty()
                                    && System.nanoTime() < deadline) {
                                result = invoke(method, arguments);
                            }
                            return result;
                        });
            }

            private Object invoke(Method method, Object[] arguments) throws Throwable {
                try {
                    return method.invoke(consumer, arguments);
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            }

            @Override
            public Consumer<byte[], byte[]> getRestoreConsumer(Map<String, Object> config) {
                return clients.getRestoreConsumer(config);
            }

            @Override
            public Consumer<byte[], byte[]> getGlobalConsumer(Map<String, Object> config) {
                return clients.getGlobalConsumer(config);
            }
        }
    }
}
