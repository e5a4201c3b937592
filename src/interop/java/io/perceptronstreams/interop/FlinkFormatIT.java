package io.perceptronstreams.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.EmbeddedCluster;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.serde.WireFormat;
import io.perceptronstreams.topology.EngineRunner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.formats.avro.registry.confluent.RegistryAvroFormatFactory;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.runtime.connector.sink.SinkRuntimeProviderContext;
import org.apache.flink.table.runtime.connector.source.ScanRuntimeProviderContext;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.utils.TypeConversions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Flink SQL's format {@code avro-confluent} writes examples for a running engine and reads its outputs. */
final class FlinkFormatIT {
    private static final byte[] MODEL = "flink".getBytes(StandardCharsets.UTF_8);
    private static final int EXAMPLES = 20;

    /** Examples after which the model gets the advice to scale its features. */
    private static final int ADVISED = 128;

    /** The columns of an example with named features, as in the docs. */
    private static final DataType EXAMPLE = DataTypes.ROW(
                    DataTypes.FIELD("id", DataTypes.STRING().notNull()),
                    DataTypes.FIELD("label", DataTypes.INT()),
                    DataTypes.FIELD(
                            "features",
                            DataTypes.ROW(DataTypes.FIELD(
                                            "named",
                                            DataTypes.MAP(
                                                            DataTypes.STRING().notNull(),
                                                            DataTypes.DOUBLE().notNull())
                                                    .notNull()))
                                    .notNull()))
            .notNull();

    /** The part of the schema Example that these columns are. */
    static final String SCHEMA = "{\"type\":\"record\",\"name\":\"Example\",\"namespace\":"
            + "\"io.perceptronstreams.event\",\"fields\":[{\"name\":\"id\",\"type\":\"string\"},"
            + "{\"name\":\"label\",\"type\":[\"null\",\"int\"],\"default\":null},{\"name\":\"features\",\"type\":"
            + "{\"type\":\"record\",\"name\":\"FeatureMap\",\"fields\":[{\"name\":\"named\",\"type\":{\"type\":\"map\","
            + "\"values\":\"double\"}}]}}]}";

    @TempDir
    static Path directory;

    private static EmbeddedCluster cluster;
    private static EngineConfig config;
    private static EngineRunner engine;
    private static SchemaRegistry registry;

    @BeforeAll
    static void start() throws Exception {
        cluster = EmbeddedCluster.start(directory.resolve("cluster"), 0, 0);
        Map<String, String> settings = new HashMap<>(cluster.addresses());
        settings.put("data.dir", directory.resolve("engine").toString());
        settings.put("topics.create", "true");
        // a plain learner, which is advised to scale
        settings.put("models.defaults", "");
        settings.put("topics.partitions", "1");
        config = EngineConfig.of(settings, Map.of(), null, Map.of());
        registry = SchemaRegistries.of(config.registry());
        engine = new EngineRunner(config);
        engine.start();
        engine.awaitRunning();
        send();
        await().atMost(Duration.ofMinutes(1)).until(() -> !values(Topic.ALERTS).isEmpty());
    }

    @AfterAll
    static void stop() {
        Utils.closeQuietly(engine, "engine");
        Utils.closeQuietly(registry, "client");
        Utils.closeQuietly(cluster, "cluster");
    }

    private static void send() throws Exception {
        Map<String, String> options =
                Map.of("url", cluster.registryUrl(), "subject", "perceptron-examples-Flink", "schema", SCHEMA);
        SerializationSchema<RowData> format = new RegistryAvroFormatFactory()
                .createEncodingFormat(null, Configuration.fromMap(options))
                .createRuntimeEncoder(new SinkRuntimeProviderContext(false), EXAMPLE);
        format.open(null);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(config.clients(), new ByteArraySerializer(), new ByteArraySerializer())) {
            String topic = config.topic(Topic.EXAMPLES);
            for (int k = 0; k < EXAMPLES; k++) {
                GenericMapData named = new GenericMapData(
                        Map.of(StringData.fromString("x"), k % 2 - 0.5, StringData.fromString("été"), 1.0));
                Integer label = k == EXAMPLES - 1 ? null : k % 2 * 2 - 1;
                byte[] value = format.serialize(
                        GenericRowData.of(StringData.fromString("id-" + k), label, GenericRowData.of(named)));
                producer.send(new ProducerRecord<>(topic, MODEL, value)).get();
            }
            // weights, counts of a closed window, and an alert: features of different sizes
            List<String> json = new ArrayList<>(List.of("{\"action\":\"SNAPSHOT\"}", "{\"action\":\"RESET\"}"));
            for (int k = 0; k < ADVISED; k++) {
                json.add("{\"label\":" + (k % 2 * 2 - 1) + ",\"features\":[0.01,500]}");
            }
            for (String each : json) {
                producer.send(new ProducerRecord<>(topic, MODEL, each.getBytes(StandardCharsets.UTF_8)))
                        .get();
            }
        }
    }

    private static List<byte[]> values(Topic topic) {
        Map<String, Object> settings = config.clients();
        settings.put("isolation.level", "read_committed");
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = List.of(new TopicPartition(config.topic(topic), 0));
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            long end = consumer.endOffsets(partitions).values().iterator().next();
            List<byte[]> values = new ArrayList<>();
            while (consumer.position(partitions.get(0)) < end) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    if (record.value() != null && record.value()[0] == WireFormat.MAGIC) {
                        values.add(record.value());
                    }
                }
            }
            return values;
        }
    }

    private static DeserializationSchema<RowData> reader(DataType columns) throws Exception {
        DeserializationSchema<RowData> format = new RegistryAvroFormatFactory()
                .createDecodingFormat(null, Configuration.fromMap(Map.of("url", cluster.registryUrl())))
                .createRuntimeDecoder(ScanRuntimeProviderContext.INSTANCE, columns);
        format.open(null);
        return format;
    }

    @Test
    void shouldLearnFromWhatFlinkWrites() {
        assertThat(values(Topic.DEAD_LETTERS)).isEmpty();
        assertThat(values(Topic.PREDICTIONS)).hasSize(EXAMPLES + ADVISED);
        assertThat(values(Topic.MISTAKES)).isNotEmpty();
    }

    @Test
    void shouldReadThePredictionsOfTheDocumentedTable() throws Exception {
        DataType predictions = DataTypes.ROW(
                        DataTypes.FIELD("exampleId", DataTypes.STRING()),
                        DataTypes.FIELD("labelText", DataTypes.STRING()),
                        DataTypes.FIELD("score", DataTypes.DOUBLE()),
                        DataTypes.FIELD("correct", DataTypes.BOOLEAN()),
                        DataTypes.FIELD("updates", DataTypes.BIGINT()))
                .notNull();
        DeserializationSchema<RowData> reader = reader(predictions);
        List<byte[]> values = values(Topic.PREDICTIONS);
        for (int k = 0; k < EXAMPLES; k++) {
            RowData row = reader.deserialize(values.get(k));
            double score = row.getDouble(2);
            assertThat(row.getString(0)).hasToString("id-" + k);
            assertThat(row.getString(1)).hasToString(score >= 0 ? "1" : "-1");
            assertThat(row.isNullAt(3)).isEqualTo(k == EXAMPLES - 1);
            assertThat(row.getLong(4)).isBetween(0L, (long) k);
        }
        // w = 0 predicts +1; the first example has label -1
        assertThat(reader.deserialize(values.get(0)).getDouble(2)).isZero();
        assertThat(reader.deserialize(values.get(0)).getBoolean(3)).isFalse();
    }

    /** All columns of one type, nullable. */
    @ParameterizedTest
    @EnumSource(
            value = Topic.class,
            names = {"PREDICTIONS", "MISTAKES", "COUNTS", "MODELS", "WEIGHTS", "ALERTS"})
    void shouldReadThePlainColumnsOfEveryOutput(Topic topic) throws Exception {
        Schema schema = EventSchemas.schema(topic);
        List<RowType.RowField> fields = new ArrayList<>();
        for (Schema.Field field : schema.getFields()) {
            LogicalType type = plain(field.schema());
            if (type != null) {
                fields.add(new RowType.RowField(field.name(), type));
            }
        }
        RowType columns = new RowType(false, fields);
        DeserializationSchema<RowData> reader = reader(dataType(columns));
        List<byte[]> values = values(topic);
        assertThat(values).isNotEmpty();
        assertThat(fields).hasSizeGreaterThan(4);
        for (byte[] value : values) {
            GenericRecord event = event(value);
            RowData row = reader.deserialize(value);
            for (int k = 0; k < fields.size(); k++) {
                Object expected = event.get(fields.get(k).getName());
                Object read =
                        RowData.createFieldGetter(fields.get(k).getType(), k).getFieldOrNull(row);
                assertThat(String.valueOf(read)).as(fields.get(k).getName()).isEqualTo(String.valueOf(expected));
            }
        }
    }

    private static GenericRecord event(byte[] value) throws IOException {
        Schema writer = registry.schema(WireFormat.schemaId(value));
        return new GenericDatumReader<GenericRecord>(writer)
                .read(
                        null,
                        DecoderFactory.get()
                                .binaryDecoder(value, WireFormat.HEADER, value.length - WireFormat.HEADER, null));
    }

    private static DataType dataType(RowType columns) {
        return TypeConversions.fromLogicalToDataType(columns);
    }

    /** The nullable column of a field; null if it has no plain type. */
    private static LogicalType plain(Schema schema) {
        Schema.Type type = schema.getType();
        if (type == Schema.Type.UNION) {
            List<Schema> branches = schema.getTypes();
            return branches.size() == 2 && branches.get(0).getType() == Schema.Type.NULL
                    ? plain(branches.get(1))
                    : null;
        }
        return switch (type) {
            case STRING -> DataTypes.STRING().getLogicalType();
            case INT -> DataTypes.INT().getLogicalType();
            case LONG -> DataTypes.BIGINT().getLogicalType();
            case DOUBLE -> DataTypes.DOUBLE().getLogicalType();
            case BOOLEAN -> DataTypes.BOOLEAN().getLogicalType();
            default -> null;
        };
    }
}
