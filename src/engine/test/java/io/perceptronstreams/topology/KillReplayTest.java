package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.registry.LateRegistry;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.store.InputPosition;
import io.perceptronstreams.store.ModelKeys;
import io.perceptronstreams.store.StoredModels;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.errors.StreamsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a task at any record between two checkpoints, in a checkpoint and in a replay, and compares its outputs, record
 * by record, and its models, bit by bit, with one pass of {@link ReferenceEngine}.
 */
public class KillReplayTest {
    private static final int RECORDS = 2_500;
    private static final int PARTITIONS = 2;

    /** Of examples whose schema the registry does not know at first. */
    public static final int LATE_ID = 4_711;

    @TempDir
    Path dir;

    /** By the offset of the record from which on they hold. */
    private final Map<Long, Consumer<ReferenceEngine>> limits = new HashMap<>();

    @SeededTest
    void shouldNotNoticeKills(long seed) {
        // each has half of the models
        for (int partition = 0; partition < PARTITIONS; partition++) {
            ReferenceEngine reference = run(seed, partition, (task, random) -> {});
            // SCALE and COLLISIONS of the advised model
            assertThat(reference.advised()).isGreaterThanOrEqualTo(2);
            assertThat(reference.named()).isPositive();
        }
    }

    /** With other limits in every life: what was decided by the earlier ones stays decided. */
    @SeededTest
    void shouldNotNoticeKillsWhereModelsAreRefusedAndExpire(long seed) {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            limits.clear();
            ReferenceEngine reference = run(seed, partition, this::limit);
            System.out.println("KillReplayTest, seed " + seed + ": " + reference.expired() + " models expired, "
                    + reference.refused() + " records refused because of too many");
            assertThat(reference.expired()).isGreaterThan(10);
            assertThat(reference.refused()).isGreaterThan(20);
        }
    }

    private ReferenceEngine run(long seed, int partition, BiConsumer<KillableTask, Random> beforeLife) {
        Random random = new Random(seed);
        int[] asked = {0};
        try (KillableTask task = new KillableTask(
                dir.resolve(Integer.toString(partition)),
                Map.of("store.heap.bytes", "600000"),
                partition,
                PARTITIONS,
                real -> new LateRegistry(real, LATE_ID, asked))) {
            fill(task, seed, random);
            int kills = 0;
            beforeLife.accept(task, random);
            task.start();
            while (!task.isAtEnd()) {
                untilKilled(() -> live(task, random));
                if (!task.isAtEnd() || task.store.isKilled()) {
                    task.kill();
                    kills++;
                    beforeLife.accept(task, random);
                    task.start();
                    if (random.nextInt(4) == 0) {
                        task.readsUntilKill = random.nextInt(150);
                    }
                }
            }
            task.commitCheckpoint();
            System.out.println("KillReplayTest, seed " + seed + ": " + kills + " kills, " + task.slices + " slices, "
                    + task.replayed + " records replayed");
            assertThat(kills).isGreaterThan(8);
            assertThat(task.replayed).isPositive();
            return compare(task);
        }
    }

    private void limit(KillableTask task, Random random) {
        int models = 3 + random.nextInt(8);
        long idleMs = random.nextInt(4) == 0 ? 0 : 300 + random.nextInt(900);
        task.set("models.max", Integer.toString(models));
        task.set("models.idle.ms", Long.toString(idleMs));
        // with one byte every model but the last is evicted
        task.set("store.heap.bytes", random.nextBoolean() ? "1" : "600000");
        // where an earlier life has begun at the same record, nothing of it is left
        limits.put(Math.max(0, task.committedOffset), reference -> reference.limit(models, idleMs));
    }

    public static void fill(KillableTask task, long seed, Random random) {
        MixedStream stream = new MixedStream(seed, "perceptron-examples", PARTITIONS, task.registry);
        int exampleId = task.registry.register("perceptron-examples-value", EventSchemas.schema("Example"));
        while (task.records.size() < RECORDS) {
            ProducerRecord<byte[], byte[]> next = stream.next();
            if (next.partition() == task.partition()) {
                byte[] value = next.value();
                if (random.nextInt(30) == 0 && value != null && value.length > 5 && value[0] == 0) {
                    ByteBuffer bytes = ByteBuffer.wrap(value.clone());
                    if (bytes.getInt(1) == exampleId) {
                        value = bytes.putInt(1, LATE_ID).array();
                    }
                }
                if (task.records.size() == RECORDS / 3) {
                    String named = "{\"action\":\"SNAPSHOT\",\"settings\":{\"name\":\"third\"}}";
                    task.add(
                            next.timestamp(),
                            advisedModel(task.partition()),
                            BadRecord.utf8(named),
                            new RecordHeaders());
                    continue;
                }
                boolean isFirst = task.records.isEmpty();
                if (isFirst || random.nextInt(6) == 0) {
                    String json = advised(task.records.size(), isFirst, random);
                    task.add(
                            next.timestamp(),
                            advisedModel(task.partition()),
                            BadRecord.utf8(json),
                            new RecordHeaders());
                    continue;
                }
                task.add(next.timestamp(), next.key(), value, next.headers());
            }
        }
    }

    /** A record of a model with features of different sizes, whose names collide. */
    private static String advised(int offset, boolean isCommand, Random random) {
        int word = random.nextInt(40);
        return isCommand
                ? "{\"action\":\"CONFIGURE\",\"settings\":{\"hash.bits\":\"8\"}}"
                : "{\"id\":\"" + offset + "\",\"label\":" + (word % 2 * 2 - 1) + ",\"features\":{\"small\":"
                        + (0.01 + 0.001 * random.nextDouble()) + ",\"large\":" + (500 + random.nextDouble()) + ",\"w"
                        + word + "\":" + (1 + random.nextDouble()) + "}}";
    }

    /** A name of a partition. */
    private static byte[] advisedModel(int partition) {
        int number = 0;
        while (Utils.toPositive(Utils.murmur2(BadRecord.utf8("advised-" + number))) % PARTITIONS != partition) {
            number++;
        }
        return BadRecord.utf8("advised-" + number);
    }

    /** Runs a life, which may be killed in a write to the store. */
    static void untilKilled(Runnable life) {
        try {
            life.run();
        } catch (UndoableStore.Killed e) {
            // in a checkpoint or a replay
        } catch (StreamsException e) {
            // in the writes that a record makes
            assertThat(e).hasCauseInstanceOf(UndoableStore.Killed.class);
        }
    }

    /** Goes on until a kill is due, or the end. */
    public static void live(KillableTask task, Random random) {
        int left = random.nextInt(400);
        while (left > 0 && !task.isAtEnd()) {
            int size = random.nextInt(4) > 0 ? 1 : 1 + random.nextInt(20);
            left -= size;
            if (random.nextInt(100) == 0) {
                task.store.killAfterWrites(random.nextInt(10));
            }
            task.batch(size);
            task.store.killAfterWrites(-1);
            int chance = random.nextInt(300) / size;
            if (chance < 6) {
                if (random.nextInt(5) == 0) {
                    task.store.killAfterWrites(random.nextInt(20));
                }
                if (chance == 0) {
                    task.checkpoint();
                } else {
                    task.checkpoint(1 + random.nextInt(4));
                }
                task.store.killAfterWrites(-1);
            } else if (chance < 15) {
                task.commit();
            }
        }
    }

    private ReferenceEngine compare(KillableTask task) {
        Set<Long> refused = task.committed(Topic.DEAD_LETTERS).stream()
                .filter(each -> each.header("perceptron-reason").equals("UNKNOWN_SCHEMA"))
                .map(each -> Long.valueOf(each.header("__streams.errors.offset")))
                .collect(Collectors.toSet());
        assertThat(task.committed(Topic.EXAMPLES)).as("records sent on").isNotEmpty();
        List<KillableTask.Output> expected = new ArrayList<>();
        ReferenceEngine reference = new ReferenceEngine(
                LateRegistry.known(task.registry, LATE_ID),
                task.ids,
                task.partition(),
                PARTITIONS,
                (topic, record) -> expected.add(new KillableTask.Output(topic, record)));
        int late = 0;
        for (ConsumerRecord<byte[], byte[]> record : task.records) {
            limits.getOrDefault(record.offset(), any -> {}).accept(reference);
            boolean isLate = record.value() != null
                    && record.value().length > 5
                    && record.value()[0] == 0
                    && ByteBuffer.wrap(record.value()).getInt(1) == LATE_ID;
            if (isLate && refused.contains(record.offset())) {
                late++;
                expected.add(new KillableTask.Output(Topic.DEAD_LETTERS, null));
                reference.skip(record);
            } else {
                reference.process(record);
            }
        }
        assertThat(late).as("records refused because of the registry alone").isPositive();
        compareOutputs(task.committed, expected);
        reference.compareStored(task);
        System.out.println("KillReplayTest, late labels: " + reference.cases());
        assertThat(StoredModels.lastSeen(task.store.entries())).isEqualTo(reference.lastSeen());
        InputPosition.Summary summary =
                InputPosition.decode(task.store.get(ModelKeys.POSITION)).summary();
        assertThat(summary.streamTime()).isEqualTo(reference.streamTime());
        assertThat(summary.models()).isEqualTo(reference.lastSeen().size());
        return reference;
    }

    /** Compares the outputs of each topic in their order; an expected one without a record equals any. */
    static void compareOutputs(List<KillableTask.Output> actual, List<KillableTask.Output> expected) {
        for (Topic topic : Topic.values()) {
            List<SentRecord> sent = of(topic, actual);
            List<SentRecord> right = of(topic, expected);
            for (int k = 0; k < Math.min(right.size(), sent.size()); k++) {
                assertThat(right.get(k) == null || sent.get(k).isSameAs(right.get(k)))
                        .as("%s of %s must be %s", sent.get(k), topic, right.get(k))
                        .isTrue();
            }
            assertThat(sent).as("outputs to %s", topic).hasSameSizeAs(right);
        }
    }

    private static List<SentRecord> of(Topic topic, List<KillableTask.Output> outputs) {
        List<SentRecord> records = new ArrayList<>();
        outputs.stream().filter(each -> each.topic() == topic).forEach(each -> records.add(each.record()));
        return records;
    }

    @Test
    void shouldReplayByTheSettingsOfTheFirstPass() {
        try (KillableTask task = new KillableTask(dir, Map.of(), 1, any -> any)) {
            for (int k = 0; k < 6; k++) {
                task.add(k < 4 ? "m" : "n", "{\"id\":\"" + k + "\",\"label\":1,\"features\":[1]}");
            }
            task.start();
            task.steps(3);
            task.commit();
            task.kill();

            task.set("models.auto.create", "false");
            task.start();
            task.steps(2);
            task.commit();
            task.kill();

            // and the records since by those of the second one
            task.set("models.auto.create", "true");
            task.start();
            task.step();
            task.commitCheckpoint();
            assertThat(task.replayed).isEqualTo(3 + 2);
            assertThat(task.committed(Topic.DEAD_LETTERS))
                    .extracting(each -> each.header("__streams.errors.offset"))
                    .containsExactly("4");
            assertThat(task.committed(Topic.PREDICTIONS))
                    .extracting(each -> new String(each.key(), StandardCharsets.UTF_8))
                    .containsExactly("m", "m", "m", "m", "n");
        }
    }

    /** The topics may accept other times at the next start. */
    @Test
    void shouldReplayByTheLimitOfTimesOfTheFirstPass() {
        try (KillableTask task = new KillableTask(dir, Map.of(), 1, any -> any)) {
            for (int k = 0; k < 4; k++) {
                task.add("m", "{\"label\":1,\"features\":[1],\"timestamp\":" + (1000 + k + 500) + "}");
            }
            task.aheadMs = 0;
            task.start();
            task.step();
            task.commitCheckpoint();
            task.step();
            task.commit();
            task.kill();

            task.aheadMs = 3_600_000;
            task.start();
            task.step();
            task.commit();
            task.kill();

            task.aheadMs = 0;
            task.start();
            task.step();
            task.commitCheckpoint();
            assertThat(task.replayed).isEqualTo(1 + 1);
            assertThat(task.committed(Topic.DEAD_LETTERS))
                    .extracting(each -> each.header("__streams.errors.offset"))
                    .containsExactly("0", "1", "3");
            // with the limit of the second start, the replay would have learned the record at offset 1
            assertThat(task.events(Topic.PREDICTIONS))
                    .extracting(each -> each.get("examples"))
                    .containsExactly(1L);
        }
    }
}
