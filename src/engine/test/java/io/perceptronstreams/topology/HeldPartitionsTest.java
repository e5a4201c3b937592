package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.log.RecordDispatcher;
import io.perceptronstreams.log.RegistryRetry;
import io.perceptronstreams.registry.http.SilentRegistry;
import io.perceptronstreams.serde.WireFormat;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A record with a schema id that the registry does not answer stops its own partition, and no other one. */
class HeldPartitionsTest {
    private static final TopicPartition ZERO = new TopicPartition("examples", 0);
    private static final TopicPartition ONE = new TopicPartition("examples", 1);
    private static final int KNOWN = 1;
    private static final int SILENT = 7;

    private final SilentRegistry registry = new SilentRegistry(KNOWN);
    private final RegistryRetry registryRetry = new RegistryRetry(TimeUnit.HOURS.toMillis(1));
    private final SchemaLookups lookups = new SchemaLookups(registry, registryRetry, 2);
    private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
    private final HeldPartitions held = new HeldPartitions(lookups, new HeldPartitions.Input() {
        @Override
        public void seek(TopicPartition partition, OffsetAndMetadata offset) {
            consumer.seek(partition, offset);
        }

        @Override
        public void pause(Collection<TopicPartition> partitions) {
            consumer.pause(partitions);
        }

        @Override
        public void resume(Collection<TopicPartition> partitions) {
            consumer.resume(partitions);
        }
    });
    private final Map<TopicPartition, TreeMap<Long, byte[]>> log = new HashMap<>();

    @BeforeEach
    void start() {
        consumer.assign(List.of(ZERO, ONE));
        consumer.updateBeginningOffsets(Map.of(ZERO, 0L, ONE, 0L));
    }

    @AfterEach
    void stop() {
        registryRetry.stop();
        lookups.close();
    }

    private static byte[] model(int partition) {
        for (int k = 0; ; k++) {
            byte[] name = Utils.utf8("m" + k);
            if (Utils.toPositive(Utils.murmur2(name)) % 2 == partition) {
                return name;
            }
        }
    }

    private static byte[] avro(int id) {
        byte[] value = new byte[9];
        WireFormat.writeHeader(value, id);
        return value;
    }

    private void add(TopicPartition place, long offset, byte[] value) {
        log.computeIfAbsent(place, any -> new TreeMap<>()).put(offset, value);
    }

    /** Polls as the consumer of a thread; the mock forgets what it has returned, which a broker does not. */
    private ConsumerRecords<byte[], byte[]> poll() {
        held.release(consumer.assignment());
        for (TopicPartition place : List.of(ZERO, ONE)) {
            if (!consumer.paused().contains(place)) {
                log.getOrDefault(place, new TreeMap<>())
                        .tailMap(consumer.position(place), true)
                        .forEach((offset, value) -> consumer.addRecord(new ConsumerRecord<>(
                                place.topic(),
                                place.partition(),
                                offset,
                                1_000,
                                TimestampType.CREATE_TIME,
                                1,
                                9,
                                model(place.partition()),
                                value,
                                new RecordHeaders(),
                                Optional.of(3))));
            }
        }
        return held.admit(consumer.poll(Duration.ZERO));
    }

    private static List<Long> offsets(ConsumerRecords<byte[], byte[]> polled, TopicPartition place) {
        return polled.records(place).stream().map(ConsumerRecord::offset).toList();
    }

    // All partitions of the thread stood still, without end.
    @Test
    void shouldStopThePartitionBeforeTheRecordAndReturnTheOthers() {
        add(ZERO, 0, avro(KNOWN));
        add(ZERO, 3, avro(SILENT));
        add(ZERO, 4, avro(KNOWN));
        add(ONE, 0, avro(KNOWN));
        add(ONE, 1, Utils.utf8("{}"));

        ConsumerRecords<byte[], byte[]> polled = poll();

        assertThat(offsets(polled, ZERO)).containsExactly(0L);
        assertThat(offsets(polled, ONE)).containsExactly(0L, 1L);
        // from which Kafka Streams goes on after a restart
        assertThat(polled.nextOffsets().get(ZERO).offset()).isEqualTo(3);
        assertThat(consumer.position(ZERO)).isEqualTo(3);
        assertThat(consumer.paused()).containsExactly(ZERO);
        assertThat(held.limit(Duration.ofMinutes(1))).isLessThan(Duration.ofSeconds(1));

        add(ONE, 2, avro(KNOWN));
        polled = poll();
        assertThat(offsets(polled, ONE)).containsExactly(2L);
        assertThat(polled.partitions()).containsExactly(ONE);
    }

    @Test
    void shouldGoOnInOrderOnceTheSilentRegistry() {
        add(ZERO, 0, avro(SILENT));
        add(ZERO, 1, avro(KNOWN));
        assertThat(poll().isEmpty()).isTrue();
        assertThat(registryRetry.waits())
                .singleElement()
                .asString()
                .startsWith("partition 0 at offset 0 waits for the schema registry");

        registry.answer(SILENT);

        await().until(() -> lookups.isAnswered(SILENT));
        await().untilAsserted(() -> assertThat(registryRetry.waits()).isEmpty());
        assertThat(offsets(poll(), ZERO)).containsExactly(0L, 1L);
        assertThat(consumer.paused()).isEmpty();
    }

    @Test
    void shouldNotResumeAPartitionThatKafkaStreamsHasPaused() {
        add(ZERO, 0, avro(SILENT));
        poll();
        held.pause(List.of(ZERO));
        registry.answer(SILENT);
        await().until(() -> lookups.isAnswered(SILENT));

        assertThat(poll().isEmpty()).isTrue();
        assertThat(consumer.paused()).containsExactly(ZERO);
        held.resume(List.of(ZERO));
        assertThat(offsets(poll(), ZERO)).containsExactly(0L);
    }

    @Test
    void shouldKeepAPartitionPausedThatKafkaStreamsResumes() {
        add(ZERO, 0, avro(SILENT));
        add(ONE, 0, avro(KNOWN));
        poll();

        held.pause(List.of(ZERO, ONE));
        held.resume(List.of(ZERO, ONE));

        assertThat(consumer.paused()).containsExactly(ZERO);
    }

    /** As after an aborted transaction, of which the records before the one that waits are processed again. */
    @Test
    void shouldReadAgainFromAPositionBeforeTheRecord() {
        add(ZERO, 0, avro(KNOWN));
        add(ZERO, 1, avro(SILENT));
        assertThat(offsets(poll(), ZERO)).containsExactly(0L);

        consumer.seek(ZERO, 0);
        held.sought(List.of(ZERO));

        assertThat(offsets(poll(), ZERO)).containsExactly(0L);
        assertThat(consumer.position(ZERO)).isEqualTo(1);
        assertThat(consumer.paused()).containsExactly(ZERO);
    }

    @Test
    void shouldEndTheWaitForAPartitionThatIsRevoked() {
        add(ZERO, 0, avro(SILENT));
        poll();
        assertThat(registryRetry.waits()).hasSize(1);

        held.revoked(List.of(ZERO));

        await().untilAsserted(() -> assertThat(registryRetry.waits()).isEmpty());
    }

    /** What is refused, or sent on to its partition, without a question to the registry. */
    @Test
    void shouldNotWaitForARecordWhoseValueIsNotRead() {
        ConsumerRecord<byte[], byte[]> named = record(model(0), avro(SILENT));
        assertThat(RecordDispatcher.asksForSchema(named, 2)).isTrue();
        assertThat(RecordDispatcher.asksForSchema(record(Utils.utf8("*"), avro(SILENT)), 2))
                .isTrue();
        named.headers().add(WireFormat.ID_HEADER, avro(SILENT));
        for (ConsumerRecord<byte[], byte[]> record : List.of(
                named,
                record(null, avro(SILENT)),
                record(Utils.utf8("no name!"), avro(SILENT)),
                record(model(1), avro(SILENT)),
                record(model(0), avro(0)),
                record(model(0), avro(-5)))) {
            assertThat(RecordDispatcher.asksForSchema(record, 2)).isFalse();
        }
    }

    private static ConsumerRecord<byte[], byte[]> record(byte[] key, byte[] value) {
        return new ConsumerRecord<>("examples", 0, 0, key, value);
    }
}
