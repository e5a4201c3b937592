package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BatchSizeTest {
    private final BatchSize size = new BatchSize(BatchSize.FIRST_RECORDS);
    private long transactions;

    private void measureAfterCommit(int count, long nanos) {
        transactions++;
        size.measure(count, nanos, transactions);
    }

    @Test
    void shouldBeOneRecordWhereThatTakesLong() {
        size.measure(BatchSize.FIRST_RECORDS, 2 * BatchSize.LONG_NANOS, 0);
        assertThat(size.records()).isEqualTo(1);
        size.measure(3, Long.MAX_VALUE / 2, 0);
        assertThat(size.records()).isEqualTo(1);
    }

    /** Such a time may be a pause of the thread. */
    @Test
    void shouldHalveWhereTwoBatchesTakeLessThanASecond() {
        size.measure(BatchSize.FIRST_RECORDS, BatchSize.LONG_NANOS, 0);
        assertThat(size.records()).isEqualTo(BatchSize.FIRST_RECORDS);
        size.measure(BatchSize.FIRST_RECORDS, BatchSize.LONG_NANOS, 0);
        assertThat(size.records()).isEqualTo(BatchSize.FIRST_RECORDS / 2);
    }

    /** Each pause of the collector halved the batches, which became those of one record. */
    @Test
    void shouldGrowAlthoughTheThreadPausesSeveralTimesInATransaction() {
        for (int batch = 0; batch < 1_000; batch++) {
            transactions = batch / 100;
            long pause = batch % 25 == 0 ? 2 * BatchSize.MAX_NANOS : 0;
            size.measure(size.records(), size.records() * 10_000L + pause, transactions);
        }
        assertThat(size.records()).isEqualTo(BatchSize.MAX_RECORDS);
    }

    @Test
    void shouldFillTheTime() {
        for (int k = 0; k < 3; k++) {
            measureAfterCommit(100, 100 * (BatchSize.MAX_NANOS / 40));
        }
        assertThat(size.records()).isEqualTo(40);
    }

    @Test
    void shouldGrowToTheLargestWithFastRecords() {
        for (int k = 0; k < 10; k++) {
            measureAfterCommit(10, 0);
        }
        assertThat(size.records()).isEqualTo(BatchSize.MAX_RECORDS);
    }

    @Test
    void shouldDoubleOncePerTransaction() {
        transactions = 1;
        for (int k = 0; k < 10; k++) {
            size.measure(10, 0, transactions);
        }
        assertThat(size.records()).isEqualTo(2 * BatchSize.FIRST_RECORDS);
    }

    /**
     * All sizes were by the mean time of the records of the last poll: batches of slow records began with the size of
     * fast ones for ever.
     */
    @Test
    void shouldGetOverSlowRecordsOfAPartitionBesideFastOnesOfAnother() {
        StreamThread thread = new StreamThread();
        Partition slow = new Partition(0, 1_000);
        Partition fast = new Partition(Long.MAX_VALUE, 0);
        while (slow.committed < 1_000 && thread.aborted < 3) {
            // a fetch returns more of the fast partition
            for (int poll = 0; poll < 10; poll++) {
                thread.process(fast, 1_000, slow);
            }
            thread.process(slow, 1_000, fast);
        }
        assertThat(thread.aborted).isLessThan(3);
    }

    /** The records before the slow ones are processed again in each transaction that is aborted. */
    @Test
    void shouldGetOverSlowRecordsBehindFastOnesOfThePartition() {
        for (int before = 20_000; before < 20_000 + 11_000; before += 500) {
            StreamThread thread = new StreamThread();
            Partition partition = new Partition(before, before + 1_000L);
            while (partition.committed < before + 1_000L && thread.aborted < 10) {
                thread.process(partition, 1_000);
            }
            assertThat(thread.aborted).as("slow records from %d on", before).isLessThan(10);
        }
    }

    /** A partition with slow records between two offsets. */
    private static final class Partition {
        final BatchSize size = new BatchSize(BatchSize.FIRST_RECORDS);
        final long slowBegin;
        final long slowEnd;
        long next;
        long committed;

        Partition(long slowBegin, long slowEnd) {
            this.slowBegin = slowBegin;
            this.slowEnd = slowEnd;
        }

        long nanos(long offset) {
            return offset >= slowBegin && offset < slowEnd ? TimeUnit.MILLISECONDS.toNanos(50) : 10_000;
        }
    }

    /**
     * A thread that commits every 100 ms, with transactions of at most 4 s, the fewest that the tests of crashes allow.
     */
    private static final class StreamThread {
        private static final long COMMIT_INTERVAL = TimeUnit.MILLISECONDS.toNanos(100);
        private static final long MAX_TRANSACTION = TimeUnit.SECONDS.toNanos(4);

        private long now;
        private long begin;
        private long transactions;
        int aborted;

        /** Processes the records of a poll, if no transaction is aborted. */
        void process(Partition partition, int records, Partition... others) {
            long end = partition.next + records;
            while (partition.next < end) {
                int count = (int) Math.min(partition.size.records(), end - partition.next);
                long start = now;
                for (int k = 0; k < count; k++) {
                    now += partition.nanos(partition.next++);
                }
                partition.size.measure(count, now - start, transactions);
                if (now - begin > MAX_TRANSACTION) {
                    aborted++;
                    partition.next = partition.committed;
                    for (Partition other : others) {
                        other.next = other.committed;
                    }
                    begin = now;
                    return;
                }
                if (now - begin > COMMIT_INTERVAL) {
                    transactions++;
                    partition.committed = partition.next;
                    for (Partition other : others) {
                        other.committed = other.next;
                    }
                    begin = now;
                }
            }
        }
    }
}
