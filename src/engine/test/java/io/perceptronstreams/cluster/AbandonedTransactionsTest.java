package io.perceptronstreams.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.config.EngineConfig;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class AbandonedTransactionsTest {
    // two rebalances within seconds, in which one partition goes and another one comes: the transaction of the new
    // owner
    // of the first was aborted
    @Test
    void shouldNotLookAtPartitionsThatHaveGoneWhenOthersAreTaken() throws InterruptedException {
        Set<Integer> owned = new HashSet<>(List.of(1, 2));
        EngineConfig config = EngineConfig.of(Map.of(), Map.of(), null, Map.of());
        try (AbandonedTransactions abandoned = new AbandonedTransactions(config, Set::of, () -> owned)) {
            Set<Integer> partitions = new HashSet<>(List.of(1, 2));
            assertThat(abandoned.refresh(partitions, Duration.ZERO)).isFalse();
            assertThat(partitions).containsExactlyInAnyOrder(1, 2);

            owned.remove(1);
            // its restoration has begun, which threads say later
            abandoned.taken(3);
            assertThat(abandoned.refresh(partitions, Duration.ZERO)).isTrue();
            assertThat(partitions).containsExactlyInAnyOrder(2, 3);
        }
    }
}
