package io.perceptronstreams.monitor;

import io.perceptronstreams.cluster.EngineGroup;
import io.perceptronstreams.cluster.OpenTransactions;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.thread.StoppableThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the lag of the engine's consumer group in the examples topic from the brokers, periodically. */
final class LagReader implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofSeconds(3);

    private final EngineConfig config;
    private static final Logger LOG = LoggerFactory.getLogger(LagReader.class);

    private final String topic;
    private final Supplier<Admin> admins;
    private final OpenTransactions transactions;
    private final StoppableThread thread = new StoppableThread("monitor-lag", this::askUntilStopped, this::failed);
    private volatile boolean isAnswered;

    /** Last failure in the log; null after an answer. */
    private String logged;

    private volatile Progress progress = new Progress(null, 0, null, null, List.of());

    /**
     * Progress of the engine's consumer group.
     *
     * @param groupState of Kafka, such as STABLE; null while unknown
     * @param members number of members of the group
     * @param at wall-clock time of the last answer in ms; null before the first
     * @param fault of the last request, or what keeps the engine from reading partitions; null without one
     */
    record Progress(String groupState, int members, Long at, String fault, List<Lag> partitions) {

        /** Adds what else keeps the engine from reading partitions. */
        Progress with(List<String> waits) {
            if (waits.isEmpty()) {
                return this;
            }
            List<String> faults = new ArrayList<>(waits);
            if (fault != null) {
                faults.add(fault);
            }
            return new Progress(groupState, members, at, String.join("; ", faults), partitions);
        }
    }

    /**
     * Lag of one partition of the examples topic.
     *
     * @param committed offset of the next record to learn; null before the first commit
     * @param end offset after the last record
     * @param lag number of records from {@code committed}, or else from the start of the partition, to {@code end}
     */
    record Lag(int partition, Long committed, long end, long lag) {}

    LagReader(EngineConfig config, Supplier<Admin> admins) {
        this.config = config;
        this.topic = config.topic(Topic.EXAMPLES);
        this.admins = admins;
        this.transactions = new OpenTransactions(config);
    }

    void start() {
        thread.start();
    }

    Progress progress() {
        return progress;
    }

    /** Returns true if the brokers have answered the last request. */
    boolean isAnswered() {
        return isAnswered;
    }

    private void askUntilStopped() throws InterruptedException {
        try (Admin admin = admins.get()) {
            do {
                try {
                    progress = ask(admin);
                    isAnswered = true;
                    logged = null;
                } catch (ExecutionException e) {
                    note(e.getCause());
                } catch (RuntimeException e) {
                    note(e);
                }
            } while (!thread.pause(INTERVAL));
        }
    }

    /** Notes that no client could be created, as where no name of a broker has an address. */
    private Duration failed(RuntimeException failure) {
        note(failure.getCause() == null ? failure : failure.getCause());
        return INTERVAL;
    }

    private void note(Throwable failure) {
        isAnswered = false;
        // the broker's refusal does not name the topic
        Throwable cause = failure instanceof TopicAuthorizationException
                ? new TopicAuthorizationException(Set.of(topic))
                : failure;
        String message = PublicFault.forLog(cause);
        if (!message.equals(logged)) {
            logged = message;
            LOG.warn("brokers must say how far the engine is, got {} (it retries)", message);
        }
        progress = new Progress(
                progress.groupState(), progress.members(), progress.at(), PublicFault.of(cause), progress.partitions());
    }

    private Progress ask(Admin admin) throws ExecutionException, InterruptedException {
        Set<TopicPartition> partitions = new TreeSet<>(Comparator.comparingInt(TopicPartition::partition));
        admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic).partitions().stream()
                .map(each -> new TopicPartition(topic, each.partition()))
                .forEach(partitions::add);
        Map<TopicPartition, Long> ends = offsets(admin, partitions, OffsetSpec.latest());
        Map<TopicPartition, Long> starts = offsets(admin, partitions, OffsetSpec.earliest());
        Map<TopicPartition, Long> commits = EngineGroup.committed(admin, config);
        List<Lag> lags = partitions.stream()
                .map(each -> {
                    Long committed = commits.get(each);
                    long lag = ends.get(each) - (committed == null ? starts.get(each) : committed);
                    return new Lag(each.partition(), committed, ends.get(each), Math.max(0, lag));
                })
                .toList();
        Optional<EngineGroup.Description> group = describe(admin);
        List<String> waiting = transactions.ask(admin);
        return new Progress(
                group.map(EngineGroup.Description::state).orElse(null),
                group.map(each -> each.members().size()).orElse(0),
                System.currentTimeMillis(),
                waiting.isEmpty() ? null : String.join("; ", waiting),
                lags);
    }

    private static Map<TopicPartition, Long> offsets(Admin admin, Set<TopicPartition> partitions, OffsetSpec which)
            throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetSpec> specs = new HashMap<>();
        partitions.forEach(each -> specs.put(each, which));
        Map<TopicPartition, Long> offsets = new HashMap<>();
        admin.listOffsets(specs).all().get().forEach((partition, found) -> offsets.put(partition, found.offset()));
        return offsets;
    }

    /** Description of the group; empty if describing it is not allowed: the lag is shown without it. */
    private Optional<EngineGroup.Description> describe(Admin admin) throws InterruptedException {
        try {
            return EngineGroup.describe(admin, config);
        } catch (ExecutionException e) {
            return Optional.empty();
        }
    }

    /** Stops the thread. */
    @Override
    public void close() {
        thread.stop();
        thread.interrupt();
        thread.join(Duration.ofSeconds(3));
    }
}
