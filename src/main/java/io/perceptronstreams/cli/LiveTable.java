package io.perceptronstreams.cli;

import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** A table on a terminal that grows or changes with every event; it must fit into the window, whatever that is just now. */
interface LiveTable extends AutoCloseable {

    /** Takes an event; what is seen of it may wait for {@link #show()}. */
    void add(ConsumerRecord<byte[], byte[]> record, GenericRecord event);

    /** Shows what has come. */
    void show();

    /** Tells of something that went wrong, at the latest at the end. */
    void warn(String line);

    /** Leaves the terminal as it was, with the last state on it. */
    @Override
    void close();
}
