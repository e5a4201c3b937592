package io.perceptronstreams.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BenchReplayLogTest {
    private static final String REPLAY =
            "12:00:01 INFO  LogReplay: replayed 12345 records of perceptron-examples-0 from 100 to 12445 in 321 ms";

    private final List<String> others = new ArrayList<>();
    private final BenchReplayLog log = new BenchReplayLog(others::add);

    @Test
    void shouldAddUpTheReplayedRecordsOfAllPartitions() {
        log.accept(REPLAY);
        log.accept("12:00:01 INFO  LogReplay: replayed 5 records of bench-hard-examples-1 from 7 to 12 in 1 ms");

        assertThat(log.records()).isEqualTo(12_350);
        assertThat(others).isEmpty();
    }

    @Test
    void shouldCountNothingIfTheEngineHasReplayedNothing() {
        log.accept("12:00:01 INFO  EngineRunner: running: bench-hard-examples has 1 partitions");

        assertThat(log.records()).isZero();
    }

    @Test
    void shouldPassOnLinesOfOtherLevels() {
        log.accept("12:00:01 INFO  EngineRunner: running");
        log.accept("12:00:02 WARN  EngineRunner: careful");
        log.accept("java.lang.IllegalStateException: gone");

        assertThat(others)
                .containsExactly("12:00:02 WARN  EngineRunner: careful", "java.lang.IllegalStateException: gone");
    }
}
