package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.log.EngineServices;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class TopicCreatorIT {
    private static final int ROUNDS = 10;

    /**
     * An engine could end with "must exist", because the other one had created the topics, and its broker did not know
     * them yet.
     */
    @Test
    @Tag("full")
    void shouldCreateTheTopicsOfTwoEnginesThatStartAtTheSameTime() throws Exception {
        ExecutorService engines = Executors.newFixedThreadPool(2);
        try {
            for (int round = 0; round < ROUNDS; round++) {
                EngineConfig config = new SharedCluster("created-twice").config(Map.of("topics.partitions", "3"));
                CyclicBarrier start = new CyclicBarrier(2);
                List<Future<EngineServices.Limits>> checks = engines.invokeAll(List.of(
                        () -> {
                            start.await();
                            return StartupChecks.check(config);
                        },
                        () -> {
                            start.await();
                            return StartupChecks.check(config);
                        }));
                for (Future<EngineServices.Limits> check : checks) {
                    assertThat(check.get().partitions()).isEqualTo(3);
                }
            }
        } finally {
            engines.shutdownNow();
        }
    }
}
