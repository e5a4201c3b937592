package io.perceptronstreams.topology;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.streams.KafkaClientSupplier;
import org.apache.kafka.streams.StreamsConfig;

/**
 * The clients that Kafka Streams creates by default, but with a {@link GuardedProducer} and, in the classic group
 * protocol, a {@link MainConsumer}; {@link #streamsProtocol} is for the other one.
 */
final class StreamClients implements KafkaClientSupplier {
    private final Supplier<CommitPace> commits;
    private final SchemaLookups lookups;
    private final Function<OffsetOutOfRangeException, RuntimeException> outOfRange;
    private final WarmCopies copies;
    private final boolean haveSenders;
    private final Set<String> transactionalIds = ConcurrentHashMap.newKeySet();

    /**
     * @param commits creates one for a stream thread
     * @param outOfRange returns what is to be thrown where the next record of the input is not there
     * @param copies the listener of the copies of this process
     * @param haveSenders see {@link GuardedProducer}
     */
    StreamClients(
            Supplier<CommitPace> commits,
            SchemaLookups lookups,
            Function<OffsetOutOfRangeException, RuntimeException> outOfRange,
            WarmCopies copies,
            boolean haveSenders) {
        this.commits = commits;
        this.lookups = lookups;
        this.outOfRange = outOfRange;
        this.copies = copies;
        this.haveSenders = haveSenders;
    }

    private InputPoll input(HeldPartitions.Input consumer) {
        return new InputPoll(commits.get(), new HeldPartitions(lookups, consumer), outOfRange);
    }

    /** Settings by which Kafka Streams adds the same to the consumer that it creates itself. */
    Map<String, Object> streamsProtocol() {
        Function<HeldPartitions.Input, InputPoll> inputs = this::input;
        return Map.of(
                StreamsConfig.InternalConfig.INTERNAL_CONSUMER_WRAPPER,
                StreamsGroupConsumer.class,
                StreamsGroupConsumer.INPUTS,
                inputs);
    }

    /** Transactional ids of the producers of this process. */
    Set<String> transactionalIds() {
        return Set.copyOf(transactionalIds);
    }

    @Override
    public Admin getAdmin(Map<String, Object> config) {
        return Admin.create(config);
    }

    @Override
    public Producer<byte[], byte[]> getProducer(Map<String, Object> config) {
        transactionalIds.add(config.get(ProducerConfig.TRANSACTIONAL_ID_CONFIG).toString());
        return new GuardedProducer(config, haveSenders);
    }

    @Override
    public Consumer<byte[], byte[]> getConsumer(Map<String, Object> config) {
        return new MainConsumer(config, this::input, copies);
    }

    @Override
    public Consumer<byte[], byte[]> getRestoreConsumer(Map<String, Object> config) {
        return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    @Override
    public Consumer<byte[], byte[]> getGlobalConsumer(Map<String, Object> config) {
        return getRestoreConsumer(config);
    }
}
