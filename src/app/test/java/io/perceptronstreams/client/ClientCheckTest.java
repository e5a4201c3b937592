package io.perceptronstreams.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.cli.Events;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.log.ReroutedRecord;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.avro.Schema;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ClientCheckTest {
    private static final byte[] COMMAND = "{\"action\":\"SNAPSHOT\"}".getBytes(StandardCharsets.UTF_8);

    private final SchemaRegistry registry = SchemaRegistries.of(Map.of("schema.registry.url", "mock://client-check"));
    private final ClientCheck check = new ClientCheck(3, new CommandDetector(registry));
    private long time;

    // By kafka.partitioner.default.murmur2 of kafka-python 2.0.2, and zlib.crc32 of Python.
    @ParameterizedTest
    @CsvSource({
        "m, 3, 2, 2",
        "m, 4, 0, 0",
        "m, 1000, 864, 192",
        "wdbc, 3, 0, 0",
        "wdbc, 12, 6, 6",
        "wdbc, 1000, 870, 330",
        "model-7, 1000, 240, 964",
        "spam_filter.v2, 3, 1, 2",
        "spam_filter.v2, 12, 10, 8",
        "spam_filter.v2, 1000, 506, 464"
    })
    void shouldChooseThePartitionOfThatClient(String key, int partitions, int murmur2, int crc32) {
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        assertThat(ClientCheck.murmur2(bytes, partitions)).isEqualTo(murmur2);
        assertThat(ClientCheck.crc32(bytes, partitions)).isEqualTo(crc32);
    }

    @Test
    void shouldTellTheRuleOfEachModel() {
        add("spam_filter.v2", 1, 2);
        add("spam_filter.v2", 2, 3);
        add("wdbc", 0, 4);

        assertThat(check.toLines())
                .startsWith(
                        "  records   murmur2     crc32   neither  last     model",
                        "        5         2         3         0  crc32    spam_filter.v2",
                        "        4         4         4         0  either   wdbc")
                .contains("  kcat: -X topic.partitioner=murmur2_random");
        assertThat(check.isRight()).isFalse();
        assertThat(check.toJson().get(0))
                .isEqualTo("{\"model\":\"spam_filter.v2\",\"murmur2Partition\":1,\"crc32Partition\":2,\"murmur2\":2,"
                        + "\"crc32\":3,\"neither\":0,\"last\":\"crc32\"}");
    }

    @Test
    void shouldTellTheRuleOfTheLatestRecord() {
        add("spam_filter.v2", 2, 2);
        add("spam_filter.v2", 1, 1);
        assertThat(check.toLines().get(1))
                .isEqualTo("        3         1         2         0  murmur2  spam_filter.v2");
        add("spam_filter.v2", 0, 1);
        assertThat(check.toLines().get(1))
                .isEqualTo("        4         1         2         1  neither  spam_filter.v2");
    }

    /** {@code perceptron} sends commands by its own rule, which is not that of the producers. */
    @Test
    void shouldNotTakeCommandsForTheLatestRecords() throws Exception {
        add("spam_filter.v2", 1, COMMAND);
        assertThat(check.toLines().get(1))
                .isEqualTo("        1         1         0         0  none     spam_filter.v2");

        add("spam_filter.v2", 2, "{\"exampleId\":\"a\",\"label\":1}".getBytes(StandardCharsets.UTF_8));
        add("spam_filter.v2", 1, COMMAND);
        Schema schema = EventSchemas.schema("ModelCommand");
        int id = registry.register("client-check-ModelCommand", schema);
        add("spam_filter.v2", 1, new EventWriter(schema, id).write(CommandSender.command("RESET", Map.of())));

        assertThat(check.toLines().get(1))
                .isEqualTo("        4         3         1         0  crc32    spam_filter.v2");
        assertThat(check.toJson().get(0)).endsWith("\"last\":\"crc32\"}");
    }

    /** Values in Avro are no commands then, and the registry is asked once. */
    @Test
    void shouldDoWithoutARegistry() {
        SchemaRegistry closed = SchemaRegistries.of(Map.of("schema.registry.url", "http://127.0.0.1:1"));
        closed.close();
        AtomicInteger requests = new AtomicInteger();
        SchemaRegistry silent = new SchemaRegistry() {
            @Override
            public Schema schema(int id) {
                requests.incrementAndGet();
                return closed.schema(id);
            }

            @Override
            public int register(String subject, Schema schema) {
                throw new AssertionError();
            }

            @Override
            public void close() {}
        };
        CommandDetector detector = new CommandDetector(silent);
        byte[] avro = {0, 0, 0, 0, 7, 1};
        assertThat(detector.test(avro)).isFalse();
        assertThat(detector.test(avro)).isFalse();
        assertThat(requests).hasValue(1);
        assertThat(detector.test(COMMAND)).isTrue();
    }

    @Test
    void shouldFindNothingWrongWhereAllIsRight() {
        assertThat(check.toLines()).containsExactly("no records");
        add("spam_filter.v2", 1, 2);
        add("wdbc", 0, 4);
        assertThat(check.isRight()).isTrue();
        assertThat(check.toLines()).hasSize(3);
    }

    @Test
    void shouldFindRecordsWrongThatFollowNeitherRule() {
        add("spam_filter.v2", 0, 1);
        assertThat(check.isRight()).isFalse();
        assertThat(check.toLines()).hasSizeGreaterThan(2);
    }

    @Test
    void shouldLeaveOutRecordsWhosePartitionTheEngineChose() {
        ConsumerRecord<byte[], byte[]> rerouted = record("spam_filter.v2", 1);
        rerouted.headers().add(ReroutedRecord.HEADER, new byte[0]);
        check.add(rerouted);
        add("*", 2, 1);
        assertThat(check.toLines()).containsExactly("no records");
    }

    @Test
    void shouldCountRecordsWithoutAModel() {
        check.add(record(null, 0));
        check.add(record("no name", 0));
        assertThat(check.toLines()).last().asString().startsWith("        2 without a model's name as key");
        assertThat(check.toJson()).containsExactly("{\"model\":null,\"records\":2}");
        assertThat(check.isRight()).isFalse();
    }

    @Test
    void shouldReadTheLastRecordsOfEachPartition() {
        MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none");
        TopicPartition long0 = new TopicPartition("t", 0);
        TopicPartition short1 = new TopicPartition("t", 1);
        consumer.updatePartitions(
                "t",
                List.of(
                        new PartitionInfo("t", 0, Node.noNode(), null, null),
                        new PartitionInfo("t", 1, Node.noNode(), null, null)));
        consumer.updateBeginningOffsets(Map.of(long0, 10L, short1, 3L));
        consumer.updateEndOffsets(Map.of(long0, 40L, short1, 5L));
        try (TopicScan tail = TopicScan.open(consumer, "t")) {
            consumer.schedulePollTask(() -> {
                for (int offset = 10; offset < 40; offset++) {
                    consumer.addRecord(new ConsumerRecord<>("t", 0, offset, null, new byte[0]));
                }
                for (int offset = 3; offset < 5; offset++) {
                    consumer.addRecord(new ConsumerRecord<>("t", 1, offset, null, new byte[0]));
                }
            });
            StringBuilder read = new StringBuilder();
            tail.readLast(
                    4,
                    record -> read.append(record.partition())
                            .append('@')
                            .append(record.offset())
                            .append(' '));
            assertThat(read.toString().split(" ", -1))
                    .containsExactlyInAnyOrder("0@36", "0@37", "0@38", "0@39", "1@3", "1@4", "");
        }
    }

    private void add(String model, int partition, int count) {
        for (int k = 0; k < count; k++) {
            check.add(record(model, partition));
        }
    }

    private void add(String model, int partition, byte[] value) {
        check.add(record(model, partition, value));
    }

    private ConsumerRecord<byte[], byte[]> record(String model, int partition) {
        return record(model, partition, new byte[0]);
    }

    private ConsumerRecord<byte[], byte[]> record(String model, int partition, byte[] value) {
        return Events.record("t", partition, 0, time++, model, value);
    }
}
