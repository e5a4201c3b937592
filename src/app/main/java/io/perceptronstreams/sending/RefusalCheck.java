package io.perceptronstreams.sending;

import io.perceptronstreams.client.EventFormat;
import io.perceptronstreams.client.Verdict;
import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.cluster.EngineGroup;
import io.perceptronstreams.cluster.StartupException;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.model.StatusCause;
import io.perceptronstreams.monitor.PresentAdvice;
import io.perceptronstreams.registry.RegistryException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.sending.ExampleSender.Receipt;
import io.perceptronstreams.sending.RefusalCounts.WaitingLabels;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.Topic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Counts the dead letters of examples that a command sends, and reads the advice that they cause and the models'
 * statuses.
 *
 * <p>The engine commits the dead letters of a record in the transaction of its offset: once the offset of its group is
 * behind an example, the dead letter is there, or there is none. Open before the first example is sent. Not
 * thread-safe.
 */
final class RefusalCheck implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(100);

    /** Time for the status of a silent model, which comes after a second, unless its last example gave one. */
    private static final Duration IDLE = Duration.ofSeconds(10);

    private final EngineConfig config;
    private Admin admin;
    private TopicScan letters;
    private String cause;

    /** Connects; a failure becomes part of the result. */
    RefusalCheck(EngineConfig config) {
        this.config = config;
        try {
            letters = TopicScan.open(
                    config, config.topic(Topic.DEAD_LETTERS), config.topic(Topic.ALERTS), config.topic(Topic.MODELS));
            admin = Admin.create(config.admin());
        } catch (KafkaException | StartupException e) {
            cause = e.getMessage();
        }
    }

    /**
     * Waits until the engine has processed the examples, at most for {@code limit}, and counts those it has refused.
     *
     * @param hasVerdict true to wait for the statuses of the models after the examples, too
     * @return of each receipt, in the same order
     */
    List<RefusalCounts> await(List<Receipt> sent, boolean hasVerdict, Duration limit) throws InterruptedException {
        if (cause != null) {
            return unknown(sent, cause);
        }
        long end = System.nanoTime() + limit.toNanos();
        try {
            Map<Integer, Long> processed = awaitOffsets(sent, end, limit);
            Map<Receipt, List<DeadLetter>> found = new HashMap<>();
            sent.forEach(each -> found.put(each, new ArrayList<>()));
            List<ConsumerRecord<byte[], byte[]>> alerts = new ArrayList<>();
            List<ConsumerRecord<byte[], byte[]>> statuses = new ArrayList<>();
            boolean isComplete = letters.readTo(letterEnds(), () -> System.nanoTime() - end >= 0, record -> {
                if (record.topic().equals(config.topic(Topic.ALERTS))) {
                    alerts.add(record);
                    return;
                }
                if (record.topic().equals(config.topic(Topic.MODELS))) {
                    statuses.add(record);
                    return;
                }
                DeadLetter letter = DeadLetter.of(record.headers());
                if (config.topic(Topic.EXAMPLES).equals(letter.topic())
                        && letter.sourcePartition() != null
                        && letter.sourceOffset() != null) {
                    found.forEach((receipt, letters) ->
                            letters.addAll(Collections.nCopies(refused(letter, receipt.positions()), letter)));
                }
            });
            if (!isComplete) {
                // also where the engine is late for another model: what was read of the letters is not all
                processed = Map.of();
                if (cause == null) {
                    cause = "an open transaction holds up the dead letters";
                }
            }
            // the same for all models: they are waited for together
            long idleEnd = Math.min(end, System.nanoTime() + IDLE.toNanos());
            List<RefusalCounts> result = new ArrayList<>();
            for (Receipt each : sent) {
                List<DeadLetter> letters = found.get(each);
                long waiting = each.positions().countBehind(processed);
                String unknown = waiting == 0 ? null : cause;
                ModelStatus status =
                        !hasVerdict || unknown != null ? null : status(each, letters, statuses, end, idleEnd);
                result.add(RefusalCounts.of(
                                each.positions().count(),
                                waiting,
                                unknown,
                                letters,
                                advice(alerts, statuses, each.model(), each.positions()),
                                status == null ? null : Verdict.of(status),
                                status != null && status.getVote() != null)
                        .with(status == null || each.labels() == 0 ? WaitingLabels.NONE : WaitingLabels.of(status)));
            }
            return result;
        } catch (KafkaException | StartupException e) {
            return unknown(sent, e.getMessage());
        } catch (ExecutionException e) {
            return unknown(sent, e.getCause().getMessage());
        }
    }

    private static List<RefusalCounts> unknown(List<Receipt> sent, String cause) {
        return sent.stream()
                .map(each -> RefusalCounts.unknown(each.positions().count(), cause))
                .toList();
    }

    /**
     * Number of examples that a dead letter refuses: none of records of others, all of a record that is refused as a
     * whole.
     */
    private static int refused(DeadLetter letter, SentPositions sent) {
        int partition = letter.sourcePartition().intValue();
        if (!sent.contains(partition, letter.sourceOffset())) {
            return 0;
        }
        return letter.examples() != null ? letter.examples().size() : sent.examples(partition, letter.sourceOffset());
    }

    /** The first status of a model that counts all examples that are not refused. */
    static final class FirstComplete {
        private final SentPositions sent;
        private final Map<Long, Long> refused;
        private ModelStatus latest;

        /** @param refused dead letters of the examples, one for each */
        FirstComplete(SentPositions sent, List<DeadLetter> refused) {
            this.sent = sent;
            this.refused =
                    refused.stream().collect(Collectors.groupingBy(DeadLetter::sourceOffset, Collectors.counting()));
        }

        /** Returns true if this is the status. */
        boolean add(ModelStatus status) {
            int partition = status.getPartition();
            long last = sent.lastExcept(
                    partition, offset -> refused.getOrDefault(offset, 0L) >= sent.examples(partition, offset));
            if (last < 0 || status.getOffset() < last) {
                return false;
            }
            latest = status;
            // others may have been made before the last example of the record
            return status.getOffset() > last
                    || sent.examples(partition, last) == 1
                    || StatusCause.IDLE.name().equals(status.getCause());
        }

        /** The status or, if there was none, the latest that counts an example of the last record; null without any. */
        ModelStatus latest() {
            return latest;
        }
    }

    /**
     * The first status of the model that counts all examples that are not refused; null if there is none before
     * {@code end}. The engine sends one a second after the model's last record, unless the status at its last example
     * was one.
     *
     * @param statuses of all models so far; those that are waited for are added
     * @param idleEnd end of the wait once there is a status of the last record
     */
    private ModelStatus status(
            Receipt sent,
            List<DeadLetter> refused,
            List<ConsumerRecord<byte[], byte[]>> statuses,
            long end,
            long idleEnd) {
        FirstComplete complete = new FirstComplete(sent.positions(), refused);
        boolean isAllRefused = refused.size() >= sent.positions().count();
        int next = 0;
        try (SchemaRegistry registry = SchemaRegistries.of(config.registry())) {
            EventReader<ModelStatus> events = EventReader.of(ModelStatus.class, registry);
            do {
                for (; next < statuses.size(); next++) {
                    ConsumerRecord<byte[], byte[]> record = statuses.get(next);
                    if (record.value() != null
                            && sent.model().equals(EventFormat.model(record))
                            && complete.add(events.read(record.value()))) {
                        return complete.latest();
                    }
                }
                if (!isAllRefused) {
                    for (ConsumerRecord<byte[], byte[]> record : letters.poll()) {
                        if (record.topic().equals(config.topic(Topic.MODELS))) {
                            statuses.add(record);
                        }
                    }
                }
                // the last example of a record of several may have given the latest status: then no other comes
            } while (!isAllRefused && System.nanoTime() - (complete.latest() == null ? end : idleEnd) < 0);
            return complete.latest();
        } catch (IllegalArgumentException | RegistryException e) {
            // what is known of the examples is worth more than a verdict
            return null;
        }
    }

    /**
     * The alerts of kind ADVICE that the examples have caused and that are for the model as it is now, by its last
     * status, also where others of its examples still wait; none if they are unreadable.
     *
     * @param statuses of all models since the first example
     */
    private List<Alert> advice(
            List<ConsumerRecord<byte[], byte[]>> alerts,
            List<ConsumerRecord<byte[], byte[]>> statuses,
            String model,
            SentPositions sent) {
        if (alerts.isEmpty()) {
            return List.of();
        }
        try (SchemaRegistry registry = SchemaRegistries.of(config.registry())) {
            return advice(alerts, statuses, model, sent, registry);
        } catch (IllegalArgumentException | RegistryException e) {
            // what is known of the examples is worth more than advice
            return List.of();
        }
    }

    static List<Alert> advice(
            List<ConsumerRecord<byte[], byte[]>> alerts,
            List<ConsumerRecord<byte[], byte[]>> statuses,
            String model,
            SentPositions sent,
            SchemaRegistry registry) {
        ModelStatus present = last(statuses, model, EventReader.of(ModelStatus.class, registry));
        EventReader<Alert> events = EventReader.of(Alert.class, registry);
        return alerts.stream()
                .map(alert -> events.read(alert.value()))
                .filter(alert -> alert.getAdvice() != null
                        && sent.contains(alert.getPartition(), alert.getOffset())
                        && PresentAdvice.isOf(present, alert))
                .map(alert -> PresentAdvice.asOf(present, alert))
                .toList();
    }

    /** The last status of a model; null without one. */
    private static ModelStatus last(
            List<ConsumerRecord<byte[], byte[]>> statuses, String model, EventReader<ModelStatus> events) {
        for (int k = statuses.size() - 1; k >= 0; k--) {
            ConsumerRecord<byte[], byte[]> record = statuses.get(k);
            if (record.value() != null && model.equals(EventFormat.model(record))) {
                return events.read(record.value());
            }
        }
        return null;
    }

    /** Returns the next offset of each partition; {@link #cause} is set if examples still wait. */
    private Map<Integer, Long> awaitOffsets(List<Receipt> sent, long end, Duration limit)
            throws ExecutionException, InterruptedException {
        while (true) {
            Map<Integer, Long> next = new HashMap<>();
            EngineGroup.committed(admin, config)
                    .forEach((each, offset) ->
                            next.put(each.partition(), config.generation().offset(offset)));
            if (sent.stream().allMatch(each -> each.positions().countBehind(next) == 0)) {
                return next;
            }
            if (EngineGroup.members(admin, config).isEmpty()) {
                cause = "no engine is running";
                return next;
            }
            if (System.nanoTime() - end >= 0) {
                cause = "the engine has not processed them within " + limit.toSeconds() + " s";
                return next;
            }
            Thread.sleep(POLL.toMillis());
        }
    }

    /** The ends of the partitions of the dead-letter topic, with the records of open transactions. */
    private Map<TopicPartition, Long> letterEnds() throws ExecutionException, InterruptedException {
        // the marker of a transaction may reach the group's offsets before it reaches the dead letters
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        letters.partitions().forEach(partition -> latest.put(partition, OffsetSpec.latest()));
        Map<TopicPartition, Long> ends = new HashMap<>();
        admin.listOffsets(latest).all().get().forEach((partition, found) -> ends.put(partition, found.offset()));
        return ends;
    }

    @Override
    public void close() {
        if (letters != null) {
            letters.close();
        }
        if (admin != null) {
            admin.close(Duration.ofSeconds(1));
        }
    }
}
