package io.perceptronstreams.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class SerialQueueTest {
    private final SerialQueue queue = new SerialQueue("queue of a test", 2);
    private final CountDownLatch gate = new CountDownLatch(1);

    // written by the other thread, read after finish() or discard()
    private final List<Integer> done = new ArrayList<>();

    @AfterEach
    void close() {
        gate.countDown();
        queue.close();
    }

    private void awaitGate() {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldRunATaskInADaemon() {
        List<Thread> threads = new CopyOnWriteArrayList<>();
        queue.add(() -> threads.add(Thread.currentThread()));
        await().until(queue::isEmpty);
        assertThat(threads.get(0).isDaemon()).isTrue();
        assertThat(threads.get(0).getName()).isEqualTo("queue of a test");
    }

    /** The first task after a pause wakes the daemon. */
    @Test
    void shouldWakeFromSleep() {
        for (int number = 0; number < 3; number++) {
            int task = number;
            CountDownLatch ended = new CountDownLatch(1);
            queue.add(() -> {
                done.add(task);
                ended.countDown();
            });
            await().until(() -> ended.getCount() == 0);
            await().until(() -> daemon().getState() == Thread.State.WAITING);
        }
        queue.finish();
        assertThat(done).containsExactly(0, 1, 2);
    }

    private static Thread daemon() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("queue of a test"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void shouldKeepTheOrderAlsoWhereTheOwnerHelps() {
        // more than there is room for, so that both run some
        IntStream.range(0, 10_000).forEach(number -> queue.add(() -> done.add(number)));
        queue.finish();
        assertThat(done).isEqualTo(IntStream.range(0, 10_000).boxed().toList());
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void shouldWaitWhileThereIsNoRoom() {
        Thread owner = new Thread(() -> IntStream.range(0, 4)
                .forEach(number -> queue.add(() -> {
                    awaitGate();
                    done.add(number);
                })));
        owner.start();
        await().until(() -> owner.getState() == Thread.State.BLOCKED || owner.getState() == Thread.State.WAITING);
        assertThat(queue.isEmpty()).isFalse();
        gate.countDown();
        await().until(() -> owner.getState() == Thread.State.TERMINATED);
        queue.finish();
        assertThat(done).containsExactly(0, 1, 2, 3);
    }

    @Test
    void shouldDropWhatHasNotBegun() {
        CountDownLatch begun = new CountDownLatch(1);
        queue.add(() -> {
            begun.countDown();
            awaitGate();
            done.add(0);
        });
        queue.add(() -> done.add(1));
        await().until(() -> begun.getCount() == 0);
        Thread owner = Thread.currentThread();
        new Thread(() -> {
                    await().until(() -> owner.getState() == Thread.State.BLOCKED);
                    gate.countDown();
                })
                .start();
        queue.discard();
        assertThat(done).containsExactly(0);
        assertThat(queue.isEmpty()).isTrue();
        queue.add(() -> done.add(2));
        queue.finish();
        assertThat(done).containsExactly(0, 2);
    }

    @Test
    void shouldReportAFailureUntilItIsDiscarded() {
        queue.add(() -> {
            throw new AssertionError("no room");
        });
        queue.add(() -> done.add(1));
        for (int times = 0; times < 2; times++) {
            assertThatThrownBy(queue::finish)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("no room")
                    .hasCauseInstanceOf(AssertionError.class);
        }
        assertThat(done).containsExactly(1);
        queue.discard();
        queue.finish();
    }
}
