package io.perceptronstreams.topology;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The consumer of the input of a stream thread in the classic group protocol, with an {@link InputPoll}. */
final class MainConsumer extends KafkaConsumer<byte[], byte[]> {
    private final InputPoll input;
    private final HeldPartitions held;
    private final WarmCopies copies;

    /**
     * @param inputs creates the poll of a consumer
     * @param copies of this process
     */
    MainConsumer(Map<String, Object> config, Function<HeldPartitions.Input, InputPoll> inputs, WarmCopies copies) {
        super(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        this.input = inputs.apply(new Unwrapped());
        this.copies = copies;
        this.held = input.held();
    }

    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        if (copies.takeRequest()) {
            enforceRebalance("copies of models are warm");
        }
        return input.poll(this, super::poll, timeout);
    }

    @Override
    public void pause(Collection<TopicPartition> partitions) {
        held.pause(partitions);
    }

    @Override
    public void resume(Collection<TopicPartition> partitions) {
        held.resume(partitions);
    }

    @Override
    public void seek(TopicPartition partition, long offset) {
        super.seek(partition, offset);
        held.sought(List.of(partition));
    }

    @Override
    public void seek(TopicPartition partition, OffsetAndMetadata offset) {
        super.seek(partition, offset);
        held.sought(List.of(partition));
    }

    @Override
    public void seekToBeginning(Collection<TopicPartition> partitions) {
        super.seekToBeginning(partitions);
        held.sought(partitions);
    }

    @Override
    public void seekToEnd(Collection<TopicPartition> partitions) {
        super.seekToEnd(partitions);
        held.sought(partitions);
    }

    @Override
    public void subscribe(Collection<String> topics, ConsumerRebalanceListener listener) {
        super.subscribe(topics, new Revocations(listener));
    }

    @Override
    public void subscribe(Pattern topics, ConsumerRebalanceListener listener) {
        super.subscribe(topics, new Revocations(listener));
    }

    /** This consumer without what this class adds. */
    private final class Unwrapped implements HeldPartitions.Input {
        @Override
        public void seek(TopicPartition partition, OffsetAndMetadata offset) {
            MainConsumer.super.seek(partition, offset);
        }

        @Override
        public void pause(Collection<TopicPartition> partitions) {
            MainConsumer.super.pause(partitions);
        }

        @Override
        public void resume(Collection<TopicPartition> partitions) {
            MainConsumer.super.resume(partitions);
        }
    }

    /** Tells {@link HeldPartitions} of partitions that go, before Kafka Streams. */
    private final class Revocations implements ConsumerRebalanceListener {
        private final ConsumerRebalanceListener listener;

        Revocations(ConsumerRebalanceListener listener) {
            this.listener = listener;
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            listener.onPartitionsAssigned(partitions);
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            held.revoked(partitions);
            listener.onPartitionsRevoked(partitions);
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            held.revoked(partitions);
            listener.onPartitionsLost(partitions);
        }
    }
}
