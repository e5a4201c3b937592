package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.embedded.EmbeddedBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.processor.api.Record;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** As Kafka Streams uses the producer of a thread with several tasks, one of which fails. */
final class GuardedProducerIT {
    private static final TopicPartition INPUT = new TopicPartition("input", 0);
    private static final Map<TopicPartition, OffsetAndMetadata> OFFSETS = Map.of(INPUT, new OffsetAndMetadata(7));
    private static final String GROUP = "readers";

    /** As long as an impatient producer waits for an answer. */
    private static final int PATIENCE_MS = 2_000;

    private static final Duration PATIENCE_OF_TEST = Duration.ofMinutes(1);

    @TempDir
    Path directory;

    private final TransactionTracker tracker = TransactionTracker.ofThread();
    private EmbeddedBroker broker;
    private Producer<byte[], byte[]> producer;

    @BeforeEach
    void start() throws Exception {
        broker = EmbeddedBroker.start(directory, 0);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic("input", 2, (short) 1), new NewTopic("output", 2, (short) 1)))
                    .all()
                    .get();
        }
        producer = new StreamClients(
                        () -> new CommitPace(0, 100, 1_000, System::nanoTime),
                        null,
                        failure -> failure,
                        new WarmCopies(0, System::nanoTime),
                        true)
                .getProducer(Map.of("bootstrap.servers", broker.bootstrapServers(), "transactional.id", "thread"));
        producer.initTransactions();
    }

    /** Makes another producer, with a setting of its own. */
    private void replaceProducer(String setting, int value) {
        producer.close();
        producer = new StreamClients(
                        () -> new CommitPace(0, 100, 1_000, System::nanoTime),
                        null,
                        failure -> failure,
                        new WarmCopies(0, System::nanoTime),
                        true)
                .getProducer(Map.of(
                        "bootstrap.servers", broker.bootstrapServers(), "transactional.id", "thread", setting, value));
        await().atMost(PATIENCE_OF_TEST)
                .pollInSameThread()
                .ignoreException(TimeoutException.class)
                .untilAsserted(producer::initTransactions);
    }

    @AfterEach
    void stop() {
        tracker.forget(0);
        tracker.forget(1);
        producer.close();
        broker.close();
    }

    /** A task processes a record, and its output is sent. */
    private void process(int partition) {
        producer.beginTransaction();
        tracker.note(partition);
        var unused = producer.send(new ProducerRecord<>("output", partition, null, new byte[] {1}));
        producer.flush();
    }

    private void commit() {
        try (Consumer<byte[], byte[]> reader = new StreamClients(
                        () -> new CommitPace(0, 100, 1_000, System::nanoTime),
                        null,
                        failure -> failure,
                        new WarmCopies(0, System::nanoTime),
                        true)
                .getConsumer(Map.of("bootstrap.servers", broker.bootstrapServers(), "group.id", GROUP))) {
            producer.sendOffsetsToTransaction(OFFSETS, reader.groupMetadata());
        }
        producer.commitTransaction();
    }

    private OffsetAndMetadata committed() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            return admin.listConsumerGroupOffsets(GROUP)
                    .partitionsToOffsetAndMetadata(GROUP)
                    .get()
                    .get(INPUT);
        }
    }

    @Test
    void shouldNotCommitOffsetsOfATaskWhoseOutputsWereAbortedWithThoseOfAnother() throws Exception {
        process(0);
        // another task of the thread is closed after a failure
        producer.abortTransaction();
        // and this one is to be closed in order
        producer.beginTransaction();
        assertThatThrownBy(this::commit)
                .isInstanceOf(ProducerFencedException.class)
                .hasMessageContaining("{0}");
        // without records there are no offsets, but writes of a checkpoint
        assertThatThrownBy(() -> producer.commitTransaction()).isInstanceOf(ProducerFencedException.class);
        assertThat(committed()).isNull();
        // closed with an open transaction without records, a producer waits for request.timeout.ms (30 s)
        producer.abortTransaction();
    }

    @Test
    void shouldCommitAfterTheTaskHasBegunAtTheLastCommit() throws Exception {
        process(0);
        producer.abortTransaction();
        tracker.forget(0);
        process(0);
        commit();
        assertThat(committed().offset()).isEqualTo(7);
    }

    @Test
    void shouldForgetWhatIsCommitted() throws Exception {
        process(0);
        commit();
        process(1);
        producer.abortTransaction();
        tracker.forget(1);
        producer.beginTransaction();
        commit();
        assertThat(committed().offset()).isEqualTo(7);
    }

    private static ProducerRecord<byte[], byte[]> batch(Integer partition, List<Record<byte[], byte[]>> outputs) {
        Record<byte[], byte[]> head = OutputBatch.of(outputs);
        return new ProducerRecord<>("output", partition, head.timestamp(), head.key(), head.value(), head.headers());
    }

    private static Record<byte[], byte[]> output(String key, int number) {
        return new Record<>(
                Utils.utf8(key),
                new byte[] {(byte) number},
                1_000 + number,
                new RecordHeaders().add("h" + number, new byte[] {(byte) number}));
    }

    @Test
    void shouldSendEachOutputOfABatchAsItsOwnRecord() throws Exception {
        List<Record<byte[], byte[]>> outputs = IntStream.range(0, 300)
                .mapToObj(number -> output("m" + number % 7, number))
                .toList();
        producer.beginTransaction();
        var unused = producer.send(batch(null, outputs), (metadata, failure) -> {});
        commit();
        for (int partition : List.of(0, 1)) {
            List<String> expected = outputs.stream()
                    .filter(each -> BuiltInPartitioner.partitionForKey(each.key(), 2) == partition)
                    .map(each -> new SentRecord(each.key(), each.value(), each.timestamp(), each.headers()).toString())
                    .toList();
            awaitSent(partition, sent -> assertThat(sent).isEqualTo(expected));
        }
    }

    /** Not by the hash of their keys. */
    @Test
    void shouldSendChunksAndStatusesToThePartitionOfTheirModel() throws Exception {
        List<Record<byte[], byte[]>> outputs =
                List.of(output("m1", 0), output("m1/1", 1), output("m1/2", 2), output("*/1", 3), output("*/0", 4));
        producer.beginTransaction();
        var unused = producer.send(batch(0, outputs), (metadata, failure) -> {});
        commit();
        int ofModel = LearningTopology.modelPartition(Utils.utf8("m1"), 2);
        awaitSent(ofModel, sent -> assertThat(sent).hasSize(4));
        awaitSent(1 - ofModel, sent -> assertThat(sent).hasSize(1));
    }

    /** Until the marker of the commit is written. */
    private void awaitSent(int partition, java.util.function.Consumer<List<String>> assertions) {
        await().atMost(PATIENCE_OF_TEST).pollInSameThread().untilAsserted(() -> assertions.accept(sent(partition)));
    }

    private List<String> sent(int partition) {
        TopicPartition place = new TopicPartition("output", partition);
        List<String> sent = new ArrayList<>();
        try (Consumer<byte[], byte[]> reader = new StreamClients(
                        () -> new CommitPace(0, 100, 1_000, System::nanoTime),
                        null,
                        failure -> failure,
                        new WarmCopies(0, System::nanoTime),
                        true)
                .getRestoreConsumer(
                        Map.of("bootstrap.servers", broker.bootstrapServers(), "isolation.level", "read_committed"))) {
            reader.assign(List.of(place));
            reader.seekToBeginning(List.of(place));
            long end = reader.endOffsets(List.of(place)).get(place);
            while (reader.position(place) < end) {
                reader.poll(Duration.ofMillis(100))
                        .forEach(each -> sent.add(
                                new SentRecord(each.key(), each.value(), each.timestamp(), each.headers()).toString()));
            }
        }
        return sent;
    }

    @Test
    void shouldSendNothingOfABatchAfterAFailure() throws Exception {
        List<Record<byte[], byte[]>> outputs = new ArrayList<>(List.of(output("m", 0), output("m", 1)));
        outputs.add(new Record<>(Utils.utf8("m"), new byte[2 << 20], 1_002));
        outputs.add(output("m", 3));
        outputs.add(output("m", 4));
        List<Exception> failures = Collections.synchronizedList(new ArrayList<>());
        producer.beginTransaction();
        var unused = producer.send(batch(null, outputs), (metadata, failure) -> {
            if (failure != null) {
                failures.add(failure);
            }
        });
        // Kafka Streams uses the first one
        // the output, the next one, and of those before it each that the sender has not sent yet
        assertThat(failures).hasSizeBetween(2, 4).hasOnlyElementsOfType(RecordTooLargeException.class);
        producer.abortTransaction();
        assertThat(sent(0)).isEmpty();
        assertThat(sent(1)).isEmpty();
    }

    /** Large batches are sent by another thread, and what follows them must not overtake them. */
    @Test
    void shouldKeepTheOrderOfLargeBatchesSmallOnesAndSingleOutputs() throws Exception {
        Random random = new Random(20261201);
        List<String> expected = new ArrayList<>();
        producer.beginTransaction();
        for (int number = 0; expected.size() < 20_000; ) {
            int size = random.nextBoolean() ? 1 + random.nextInt(3) : random.nextInt(1, 300);
            List<Record<byte[], byte[]>> outputs = new ArrayList<>();
            for (int k = 0; k < size; k++) {
                Record<byte[], byte[]> output = output("m", number++);
                outputs.add(output);
                expected.add(
                        new SentRecord(output.key(), output.value(), output.timestamp(), output.headers()).toString());
            }
            var unused = producer.send(batch(null, outputs), (metadata, failure) -> {});
        }
        commit();
        int partition = BuiltInPartitioner.partitionForKey(Utils.utf8("m"), 2);
        awaitSent(partition, sent -> assertThat(sent).isEqualTo(expected));
    }

    /** Kafka Streams asks for failures after the flush before a commit. */
    @Test
    void shouldHaveReportedTheFailuresOfLargeBatchesWhenItIsFlushed() {
        List<Record<byte[], byte[]>> outputs = new ArrayList<>();
        IntStream.range(0, 100).forEach(number -> outputs.add(output("m", number)));
        outputs.set(50, new Record<>(Utils.utf8("m"), new byte[2 << 20], 1_050));
        List<Exception> failures = Collections.synchronizedList(new ArrayList<>());
        producer.beginTransaction();
        for (int times = 0; times < 3; times++) {
            var unused = producer.send(batch(null, outputs), (metadata, failure) -> {
                if (failure != null) {
                    failures.add(failure);
                }
            });
        }
        producer.flush();
        assertThat(failures).first().isInstanceOf(RecordTooLargeException.class);
        assertThatThrownBy(this::commit).isInstanceOf(KafkaException.class);
        producer.abortTransaction();
        assertThat(sent(0)).isEmpty();
        assertThat(sent(1)).isEmpty();
    }

    @Test
    void shouldSendNothingMoreOnceItIsAborted() throws Exception {
        producer.beginTransaction();
        for (int times = 0; times < 50; times++) {
            List<Record<byte[], byte[]>> outputs = new ArrayList<>();
            IntStream.range(0, 300).forEach(number -> outputs.add(output("aborted", number)));
            var unused = producer.send(batch(null, outputs), (metadata, failure) -> {});
        }
        producer.abortTransaction();
        producer.beginTransaction();
        var unused = producer.send(batch(null, List.of(output("m", 1), output("m", 2))), (metadata, failure) -> {});
        commit();
        int partition = BuiltInPartitioner.partitionForKey(Utils.utf8("m"), 2);
        awaitSent(partition, sent -> assertThat(sent).hasSize(2));
        assertThat(sent(1 - partition)).isEmpty();
    }

    /** A checkpoint of an engine that was cut off from the brokers while it learned again. */
    @Test
    void shouldCommitNothingWithoutRecordsOnceThePartitionHasGoneToAnotherMember() throws Exception {
        Map<String, Object> config =
                Map.of("bootstrap.servers", broker.bootstrapServers(), "group.id", GROUP, "group.instance.id", "one");
        try (Consumer<byte[], byte[]> reader = new StreamClients(
                                () -> new CommitPace(0, 100, 1_000, System::nanoTime),
                                null,
                                failure -> failure,
                                new WarmCopies(0, System::nanoTime),
                                true)
                        .getConsumer(config);
                Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            reader.subscribe(List.of("input"));
            await().atMost(PATIENCE_OF_TEST).pollInSameThread().until(() -> {
                reader.poll(Duration.ofMillis(100));
                return !reader.assignment().isEmpty();
            });
            OffsetAndMetadata begin = new OffsetAndMetadata(7, Optional.of(0), "metadata of Kafka Streams");
            process(0);
            tracker.resume(INPUT, begin);
            producer.sendOffsetsToTransaction(Map.of(), reader.groupMetadata());
            producer.commitTransaction();
            assertThat(committed()).isEqualTo(begin);

            admin.removeMembersFromConsumerGroup(
                            GROUP, new RemoveMembersFromConsumerGroupOptions(List.of(new MemberToRemove("one"))))
                    .all()
                    .get();
            process(0);
            assertThatThrownBy(() -> producer.sendOffsetsToTransaction(Map.of(), reader.groupMetadata()))
                    .isInstanceOf(CommitFailedException.class);
            producer.abortTransaction();
        }
    }

    /** Which takes a new producer, and not another engine: after a silence longer than a transaction may last. */
    @Test
    void shouldBeFencedWhenItsTransactionIsAbortedByTheBroker() throws Exception {
        replaceProducer("transaction.timeout.ms", 1_000);
        long committed = tracker.transactions();
        process(0);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            await().atMost(PATIENCE_OF_TEST)
                    .until(() -> admin.describeTransactions(List.of("thread"))
                                    .description("thread")
                                    .get()
                                    .state()
                            == TransactionState.COMPLETE_ABORT);
        }
        assertThatThrownBy(() -> producer.commitTransaction()).isInstanceOf(ProducerFencedException.class);
        assertThatThrownBy(() -> producer.abortTransaction()).isInstanceOf(ProducerFencedException.class);
        assertThat(tracker.transactions()).isEqualTo(committed);
    }

    @Test
    void shouldBeFencedAfterACommitWithoutAnAnswer() {
        replaceProducer("max.block.ms", PATIENCE_MS);
        process(0);
        broker.close();
        assertThatThrownBy(() -> producer.commitTransaction()).isInstanceOf(TimeoutException.class);
        assertThatThrownBy(() -> producer.abortTransaction()).isInstanceOf(ProducerFencedException.class);
        assertThatThrownBy(() -> producer.beginTransaction()).isInstanceOf(ProducerFencedException.class);
        // and does not wait for the broker when it is closed
        producer.close();
    }

    /** Kafka Streams commits what the other tasks of the thread have done. */
    @Test
    @Tag("full")
    void shouldGoOnAfterACommitThatIsAnsweredWhenItIsRepeated() {
        replaceProducer("max.block.ms", PATIENCE_MS);
        process(0);
        int port = Utils.getPort(broker.bootstrapServers());
        broker.close();
        assertThatThrownBy(() -> producer.commitTransaction()).isInstanceOf(TimeoutException.class);
        broker = EmbeddedBroker.start(directory, port);
        await().atMost(PATIENCE_OF_TEST)
                .pollInSameThread()
                .ignoreException(TimeoutException.class)
                .untilAsserted(() -> producer.commitTransaction());
        producer.beginTransaction();
        producer.abortTransaction();
    }

    @Test
    @Tag("full")
    void shouldBeFencedAfterAnAbortWithoutAnAnswer() {
        replaceProducer("max.block.ms", PATIENCE_MS);
        process(0);
        broker.close();
        assertThatThrownBy(() -> producer.abortTransaction()).isInstanceOf(TimeoutException.class);
        assertThatThrownBy(() -> producer.beginTransaction()).isInstanceOf(ProducerFencedException.class);
        producer.close();
    }
}
