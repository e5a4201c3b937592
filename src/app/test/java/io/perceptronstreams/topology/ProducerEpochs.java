package io.perceptronstreams.topology;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Ids and epochs of the engines' producers. Brokers raise the epoch at the end of each transaction (KIP-890), and give
 * a producer another id when it has had {@link Short#MAX_VALUE} epochs.
 *
 * <p>{@link #look} often enough for at most one other id in between.
 */
final class ProducerEpochs {
    private static final String LOG = "__transaction_state";

    /** Behind the version and the producer id, in all versions of the coordinator's TransactionLogValue. */
    private static final int EPOCH_AT = Short.BYTES + Long.BYTES;

    private final Admin admin;
    private final Map<String, Use> uses = new TreeMap<>();

    /** What a transactional id has used: ids of producers after the first, and epochs of all of them. */
    private static final class Use {
        private long id;
        private int epoch;
        private long otherIds;
        private long epochs;

        private Use(TransactionDescription now) {
            id = now.producerId();
            epoch = now.producerEpoch();
        }

        private void look(TransactionDescription now) {
            boolean isOther = now.producerId() != id;
            otherIds += isOther ? 1 : 0;
            epochs += now.producerEpoch() - (long) epoch + (isOther ? Short.MAX_VALUE : 0);
            id = now.producerId();
            epoch = now.producerEpoch();
        }

        @Override
        public String toString() {
            return epochs + " epochs (now " + epoch + "), " + otherIds + " times another producer id";
        }
    }

    ProducerEpochs(Admin admin) {
        this.admin = admin;
    }

    /** Counts what has been used since the last call; the first call for an id counts nothing. */
    void look() throws ExecutionException, InterruptedException {
        describe().forEach((id, now) -> {
            Use use = uses.get(id);
            if (use == null) {
                uses.put(id, new Use(now));
            } else {
                use.look(now);
            }
        });
    }

    private Map<String, TransactionDescription> describe() throws ExecutionException, InterruptedException {
        List<String> ids = admin.listTransactions().all().get().stream()
                .map(TransactionListing::transactionalId)
                .filter(id -> id.startsWith("perceptron-"))
                .toList();
        return admin.describeTransactions(ids).all().get();
    }

    /** Number of the engines' producers; -1 if one of them has an open transaction. */
    int idle() throws ExecutionException, InterruptedException {
        Map<String, TransactionDescription> now = describe();
        boolean isIdle = now.values().stream()
                .allMatch(each -> each.state() == TransactionState.EMPTY
                        || each.state() == TransactionState.COMPLETE_COMMIT
                        || each.state() == TransactionState.COMPLETE_ABORT);
        return isIdle ? now.size() : -1;
    }

    /** Number of epochs of the producers whose transactional id has a prefix. */
    long epochs(String prefix) {
        return uses.entrySet().stream()
                .filter(use -> use.getKey().startsWith(prefix))
                .mapToLong(use -> use.getValue().epochs)
                .sum();
    }

    /** Smallest number of other producer ids that a transactional id has had. */
    long otherIds() {
        return uses.values().stream().mapToLong(use -> use.otherIds).min().orElse(0);
    }

    /**
     * Writes into the coordinator's log that each producer of the engines has had all epochs but the last {@code left},
     * as after hours of transactions. No engine runs, and the broker reads it at its next start.
     */
    static void age(String bootstrapServers, int left) throws ExecutionException, InterruptedException {
        // brokers let no other client write to their own topics
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrapServers, "client.id", "__admin_client"),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (int partition = 0; partition < producer.partitionsFor(LOG).size(); partition++) {
                Map<String, ConsumerRecord<byte[], byte[]>> last = new HashMap<>();
                for (ConsumerRecord<byte[], byte[]> record : TopicLog.all(bootstrapServers, LOG, partition)) {
                    last.put(new String(record.key(), StandardCharsets.UTF_8), record);
                }
                last.keySet().removeIf(key -> !key.contains("perceptron-"));
                for (ConsumerRecord<byte[], byte[]> record : last.values()) {
                    byte[] value = record.value().clone();
                    ByteBuffer.wrap(value).putShort(EPOCH_AT, (short) (Short.MAX_VALUE - left));
                    producer.send(new ProducerRecord<>(LOG, partition, record.key(), value))
                            .get();
                }
            }
        }
    }

    @Override
    public String toString() {
        return uses.values().toString();
    }
}
