package io.perceptronstreams.cluster;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.serde.Topic;
import java.time.Duration;
import java.util.ArrayList;
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
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
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
    private final Supplier<Set<Integer>> owned;
    private final Pattern ids;
    private final BlockingQueue<Integer> taken = new LinkedBlockingQueue<>();
    private final StoppableThread thread = new StoppableThread("abandoned-transactions", this::run);

    /**
     * @param own transactional ids of this process
     * @param owned partitions that this process has or restores
     */
    public AbandonedTransactions(EngineConfig config, Supplier<Set<String>> own, Supplier<Set<Integer>> owned) {
        this.config = config;
        this.own = own;
        this.owned = owned;
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

    private void run() {
        try (Admin admin = Admin.create(config.admin())) {
            while (!thread.isStopped()) {
                Set<Integer> partitions = new HashSet<>(Set.of(taken.take()));
                taken.drainTo(partitions);
                // once would do, but for brokers that answer late or not at all
                int look = 0;
                while (look < LOOKS && !thread.isStopped()) {
                    abort(admin, partitions);
                    look = refresh(partitions, FIRST_PAUSE.multipliedBy(1L << look)) ? 0 : look + 1;
                }
            }
        } catch (KafkaException e) {
            LOG.warn("transactions of engines that were killed end with their time-out: {}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Waits until a partition is taken. Drops those that have gone to other processes since the last look, because
     * transactions there are those of their owners, and adds those that were taken.
     *
     * @param pause maximum time to wait
     * @return true if some were taken
     */
    boolean refresh(Set<Integer> partitions, Duration pause) throws InterruptedException {
        Integer next = taken.poll(pause.toMillis(), TimeUnit.MILLISECONDS);
        partitions.retainAll(owned.get());
        if (next == null) {
            return false;
        }
        partitions.add(next);
        taken.drainTo(partitions);
        return true;
    }

    private void abort(Admin admin, Set<Integer> partitions) throws InterruptedException {
        try {
            for (String id : abandoned(admin, partitions)) {
                LOG.info("aborting the transaction of {}, an engine that has lost its partitions", id);
                admin.fenceProducers(List.of(id)).all().get();
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

    private List<String> abandoned(Admin admin, Set<Integer> partitions)
            throws ExecutionException, InterruptedException {
        if (partitions.isEmpty()) {
            return List.of();
        }
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
            return others;
        }
        Set<String> topics = ownedTopics(admin);
        var found = admin.describeTransactions(others);
        Map<String, KafkaFuture<TransactionDescription>> descriptions = new HashMap<>();
        others.forEach(id -> descriptions.put(id, found.description(id)));
        List<String> abandoned = new ArrayList<>();
        for (Map.Entry<String, KafkaFuture<TransactionDescription>> each : descriptions.entrySet()) {
            try {
                if (each.getValue().get().topicPartitions().stream()
                        .anyMatch(place -> topics.contains(place.topic()) && partitions.contains(place.partition()))) {
                    abandoned.add(each.getKey());
                }
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof TransactionalIdNotFoundException)) {
                    throw e;
                }
                // has ended long ago
            }
        }
        return abandoned;
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
