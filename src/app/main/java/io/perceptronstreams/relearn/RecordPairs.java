package io.perceptronstreams.relearn;

import java.util.Arrays;
import java.util.Iterator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * Records of two logs, the first with the first, the second with the second, and so on, as far as each is a copy of the
 * other: key, value, timestamp and headers are equal, offsets may differ.
 *
 * <p>Reads one record of each log at a time.
 *
 * @param common number of equal pairs, up to the first that differs
 * @param hereLast the last record of these here; null without one
 * @param thereLast the last record of these there
 * @param hereNext the record here of the first pair that differs; null if none does
 * @param thereNext the record there of that pair
 * @param hereMore number of records that only the log here has, if no pair differs
 * @param thereMore as there
 */
record RecordPairs(
        long common,
        ConsumerRecord<byte[], byte[]> hereLast,
        ConsumerRecord<byte[], byte[]> thereLast,
        ConsumerRecord<byte[], byte[]> hereNext,
        ConsumerRecord<byte[], byte[]> thereNext,
        long hereMore,
        long thereMore) {
    /** Compares two logs up to their ends, or to the first pair that differs. */
    static RecordPairs of(
            Iterator<ConsumerRecord<byte[], byte[]>> here, Iterator<ConsumerRecord<byte[], byte[]>> there) {
        long common = 0;
        ConsumerRecord<byte[], byte[]> hereLast = null;
        ConsumerRecord<byte[], byte[]> thereLast = null;
        while (here.hasNext() && there.hasNext()) {
            ConsumerRecord<byte[], byte[]> ours = here.next();
            ConsumerRecord<byte[], byte[]> theirs = there.next();
            if (!isCopy(ours, theirs)) {
                return new RecordPairs(common, hereLast, thereLast, ours, theirs, 0, 0);
            }
            hereLast = ours;
            thereLast = theirs;
            common++;
        }
        return new RecordPairs(common, hereLast, thereLast, null, null, count(here), count(there));
    }

    /** Returns true if two records differ in nothing but their place. */
    static boolean isCopy(ConsumerRecord<byte[], byte[]> a, ConsumerRecord<byte[], byte[]> b) {
        return a.timestamp() == b.timestamp()
                && Arrays.equals(a.key(), b.key())
                && Arrays.equals(a.value(), b.value())
                && Arrays.equals(a.headers().toArray(), b.headers().toArray(), (x, y) -> isEqual(x, y) ? 0 : 1);
    }

    private static boolean isEqual(Header a, Header b) {
        return a.key().equals(b.key()) && Arrays.equals(a.value(), b.value());
    }

    private static long count(Iterator<?> rest) {
        long count = 0;
        for (; rest.hasNext(); count++) {
            rest.next();
        }
        return count;
    }

    /** Returns true if a pair differs. */
    boolean isDifferent() {
        return hereNext != null;
    }

    /** The place of a record, such as {@code perceptron-examples-2@1234}. */
    static String place(ConsumerRecord<byte[], byte[]> record) {
        return record.topic() + "-" + record.partition() + "@" + record.offset();
    }
}
