package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The task of a test driver is of partition 0 and runs on the thread of the test, without a {@link GuardedProducer}.
 */
final class TransactionTrackerTest {
    @TempDir
    Path directory;

    private final TransactionTracker tracker = TransactionTracker.ofThread();

    @Test
    void shouldHaveTheTaskThatProcessesOrTicksUntilItIsClosed() {
        try (EngineDriver engine = new EngineDriver(directory)) {
            tracker.aborted();
            assertThat(tracker.lost().isEmpty()).isTrue();

            engine.send("m", "{\"id\":\"1\",\"label\":1,\"features\":[1]}", 0);
            tracker.aborted();
            assertThat(tracker.lost().toString()).isEqualTo("{0}");

            tracker.forget(0);
            // writes a checkpoint without a record
            engine.checkpoint();
            tracker.aborted();
            assertThat(tracker.lost().toString()).isEqualTo("{0}");
        }
        assertThat(tracker.lost().isEmpty()).isTrue();
    }
}
