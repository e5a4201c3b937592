package io.perceptronstreams.monitor;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.TopicAuthorizationException;

/** Reads the lag of the engine's consumer group in the examples topic from the brokers, periodically. */
final class LagReader implements AutoCloseable {
    private static final long INTERVAL_MS = 3_000;
    private static final long TIMEOUT_SECONDS = 10;

    private final String group;
    private final String topic;
    private final Supplier<Admin> admins;
    private final PartitionFaults faults;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "monitor-lag");
    private volatile boolean isAnswered;
    private volatile Progress progress = new Progress(null, 0, null, null, List.of());

    /**
     * Progress of the engine's consumer group.
     *
     * @param groupState of Kafka, such as STABLE; null while unknown
     * @param members number of members of the group
     * @param at wall-clock time of the last answer in ms; null before the first
     * @param fault of the last request, or what keeps the engine from reading partitions; null without one
     */
    record Progress(String groupState, int members, Long at, String fault, List<Lag> partitions) {}

    /**
     * Lag of one partition of the examples topic.
     *
     * @param committed offset of the next record to learn; null before the first commit
     * @param end offset behind the last record
     * @param lag number of records from {@code committed}, or else from the start of the partition, to {@code end}
     */
    record Lag(int partition, Long committed, long end, long lag) {}

    LagReader(String group, String topic, Supplier<Admin> admins, PartitionFaults faults) {
        this.group = group;
        this.topic = topic;
        this.admins = admins;
        this.faults = faults;
        thread.setDaemon(true);
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

    private void run() {
        try {
            do {
                // a client cannot be created while no name of a broker has an address
                try (Admin admin = admins.get()) {
                    askUntilStopped(admin);
                } catch (KafkaException e) {
                    failed(e.getCause() == null ? e : e.getCause());
                }
            } while (!stopped.await(INTERVAL_MS, TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void askUntilStopped(Admin admin) throws InterruptedException {
        do {
            try {
                progress = ask(admin);
                isAnswered = true;
            } catch (ExecutionException e) {
                failed(e.getCause());
            } catch (java.util.concurrent.TimeoutException | RuntimeException e) {
                failed(e);
            }
        } while (!stopped.await(INTERVAL_MS, TimeUnit.MILLISECONDS));
    }

    private void failed(Throwable failure) {
        isAnswered = false;
        // the broker's refusal does not name the topic
        Throwable cause = failure instanceof TopicAuthorizationException
                ? new TopicAuthorizationException(Set.of(topic))
                : failure;
        progress = new Progress(
                progress.groupState(),
                progress.members(),
                progress.at(),
                Truncation.text(cause.getClass().getSimpleName() + ": " + cause.getMessage(), 200),
                progress.partitions());
    }

    private Progress ask(Admin admin)
            throws ExecutionException, InterruptedException, java.util.concurrent.TimeoutException {
        List<TopicPartitionInfo> infos = admin.describeTopics(List.of(topic))
                .allTopicNames()
                .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .get(topic)
                .partitions();
        Map<TopicPartition, OffsetSpec> newest = new HashMap<>();
        Map<TopicPartition, OffsetSpec> oldest = new HashMap<>();
        infos.forEach(info -> {
            newest.put(new TopicPartition(topic, info.partition()), OffsetSpec.latest());
            oldest.put(new TopicPartition(topic, info.partition()), OffsetSpec.earliest());
        });
        Map<TopicPartition, ListOffsetsResultInfo> ends =
                admin.listOffsets(newest).all().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        Map<TopicPartition, ListOffsetsResultInfo> starts =
                admin.listOffsets(oldest).all().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        Map<TopicPartition, OffsetAndMetadata> commits = admin.listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata()
                .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        List<Lag> lags = new ArrayList<>();
        for (TopicPartitionInfo info : infos) {
            TopicPartition partition = new TopicPartition(topic, info.partition());
            OffsetAndMetadata committed = commits.get(partition);
            long end = ends.get(partition).offset();
            long from = committed == null ? starts.get(partition).offset() : committed.offset();
            lags.add(new Lag(
                    info.partition(), committed == null ? null : committed.offset(), end, Math.max(0, end - from)));
        }
        return describe(admin, lags);
    }

    private Progress describe(Admin admin, List<Lag> lags)
            throws ExecutionException, InterruptedException, java.util.concurrent.TimeoutException {
        String state = null;
        int members = 0;
        try {
            var description = admin.describeConsumerGroups(List.of(group))
                    .describedGroups()
                    .get(group)
                    .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            state = description.groupState().toString();
            members = description.members().size();
        } catch (ExecutionException e) {
            // the group does not exist yet, or describing it is not allowed: the lag is shown without it
            state = null;
        }
        List<String> waiting = faults.ask(admin);
        return new Progress(
                state,
                members,
                System.currentTimeMillis(),
                waiting.isEmpty() ? null : String.join("; ", waiting),
                lags);
    }

    /** Stops the thread. */
    @Override
    public void close() {
        stopped.countDown();
        thread.interrupt();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(3));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
