package io.perceptronstreams.topology;

import io.perceptronstreams.log.RecordCopy;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.record.TimestampType;

/**
 * Consecutive records of a partition that Kafka Streams handles as one record: what it does for each record (queue,
 * contexts, sensors, clock) costs about as much as learning an example, and is paid once per batch.
 *
 * <p>That record has the offset of the first one: Kafka Streams commits the offset of the record at the head of its
 * queue or, if that is empty, the position of the consumer. So a batch is committed whole or not at all. The batch is
 * in a header, which Kafka Streams passes on by reference.
 *
 * <p>The records belong to the batch; their key and value are never changed.
 */
final class InputBatch implements Header {
    /** Maximum bytes of keys and values of a batch with more than one record. */
    static final int MAX_BYTES = 256 * 1024;

    private static final String KEY = "perceptron-input-batch";

    private final List<ConsumerRecord<byte[], byte[]>> records;
    private final BatchSize size;

    private InputBatch(List<ConsumerRecord<byte[], byte[]>> records, BatchSize size) {
        this.records = records;
        this.size = size;
    }

    /**
     * Splits the records of a partition into batches.
     *
     * @param size maximum number of records of a batch
     * @return the records that stand for the batches
     */
    static List<ConsumerRecord<byte[], byte[]>> split(List<ConsumerRecord<byte[], byte[]>> records, BatchSize size) {
        int maxRecords = size.records();
        List<ConsumerRecord<byte[], byte[]>> batches = new ArrayList<>(records.size() / maxRecords + 1);
        int begin = 0;
        long bytes = 0;
        for (int k = 0; k < records.size(); k++) {
            long more = bytes(records.get(k));
            if (k > begin && (k - begin == maxRecords || bytes + more > MAX_BYTES)) {
                batches.add(of(records.subList(begin, k), bytes, size));
                begin = k;
                bytes = 0;
            }
            bytes += more;
        }
        batches.add(of(records.subList(begin, records.size()), bytes, size));
        return batches;
    }

    private static long bytes(ConsumerRecord<?, ?> record) {
        // -1 for null
        return Math.max(0, record.serializedKeySize()) + (long) Math.max(0, record.serializedValueSize());
    }

    /** Returns the record that stands for a batch; its size is for the metrics of Kafka Streams. */
    private static ConsumerRecord<byte[], byte[]> of(
            List<ConsumerRecord<byte[], byte[]>> records, long bytes, BatchSize size) {
        ConsumerRecord<byte[], byte[]> first = records.get(0);
        return new ConsumerRecord<>(
                first.topic(),
                first.partition(),
                first.offset(),
                first.timestamp(),
                TimestampType.CREATE_TIME,
                0,
                (int) bytes,
                null,
                null,
                RecordCopy.headers(null).add(new InputBatch(records, size)),
                first.leaderEpoch());
    }

    /** Returns the batch with these headers. */
    static InputBatch in(Headers headers) {
        return (InputBatch) headers.lastHeader(KEY);
    }

    /**
     * Returns the batch of a record; one that stands for none, as those of a {@code TopologyTestDriver}, becomes the
     * only one of its batch.
     */
    static InputBatch of(ConsumerRecord<?, ?> record) {
        if (record.headers().lastHeader(KEY) instanceof InputBatch batch) {
            return batch;
        }
        InputBatch batch = new InputBatch(List.of(RecordCopy.of(record)), new BatchSize(1));
        record.headers().add(batch);
        return batch;
    }

    ConsumerRecord<byte[], byte[]> first() {
        return records.get(0);
    }

    ConsumerRecord<byte[], byte[]> last() {
        return records.get(records.size() - 1);
    }

    /**
     * Adapts the size of later batches of the partition to the time that this one has taken.
     *
     * @param transactions number of transactions that the thread had committed before
     */
    void measure(long nanos, long transactions) {
        size.measure(records.size(), nanos, transactions);
    }

    List<ConsumerRecord<byte[], byte[]>> records() {
        return records;
    }

    @Override
    public String key() {
        return KEY;
    }

    /** Nothing: the records are not serialized. */
    @Override
    public byte[] value() {
        return null;
    }
}
