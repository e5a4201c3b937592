package io.perceptronstreams.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.perceptronstreams.cli.Events;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.event.WeightsSnapshot;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.EventWriter;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Transaction of an import. */
final class WeightsImportTest {
    private final SchemaRegistry registry = SchemaRegistries.of(Map.of("schema.registry.url", "mock://import"));
    private final EventWriter writer = new EventWriter(WeightsFile.SCHEMA, registry.register("s", WeightsFile.SCHEMA));
    private final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());

    @AfterEach
    void close() {
        producer.close();
        registry.close();
    }

    // (head -1 w; sleep 80; tail -n +2 w) | perceptron weights import m - failed, and held up the engine meanwhile.
    @Test
    void shouldReadAllChunksBeforeTheTransactionBegins() throws IOException {
        List<Boolean> inTransaction = new ArrayList<>();
        InputStream slow = new FilterInputStream(chunks(3, 3)) {
            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                inTransaction.add(producer.transactionInFlight());
                return super.read(bytes, offset, Math.min(length, 100));
            }
        };

        send(slow);

        assertThat(inTransaction).hasSizeGreaterThan(3).doesNotContain(true);
        assertThat(producer.transactionCommitted()).isTrue();
        EventReader<WeightsSnapshot> reader = EventReader.of(WeightsSnapshot.class, registry);
        assertThat(producer.history())
                .extracting(record -> reader.read(record.value()).getChunk())
                .containsExactly(0, 1, 2);
    }

    @Test
    void shouldSendNothingOfAFileThatIsNotComplete() {
        assertThatExceptionOfType(CommandFailedException.class)
                .isThrownBy(() -> send(chunks(2, 3)))
                .withMessage("w.json must hold all 3 chunks of a snapshot, got 2");

        assertThat(producer.transactionInitialized()).isFalse();
    }

    @Test
    void shouldReportATransactionThatExpired() {
        producer.commitTransactionException = new InvalidProducerEpochException("old epoch");

        assertThatExceptionOfType(CommandFailedException.class)
                .isThrownBy(() -> send(chunks(1, 1)))
                .withMessage("weights must be sent before their transaction expires, got one that the broker aborted"
                        + " (nothing was imported: run this again)");
    }

    private void send(InputStream in) throws IOException {
        EngineConfig config = EngineConfig.of(Map.of(), Map.of(), null, Map.of());
        try (WeightsFile file = WeightsFile.open(in, "w.json")) {
            WeightsImport.ofModel(config, "m").send(file, "w.json", ModelKey.of("m"), writer, producer);
        } catch (InterruptedException | java.util.concurrent.ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    private static InputStream chunks(int count, int chunks) {
        List<WeightsSnapshot> all = new ArrayList<>();
        for (int k = 0; k < count; k++) {
            WeightsSnapshot chunk = Events.filled(WeightsSnapshot.class);
            chunk.setChunk(k);
            chunk.setChunks(chunks);
            all.add(chunk);
        }
        StringWriter text = new StringWriter();
        WeightsFile.writeJson(all, new PrintWriter(text));
        return new ByteArrayInputStream(text.toString().getBytes(StandardCharsets.UTF_8));
    }
}
