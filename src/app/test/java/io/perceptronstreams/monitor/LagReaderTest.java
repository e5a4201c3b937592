package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.Test;

/** The reader of the engine's lag, without brokers. */
final class LagReaderTest {
    @Test
    void shouldTryAgainWhereNoClientCouldBeCreated() throws Exception {
        CountDownLatch attempts = new CountDownLatch(2);
        try (LagReader reader = new LagReader(TestServer.config(), () -> {
            attempts.countDown();
            throw new KafkaException("Failed to create new KafkaAdminClient", new UnknownHostException("nowhere"));
        })) {
            reader.start();

            assertThat(attempts.await(1, TimeUnit.MINUTES)).isTrue();
            assertThat(reader.progress().fault())
                    .isEqualTo("UnknownHostException, whose message is in the log of the server");
            assertThat(reader.progress().at()).isNull();
        }
    }

    @Test
    void shouldNameWhatWaitsForTheRegistryBesideOtherFaults() {
        LagReader.Progress progress = new LagReader.Progress("STABLE", 1, 5L, "open transaction", List.of());

        assertThat(progress.with(List.of())).isSameAs(progress);
        assertThat(progress.with(List.of("partition 0 waits", "partition 3 waits"))
                        .fault())
                .isEqualTo("partition 0 waits; partition 3 waits; open transaction");
    }
}
