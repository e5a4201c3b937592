package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.junit.jupiter.api.Test;

class OutputsTest {
    private final MockProcessorContext<byte[], byte[]> context = new MockProcessorContext<>();
    private final Outputs outputs = new Outputs(context);

    private static Record<byte[], byte[]> record(byte[] value) {
        return new Record<>(new byte[1], value, 1);
    }

    @Test
    void shouldSendWhatItKeptInItsOrderAndOnce() {
        Record<byte[], byte[]> first = record(new byte[10]);
        Record<byte[], byte[]> tombstone = record(null);
        outputs.add(first, "a");
        outputs.add(tombstone, "b");
        assertThat(context.forwarded()).isEmpty();

        outputs.send();
        outputs.send();

        assertThat(context.forwarded())
                .<Record<?, ?>>extracting(sent -> sent.record())
                .containsExactly(first, tombstone);
        assertThat(context.forwarded())
                .extracting(sent -> sent.childName().orElseThrow())
                .containsExactly("a", "b");
    }

    @Test
    void shouldKeepLittle() {
        for (int k = 0; k < 3; k++) {
            outputs.add(record(new byte[400_000]), "a");
        }
        assertThat(context.forwarded()).hasSize(3);
    }

    @Test
    void shouldForget() {
        outputs.add(record(new byte[10]), "a");
        outputs.clear();
        outputs.send();
        assertThat(context.forwarded()).isEmpty();
    }
}
