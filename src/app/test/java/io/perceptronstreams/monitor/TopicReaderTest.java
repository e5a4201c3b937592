package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.perceptronstreams.access.ModelPattern;
import io.perceptronstreams.cli.Events;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.registry.FailingRegistry;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reading of topics that exist, are missing, or have unreadable records. */
final class TopicReaderTest {
    private static final TopicPartition MISTAKES = new TopicPartition("perceptron-mistakes", 0);
    private static final TopicPartition WEIGHTS = new TopicPartition("perceptron-weights", 0);
    private static final TopicPartition MODELS = new TopicPartition("perceptron-models", 0);
    private static final int LOOKBACK = 100;
    private static final EngineConfig CONFIG = TestServer.config("http.lookback.records=" + LOOKBACK);

    private final Schema schema = EventSchemas.schema("Mistake");
    private final SchemaRegistry known = SchemaRegistries.of(Map.of("schema.registry.url", "mock://live-feed"));
    private final FailingRegistry registry = new FailingRegistry(known, 0);
    private final EventWriter writer = new EventWriter(schema, known.register("perceptron-mistakes-value", schema));
    private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none");
    private final AtomicBoolean isBrokerMissing = new AtomicBoolean();
    private final DashboardState state = new DashboardState();
    private final EventRing ring = new EventRing(10);
    private final TopicReader reader =
            new TopicReader(CONFIG, this::open, registry, state, Map.of(Topic.MISTAKES, ring));

    private MockConsumer<byte[], byte[]> open() {
        if (isBrokerMissing.getAndSet(false)) {
            throw new KafkaException("no broker answers");
        }
        return consumer;
    }

    @AfterEach
    void close() {
        reader.close();
        known.close();
    }

    @Test
    void shouldWaitForBrokersTopicsAndRegistryAndThenReadEveryEvent() {
        isBrokerMissing.set(true);
        registry.failNext(2);
        reader.start();
        await().until(() -> reader.status().state() == TopicReader.State.WAITING);
        appear(MISTAKES, 0, 2);
        await().until(() -> consumer.assignment().contains(MISTAKES));
        add(MISTAKES, 0, "m", avro("first"));
        add(MISTAKES, 1, "m", avro("second"));

        // the registry fails twice before it answers
        await().until(() ->
                state.latest(Topic.MISTAKES, null, ModelPattern.ALL, 10).size() == 2);
        assertThat(registry.asked()).isGreaterThanOrEqualTo(3);
        assertThat(reader.status().unreadable()).isZero();
        await().untilAsserted(() -> assertThat(reader.status().state()).isEqualTo(TopicReader.State.LIVE));
    }

    @Test
    void shouldLeaveOutWhatNobodyCanReadAndReadJsonToo() {
        appear(MISTAKES, 0, 5);
        reader.start();
        await().until(() -> consumer.assignment().contains(MISTAKES));
        add(MISTAKES, 0, "m", new byte[] {0, 0x7f, 0, 0, 1, 9});
        add(MISTAKES, 1, "m", new byte[] {1, 2, 3});
        add(MISTAKES, 2, "m", "{\"no\":\"mistake\"}".getBytes(StandardCharsets.UTF_8));
        add(MISTAKES, 3, null, avro("without a model"));
        add(MISTAKES, 4, "m", Fabricated.mistakeValue("json", 1).toString().getBytes(StandardCharsets.UTF_8));

        await().until(() -> reader.status().read() == 5 && reader.status().lag() == 0);
        assertThat(reader.status().unreadable()).isEqualTo(4);
        assertThat(state.latest(Topic.MISTAKES, "m", ModelPattern.ALL, 10))
                .extracting(event -> ((Mistake) event.value()).getExampleId())
                .containsExactly("json");
    }

    @Test
    void shouldTakeANamedSnapshotNeitherForAModelNorForTheNewestWeights() {
        appear(WEIGHTS, 0, 3);
        reader.start();
        await().until(() -> consumer.assignment().contains(WEIGHTS));
        Schema ofChunks = EventSchemas.schema("WeightsSnapshot");
        EventWriter chunks = new EventWriter(ofChunks, known.register("perceptron-weights-value", ofChunks));
        add(WEIGHTS, 0, "m", chunks.write(Fabricated.chunk("m", 0, 1, 7, 0, 1.5).value()));
        add(
                WEIGHTS,
                1,
                "m@v1",
                chunks.write(Fabricated.chunk("m", 0, 1, 8, 0, 2.5).value()));
        add(WEIGHTS, 2, "m@v1/1", null);

        await().until(() -> reader.status().read() == 3 && reader.status().lag() == 0);
        assertThat(state.size()).isEqualTo(1);
        assertThat(state.weights("m").updates()).isEqualTo(7);
    }

    /** Avro throws an UnsupportedOperationException for a string of 2^31 - 1 bytes. */
    @Test
    void shouldGoOnBehindARecordThatMakesAvroFail() {
        appear(MISTAKES, 0, 2);
        reader.start();
        await().until(() -> consumer.assignment().contains(MISTAKES));
        byte[] bomb = Arrays.copyOf(avro("x"), 10);
        bomb[5] = bomb[6] = bomb[7] = bomb[8] = (byte) 0xff;
        bomb[5] = (byte) 0xfe;
        bomb[9] = 0x0f;
        add(MISTAKES, 0, "m", bomb);
        add(MISTAKES, 1, "m", avro("behind"));

        await().until(() -> reader.status().read() == 2 && reader.status().lag() == 0);
        assertThat(reader.status().unreadable()).isEqualTo(1);
        assertThat(state.latest(Topic.MISTAKES, "m", ModelPattern.ALL, 10))
                .extracting(event -> ((Mistake) event.value()).getExampleId())
                .containsExactly("behind");
    }

    @Test
    void shouldLookBackABoundedNumberOfRecordsButReadAllOfTheModels() {
        appear(MISTAKES, 10, 5_000);
        appear(MODELS, 10, 5_000);
        reader.start();
        await().until(() -> consumer.assignment().size() == 2);

        await().untilAsserted(() -> assertThat(reader.status().lag()).isEqualTo(LOOKBACK + 4_990));
    }

    @Test
    void shouldForgetAModelWhoseStatusIsATombstone() {
        state.add(Fabricated.status("m", 1, Map.of()));
        appear(MODELS, 0, 1);
        reader.start();
        await().until(() -> consumer.assignment().contains(MODELS));
        add(MODELS, 0, "m", null);

        await().until(() -> state.size() == 0);
    }

    /** Only the last 20 mistakes were kept until the alert was read: after a restart it had none before it. */
    @Test
    void shouldReadMistakesBehindTheAlertsOfTheStart() {
        Schema alert = EventSchemas.schema("Alert");
        EventWriter alerts = new EventWriter(alert, known.register("perceptron-alerts-value", alert));
        TopicPartition topic = new TopicPartition("perceptron-alerts", 0);
        consumer.updatePartitions(MISTAKES.topic(), List.of(new PartitionInfo(MISTAKES.topic(), 0, null, null, null)));
        consumer.updateBeginningOffsets(Map.of(MISTAKES, 0L, topic, 0L));
        consumer.updateEndOffsets(Map.of(MISTAKES, 100L, topic, 1L));
        consumer.updatePartitions(topic.topic(), List.of(new PartitionInfo(topic.topic(), 0, null, null, null)));
        reader.start();
        await().until(() -> consumer.assignment().size() == 2);
        for (int k = 0; k < 100; k++) {
            consumer.addRecord(record(MISTAKES, k, k, avro("e" + k)));
        }
        await().until(() ->
                reader.status().lastPoll() != null && reader.status().lag() > 0);
        assertThat(state.latest(Topic.MISTAKES, null, ModelPattern.ALL, 1)).isEmpty();
        consumer.addRecord(record(topic, 0, 50, alerts.write(Fabricated.event(Alert.class, Map.of("kind", "DRIFT")))));

        await().until(() -> reader.status().read() == 101);
        JsonNode before = state.details("m").orElseThrow().get("alarm").get("mistakes");
        assertThat(before).hasSize(20);
        assertThat(before.get(0).get("timestamp").asLong()).isEqualTo(50);
        assertThat(before.get(19).get("timestamp").asLong()).isEqualTo(31);
    }

    private static ConsumerRecord<byte[], byte[]> record(TopicPartition topic, long offset, long time, byte[] value) {
        return new ConsumerRecord<>(
                topic.topic(),
                topic.partition(),
                offset,
                time,
                TimestampType.CREATE_TIME,
                1,
                value.length,
                "m".getBytes(StandardCharsets.UTF_8),
                value,
                new RecordHeaders(),
                Optional.empty());
    }

    @Test
    void shouldHaveCaughtUpOnceAllIsReadThatWasThereAtTheStart() {
        appear(MISTAKES, 0, 2);
        reader.start();
        await().until(() -> reader.status().lastPoll() != null);
        add(MISTAKES, 0, "m", avro("first"));
        await().until(() -> reader.status().read() == 1 && reader.status().state() == TopicReader.State.STARTING);
        assertThat(state.hasCaughtUp()).isFalse();

        add(MISTAKES, 1, "m", avro("second"));
        await().until(state::hasCaughtUp);
        await().until(() -> reader.status().state() == TopicReader.State.LIVE);
    }

    // Retention passed while the registry did not answer: all records that were left were skipped, without a gap.
    @Test
    void shouldGoOnWithTheOldestRecordWhereTheNextOneWasDeleted() {
        appear(MISTAKES, 0, 1);
        reader.start();
        await().until(() -> consumer.assignment().contains(MISTAKES));
        add(MISTAKES, 0, "m", avro("first"));
        await().until(() -> reader.status().read() == 1);
        StreamPosition seen = StreamPosition.at(Map.of(0, 0L));
        assertThat(ring.after(seen).isComplete()).isTrue();

        appear(MISTAKES, 5, 7);
        consumer.schedulePollTask(() -> add(MISTAKES, 5, "m", avro("sixth")));
        // the consumer of the test drops its records with the failure
        consumer.schedulePollTask(() -> add(MISTAKES, 6, "m", avro("seventh")));

        await().until(() ->
                state.latest(Topic.MISTAKES, null, ModelPattern.ALL, 10).size() > 1);
        assertThat(ring.after(seen).isComplete()).isFalse();
    }

    // Of an engine with output.format=json no count was read: the page had no course of errors.
    @ParameterizedTest
    @EnumSource(
            value = Topic.class,
            names = {"MISTAKES", "COUNTS", "ALERTS"})
    void shouldReadEveryFieldInAvroAndInJson(Topic topic) {
        TopicPartition partition = new TopicPartition(topic.name("perceptron"), 0);
        Schema ofTopic = EventSchemas.schema(topic);
        EventWriter avro = new EventWriter(ofTopic, known.register(partition.topic() + "-value", ofTopic));
        List<GenericRecord> events = Events.variants(ofTopic);
        appear(partition, 0, 2L * events.size());
        reader.start();
        await().until(() -> consumer.assignment().contains(partition));
        for (int k = 0; k < events.size(); k++) {
            add(partition, 2L * k, "m", avro.write(events.get(k)));
            add(partition, 2L * k + 1, "m", EventJson.text(events.get(k)).getBytes(StandardCharsets.UTF_8));
        }

        await().until(() -> reader.status().read() == 2L * events.size());
        await().untilAsserted(() -> assertThat(reader.status().lag()).isZero());
        assertThat(reader.status().unreadable()).isZero();
        List<? extends Event<?>> latest = state.latest(topic, null, ModelPattern.ALL, 100);
        assertThat(latest).hasSize(2 * events.size());
        for (Event<?> event : latest) {
            assertThat(event.value()).isEqualTo(Events.generated(events.get((int) event.offset() / 2)));
        }
    }

    private void appear(TopicPartition partition, long begin, long end) {
        consumer.updateBeginningOffsets(Map.of(partition, begin));
        consumer.updateEndOffsets(Map.of(partition, end));
        consumer.updatePartitions(
                partition.topic(),
                List.of(new PartitionInfo(partition.topic(), partition.partition(), null, null, null)));
    }

    private void add(TopicPartition partition, long offset, String model, byte[] value) {
        consumer.addRecord(new ConsumerRecord<>(
                partition.topic(),
                partition.partition(),
                offset,
                model == null ? null : model.getBytes(StandardCharsets.UTF_8),
                value));
    }

    private byte[] avro(String id) {
        return writer.write(Fabricated.mistakeValue(id, 1));
    }
}
