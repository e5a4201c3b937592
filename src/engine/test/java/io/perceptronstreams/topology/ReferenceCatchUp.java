package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.serde.InputDecoder;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Learns what imported weights lack in {@link ReferenceEngine}, before they replace a model. */
final class ReferenceCatchUp {
    private static final int MAX_RECORDS = 100_000;

    /** The last records of the partition. The engine reads more of them again, which this one does not support. */
    private final Deque<ConsumerRecord<byte[], byte[]>> records = new ArrayDeque<>();

    private final Example example = new Example();
    private final InputDecoder decoder;

    ReferenceCatchUp(InputDecoder decoder) {
        this.decoder = decoder;
    }

    void add(ConsumerRecord<byte[], byte[]> record) {
        records.addLast(record);
        while (records.getFirst().offset() < record.offset() - MAX_RECORDS) {
            records.removeFirst();
        }
    }

    /**
     * Learns the examples that weights lack.
     *
     * @param record last chunk of the weights
     * @param known model of the name; null if there is none
     * @param through offset up to which the weights have learned
     */
    void learn(ConsumerRecord<byte[], byte[]> record, Model known, Model imported, long through) {
        if (known == null || through >= record.offset() || known.counts().since() > through) {
            throw new RejectedException(RejectReason.OUTDATED_WEIGHTS, null);
        }
        assertThat(record.offset() - through)
                .as("records that weights of this test lack")
                .isLessThanOrEqualTo(MAX_RECORDS);
        boolean hasTime =
                imported.pipeline().settings().hasLateLabels() || !known.late().isEmpty();
        for (ConsumerRecord<byte[], byte[]> each : records) {
            if (each.offset() > through && each.value() != null && Arrays.equals(each.key(), record.key())) {
                learn(each, imported, hasTime);
            }
        }
        if (through + 1 < record.offset() && imported.state() != ModelState.LIVE) {
            throw new RejectedException(RejectReason.OUTDATED_WEIGHTS, null);
        }
    }

    private void learn(ConsumerRecord<byte[], byte[]> record, Model imported, boolean hasTime) {
        FeatureHasher hasher = imported.pipeline().hasher();
        InputDecoder.Kind kind;
        try {
            kind = decoder.decode(record.value(), hasher, example);
        } catch (RejectedException e) {
            if (e.reason() == RejectReason.UNKNOWN_SCHEMA) {
                throw new RejectedException(RejectReason.OUTDATED_WEIGHTS, null);
            }
            return;
        }
        boolean isOutdated = switch (kind) {
            case COMMAND -> true;
            case WEIGHTS -> decoder.weights().isLast();
            case EXAMPLE, EXAMPLES, LABEL -> hasTime;
        };
        if (isOutdated) {
            throw new RejectedException(RejectReason.OUTDATED_WEIGHTS, null);
        }
        String id = record.partition() + "@" + record.offset();
        if (kind == InputDecoder.Kind.EXAMPLE) {
            learn(record, id, ReferenceTime.of(record), imported);
        } else if (kind == InputDecoder.Kind.EXAMPLES) {
            for (int k = 0; k < decoder.examples().size(); k++) {
                OptionalLong time = ReferenceTime.ofPart(decoder.examples().value(k), record.timestamp());
                try {
                    decoder.examples().decode(k, hasher, example);
                } catch (RejectedException e) {
                    // a dead letter of its own
                    continue;
                }
                if (time.isPresent()) {
                    learn(record, id + "#" + k, time.getAsLong(), imported);
                }
            }
        }
    }

    private void learn(ConsumerRecord<byte[], byte[]> record, String id, long timestamp, Model imported) {
        if (example.id().length() == 0) {
            example.id().set(id);
        }
        imported.at(record.offset());
        try {
            imported.process(example, timestamp);
        } catch (RejectedException e) {
            // the model would have refused it
        }
    }
}
