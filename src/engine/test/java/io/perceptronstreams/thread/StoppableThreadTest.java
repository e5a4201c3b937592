package io.perceptronstreams.thread;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.thread.StoppableThread.Attempt;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class StoppableThreadTest {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration SOON = Duration.ofMinutes(1);

    private final BlockingQueue<Thread> attempts = new LinkedBlockingQueue<>();
    private final List<String> failures = new CopyOnWriteArrayList<>();
    private StoppableThread thread;

    @AfterEach
    void stop() {
        thread.stop();
    }

    private void start(Attempt attempt, Duration pause) {
        thread = new StoppableThread(
                "repeated",
                () -> {
                    attempts.add(Thread.currentThread());
                    attempt.run();
                },
                failure -> {
                    failures.add(failure.getMessage());
                    return pause;
                });
        thread.start();
    }

    private Thread attempted() throws InterruptedException {
        return attempts.poll(SOON.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Test
    void shouldRepeatAnAttemptOnOneDaemonAfterEachFailureUntilItIsStopped() throws InterruptedException {
        start(
                () -> {
                    if (failures.size() == 2) {
                        thread.stop();
                    } else {
                        throw new IllegalStateException("failure " + failures.size());
                    }
                },
                Duration.ZERO);

        Thread first = attempted();
        assertThat(first.getName()).isEqualTo("repeated");
        assertThat(first.isDaemon()).isTrue();
        thread.join();
        assertThat(first.isAlive()).isFalse();
        assertThat(attempts).containsExactly(first, first);
        assertThat(failures).containsExactly("failure 0", "failure 1");
    }

    @Test
    void shouldWaitAsLongAsTheReportSaysButNotAfterAStop() throws InterruptedException {
        start(
                () -> {
                    throw new IllegalStateException("failure");
                },
                LONG);
        attempted();
        assertThat(thread.join(Duration.ofMillis(50))).isFalse();

        thread.stop();

        assertThat(thread.join(SOON)).isTrue();
        assertThat(attempts).isEmpty();
        assertThat(failures).containsExactly("failure");
    }

    /** Such as a consumer whose {@code poll} is woken up. */
    @Test
    void shouldNotReportTheFailureThatAStopCauses() throws InterruptedException {
        start(
                () -> {
                    thread.pause(LONG);
                    throw new IllegalStateException("stopped");
                },
                Duration.ZERO);
        attempted();

        thread.stop();

        assertThat(thread.join(SOON)).isTrue();
        assertThat(attempts).isEmpty();
        assertThat(failures).isEmpty();
    }

    @Test
    void shouldEndWhenAnAttemptIsInterrupted() throws InterruptedException {
        start(new CountDownLatch(1)::await, Duration.ZERO);
        attempted();

        thread.interrupt();

        assertThat(thread.join(SOON)).isTrue();
        assertThat(thread.isStopped()).isTrue();
        assertThat(attempts).isEmpty();
        assertThat(failures).isEmpty();
    }
}
