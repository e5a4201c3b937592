package io.perceptronstreams.cli;

import java.util.List;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** A table on a terminal that grows or changes with every event and fits into the current window. */
interface LiveTable extends AutoCloseable {

    /** Adds an event; its output may be delayed until {@link #show()}. */
    void add(ConsumerRecord<byte[], byte[]> record, GenericRecord event);

    /** Adds lines about the last event; a table that is drawn again leaves them out. */
    default void addDetail(List<String> lines) {}

    /** Shows all events added. */
    void show();

    /** Prints a warning, at the latest when the table is closed. */
    void warn(String line);

    /** Restores the terminal and prints the last state. */
    @Override
    void close();
}
