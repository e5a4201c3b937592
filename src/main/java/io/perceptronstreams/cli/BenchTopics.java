package io.perceptronstreams.cli;

import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.GenericEventWriter;
import io.perceptronstreams.serde.SchemaRegistry;
import io.perceptronstreams.topology.EngineConfig;
import io.perceptronstreams.topology.Topic;
import io.perceptronstreams.topology.TopicCreation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;

/** The topics of a benchmark: made and filled before the first round, read by every one. */
final class BenchTopics {
    private final BenchSettings settings;
    private final Map<String, String> addresses;
    private final List<byte[]> keys;

    BenchTopics(BenchSettings settings, Map<String, String> addresses) {
        this.settings = settings;
        this.addresses = addresses;
        this.keys = settings.keys();
    }

    /** Settings for the clients of a contestant's topics. */
    EngineConfig config(Contestant contestant) {
        return config(contestant, Map.of());
    }

    private EngineConfig config(Contestant contestant, Map<String, String> own) {
        return EngineConfig.of(settings(contestant, own), Map.of(), null, Map.of());
    }

    /** All settings of a contestant's process: those common to all, and its {@code own}. */
    Map<String, String> settings(Contestant contestant, Map<String, String> own) {
        Map<String, String> all = settings.streams();
        all.putAll(addresses);
        all.put("topics.prefix", contestant.prefix());
        all.putAll(own);
        return all;
    }

    /** Makes all topics, and fills those of examples with the first examples of the stream. */
    void fill(BenchStream stream, Progress progress) throws ExecutionException, InterruptedException {
        for (Contestant contestant : List.of(Contestant.ENGINE, Contestant.WIDE)) {
            EngineConfig config = config(contestant);
            try (Admin admin = Admin.create(config.admin())) {
                TopicCreation.create(admin, config);
                admin.createTopics(List.of(new NewTopic(
                                Contestant.copies(config), Optional.of(settings.threads()), Optional.empty())))
                        .all()
                        .get();
            }
        }
        try (Sender narrow = sender(Contestant.ENGINE, 20);
                Sender wide = sender(Contestant.WIDE, 20)) {
            for (int sent = 0; sent < settings.examples(); progress.update(++sent)) {
                long id = stream.next();
                narrow.send(id, stream.example(Contestant.ENGINE.bits()));
                wide.send(id, stream.example(Contestant.WIDE.bits()));
            }
        }
    }

    /** How many mistakes were sent so far, give or take a marker for each commit. */
    long mistakes(Contestant contestant) throws ExecutionException, InterruptedException {
        EngineConfig config = config(contestant);
        Map<TopicPartition, OffsetSpec> ends = new LinkedHashMap<>();
        for (int partition = 0; partition < settings.threads(); partition++) {
            ends.put(new TopicPartition(config.topic(Topic.MISTAKES), partition), OffsetSpec.latest());
        }
        try (Admin admin = Admin.create(config.admin())) {
            return admin.listOffsets(ends).all().get().values().stream()
                    .collect(Collectors.summingLong(ListOffsetsResultInfo::offset));
        }
    }

    /** A sender of examples to a contestant's topic. */
    Sender sender(Contestant contestant, int lingerMs) {
        return new Sender(config(contestant, Map.of("producer.linger.ms", Integer.toString(lingerMs))));
    }

    /** Sends each example to the model whose turn it is. */
    final class Sender implements AutoCloseable {
        private final Producer<byte[], byte[]> producer;
        private final List<ExampleSender> senders = new ArrayList<>();

        private Sender(EngineConfig config) {
            String topic = config.topic(Topic.EXAMPLES);
            Schema schema = EventSchemas.schema("Example");
            GenericEventWriter writer;
            try (SchemaRegistry registry = SchemaRegistry.of(config.registry())) {
                writer = new GenericEventWriter(schema, registry.register(topic + "-value", schema));
            }
            producer = Clients.producer(config);
            for (byte[] key : keys) {
                senders.add(new ExampleSender(producer, topic, key, writer));
            }
        }

        void send(long id, GenericRecord example) {
            senders.get((int) (id % senders.size())).send(example);
        }

        /** @throws CommandFailedException if the broker has not taken them all */
        @Override
        public void close() {
            try (producer) {
                senders.forEach(ExampleSender::finish);
            }
        }
    }
}
