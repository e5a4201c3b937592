package io.perceptronstreams.sending;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class BrokerWatchTest {
    private static final String GONE = "brokers must listen, got localhost:9092: Connection refused";

    /** {@code produce} once waited for two minutes after the last broker had ended. */
    @Test
    void shouldEndTheWaitOnceWhenNoBrokerListensTwice() {
        AtomicInteger ends = new AtomicInteger();
        Deque<List<String>> answers = new ArrayDeque<>(List.of(
                // one that restarts
                List.of(GONE), List.of(), List.of(), List.of(GONE), List.of(GONE)));
        BrokerWatch watch = new BrokerWatch(answers::poll, ends::incrementAndGet);

        watch.run(Duration.ofMillis(1), Duration.ofMillis(1));

        assertThat(answers).isEmpty();
        assertThat(ends).hasValue(1);
        assertThat(watch.fault()).isEqualTo(GONE);
    }

    @Test
    void shouldAskNobodyAfterItsEnd() {
        BrokerWatch watch = new BrokerWatch(
                () -> {
                    throw new AssertionError("asked");
                },
                () -> {});
        watch.close();

        watch.run(Duration.ofMinutes(1), Duration.ofMinutes(1));

        assertThat(watch.fault()).isNull();
    }
}
