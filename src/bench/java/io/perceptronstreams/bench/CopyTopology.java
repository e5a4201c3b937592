package io.perceptronstreams.bench;

import java.util.Arrays;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;

/**
 * Reference of the benchmark: plain Kafka Streams that copies the first 60 bytes of each value, or 60 for each example
 * of it.
 */
final class CopyTopology {
    /** Approximate size of a Prediction. */
    static final int BYTES = 60;

    private CopyTopology() {}

    /** @param examples number of examples of a record */
    static Topology build(String from, String to, int examples) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(from, Consumed.with(Serdes.String(), Serdes.ByteArray()))
                .mapValues(value -> Arrays.copyOf(value, Math.min(value.length, BYTES * examples)))
                .to(to, Produced.with(Serdes.String(), Serdes.ByteArray()));
        return builder.build();
    }
}
