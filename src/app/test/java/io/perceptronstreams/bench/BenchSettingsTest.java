package io.perceptronstreams.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.bench.BenchExamples.Streams;
import io.perceptronstreams.client.CommandFailedException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class BenchSettingsTest {
    @Test
    void shouldHaveAModelOnEachPartition() {
        BenchSettings settings = settings(2, 32, 1_000, null);

        assertThat(settings.streams())
                .containsEntry("num.stream.threads", "2")
                .containsEntry("topics.partitions", "32");
        assertThat(settings.models(BenchInput.HARD).keys()).hasSize(32);
    }

    @Test
    void shouldAllowAllModels() {
        assertThat(settings(1, 1, 1_000, 300_000).streams()).containsEntry("models.max", "300000");
        assertThat(settings(1, 1, 1_000, null).streams()).doesNotContainKey("models.max");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            3 | 2    | 2000 |    | --partitions must be from --threads = 3 to 1000, got 2
            1 | 1001 | 2000 |    | --partitions must be from --threads = 1 to 1000, got 1001
            1 | 8    | 0    |    | --rate must be from 1 to 1000000, got 0
            1 | 8    | 2000 | 7  | --models must be at least --partitions = 8, got 7
            """)
    void shouldRefuse(int threads, int partitions, int rate, Integer models, String message) {
        assertThatThrownBy(() -> settings(threads, partitions, rate, models))
                .isInstanceOf(CommandFailedException.class)
                .hasMessage(message);
    }

    private static BenchSettings settings(int threads, int partitions, int rate, Integer models) {
        BenchExamples examples = BenchReportTest.examples(Streams.HARD, models, null, Map.of());
        return new BenchSettings(1, 3_000, threads, partitions, rate, 1, "1g", examples, Map.of());
    }
}
