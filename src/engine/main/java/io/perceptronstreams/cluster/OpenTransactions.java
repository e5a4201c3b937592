package io.perceptronstreams.cluster;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.thread.StoppableThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds partitions of the examples topic that wait because a transaction of another producer stays open: nothing after
 * its first record can be read, until it ends or the broker aborts it.
 *
 * <p>Not thread-safe.
 */
public final class OpenTransactions {
    private static final Logger LOG = LoggerFactory.getLogger(OpenTransactions.class);

    /** Minimum time that a transaction is open before it is reported. */
    private static final long MIN_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final Duration INTERVAL = Duration.ofSeconds(3);

    /** Minimum time between two lines of the log: some producers commit once a minute. */
    private static final long LOG_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(5);

    private final EngineConfig config;
    private final Map<TopicPartition, Seen> seen = new HashMap<>();

    /**
     * The open transaction of a partition.
     *
     * @param offset of its first record
     * @param sinceNanos time at which it was first found
     */
    private record Seen(long offset, long sinceNanos) {}

    /** Creates a search in the examples topic of an engine. */
    public OpenTransactions(EngineConfig config) {
        this.config = config;
    }

    /**
     * Returns a line for each partition that waits, and did so at calls in the last seconds.
     *
     * @throws ExecutionException if a request fails
     */
    public List<String> ask(Admin admin) throws ExecutionException, InterruptedException {
        String topic = config.topic(Topic.EXAMPLES);
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        admin.describeTopics(List.of(topic))
                .allTopicNames()
                .get()
                .get(topic)
                .partitions()
                .forEach(each -> latest.put(new TopicPartition(topic, each.partition()), OffsetSpec.latest()));
        Map<TopicPartition, ListOffsetsResultInfo> readable = admin.listOffsets(
                        latest, new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
                .all()
                .get();
        Map<TopicPartition, ListOffsetsResultInfo> ends =
                admin.listOffsets(latest).all().get();
        long now = System.nanoTime();
        List<String> lines = new ArrayList<>();
        for (int partition = 0; partition < latest.size(); partition++) {
            TopicPartition place = new TopicPartition(topic, partition);
            long offset = readable.get(place).offset();
            long end = ends.get(place).offset();
            Seen before = seen.get(place);
            if (offset >= end) {
                seen.remove(place);
            } else if (before == null || before.offset != offset) {
                seen.put(place, new Seen(offset, now));
            } else if (now - before.sinceNanos >= MIN_NANOS) {
                lines.add(line(place, offset, end, config.get(EngineConfigDef.BOOTSTRAP_SERVERS)));
            }
        }
        return lines;
    }

    static String line(TopicPartition place, long offset, long end, String servers) {
        return place + " waits for the end of another producer's transaction, open at offset " + offset + " of " + end
                + ": all models of the partition wait (commit or abort it there, or kafka-transactions.sh"
                + " --bootstrap-server " + servers + " abort --topic " + place.topic() + " --partition "
                + place.partition() + " --start-offset " + offset + ")";
    }

    /** Logs the partitions of an engine that wait, until it is closed. */
    public static final class Watch implements AutoCloseable {
        private final EngineConfig config;
        private final StoppableThread thread = new StoppableThread("open-transactions", this::run);
        // of the last lines; null before the first
        private Long lastNanos;

        public Watch(EngineConfig config) {
            this.config = config;
        }

        public void start() {
            thread.start();
        }

        private void run() {
            OpenTransactions transactions = new OpenTransactions(config);
            try (Admin admin = Admin.create(config.admin())) {
                while (!thread.pause(INTERVAL)) {
                    try {
                        log(transactions.ask(admin));
                    } catch (ExecutionException e) {
                        // Kafka Streams reports brokers that do not answer
                        LOG.debug("cannot look for open transactions", e);
                    }
                }
            } catch (KafkaException e) {
                LOG.debug("cannot look for open transactions", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void log(List<String> lines) {
            if (!lines.isEmpty() && (lastNanos == null || System.nanoTime() - lastNanos >= LOG_INTERVAL_NANOS)) {
                lastNanos = System.nanoTime();
                lines.forEach(line -> LOG.warn("{}", line));
            }
        }

        @Override
        public void close() {
            thread.stop();
            thread.interrupt();
        }
    }
}
