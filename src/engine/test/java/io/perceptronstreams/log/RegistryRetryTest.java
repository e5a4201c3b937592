package io.perceptronstreams.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.registry.FailingRegistry;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.BadRecord;
import io.perceptronstreams.topology.EngineDriver;
import io.perceptronstreams.topology.LogLines;
import io.perceptronstreams.topology.Wire;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.streams.errors.StreamsException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.MDC;

class RegistryRetryTest {
    @TempDir
    Path dir;

    private final AtomicReference<FailingRegistry> registry = new AtomicReference<>();

    private EngineDriver engine(int failures, RegistryRetry registryRetry) {
        return new EngineDriver(
                dir,
                Map.of(),
                1,
                real -> {
                    registry.set(new FailingRegistry(real, failures));
                    return registry.get();
                },
                registryRetry);
    }

    /** A stopped thread logs nothing any more; that of the tests goes on. */
    @AfterEach
    void logAgain() {
        MDC.clear();
    }

    @Test
    void shouldWaitForTheRegistryAndThenPredict() {
        try (EngineDriver engine = engine(3, new RegistryRetry(0));
                LogLines log = new LogLines()) {
            engine.send("m", Wire.example(engine.id("Example"), Wire.dense(1)), 1);

            assertThat(registry.get().asked()).isEqualTo(4);
            assertThat(engine.records(Topic.PREDICTIONS)).hasSize(1);
            assertThat(engine.records(Topic.DEAD_LETTERS)).isEmpty();
            // at most one line in ten seconds
            assertThat(log.lines())
                    .singleElement()
                    .satisfies(line -> assertThat(line)
                            .contains("partition 0 waits for the schema registry, attempt 1: no registry answers"));
        }
    }

    @Test
    void shouldRefuseARecordThatTurnsOutToBeBadAfterTheOutage() {
        try (EngineDriver engine = engine(1, new RegistryRetry(0))) {
            engine.send("m", Wire.value(4711, out -> {}), 1);
            assertThat(engine.reasons()).containsExactly("UNKNOWN_SCHEMA");
        }
    }

    @Test
    void shouldTakeJsonDuringAnOutage() {
        try (EngineDriver engine = engine(Integer.MAX_VALUE, new RegistryRetry(0))) {
            engine.send("m", "{\"id\":\"1\",\"features\":[1]}", 1);
            assertThat(engine.records(Topic.PREDICTIONS)).hasSize(1);
            assertThat(registry.get().asked()).isZero();
        }
    }

    @Test
    void shouldEndTheWaitWhenTheEngineStops() {
        RegistryRetry registryRetry = new RegistryRetry(0);
        EngineDriver engine = engine(Integer.MAX_VALUE, registryRetry);
        byte[] example = Wire.example(engine.id("Example"), Wire.dense(1));
        CompletableFuture<Throwable> ended =
                CompletableFuture.supplyAsync(() -> catchThrowable(() -> engine.send(BadRecord.utf8("m"), example, 1)));
        await().until(() -> registry.get().asked() > 1);

        registryRetry.stop();

        // without the stop it would wait for ever
        await().until(ended::isDone);
        assertThat(RegistryRetry.isStop(ended.join())).isTrue();
        engine.close();
    }

    // Ctrl-C during the start: "the engine waits for the schema registry, attempt 1: the schema registry client is
    // closed"
    @Test
    void shouldNotReportARequestThatTheStopAborts() {
        RegistryRetry registryRetry = new RegistryRetry(0);
        try (LogLines log = new LogLines()) {
            Throwable failure = catchThrowable(() -> registryRetry.waitFor(
                    () -> {
                        registryRetry.stop();
                        return new FailingRegistry(null, 1).schema(1);
                    },
                    () -> "the engine"));

            assertThat(RegistryRetry.isStop(failure)).isTrue();
            assertThat(log.lines()).isEmpty();
        }
    }

    @Test
    void shouldKnowAStopFromAFailure() {
        RegistryRetry registryRetry = new RegistryRetry(0);
        registryRetry.stop();
        FailingRegistry failing = new FailingRegistry(null, 1);
        Throwable failure = catchThrowable(() -> new FailingRegistry(null, 1).schema(1));
        Throwable stop = catchThrowable(() -> registryRetry.waitFor(() -> failing.schema(1), () -> "test"));
        assertThat(RegistryRetry.isStop(new StreamsException(stop))).isTrue();
        assertThat(RegistryRetry.isStop(new StreamsException(failure))).isFalse();
    }
}
