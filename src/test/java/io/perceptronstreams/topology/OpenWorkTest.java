package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The task of a test driver is of partition 0 and runs on the thread of the test, without a {@link GuardedProducer}. */
final class OpenWorkTest {
    @TempDir
    Path directory;

    private final OpenWork work = OpenWork.ofThread();

    @Test
    void shouldHaveTheTaskThatProcessesOrTicksUntilItIsClosed() {
        try (EngineDriver engine = new EngineDriver(directory)) {
            work.aborted();
            assertThat(work.lost().isEmpty()).isTrue();

            engine.send("m", "{\"id\":\"1\",\"label\":1,\"features\":[1]}", 0);
            work.aborted();
            assertThat(work.lost().toString()).isEqualTo("{0}");

            work.forget(0);
            // writes a checkpoint without a record
            engine.checkpoint();
            work.aborted();
            assertThat(work.lost().toString()).isEqualTo("{0}");
        }
        assertThat(work.lost().isEmpty()).isTrue();
    }
}
