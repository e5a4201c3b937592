package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.perceptronstreams.client.EventFormat;
import io.perceptronstreams.client.KafkaClients;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.deadletters.DeadLetterFormat;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.model.GoldenSettings;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.EngineRunner;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.streams.KafkaStreams;

/** An embedded broker with an engine that learns {@link GoldenModel}s from its examples topic. */
final class GoldenCluster implements AutoCloseable {
    private static final int WINDOW_MS = 1000;

    // recent, because the broker's retention uses event time
    private final long firstTimestamp = System.currentTimeMillis() / WINDOW_MS * WINDOW_MS;

    private final EngineRunner engine;
    private final EngineConfig config;
    private final SchemaRegistry registry;
    private final Producer<byte[], byte[]> producer;
    private final EventWriter writer;

    GoldenCluster() throws InterruptedException {
        config = new SharedCluster("golden").config(Map.of("topics.partitions", "3"));
        engine = SharedCluster.startEngine(config);
        registry = SchemaRegistries.of(config.registry());
        producer = KafkaClients.producer(config);
        Schema example = EventSchemas.schema("Example");
        writer = new EventWriter(example, registry.register(config.topic(Topic.EXAMPLES) + "-value", example));
    }

    /** Lets all models learn and then predict, and collects the output. */
    void play(List<GoldenModel> models) {
        for (GoldenModel model : models) {
            Map<String, String> settings = GoldenSettings.of(model.entry(), model.which());
            settings.put("window.ms", Integer.toString(WINDOW_MS));
            // more than a window of event time has
            settings.put("window.examples", "1000000");
            send(model, 0, command("CONFIGURE", settings));
            for (int n = 0; n < model.train().size(); n++) {
                send(model, model.tenthOf(n), writer.write(model.train().get(n)));
            }
            send(model, 10, command("SNAPSHOT", Map.of()));
            model.test().forEach(example -> send(model, 10, unlabelledJson(example)));
            send(model, 10, command("SNAPSHOT", Map.of()));
        }
        producer.flush();
        readWeights(models);
        read(Topic.PREDICTIONS, models, GoldenModel::predictions);
        read(Topic.MISTAKES, models, GoldenModel::mistakes);
        read(Topic.COUNTS, models, GoldenModel::counts);
    }

    /** One window for each tenth of the training set, and one for the test set. */
    private void send(GoldenModel model, int window, byte[] value) {
        // a failure shows as missing records
        var unused = producer.send(new ProducerRecord<>(
                config.topic(Topic.EXAMPLES),
                null,
                firstTimestamp + (long) WINDOW_MS * window,
                model.name().getBytes(StandardCharsets.UTF_8),
                value));
    }

    private static byte[] command(String action, Map<String, String> settings) {
        ObjectNode command = new ObjectMapper().createObjectNode().put("action", action);
        settings.forEach(command.putObject("settings")::put);
        return command.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** JSON as sent by kcat; toString of an Avro record is JSON. */
    private static byte[] unlabelledJson(GenericRecord example) {
        String json = "{\"id\":\"" + example.get("id") + "\",\"features\":" + example.get("features") + "}";
        return json.getBytes(StandardCharsets.UTF_8);
    }

    /** Waits for the last output of each model. */
    private void readWeights(List<GoldenModel> models) {
        Map<String, GoldenModel> byName = new HashMap<>();
        models.forEach(model -> byName.put(model.name(), model));
        EventReader<GenericRecord> events = EventReader.generic(EventSchemas.schema(Topic.WEIGHTS), registry);
        try (TopicScan tail =
                TopicScan.open(config, config.topic(Topic.WEIGHTS)).fromBeginning()) {
            while (!models.stream().allMatch(GoldenModel::isDone)) {
                assertThat(engine.streams().state()).isIn(KafkaStreams.State.RUNNING, KafkaStreams.State.REBALANCING);
                for (ConsumerRecord<byte[], byte[]> record : tail.poll()) {
                    String name = EventFormat.model(record).split("/", 2)[0];
                    byName.get(name).addChunk(events.read(record.value()));
                }
            }
        }
    }

    private void read(Topic topic, List<GoldenModel> models, Function<GoldenModel, List<GenericRecord>> target) {
        Map<String, List<GenericRecord>> targets = new HashMap<>();
        models.forEach(model -> targets.put(model.name(), target.apply(model)));
        EventReader<GenericRecord> events = EventReader.generic(EventSchemas.schema(topic), registry);
        try (TopicScan tail = TopicScan.open(config, config.topic(topic))) {
            tail.readAll(record -> targets.get(EventFormat.model(record)).add(events.read(record.value())));
        }
    }

    /** The dead letters, as shown to a user. */
    List<String> deadLetters() {
        List<String> letters = new ArrayList<>();
        try (TopicScan tail = TopicScan.open(config, config.topic(Topic.DEAD_LETTERS))) {
            tail.readAll(record -> letters.add(DeadLetterFormat.text(record)));
        }
        return letters;
    }

    @Override
    public void close() {
        producer.close();
        registry.close();
        engine.close();
    }
}
