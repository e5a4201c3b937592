package io.perceptronstreams.topology;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.internals.AsyncKafkaConsumer;
import org.apache.kafka.clients.consumer.internals.StreamsRebalanceData;
import org.apache.kafka.clients.consumer.internals.StreamsRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.internals.ConsumerWrapper;

/**
 * The consumer of the input of a stream thread in the group protocol {@code streams}, with an {@link InputPoll}.
 *
 * <p>With that protocol Kafka Streams 4.4.0 asks no {@code KafkaClientSupplier} for its main consumer, and creates one
 * of its own ({@code StreamThread.createMainConsumer}). The only way to add something to it is this internal class,
 * named by the internal setting {@code __internal.consumer.wrapper__}.
 */
public final class StreamsGroupConsumer extends ConsumerWrapper {
    /** Setting with a function from {@link HeldPartitions.Input} to {@link InputPoll}. */
    static final String INPUTS = "perceptron.inputs";

    private InputPoll input;

    /** Called by Kafka Streams. */
    public StreamsGroupConsumer() {}

    @Override
    @SuppressWarnings("unchecked")
    public void wrapConsumer(
            AsyncKafkaConsumer<byte[], byte[]> consumer,
            Map<String, Object> config,
            Optional<StreamsRebalanceData> data) {
        super.wrapConsumer(consumer, config, data);
        input = ((Function<HeldPartitions.Input, InputPoll>) config.get(INPUTS)).apply(new Unwrapped());
    }

    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        return input.poll(this, super::poll, timeout);
    }

    @Override
    public void pause(Collection<TopicPartition> partitions) {
        input.held().pause(partitions);
    }

    @Override
    public void resume(Collection<TopicPartition> partitions) {
        input.held().resume(partitions);
    }

    @Override
    public void seek(TopicPartition partition, long offset) {
        super.seek(partition, offset);
        input.held().sought(List.of(partition));
    }

    @Override
    public void seek(TopicPartition partition, OffsetAndMetadata offset) {
        super.seek(partition, offset);
        input.held().sought(List.of(partition));
    }

    @Override
    public void seekToBeginning(Collection<TopicPartition> partitions) {
        super.seekToBeginning(partitions);
        input.held().sought(partitions);
    }

    @Override
    public void seekToEnd(Collection<TopicPartition> partitions) {
        super.seekToEnd(partitions);
        input.held().sought(partitions);
    }

    @Override
    public void subscribe(Collection<String> topics, StreamsRebalanceListener listener) {
        super.subscribe(topics, new Revocations(topics, listener));
    }

    /** The consumer itself. */
    private final class Unwrapped implements HeldPartitions.Input {
        @Override
        public void seek(TopicPartition partition, OffsetAndMetadata offset) {
            delegate.seek(partition, offset);
        }

        @Override
        public void pause(Collection<TopicPartition> partitions) {
            delegate.pause(partitions);
        }

        @Override
        public void resume(Collection<TopicPartition> partitions) {
            delegate.resume(partitions);
        }
    }

    /** Tells {@link HeldPartitions} of partitions that go, before Kafka Streams. */
    private final class Revocations implements StreamsRebalanceListener {
        private final Collection<String> topics;
        private final StreamsRebalanceListener listener;

        Revocations(Collection<String> topics, StreamsRebalanceListener listener) {
            this.topics = topics;
            this.listener = listener;
        }

        @Override
        public void onTasksRevoked(Set<StreamsRebalanceData.TaskId> tasks) {
            input.held()
                    .revoked(tasks.stream()
                            .flatMap(
                                    task -> topics.stream().map(topic -> new TopicPartition(topic, task.partitionId())))
                            .collect(Collectors.toSet()));
            listener.onTasksRevoked(tasks);
        }

        @Override
        public void onTasksAssigned(StreamsRebalanceData.Assignment assignment) {
            listener.onTasksAssigned(assignment);
        }

        @Override
        public void onAllTasksLost() {
            input.held().revoked(assignment());
            listener.onAllTasksLost();
        }
    }
}
