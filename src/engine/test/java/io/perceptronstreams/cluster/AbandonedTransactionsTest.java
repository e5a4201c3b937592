package io.perceptronstreams.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.config.EngineConfig;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.Test;

/** {@code AbandonedTransactionsIT} aborts transactions on a broker. */
final class AbandonedTransactionsTest {
    // the thread ended for good: transactions that were left open later waited for their time-out
    @Test
    void shouldTryAgainAfterAFailureOfItsClient() throws InterruptedException {
        EngineConfig config = EngineConfig.of(Map.of(), Map.of(), null, Map.of());
        CountDownLatch tries = new CountDownLatch(2);
        try (AbandonedTransactions abandoned = new AbandonedTransactions(config, Set::of, Set::of, () -> {
            tries.countDown();
            throw new KafkaException("no client");
        })) {
            abandoned.start();
            assertThat(tries.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }
}
