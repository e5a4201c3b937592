package io.perceptronstreams.cluster;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.thread.StoppableThread;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Aborts the transactions that engines which have lost a partition left open in its outputs or its changelog.
 *
 * <p>Models are restored, and predictions are read, only up to the first open transaction. That of an engine which was
 * killed stays open for {@code transaction.timeout.ms}, many times as long as its session, unless a producer of the
 * same transactional id begins. An engine commits before it gives a partition away. A transaction of another one that
 * is open in a partition while it is restored here can therefore never be committed: its end would be refused, because
 * its producer is not of the current generation of the group. If it were committed in spite of that, an abort would
 * only have it processed again.
 *
 * <p>A process that was paused, by a signal or by a garbage collection, may have lost the partition meanwhile without
 * knowing it, and the open transaction may be one of the next owner. So before each abort, but after the transaction
 * was found open, the group is asked to whom it has given the partition.
 */
public final class AbandonedTransactions implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AbandonedTransactions.class);

    /** Number of looks for transactions in a partition, each after twice the pause of the one before. */
    private static final int LOOKS = 6;

    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);

    /** Topics whose partition of the same number only the owner of a partition of the input writes. */
    private static final Set<Topic> OWNED = EnumSet.complementOf(
            // records that belong on another partition; outputs without a model
            EnumSet.of(Topic.EXAMPLES, Topic.DEAD_LETTERS, Topic.ALERTS));

    private final EngineConfig config;
    private final Supplier<Set<String>> own;
    private final Supplier<Set<String>> consumers;
    private final Supplier<Admin> clients;
    private final Pattern ids;
    private final BlockingQueue<Integer> taken = new LinkedBlockingQueue<>();
    private final StoppableThread thread =
            new StoppableThread("abandoned-transactions", this::lookUntilStopped, this::failed);
    // of the thread: partitions to look at, and the number of failures since it could
    private final Set<Integer> restored = new HashSet<>();
    private int failures;

    /**
     * @param own transactional ids of this process
     * @param consumers client ids of the members of the group that are threads of this process
     */
    public AbandonedTransactions(EngineConfig config, Supplier<Set<String>> own, Supplier<Set<String>> consumers) {
        this(config, own, consumers, () -> Admin.create(config.admin()));
    }

    /** @param clients creates clients */
    AbandonedTransactions(
            EngineConfig config, Supplier<Set<String>> own, Supplier<Set<String>> consumers, Supplier<Admin> clients) {
        this.config = config;
        this.own = own;
        this.consumers = consumers;
        this.clients = clients;
        // of Kafka Streams: application, process, thread
        this.ids = Pattern.compile(
                Pattern.quote(config.applicationId()) + "-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-\\d+");
    }

    /** Starts to wait for partitions. */
    public void start() {
        thread.start();
    }

    /** Notes that this process restores a partition: looks for transactions there, in a thread of its own. */
    public void taken(int partition) {
        taken.add(partition);
    }

    private void lookUntilStopped() throws InterruptedException {
        try (Admin admin = clients.get()) {
            while (!thread.isStopped()) {
                if (restored.isEmpty()) {
                    restored.add(taken.take());
                }
                look(admin);
                restored.clear();
                failures = 0;
            }
        }
    }

    private Duration failed(RuntimeException failure) {
        LOG.warn("cannot look for transactions of engines that were killed, tries again: {}", failure.toString());
        return pause(Math.min(failures++, LOOKS));
    }

    private static Duration pause(int number) {
        return FIRST_PAUSE.multipliedBy(1L << number);
    }

    /** Looks until the transactions that were open must be over, from the beginning if more partitions are taken. */
    private void look(Admin admin) throws InterruptedException {
        // once would do, but for brokers that answer late or not at all
        int look = 0;
        while (look < LOOKS && !thread.isStopped()) {
            taken.drainTo(restored);
            abort(admin, restored);
            Integer next = taken.poll(pause(look).toMillis(), TimeUnit.MILLISECONDS);
            look++;
            if (next != null) {
                restored.add(next);
                look = 0;
            }
        }
    }

    /**
     * Aborts what is open in partitions that the group has given to this process.
     *
     * @param partitions that were taken; some may have gone since
     */
    void abort(Admin admin, Set<Integer> partitions) throws InterruptedException {
        try {
            Map<String, Set<Integer>> open = open(admin, partitions);
            if (open.isEmpty()) {
                return;
            }
            Set<Integer> given = given(admin);
            for (Map.Entry<String, Set<Integer>> each : open.entrySet()) {
                if (!Collections.disjoint(each.getValue(), given)) {
                    LOG.info("aborting the transaction of {}, an engine that has lost its partitions", each.getKey());
                    admin.fenceProducers(List.of(each.getKey())).all().get();
                }
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof AuthorizationException) {
                LOG.warn(
                        "transactions of engines that were killed end with their time-out: {} (docs/security.md has the"
                                + " rights)",
                        e.getCause().getMessage());
            } else {
                LOG.debug("cannot look for abandoned transactions", e);
            }
        }
    }

    /** The partitions of this process by the last assignment of the group; none while it makes another one. */
    private Set<Integer> given(Admin admin) throws ExecutionException, InterruptedException {
        Set<String> mine = consumers.get();
        return EngineGroup.members(admin, config).stream()
                // brokers may have the client id of an earlier process of a static member
                .filter(member -> EngineGroup.isOwn(member, config) || mine.contains(member.clientId()))
                .filter(member -> !member.hasLeft())
                .flatMap(member -> member.partitions().stream())
                .collect(Collectors.toSet());
    }

    /** Open transactions of other processes, by their ids, with those of the partitions in which they are open. */
    private Map<String, Set<Integer>> open(Admin admin, Set<Integer> partitions)
            throws ExecutionException, InterruptedException {
        Set<String> mine = own.get();
        List<String> others = admin
                .listTransactions(new ListTransactionsOptions().filterStates(Set.of(TransactionState.ONGOING)))
                .all()
                .get()
                .stream()
                .map(TransactionListing::transactionalId)
                .filter(id -> ids.matcher(id).matches() && !mine.contains(id))
                .toList();
        if (others.isEmpty()) {
            return Map.of();
        }
        Set<String> topics = ownedTopics(admin);
        var found = admin.describeTransactions(others);
        Map<String, KafkaFuture<TransactionDescription>> descriptions = new HashMap<>();
        others.forEach(id -> descriptions.put(id, found.description(id)));
        Map<String, Set<Integer>> open = new HashMap<>();
        for (Map.Entry<String, KafkaFuture<TransactionDescription>> each : descriptions.entrySet()) {
            try {
                Set<Integer> there = each.getValue().get().topicPartitions().stream()
                        .filter(place -> topics.contains(place.topic()) && partitions.contains(place.partition()))
                        .map(TopicPartition::partition)
                        .collect(Collectors.toSet());
                open.put(each.getKey(), there);
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof TransactionalIdNotFoundException)) {
                    throw e;
                }
                // has ended long ago
            }
        }
        return open;
    }

    /** The changelog, and the outputs that have as many partitions. */
    private Set<String> ownedTopics(Admin admin) throws ExecutionException, InterruptedException {
        List<String> topics = Stream.concat(
                        Stream.of(config.changelog()), OWNED.stream().map(config::topic))
                .toList();
        var found = admin.describeTopics(topics).allTopicNames().get();
        int partitions = found.get(config.changelog()).partitions().size();
        found.values().removeIf(topic -> topic.partitions().size() != partitions);
        return found.keySet();
    }

    @Override
    public void close() {
        thread.stop();
        thread.interrupt();
    }
}
