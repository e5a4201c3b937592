package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A stream thread with two partitions, of which only the first has records, and a clock that passes only in polls
 * without records.
 */
final class CommitPaceTest {
    private static final Duration TIMEOUT = Duration.ofMillis(100);
    private static final int MIN_INTERVAL_MS = 10;
    private static final TopicPartition INPUT = new TopicPartition("examples", 0);
    private static final TopicPartition OTHER = new TopicPartition("examples", 1);

    private final TransactionTracker tracker = TransactionTracker.ofThread();
    private final MockProcessorContext<byte[], byte[]> task = new MockProcessorContext<>();
    private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
    private final List<Duration> timeouts = new ArrayList<>();
    private long nanos;
    private CommitPace commits = new CommitPace(MIN_INTERVAL_MS, 100, 1_000, () -> nanos);

    CommitPaceTest() {
        consumer.assign(List.of(INPUT, OTHER));
        consumer.updateBeginningOffsets(Map.of(INPUT, 0L, OTHER, 0L));
        consumer.updateEndOffsets(Map.of(INPUT, 0L, OTHER, 0L));
        // transactions of other tests of this thread
        poll(0, 0);
        timeouts.clear();
    }

    @AfterEach
    void forget() {
        tracker.forget(0);
    }

    @Test
    void shouldRequestACommitIfAPollReturnsNothing() {
        poll(1, 0);
        assertThat(task.committed()).isFalse();

        poll(0, 0);
        assertThat(task.committed()).isTrue();
        assertThat(timeouts).containsExactly(TIMEOUT, Duration.ZERO);
    }

    /** A thread that waits for a poll without records would hardly ever commit at some thousand records per second. */
    @Test
    void shouldRequestACommitAlsoIfAFurtherRecordHasJustArrived() {
        poll(1, 0);
        poll(1, 0);

        assertThat(task.committed()).isTrue();
        assertThat(timeouts).containsExactly(TIMEOUT, Duration.ZERO);
    }

    @Test
    void shouldRequestNothingIfAPollReturnsAPartOfManyRecords() {
        poll(1, 0);
        poll(1, 100);

        assertThat(task.committed()).isFalse();
    }

    @Test
    void shouldWaitForRecordsUntilTheMinimumIntervalHasPassed() {
        poll(1, 0);
        poll(0, 0);
        commit();

        poll(1, 0);
        nanos += 3_000_000;
        poll(1, 0);
        assertThat(task.committed()).isFalse();
        poll(0, 0);
        assertThat(task.committed()).isTrue();
        assertThat(timeouts)
                .containsExactly(TIMEOUT, Duration.ZERO, TIMEOUT, Duration.ofMillis(7), Duration.ofMillis(7));
    }

    /** A client that sends when it has its answer waited for the interval and for the commit before it. */
    @Test
    void shouldCountTheIntervalFromTheRequestForACommit() {
        poll(1, 0);
        poll(0, 0);
        nanos += 4_000_000;
        commit();

        poll(1, 0);
        poll(0, 0);
        assertThat(task.committed()).isTrue();
        assertThat(timeouts).containsExactly(TIMEOUT, Duration.ZERO, TIMEOUT, Duration.ofMillis(6));

        nanos += 30_000_000;
        commit();
        poll(1, 0);
        poll(0, 0);
        assertThat(task.committed()).isTrue();
        assertThat(timeouts.subList(4, 6)).containsExactly(TIMEOUT, Duration.ZERO);
    }

    @Test
    void shouldCountTheIntervalFromACommitThatItHasNotRequested() {
        poll(1, 0);
        commit();
        poll(1, 0);

        poll(0, 0);
        assertThat(timeouts).containsExactly(TIMEOUT, TIMEOUT, Duration.ofMillis(MIN_INTERVAL_MS));
        assertThat(task.committed()).isTrue();
    }

    @Test
    void shouldRequestNothingWhileTheBrokersHaveMoreRecords() {
        for (int k = 0; k < 50; k++) {
            poll(1, 1);
            poll(0, 1);
        }

        assertThat(task.committed()).isFalse();
        assertThat(timeouts).containsOnly(TIMEOUT);
    }

    /** The partitions of a thread are committed together. */
    @Test
    void shouldRequestNothingWhileAnotherPartitionHasMoreRecords() {
        consumer.updateEndOffsets(Map.of(OTHER, 1L));

        poll(1, 0);
        poll(0, 0);

        assertThat(task.committed()).isFalse();
    }

    @Test
    void shouldIgnoreTheLagOfAPartitionThatIsPaused() {
        consumer.updateEndOffsets(Map.of(OTHER, 1L));
        consumer.pause(List.of(OTHER));

        poll(1, 0);
        poll(0, 0);

        assertThat(task.committed()).isTrue();
    }

    @Test
    void shouldRequestNothingIfNoRecordWasProcessedSinceTheLastCommit() {
        poll(0, 0);
        assertThat(task.committed()).isFalse();

        poll(1, 0);
        commit();
        poll(0, 0);
        assertThat(task.committed()).isFalse();
        assertThat(timeouts).containsOnly(TIMEOUT);
    }

    /**
     * Kafka Streams does not commit during a rebalance: polls without a time limit would use a processor until its end.
     */
    @Test
    void shouldWaitAsUsualAfterARequest() {
        poll(1, 0);
        poll(0, 0);
        poll(0, 0);

        assertThat(timeouts).containsExactly(TIMEOUT, Duration.ZERO, TIMEOUT);
    }

    @Test
    void shouldRequestNothingOfATaskThatIsClosedOrAborted() {
        poll(1, 0);
        tracker.forget(0);
        poll(0, 0);
        poll(1, 0);
        tracker.aborted();
        poll(0, 0);

        assertThat(task.committed()).isFalse();
    }

    /** By a rebalance: "Cannot invoke ProcessorContext.commit() because this.advanced is null" ended the engine. */
    @Test
    void shouldRequestNothingOfATaskThatIsClosedWhileItPolls() {
        poll(1, 0);
        ConsumerRecords<byte[], byte[]> polled = commits.poll(
                consumer,
                timeout -> {
                    tracker.forget(0);
                    return fetch(0, 0, timeout);
                },
                TIMEOUT);

        assertThat(polled.isEmpty()).isTrue();
        assertThat(task.committed()).isFalse();
    }

    /** Each record takes a millisecond, so that 500 of them take half a second. */
    @Test
    void shouldRequestACommitAfterTheUsualIntervalWhileLittleWaits() {
        for (int waiting : new int[] {1, 500, 990}) {
            assertThat(msUntilCommit(waiting)).as("%s waiting", waiting).isEqualTo(100);
            assertThat(msUntilCommit(waiting)).as("%s waiting", waiting).isEqualTo(100);
        }
    }

    @Test
    void shouldLetATransactionTakeHalfOfTheTimeBeyondASecondThatTheWaitingRecordsTake() {
        assertThat(msUntilCommit(2_000)).as("known after two polls").isEqualTo(510);
        assertThat(msUntilCommit(2_000)).isEqualTo(510);
        assertThat(msUntilCommit(1_600)).isEqualTo(310);
        assertThat(msUntilCommit(1_150)).isEqualTo(100);
        assertThat(msUntilCommit(1_000_000)).as("at most a second").isEqualTo(1_000);
        assertThat(msUntilCommit(800)).as("nearly done").isEqualTo(100);
    }

    /** The idle time says nothing of how fast the thread is. */
    @Test
    void shouldNotTakeABurstAfterAQuietTimeForALongBacklog() {
        for (int second = 0; second < 20; second++) {
            poll(1, 0);
            nanos += 1_000_000_000;
            poll(0, 0);
            commit();
        }
        assertThat(msUntilCommit(400)).isEqualTo(100);
    }

    @Test
    void shouldNotExceedTheUsualIntervalWithoutALongerOne() {
        commits = new CommitPace(MIN_INTERVAL_MS, 100, 0, () -> nanos);
        assertThat(msUntilCommit(1_000_000)).isEqualTo(100);
        assertThat(msUntilCommit(1_000_000)).isEqualTo(100);
    }

    @Test
    void shouldRequestACommitOfWhatWasWrittenWithoutARecord() {
        tracker.write(task);
        poll(0, 0);
        assertThat(task.committed()).isTrue();
    }

    /** Polls and processes batches of ten records, a millisecond each, until a commit is requested. */
    private long msUntilCommit(int waiting) {
        long begin = -1;
        while (!task.committed()) {
            poll(10, waiting);
            nanos += 10_000_000;
            begin = begin < 0 ? nanos : begin;
            tracker.requestIfDue(nanos);
            assertThat(nanos - begin).isLessThan(10_000_000_000L);
        }
        commit();
        return (nanos - begin) / 1_000_000;
    }

    /**
     * Polls while the brokers have a number of records, and of others that are not fetched yet, and processes the
     * records.
     */
    private void poll(int fetched, int lag) {
        commits.poll(consumer, timeout -> fetch(fetched, lag, timeout), TIMEOUT)
                .forEach(record -> tracker.advance(task));
    }

    private ConsumerRecords<byte[], byte[]> fetch(int fetched, int lag, Duration timeout) {
        timeouts.add(timeout);
        long position = consumer.position(INPUT);
        consumer.updateEndOffsets(Map.of(INPUT, position + fetched + lag));
        for (int k = 0; k < fetched; k++) {
            consumer.addRecord(new ConsumerRecord<>(INPUT.topic(), INPUT.partition(), position + k, null, new byte[1]));
        }
        if (fetched == 0) {
            nanos += timeout.toNanos();
        }
        return consumer.poll(timeout);
    }

    private void commit() {
        tracker.committed();
        task.resetCommit();
    }
}
