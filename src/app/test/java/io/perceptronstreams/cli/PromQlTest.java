package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Ensures that the tests of deploy/ find metrics and labels at all. */
final class PromQlTest {
    @Test
    void shouldFindMetricsAndLabelsAndNoFunctions() {
        PromQl parsed = PromQl.parse(
                "max by (model, job) (rate(a_total{x=\"1\", y=~\"$m\"}[$__rate_interval]) / b{}) > 0.05 + 2"
                        + " * sum without(z) (increase(c[2h] offset 10m)) and on (q) d == 0 or e");

        assertThat(parsed.selectors())
                .containsExactly(
                        new PromQl.Selector("a_total", Map.of("x", "=\"1\"", "y", "=~\"$m\"")),
                        new PromQl.Selector("b", Map.of()),
                        new PromQl.Selector("c", Map.of()),
                        new PromQl.Selector("d", Map.of()),
                        new PromQl.Selector("e", Map.of()));
        assertThat(parsed.listedLabels()).containsExactlyInAnyOrder("model", "job", "z", "q");
    }
}
