package io.perceptronstreams.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.event.SnapshotState;
import io.perceptronstreams.event.WeightsSnapshot;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.model.ImportPurpose;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.registry.LateRegistry;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.serde.WireFormat;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.state.StoredText;
import io.perceptronstreams.store.DiskStore;
import io.perceptronstreams.store.ModelKeys;
import io.perceptronstreams.store.StoreCounters;
import io.perceptronstreams.store.StoredProgress;
import io.perceptronstreams.topology.BadRecord;
import io.perceptronstreams.topology.KillReplayTest;
import io.perceptronstreams.topology.KillableTask;
import io.perceptronstreams.topology.UndoableStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.errors.StreamsException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares what a replica says before it learns each record with the committed predictions of an engine that is killed.
 */
class ReplicaPartitionTest {
    private static final int PARTITIONS = 2;
    private static final String OFFSET = "test-offset";
    private static final Schema PREDICTION = EventSchemas.schema("Prediction");

    @TempDir
    Path dir;

    private final Map<Long, GenericRecord> predictions = new HashMap<>();
    private KillableTask task;
    private ReplicaPartition replica;
    private int replicas;
    private int observed;
    private long restoredThrough;
    private int compared;
    private int read;

    @AfterEach
    void close() {
        if (replica != null) {
            replica.close();
        }
        if (task != null) {
            task.close();
        }
    }

    @SeededTest
    void shouldPredictAsTheEngine(long seed) {
        run(seed, random -> {});

        System.out.println(
                "ReplicaPartitionTest, seed " + seed + ": " + compared + " predictions, " + replicas + " replicas");
        assertThat(compared).isGreaterThan(400);
        assertThat(replicas).isGreaterThan(1);
    }

    /** With other limits in every life of the engine. */
    @SeededTest
    void shouldHaveNoModelThatTheEngineHasRefusedOrDeleted(long seed) {
        run(seed, random -> {
            task.set("models.max", Integer.toString(3 + random.nextInt(8)));
            task.set("models.idle.ms", Long.toString(300 + random.nextInt(900)));
            task.set("models.auto.create", Boolean.toString(random.nextInt(5) > 0));
            task.set("store.heap.bytes", random.nextBoolean() ? "1" : "600000");
        });

        long deleted = task.store.changelog().stream()
                .map(each -> StoredProgress.of(each.key, each.value))
                .filter(each -> each != null && each.isDeleted())
                .count();
        long refused = task.store.changelog().stream()
                .filter(each -> ModelKeys.isRefusal(each.key) && each.value != null)
                .count();
        System.out.println("ReplicaPartitionTest, seed " + seed + ": " + compared + " predictions, " + deleted
                + " deletions, " + refused + " refusals");
        assertThat(deleted).isGreaterThan(10);
        assertThat(refused).isGreaterThan(10);
        assertThat(compared).isGreaterThan(200);
        requireThatARefusalWaitsForReaders();
    }

    // Both write to the store: without the lock a reader that loads a model could lose what the other had added.
    private void requireThatARefusalWaitsForReaders() {
        byte[] refusal = ModelKeys.refusal(Long.MAX_VALUE / 2).get();
        Thread observer = new Thread(() -> replica.observe(refusal, new byte[1]));
        boolean isWaiting = replica.read(BadRecord.utf8("m"), held -> {
            observer.start();
            await().until(() -> observer.getState() == Thread.State.WAITING || !observer.isAlive());
            return observer.isAlive();
        });
        assertThat(isWaiting).isTrue();
        await().until(() -> !observer.isAlive());
    }

    /** The chunks stayed in the replica, which could not decode the last one, and a later last chunk completed them. */
    @Test
    void shouldEndAnImportThatTheEngineHasRefusedWithoutItsSchema() {
        task = new KillableTask(dir, Map.of("models.max", "1"), 1, any -> any);
        task.add("m", "{\"label\":1,\"features\":[1]}");
        task.add("m", "{\"action\":\"SNAPSHOT\"}");
        task.start();
        task.stepToEnd();
        task.commitCheckpoint();
        WeightsSnapshot weights = EventReader.of(WeightsSnapshot.class, task.registry)
                .read(task.committed(Topic.WEIGHTS).get(0).value());
        weights.setChunks(2);
        addChunk(BadRecord.utf8(EventJson.text(weights)));
        weights.setChunk(1);
        weights.setVectors(List.of());
        weights.setState(SnapshotState.newBuilder(weights.getState())
                .setNumbers(List.of())
                .setNames(List.of())
                .setBlocks(List.of())
                .build());
        byte[] lastChunk = BadRecord.utf8(EventJson.text(weights));
        Schema schema = EventSchemas.schema(Topic.WEIGHTS);
        addChunk(new EventWriter(schema, task.registry.register("weights", schema)).write(weights));
        task.add("m", "{\"action\":\"DELETE\"}");
        addChunk(lastChunk);
        task.stepToEnd();
        task.commit();
        assertThat(task.committed(Topic.DEAD_LETTERS))
                .extracting(each -> each.header("perceptron-reason"))
                .containsExactly("TOO_MANY_MODELS", "INVALID_WEIGHTS");

        SchemaRegistry empty = SchemaRegistries.of(Map.of("schema.registry.url", "mock://without-schemas"));
        replica = task.replica(dir.resolve("replica"), empty, 600_000);
        List<KeyValue<Bytes, byte[]>> changelog = task.store.changelog();
        int restored = 0;
        while (restored == 0 || !replica.begin()) {
            replica.restore(changelog.get(restored).key.get(), changelog.get(restored).value);
            restored++;
        }
        changelog.subList(restored, changelog.size()).forEach(each -> replica.observe(each.key.get(), each.value));
        for (long offset = replica.next(); offset < task.records.size(); offset++) {
            replica.learn(List.of(task.records.get((int) offset)), Long.MAX_VALUE, 1, 0);
        }
        boolean isThere = replica.read(BadRecord.utf8("imported"), held -> held != null);
        assertThat(isThere).isFalse();
    }

    /** Readers had no model of the partition meanwhile. Each one takes the place of another model in memory. */
    @Test
    void shouldLetReadersHaveTheModelsWhileItLearnsWhatAnImportLacks() {
        task = new KillableTask(dir, Map.of(), 1, any -> any);
        List<String> models = List.of("m", "other", "third");
        for (int k = 0; k < 30; k++) {
            task.add(models.get(k % 3), "{\"label\":" + (k % 2 == 0 ? 1 : -1) + ",\"features\":[" + k + "]}");
        }
        task.add("m", "{\"action\":\"SNAPSHOT\"}");
        task.start();
        task.stepToEnd();
        task.commitCheckpoint();
        List<KeyValue<Bytes, byte[]>> restored = List.copyOf(task.store.changelog());
        byte[] weights = task.committed(Topic.WEIGHTS).get(0).value();
        for (int k = 0; k < 9; k++) {
            task.add(models.get(k % 3), "{\"label\":1,\"features\":[-1]}");
        }
        RecordHeaders headers = new RecordHeaders();
        headers.add(ImportPurpose.HEADER, BadRecord.utf8(ImportPurpose.through(30)));
        task.add(BadRecord.utf8("m"), weights, headers);
        task.add("m", "{\"action\":\"SNAPSHOT\"}");
        task.stepToEnd();
        task.commitCheckpoint();
        assertThat(task.committed(Topic.DEAD_LETTERS)).isEmpty();

        List<Long> read = new ArrayList<>();
        replica = new ReplicaPartition(
                "perceptron-examples",
                task.topicId,
                0,
                new DiskStore(dir.resolve("replica"), 1 << 20),
                new InputDecoder(task.registry),
                new RegistryRetry(0),
                (partition, from, to, sink) -> task.read(partition, from, to, record -> {
                    Thread reader = new Thread(() -> models.forEach(each -> read.add(replica.read(
                            BadRecord.utf8(each),
                            held -> held.model().counts().totals().examples()))));
                    reader.start();
                    try {
                        reader.join();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    sink.accept(record);
                }),
                new StoreCounters(),
                1);
        restored.forEach(each -> replica.restore(each.key.get(), each.value));
        assertThat(replica.begin()).isTrue();
        for (long offset = replica.next(); offset < task.records.size(); offset++) {
            replica.learn(List.of(task.records.get((int) offset)), Long.MAX_VALUE, 1, 0);
        }
        // 10 examples of each model, and 3 since, at each of the 9 records that are read again
        assertThat(read).hasSize(27).containsOnly(13L);
        byte[] last = replica.read(
                BadRecord.utf8("m"),
                held -> new EventEncoder(task.ids, false)
                        .weightsSnapshot(held.model(), new EventEncoder.Origin(0, 41))
                        .get(0));
        assertThat(last).isEqualTo(task.committed(Topic.WEIGHTS).get(1).value());
    }

    private void addChunk(byte[] value) {
        task.add(BadRecord.utf8("imported"), value, new RecordHeaders());
    }

    private void run(long seed, Consumer<Random> beforeLife) {
        Random random = new Random(seed);
        int[] asked = {0};
        task = new KillableTask(
                dir,
                Map.of("store.heap.bytes", "600000"),
                PARTITIONS,
                real -> new LateRegistry(real, KillReplayTest.LATE_ID, asked));
        KillReplayTest.fill(task, seed, random);
        task.records.forEach(each -> each.headers().add(OFFSET, BadRecord.utf8(Long.toString(each.offset()))));
        beforeLife.accept(random);
        task.start();
        while (!task.isAtEnd()) {
            try {
                KillReplayTest.live(task, random);
            } catch (UndoableStore.Killed | StreamsException e) {
                // in a checkpoint, a replay or the writes of a record
            }
            follow(random);
            if (!task.isAtEnd() || task.store.isKilled()) {
                task.kill();
                beforeLife.accept(random);
                task.start();
            }
        }
        task.checkpoint();
        task.commit();
        follow(random);
        compareNames();
        compareCounts();
    }

    /** Learns up to the committed offset of the engine; sometimes a new replica does, from the changelog on. */
    private void follow(Random random) {
        for (; read < task.committed.size(); read++) {
            KillableTask.Output output = task.committed.get(read);
            String offset = output.record().header(OFFSET);
            // a replica is asked before a record, not between the examples of one
            if (output.topic() == Topic.PREDICTIONS
                    && !isOfSeveral(output.record().value())) {
                predictions.put(
                        Long.parseLong(offset), prediction(output.record().value()));
            }
        }
        List<KeyValue<Bytes, byte[]>> changelog = task.store.changelog();
        if (replica == null || random.nextInt(4) == 0) {
            if (replica != null) {
                replica.close();
            }
            replica = task.replica(dir.resolve("replica-" + replicas++), known(), random.nextBoolean() ? 1 : 600_000);
            changelog.forEach(each -> replica.restore(each.key.get(), each.value));
            observed = changelog.size();
            restoredThrough = task.committedOffset;
            if (!replica.begin()) {
                replica.close();
                replica = null;
                return;
            }
        }
        for (; observed < changelog.size(); observed++) {
            replica.observe(changelog.get(observed).key.get(), changelog.get(observed).value);
        }
        for (long offset = replica.next(); offset < task.committedOffset; offset++) {
            ConsumerRecord<byte[], byte[]> record = task.records.get((int) offset);
            GenericRecord expected = predictions.get(offset);
            // the checkpoint has models that are ahead of its position
            if (expected != null && offset >= restoredThrough) {
                compare(record, expected);
            }
            replica.learn(List.of(record), Long.MAX_VALUE, 1, 0);
        }
    }

    private void compare(ConsumerRecord<byte[], byte[]> record, GenericRecord expected) {
        GenericRecord actual = replica.read(record.key(), held -> {
            // before the first label of its weights a model may not know what it is; and the time of a record may be
            // that at which
            // earlier examples get the default label, which the engine learns first
            if (held == null
                    || held.model().counts().ofWeights().counts().labelled() == 0
                    || !held.model()
                            .pipeline()
                            .settings()
                            .get(Settings.LABEL_DEFAULT)
                            .isEmpty()) {
                return null;
            }
            assertThat(held.next()).isEqualTo(record.offset());
            return predict(held.model(), record.value());
        });
        if (actual == null) {
            return;
        }
        for (String field : List.of(
                "label",
                "score",
                "scores",
                "updates",
                "examples",
                "labelText",
                "probability",
                "probabilities",
                "labelSet")) {
            assertThat(actual.get(field))
                    .as("%s of %s at offset %d", field, new String(record.key(), UTF_8), record.offset())
                    .isEqualTo(expected.get(field));
        }
        compared++;
    }

    private GenericRecord predict(Model model, byte[] value) {
        Example example = new Example();
        new InputDecoder(known()).decode(value, model.pipeline().hasher(), example);
        example.setLabel(null);
        Outcome outcome = model.evaluate(example);
        return prediction(new EventEncoder(task.ids, false)
                .prediction(
                        example,
                        outcome,
                        model.current().epoch(),
                        model.current().version(),
                        model.counts().totals().examples() + 1));
    }

    private SchemaRegistry known() {
        return LateRegistry.known(task.registry, KillReplayTest.LATE_ID);
    }

    private boolean isOfSeveral(byte[] value) {
        String event = "PredictionBatch";
        return ByteBuffer.wrap(value).getInt(1) == task.registry.register(event, EventSchemas.schema(event));
    }

    private static GenericRecord prediction(byte[] value) {
        try {
            return new GenericDatumReader<GenericRecord>(PREDICTION)
                    .read(
                            null,
                            DecoderFactory.get()
                                    .binaryDecoder(value, WireFormat.HEADER, value.length - WireFormat.HEADER, null));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What is counted of predictions, labels and corrections is what the last checkpoint of the engine has. */
    private void compareCounts() {
        ReplicaPartition stored = task.replica(dir.resolve("stored"), known(), 600_000);
        task.store.changelog().forEach(each -> stored.restore(each.key.get(), each.value));
        assertThat(stored.begin()).isTrue();
        long corrected = 0;
        for (Bytes key : task.store.entries().keySet()) {
            if (ModelKeys.isHeader(key)) {
                byte[] name = Arrays.copyOf(key.get(), key.get().length - 1);
                assertThat(replica.<String>read(name, ReplicaPartitionTest::counts))
                        .as(new String(name, UTF_8))
                        .isEqualTo(stored.<String>read(name, ReplicaPartitionTest::counts));
                corrected += replica.<Long>read(
                        name,
                        held -> held == null ? 0 : held.model().corrections().corrections());
            }
        }
        stored.close();
        System.out.println("ReplicaPartitionTest: " + corrected + " corrections");
    }

    private static String counts(ReplicaPartition.Held held) {
        if (held == null) {
            return null;
        }
        Model model = held.model();
        return StoredText.of(fields -> {
            model.counts().exchange(fields, model.pipeline().settings(), 0, true);
            model.counts().exchangeEmitted(fields, model.pipeline().settings(), true);
            model.current().exchangeCalibration(fields);
            model.counts().exchangeEmittedReliability(fields);
            model.decisions().exchange(fields);
            model.challengers().exchangeSureness(fields);
            model.corrections().exchange(fields);
        });
    }

    /** A model is there if and only if the engine has it. */
    private void compareNames() {
        Set<Bytes> names = new HashSet<>();
        Map<Bytes, byte[]> stored = task.store.entries();
        stored.forEach((key, value) -> {
            if (ModelKeys.isHeader(key)) {
                byte[] name = Arrays.copyOf(key.get(), key.get().length - 1);
                names.add(key);
                boolean isThere = replica.read(name, held -> held != null);
                assertThat(isThere)
                        .as(new String(name, UTF_8))
                        .isEqualTo(!StoredProgress.of(key, value).isDeleted());
            }
        });
        assertThat(names).hasSizeGreaterThan(5);
    }
}
