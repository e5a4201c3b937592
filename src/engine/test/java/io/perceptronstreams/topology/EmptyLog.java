package io.perceptronstreams.topology;

import io.perceptronstreams.log.InputLog;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.Uuid;

/** The log of the first start of an engine: no committed offset and no records to replay. */
public final class EmptyLog implements InputLog {
    @Override
    public Uuid topicId() {
        return Uuid.ONE_UUID;
    }

    @Override
    public long firstOffset(int partition) {
        return 0;
    }

    @Override
    public Optional<OffsetAndMetadata> committed(int partition) {
        return Optional.empty();
    }

    @Override
    public boolean hasOtherOwner(int partition) {
        return false;
    }

    @Override
    public boolean isChangelogLost(int partition) {
        return false;
    }

    @Override
    public void read(int partition, long from, long to, Consumer<ConsumerRecord<byte[], byte[]>> sink) {
        throw new AssertionError("nothing is to be learned again, got a reading from " + from + " to " + to);
    }

    @Override
    public void close() {}
}
