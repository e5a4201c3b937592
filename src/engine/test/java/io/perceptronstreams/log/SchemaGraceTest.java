package io.perceptronstreams.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.registry.FailingRegistry;
import io.perceptronstreams.registry.LateRegistry;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.registry.http.StubRegistry;
import io.perceptronstreams.registry.http.StubRegistry.Reply;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.BadRecord;
import io.perceptronstreams.topology.EngineDriver;
import io.perceptronstreams.topology.KillableTask;
import io.perceptronstreams.topology.LogLines;
import io.perceptronstreams.topology.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.MDC;

/** The registry does not have the schema of a record yet, or never. */
class SchemaGraceTest {
    private static final int ID = 4711;
    private static final long GRACE_MS = 30_000;
    private static final byte[] MODEL = BadRecord.utf8("m");
    private static final String UNKNOWN = "{\"error_code\":40403,\"message\":\"Schema not found\"}";

    @TempDir
    Path dir;

    private final AtomicLong nanoTime = new AtomicLong(Long.MAX_VALUE - 1_000_000);
    private final AtomicLong waitedMs = new AtomicLong();

    /** Its pauses take no time, but its clock goes on. */
    private RegistryRetry impatient() {
        return new RegistryRetry(GRACE_MS, nanoTime::get, ms -> {
            pass(ms);
            waitedMs.addAndGet(ms);
            return false;
        });
    }

    private void pass(long ms) {
        nanoTime.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
    }

    private EngineDriver engine(String name, UnaryOperator<SchemaRegistry> view, RegistryRetry registryRetry) {
        return new EngineDriver(
                dir.resolve(name), Map.of("schema.registry.url", "mock://grace"), 1, view, registryRetry);
    }

    /** A stopped thread logs nothing any more; that of the tests goes on. */
    @AfterEach
    void logAgain() {
        MDC.clear();
    }

    /** What a registry behind a proxy answers that fails over to another one, which lags. */
    @Test
    @Tag("full")
    void shouldLoseNothingToASickRegistryThatHasTheSchemaInTheEnd() throws IOException {
        String schema =
                "{\"schema\":\"" + EventSchemas.schema("Example").toString().replace("\"", "\\\"") + "\"}";
        try (StubRegistry elsewhere = StubRegistry.start();
                StubRegistry stub = StubRegistry.start();
                SchemaRegistry client = SchemaRegistries.of(Map.of("schema.registry.url", stub.url()));
                EngineDriver sick = engine("sick", real -> client, new RegistryRetry(GRACE_MS));
                EngineDriver healthy = engine("healthy", real -> LateRegistry.known(real, ID), new RegistryRetry(0))) {
            stub.on(
                    "GET /schemas/ids/" + ID,
                    new Reply(404, UNKNOWN),
                    new Reply(307, elsewhere.url() + "/schemas/ids/" + ID),
                    new Reply(200, "x".repeat(10 << 20)),
                    new Reply(200, "<html>welcome</html>"),
                    new Reply(200, "{\"schema\":null}"),
                    new Reply(200, "{\"schemaType\":\"PROTOBUF\",\"schema\":\"syntax\"}"),
                    new Reply(500, ""),
                    new Reply(404, UNKNOWN),
                    new Reply(200, schema));
            for (EngineDriver engine : List.of(sick, healthy)) {
                for (int k = 0; k < 20; k++) {
                    engine.send(MODEL, Wire.example(ID, Wire.label(k % 2 * 2 - 1), Wire.dense(k - 10, 1), 1), k);
                    engine.send("m", "{\"id\":\"j\",\"label\":1,\"features\":[1,-1]}", k);
                }
            }
            assertThat(outputs(sick)).isEqualTo(outputs(healthy)).hasSizeGreaterThan(40);
            assertThat(sick.records(Topic.DEAD_LETTERS)).isEmpty();
            assertThat(elsewhere.asked()).isEmpty();
            assertThat(stub.asked())
                    .filteredOn(asked -> asked.path().endsWith("/" + ID))
                    .hasSize(9);
        }
    }

    private static List<String> outputs(EngineDriver engine) {
        List<String> outputs = new ArrayList<>();
        engine.checkpoint();
        for (Topic topic : List.of(Topic.PREDICTIONS, Topic.MISTAKES, Topic.COUNTS, Topic.MODELS)) {
            engine.records(topic).forEach(record -> outputs.add(HexFormat.of().formatHex(record.value())));
        }
        engine.changelog().forEach(record -> outputs.add(HexFormat.of().formatHex(record.value())));
        return outputs;
    }

    @Test
    void shouldRefuseEachRecordOfAnIdThatStaysUnknownAfterOneWait() {
        try (EngineDriver engine = engine("e", real -> real, impatient());
                LogLines log = new LogLines()) {
            for (int k = 0; k < 3; k++) {
                engine.send(MODEL, Wire.example(engine.id("Example"), Wire.dense(1)), 1);
                engine.send(MODEL, Wire.example(ID, Wire.dense(1)), 1);
                pass(100_000);
            }
            assertThat(engine.reasons()).containsExactly("UNKNOWN_SCHEMA", "UNKNOWN_SCHEMA", "UNKNOWN_SCHEMA");
            assertThat(engine.records(Topic.PREDICTIONS)).hasSize(3);
            assertThat(waitedMs.get()).isBetween(GRACE_MS, GRACE_MS + 1);
            // after 0, 10 and 20 seconds
            assertThat(log.lines())
                    .hasSize(3)
                    .allSatisfy(
                            line -> assertThat(line).contains("partition 0 waits", "schema id " + ID + " is unknown"));
            assertThat(log.lines().get(1)).contains("waits 20000 ms for a schema that the registry does not give");
        }
    }

    @Test
    void shouldNotWaitForEachOfManyUnknownIds() {
        try (EngineDriver engine = engine("e", real -> real, impatient())) {
            for (int k = 0; k < 3000; k++) {
                engine.send(MODEL, Wire.example(ID + k, Wire.dense(1)), 1);
            }
            assertThat(engine.reasons()).hasSize(3000).containsOnly("UNKNOWN_SCHEMA");
            assertThat(waitedMs.get()).isBetween(GRACE_MS, GRACE_MS + 1);

            // later another id gets a chance again, but not the one that had it
            pass(RegistryRetry.SchemaGrace.PAUSE * GRACE_MS);
            engine.send(MODEL, Wire.example(ID, Wire.dense(1)), 1);
            assertThat(waitedMs.get()).isBetween(GRACE_MS, GRACE_MS + 1);
            engine.send(MODEL, Wire.example(ID + 1, Wire.dense(1)), 1);
            assertThat(waitedMs.get()).isBetween(2 * GRACE_MS, 2 * GRACE_MS + 2);
        }
    }

    /**
     * As after a restart, when the registry is asked again for the schema of an example that is stored until its label
     * comes.
     */
    @Test
    void shouldWaitForTheSchemaOfAStoredExample() {
        int[] asked = {LateRegistry.REFUSALS};
        try (EngineDriver engine =
                engine("e", real -> new LateRegistry(real, ID, asked), new RegistryRetry(GRACE_MS))) {
            engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"await.labels.ms\":\"100000\"}}", 1);
            engine.send(MODEL, Wire.example(ID, out -> out.writeIndex(0), Wire.dense(1), 1), 1);
            // the next time it has not
            asked[0] = LateRegistry.REFUSALS - 1;
            engine.send("m", "{\"exampleId\":\"x\",\"label\":1}", 2);

            assertThat(engine.records(Topic.MISTAKES)).hasSize(1);
            assertThat(engine.reasons()).isEmpty();
        }
    }

    @Test
    void shouldNotWaitForAnIdThatNoRegistryGives() {
        try (EngineDriver engine = engine("e", real -> new FailingRegistry(real, Integer.MAX_VALUE), impatient())) {
            engine.send(MODEL, Wire.example(-1, Wire.dense(1)), 1);
            assertThat(engine.reasons()).containsExactly("UNKNOWN_SCHEMA");
            assertThat(waitedMs).hasValue(0);
        }
    }

    /** As after a transaction that timed out while it waited. */
    @Test
    void shouldResumeAnInterruptedWait() {
        RegistryRetry.SchemaGrace grace = new RegistryRetry.SchemaGrace(100, nanoTime::get);
        assertThat(grace.left(1)).isEqualTo(100);
        nanoTime.addAndGet(60);
        assertThat(grace.left(1)).isEqualTo(40);
        // another one that began before it ended has its own
        assertThat(grace.left(2)).isEqualTo(100);
        nanoTime.addAndGet(40);
        assertThat(grace.left(1)).isZero();
        assertThat(grace.left(2)).isEqualTo(60);
        assertThat(grace.left(3)).isZero();
    }

    @Test
    void shouldEndTheWaitWhenTheEngineStops() {
        RegistryRetry registryRetry = new RegistryRetry(TimeUnit.HOURS.toMillis(1));
        EngineDriver engine = engine("e", real -> real, registryRetry);
        CompletableFuture<Throwable> ended = CompletableFuture.supplyAsync(() ->
                catchThrowable(() -> engine.send(MODEL, Wire.example(ID, Wire.dense(1)), 1)));
        await().until(registryRetry::isWaiting);

        registryRetry.stop();

        await().until(ended::isDone);
        assertThat(RegistryRetry.isStop(ended.join())).isTrue();
        engine.close();
    }

    @Test
    void shouldRefuseAgainInAReplayWithoutAskingOrWaiting() {
        int[] asked = {0};
        try (KillableTask task = task(asked)) {
            task.add(MODEL, Wire.example(ID, Wire.dense(1)), new RecordHeaders());
            task.add("m", "{\"id\":\"1\",\"label\":1,\"features\":[1]}");
            task.start();
            task.steps(2);
            task.commit();
            assertThat(task.committed(Topic.DEAD_LETTERS)).hasSize(1);
            assertThat(waitedMs.get()).isPositive();
            task.kill();

            // now the registry has it
            asked[0] = LateRegistry.REFUSALS;
            waitedMs.set(0);
            task.add("m", "{\"id\":\"2\",\"label\":1,\"features\":[1]}");
            task.start();
            task.step();
            task.commit();
            assertThat(task.replayed).isEqualTo(2);
            assertThat(task.committed(Topic.DEAD_LETTERS)).hasSize(1);
            assertThat(task.committed(Topic.PREDICTIONS)).hasSize(2);
            assertThat(asked[0]).isEqualTo(LateRegistry.REFUSALS);
            assertThat(waitedMs).hasValue(0);
        }
    }

    @Test
    void shouldWaitInAReplayForASchemaThatTheRegistryHadBefore() {
        int[] asked = {LateRegistry.REFUSALS};
        try (KillableTask task = task(asked)) {
            task.add(MODEL, Wire.example(ID, Wire.dense(1)), new RecordHeaders());
            task.start();
            task.step();
            task.commit();
            task.kill();

            asked[0] = -1_000;
            task.add("m", "{\"id\":\"2\",\"label\":1,\"features\":[1]}");
            task.start();
            assertThatThrownBy(task::step).hasMessageContaining("must be readable as before the restart");
            assertThat(waitedMs.get()).isBetween(GRACE_MS, GRACE_MS + 1);
        }
    }

    private KillableTask task(int[] asked) {
        KillableTask task = new KillableTask(dir, Map.of(), 1, real -> new LateRegistry(real, ID, asked));
        task.registryRetry = impatient();
        return task;
    }
}
