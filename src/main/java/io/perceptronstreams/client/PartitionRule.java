package io.perceptronstreams.client;

import java.util.zip.CRC32;
import org.apache.kafka.common.utils.Utils;

/** Rules by which producers choose the partition of a key. */
enum PartitionRule {
    /** Default of Java's clients, KafkaJS and kafka-python; the one that the engine requires. */
    MURMUR2 {
        @Override
        int partition(byte[] key, int partitions) {
            return Utils.toPositive(Utils.murmur2(key)) % partitions;
        }
    },
    /** Default of librdkafka, {@code consistent_random}: kcat, and the clients for Python, Go, .NET and others. */
    CRC32 {
        @Override
        int partition(byte[] key, int partitions) {
            CRC32 crc = new CRC32();
            crc.update(key);
            return (int) (crc.getValue() % partitions);
        }
    };

    /** The partition of a key, which must not be empty, in a topic with {@code partitions} of them. */
    abstract int partition(byte[] key, int partitions);
}
