package io.perceptronstreams.bench;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.serde.Topic;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Kills the engine in the middle of a topic and restarts it with the same data directory.
 *
 * @param seconds time from the start of the second process to its first committed prediction
 * @param replayedRecords number of records that the engine has learned again, from its log
 */
record BenchRestart(double seconds, long replayedRecords) {
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(120);

    /** Maximum time to wait for the other partitions after the first prediction. */
    private static final long OTHER_PARTITIONS_NANOS = TimeUnit.SECONDS.toNanos(20);

    /**
     * Returns the number of records to process before the kill, between one and two thirds of the topic.
     *
     * <p>It varies between rounds by multiples of the golden ratio modulo 1, which are spread evenly, because the
     * number of replayed records depends on the time since the last checkpoint.
     */
    static long killAt(int examples, int round) {
        double place = round * 0.618034 % 1;
        return (long) (examples * (1 + place) / 3);
    }

    /**
     * Measures one restart.
     *
     * @param arguments arguments of the engine's process
     * @throws CommandFailedException if the restarted engine makes no prediction
     */
    static BenchRestart measure(String heap, List<String> arguments, EngineConfig config) throws Exception {
        try (BenchProcess first = BenchProcess.start(heap, arguments)) {
            first.readMessage();
            first.kill();
        }
        try (TopicScan predictions = TopicScan.open(config, config.topic(Topic.PREDICTIONS))) {
            // the broker may still complete the last transaction of the killed engine
            while (!predictions.poll().isEmpty()) {
                // skip predictions of the first process
            }
            BenchReplayLog log = new BenchReplayLog(System.err::println);
            long start = System.nanoTime();
            try (BenchProcess second = BenchProcess.startLogging(heap, arguments, log)) {
                Set<Integer> partitions = new HashSet<>();
                long received = 0;
                long deadline = start + TIMEOUT_NANOS;
                while (partitions.size() < config.get(EngineConfigDef.TOPICS_PARTITIONS)
                        && second.isAlive()
                        && System.nanoTime() < deadline) {
                    for (ConsumerRecord<byte[], byte[]> prediction : predictions.poll()) {
                        if (partitions.isEmpty()) {
                            received = System.nanoTime();
                            deadline = received + OTHER_PARTITIONS_NANOS;
                        }
                        partitions.add(prediction.partition());
                    }
                }
                if (partitions.isEmpty()) {
                    throw new CommandFailedException("the engine must continue within "
                            + TimeUnit.NANOSECONDS.toSeconds(TIMEOUT_NANOS)
                            + " s after a kill, got no prediction (its output is above; if --examples is small, no"
                            + " examples may have been left)");
                }
                return new BenchRestart((received - start) / 1e9, log.records());
            }
        }
    }
}
