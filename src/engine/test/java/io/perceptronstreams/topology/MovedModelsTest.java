package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.log.PositionFaultException;
import io.perceptronstreams.model.ModelDefaults;
import io.perceptronstreams.serde.Generation;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.store.InputPosition;
import io.perceptronstreams.store.ModelKeys;
import io.perceptronstreams.store.MovedModels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Moves models of all kinds through several numbers of partitions, with kills, and compares what each has sent, and
 * what is stored of it, byte by byte, with partitions that had the last number from the start.
 */
class MovedModelsTest {
    private static final int RECORDS = 2_400;
    private static final String FENCE = "{\"action\":\"FENCE\",\"settings\":{\"after\":\"refuse\"}}";
    private static final String FORWARDING = "{\"action\":\"FENCE\",\"settings\":{\"after\":\"forward\"}}";
    private static final String CLOSE = "{\"action\":\"FENCE\",\"settings\":{\"close\":\"true\"}}";
    private static final String LIFT = "{\"action\":\"FENCE\",\"settings\":{\"lift\":\"true\"}}";

    @TempDir
    Path dir;

    private final List<KillableTask> opened = new ArrayList<>();
    private KillableTask registry;

    @BeforeEach
    void open() {
        registry = task(Generation.of("perceptron"), 0, 1);
    }

    @AfterEach
    void close() {
        opened.forEach(KillableTask::close);
    }

    private KillableTask task(Generation generation, int partition, int partitions) {
        KillableTask task = new KillableTask(
                dir,
                Map.of("topics.prefix", generation.prefix(), "schema.registry.url", "mock://" + dir),
                partition,
                partitions,
                any -> any);
        opened.add(task);
        return task;
    }

    private List<KillableTask> tasks(Generation generation, int partitions) {
        List<KillableTask> tasks = new ArrayList<>();
        for (int k = 0; k < partitions; k++) {
            tasks.add(task(generation, k, partitions));
        }
        return tasks;
    }

    private static int partition(byte[] key, int partitions) {
        return Utils.toPositive(Utils.murmur2(key)) % partitions;
    }

    /** Appends a record to the log of its model, or of the first partition, or, of no model, to all logs. */
    private static void add(List<KillableTask> tasks, long offset, long time, ProducerRecord<byte[], byte[]> record) {
        byte[] key = record.key();
        if (ModelDefaults.isKey(key)) {
            tasks.forEach(task -> task.add(offset, time, key, record.value(), record.headers()));
        } else {
            tasks.get(key == null ? 0 : partition(key, tasks.size()))
                    .add(offset, time, key, record.value(), record.headers());
        }
    }

    private static void command(List<KillableTask> tasks, long offset, long time, String json) {
        tasks.forEach(task -> task.add(offset, time, BadRecord.utf8("*"), BadRecord.utf8(json), new RecordHeaders()));
    }

    /** Runs to the end, with commits, and a checkpoint at the end. */
    private static int run(KillableTask task, Random random, boolean hasKills) {
        int kills = 0;
        while (!task.isAtEnd()) {
            task.batch(1 + random.nextInt(8));
            int chance = random.nextInt(20);
            if (chance == 0 && hasKills) {
                task.restart();
                kills++;
            } else if (chance < 5) {
                task.commit();
            }
        }
        task.commitCheckpoint();
        return kills;
    }

    private List<KillableTask> move(List<KillableTask> from, Generation to, int partitions) {
        List<KillableTask> tasks = tasks(to, partitions);
        MovedModels moved = new MovedModels(
                partitions,
                (partition, key, value) -> tasks.get(partition).store.put(key, value));
        for (int k = 0; k < from.size(); k++) {
            moved.begin(k);
            from.get(k).store.entries().forEach(moved::add);
        }
        InputPosition before = moved.before().get(0);
        moved.finish(from.get(0).topicId, to.base(), before.decisions());
        for (KillableTask task : tasks) {
            task.store.commit();
            task.committedOffset = 0;
            task.start();
        }
        return tasks;
    }

    @SeededTest
    void shouldGoOnAsIfThePartitionsHadAlwaysBeenThere(long seed) {
        // kills change when models are written, and so what of them is stored twice
        run(seed, false);
    }

    @SeededTest
    void shouldNotNoticeKills(long seed) {
        run(seed, true);
    }

    private void run(long seed, boolean hasKills) {
        Random random = new Random(seed);
        int[] numbers = {1, 3, 64, 7};
        List<KillableTask> right = tasks(Generation.of("perceptron"), 7);
        right.forEach(KillableTask::start);
        List<KillableTask> now = tasks(Generation.of("perceptron"), numbers[0]);
        now.forEach(KillableTask::start);
        List<KillableTask> all = new ArrayList<>(now);
        MixedStream stream = new MixedStream(seed, "perceptron-examples", 2, registry.registry);
        stream.hasIds = true;
        Generation generation = Generation.of("perceptron");
        long time = 0;
        long offset = 0;
        int kills = 0;
        for (int stage = 0; stage < numbers.length; stage++) {
            for (int k = 0; k < RECORDS / numbers.length; k++) {
                ProducerRecord<byte[], byte[]> next = stream.next();
                time = Math.max(time, next.timestamp());
                add(now, offset, time, next);
                add(right, generation.offset(offset), time, next);
                offset++;
            }
            // what a fence writes is part of the comparison: the other one has it, too
            command(now, offset, time, FENCE);
            command(right, generation.offset(offset), time, FENCE);
            for (KillableTask each : now) {
                kills += run(each, random, hasKills);
            }
            for (KillableTask each : right) {
                run(each, random, hasKills);
            }
            command(right, generation.offset(offset + 1), time, LIFT);
            for (KillableTask each : right) {
                run(each, random, hasKills);
            }
            offset += 2;
            if (stage < numbers.length - 1) {
                // no record of the old generation changes anything any more
                add(now, offset++, time + 1_000_000, stream.next());
                for (KillableTask each : now) {
                    run(each, random, hasKills);
                }
                generation = generation.next();
                now = move(now, generation, numbers[stage + 1]);
                offset = 0;
                all.addAll(now);
            }
        }

        assertThat(kills).isGreaterThanOrEqualTo(hasKills ? 10 : 0);
        for (Topic topic :
                List.of(Topic.PREDICTIONS, Topic.MISTAKES, Topic.COUNTS, Topic.ALERTS, Topic.MODELS, Topic.WEIGHTS)) {
            Map<String, List<String>> expected = sent(right, topic);
            Map<String, List<String>> actual = sent(all, topic);
            assertThat(actual.keySet()).as("models of %s", topic).isEqualTo(expected.keySet());
            actual.forEach((model, events) -> {
                for (int k = 0; k < Math.min(events.size(), expected.get(model).size()); k++) {
                    assertThat(events.get(k))
                            .as("%s %d of %s", topic, k, model)
                            .isEqualTo(expected.get(model).get(k));
                }
                assertThat(events).hasSameSizeAs(expected.get(model));
            });
        }
        assertThat(sent(all, Topic.PREDICTIONS).size()).isGreaterThan(20);
        if (!hasKills) {
            compareStored(now, right);
        }
        System.out.println("MovedModelsTest, seed " + seed + ": " + kills + " kills, "
                + sent(all, Topic.PREDICTIONS).size() + " models");
    }

    /** Values by model, in their order; partitions and ids of examples that have none depend on
     * the number of partitions. */
    private static Map<String, List<String>> sent(List<KillableTask> tasks, Topic topic) {
        Map<String, List<String>> sent = new TreeMap<>();
        tasks.forEach(task -> task.committed(topic).forEach(record -> {
            String key = new String(record.key(), StandardCharsets.UTF_8);
            if (!ModelDefaults.isStatusKey(key)) {
                sent.computeIfAbsent(key, any -> new ArrayList<>()).add(text(task, record.value()));
            }
        }));
        return sent;
    }

    private static String text(KillableTask task, byte[] value) {
        return value == null
                ? "removed"
                : EngineDriver.decode(task.registry, value)
                        .toString()
                        .replaceAll("\"partition\": \\d+", "")
                        .replaceAll("\"\\d+@(\\d+)", "\"@$1");
    }

    private static void compareStored(List<KillableTask> actual, List<KillableTask> right) {
        for (int k = 0; k < right.size(); k++) {
            Map<Bytes, byte[]> there = ofModels(actual.get(k));
            Map<Bytes, byte[]> wanted = ofModels(right.get(k));
            assertThat(there.keySet()).as("keys of partition %d", k).isEqualTo(wanted.keySet());
            there.forEach((key, value) -> {
                if (!Arrays.equals(value, wanted.get(key))) {
                    fail("different values of " + key + ": " + Arrays.toString(value) + ", must be "
                            + Arrays.toString(wanted.get(key)));
                }
            });
        }
    }

    private static Map<Bytes, byte[]> ofModels(KillableTask task) {
        Map<Bytes, byte[]> records = new TreeMap<>(Comparator.naturalOrder());
        task.store.entries().forEach((key, value) -> {
            if (!key.equals(ModelKeys.POSITION) && !ModelKeys.isRefusal(key)) {
                records.put(key, value);
            }
        });
        return records;
    }

    @Test
    void shouldRefuseRecordsBehindAFenceUntilItIsLifted() {
        KillableTask task = tasks(Generation.of("perceptron"), 1).get(0);
        task.start();
        task.add("m", "{\"id\":\"1\",\"label\":1,\"features\":[1]}");
        task.add("*", FENCE);
        task.add("*", FENCE);
        task.add("*", FORWARDING);
        task.add("m", "{\"id\":\"2\",\"label\":1,\"features\":[1]}");
        task.add("*", "{\"action\":\"DEFAULTS\",\"settings\":{\"h\":\"1\"}}");
        task.add("*", LIFT);
        task.add("m", "{\"id\":\"3\",\"label\":1,\"features\":[1]}");
        task.steps(5);
        task.commit();
        task.restart();
        task.stepToEnd();
        task.commit();

        assertThat(task.committed(Topic.DEAD_LETTERS))
                .extracting(each -> each.header("perceptron-reason") + each.header("__streams.errors.offset"))
                .containsExactly("INVALID_COMMAND3", "FENCED4", "FENCED5");
        assertThat(task.events(Topic.PREDICTIONS))
                .extracting(each -> each.get("exampleId").toString())
                .containsExactly("1", "3");
        assertThat(task.events(Topic.MODELS))
                .filteredOn(each -> each.get("cause").toString().equals("FENCED"))
                .extracting(each -> each.get("offset"))
                .containsExactly(1L, 2L, 6L);
    }

    // fence, lift and fence again while no engine runs: what is learned between them must be moved, too
    @Test
    void shouldStoreAllModelsAtAFenceAlsoIfAnotherOneWasLiftedInTheSameBatch() {
        KillableTask task = tasks(Generation.of("perceptron"), 1).get(0);
        task.start();
        task.add("*", FENCE);
        task.step();
        task.commit();
        task.add("*", LIFT);
        task.add("m", "{\"id\":\"1\",\"label\":1,\"features\":[1]}");
        task.add("*", FENCE);
        task.batch(3);
        task.commit();

        assertThat(InputPosition.decode(task.store.get(ModelKeys.POSITION)).next())
                .isEqualTo(4);
        assertThat(ofModels(task)).isNotEmpty();
    }

    @Test
    void shouldSendRecordsOnInTheirOrder() {
        KillableTask task = tasks(Generation.of("perceptron"), 1).get(0);
        task.start();
        task.add("*", FORWARDING);
        for (int k = 0; k < 4; k++) {
            task.add("m" + k % 2, "{\"id\":\"" + k + "\",\"label\":1,\"features\":[1]}");
        }
        task.add("not a name", "{}");
        task.stepToEnd();
        task.commit();

        assertThat(task.committed(Topic.EXAMPLES))
                .extracting(each ->
                        new String(each.key(), StandardCharsets.UTF_8) + " " + each.header("perceptron-forwarded"))
                .containsExactly(
                        "m0 perceptron-examples-0@1",
                        "m1 perceptron-examples-0@2",
                        "m0 perceptron-examples-0@3",
                        "m1 perceptron-examples-0@4");
        assertThat(task.committed(Topic.DEAD_LETTERS))
                .extracting(each -> each.header("perceptron-reason"))
                .containsExactly("FENCED");
    }

    // Kafka Streams has no record with such a time: the engine ended, at each start again
    @Test
    void shouldNotSendARecordOnThatHasNoTime() {
        KillableTask task = tasks(Generation.of("perceptron"), 1).get(0);
        task.start();
        task.add("*", FORWARDING);
        task.add(-1, BadRecord.utf8("m"), BadRecord.utf8("{\"label\":1,\"features\":[1]}"), new RecordHeaders());
        task.add("m", "{\"id\":\"2\",\"label\":1,\"features\":[1]}");
        task.stepToEnd();
        task.commit();

        assertThat(task.committed(Topic.EXAMPLES))
                .extracting(each -> each.header("perceptron-forwarded"))
                .containsExactly("perceptron-examples-0@2");
        assertThat(task.committed(Topic.DEAD_LETTERS))
                .extracting(each -> each.header("perceptron-reason"))
                .containsExactly("INVALID_TIMESTAMP");
    }

    // before the topics are deleted to which records are sent on
    @Test
    void shouldRefuseWhereItSentOnOnceAFenceIsClosed() {
        KillableTask task = tasks(Generation.of("perceptron"), 1).get(0);
        task.start();
        task.add("*", CLOSE);
        task.add("m", "{\"id\":\"1\",\"label\":1,\"features\":[1]}");
        task.add("*", FORWARDING);
        task.add("m", "{\"id\":\"2\",\"label\":1,\"features\":[1]}");
        task.add("*", CLOSE);
        task.add("m", "{\"id\":\"3\",\"label\":1,\"features\":[1]}");
        task.add("*", FORWARDING);
        task.add("*", LIFT);
        task.add("m", "{\"id\":\"4\",\"label\":1,\"features\":[1]}");
        task.steps(5);
        task.commit();
        task.restart();
        task.stepToEnd();
        task.commit();

        assertThat(task.events(Topic.PREDICTIONS))
                .extracting(each -> each.get("exampleId").toString())
                .containsExactly("1", "4");
        assertThat(task.committed(Topic.EXAMPLES))
                .extracting(each -> each.header("perceptron-forwarded"))
                .containsExactly("perceptron-examples-0@3");
        assertThat(task.committed(Topic.DEAD_LETTERS))
                .extracting(each -> each.header("perceptron-reason") + each.header("__streams.errors.offset"))
                .containsExactly("FENCED5", "INVALID_COMMAND6");
        assertThat(task.events(Topic.MODELS))
                .filteredOn(each -> each.get("cause").toString().equals("FENCED"))
                .extracting(each -> each.get("offset"))
                .containsExactly(0L, 2L, 4L, 7L);
    }

    @Test
    void shouldStopWhereTheNextGenerationHasTheModels() {
        KillableTask task = tasks(Generation.of("perceptron"), 1).get(0);
        task.start();
        task.add("*", FENCE);
        task.add("m", "{\"id\":\"1\",\"label\":1,\"features\":[1]}");
        task.step();
        task.commit();
        task.isMoved = true;
        task.restart();

        assertThatThrownBy(task::step)
                .isInstanceOf(PositionFaultException.class)
                .hasMessageContaining("start the engine with -D topics.prefix=perceptron-gen2");
    }

    @Test
    void shouldNotBeginBeforeTheModelsHaveArrived() {
        KillableTask task = tasks(Generation.of("perceptron-gen2"), 1).get(0);
        task.start();
        task.add("m", "{\"id\":\"1\",\"label\":1,\"features\":[1]}");

        assertThatThrownBy(task::step)
                .isInstanceOf(PositionFaultException.class)
                .hasMessageContaining("must have the models of perceptron,");
    }

    @Test
    void shouldRequireAFence() {
        KillableTask task = tasks(Generation.of("perceptron"), 1).get(0);
        task.start();
        task.add("m", "{\"id\":\"1\",\"label\":1,\"features\":[1]}");
        task.step();
        task.commitCheckpoint();

        assertThatThrownBy(() -> move(List.of(task), Generation.of("perceptron-gen2"), 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("partition 0 must have a fence, got none");
        Map<Integer, Integer> none = new HashMap<>();
        assertThatThrownBy(() -> new MovedModels(2, (partition, key, value) -> none.put(partition, 0))
                        .add(Bytes.wrap(new byte[] {0, -9, 1}), new byte[0]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must be one of this version");
    }
}
