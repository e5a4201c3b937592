package io.perceptronstreams.bench;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.TopicTail;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.serde.Topic;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Kills the engine in the middle of a topic and starts it again, with the same data directory.
 *
 * @param seconds from the start of the second process to its first prediction that a read-committed consumer receives
 * @param replayedRecords how many records the engine has learned again, by its log
 */
record BenchRestart(double seconds, long replayedRecords) {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);

    /** How long the other partitions get to go on, too, once the first one does. */
    private static final long OTHERS_NANOS = TimeUnit.SECONDS.toNanos(20);

    /**
     * How many records to process before the kill, between one and two thirds of the topic.
     *
     * <p>It differs from round to round, by the golden ratio's multiples modulo 1, which lie evenly: what there is to replay depends
     * on how long ago the last checkpoint was.
     */
    static long killAt(int examples, int round) {
        double place = round * 0.618034 % 1;
        return (long) (examples * (1 + place) / 3);
    }

    /**
     * Measures once.
     *
     * @param arguments of the engine's process
     * @throws CommandFailedException if the engine does not go on
     */
    static BenchRestart measure(String heap, List<String> arguments, EngineConfig config) throws Exception {
        try (BenchProcess first = BenchProcess.start(heap, arguments)) {
            first.hear();
            first.kill();
        }
        try (TopicTail predictions = TopicTail.open(config, config.topic(Topic.PREDICTIONS))) {
            // The broker may still end the last transaction that the killed engine has committed.
            while (!predictions.poll().isEmpty()) {
                // not of the second process
            }
            BenchReplayLog log = new BenchReplayLog(System.err::println);
            long start = System.nanoTime();
            try (BenchProcess second = BenchProcess.startLogging(heap, arguments, log)) {
                Set<Integer> partitions = new HashSet<>();
                long received = 0;
                long deadline = start + PATIENCE_NANOS;
                while (partitions.size() < config.partitions() && second.isAlive() && System.nanoTime() < deadline) {
                    for (ConsumerRecord<byte[], byte[]> prediction : predictions.poll()) {
                        if (partitions.isEmpty()) {
                            received = System.nanoTime();
                            deadline = received + OTHERS_NANOS;
                        }
                        partitions.add(prediction.partition());
                    }
                }
                if (partitions.isEmpty()) {
                    throw new CommandFailedException("the engine must go on within "
                            + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS)
                            + " s after a kill, got no prediction (its own words are above; with few --examples it may"
                            + " have had none left)");
                }
                return new BenchRestart((received - start) / 1e9, log.records());
            }
        }
    }
}
