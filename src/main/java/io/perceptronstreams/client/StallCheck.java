package io.perceptronstreams.client;

import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/** Ends the reading of records that topics have where none arrives any more: a consumer would ask for ever. */
final class StallCheck {
    /** As Kafka's clients wait for other answers by default. */
    static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Consumer<?, ?> consumer;
    private final Duration patience;
    private long position = -1;
    private long since;

    StallCheck(Consumer<?, ?> consumer, Duration patience) {
        this.consumer = consumer;
        this.patience = patience;
    }

    /**
     * To be called after each poll; O(partitions).
     *
     * @throws CommandFailedException if no partition has gone on for the whole time
     */
    void check() {
        Set<TopicPartition> partitions = consumer.assignment();
        long sum = partitions.stream().mapToLong(consumer::position).sum();
        long now = System.nanoTime();
        if (sum != position) {
            position = sum;
            since = now;
        } else if (now - since >= patience.toNanos()) {
            Set<String> topics = new TreeSet<>();
            partitions.forEach(partition -> topics.add(partition.topic()));
            throw new CommandFailedException("broker must send the records of " + String.join(", ", topics)
                    + ", got none for " + patience.toSeconds() + " s (is it running?)");
        }
    }
}
