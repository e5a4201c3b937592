package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

/** Truncated events have at most some KiB. */
final class TruncationTest {
    @Test
    void shouldCutLongTextsAndLists() {
        GenericRecord mistake = Fabricated.event(
                "Mistake",
                Map.of("exampleId", "x".repeat(100_000), "label", Collections.nCopies(100_000, "N".repeat(1_000))));

        Truncation.shorten(mistake);

        assertThat(mistake.get("exampleId").toString()).isEqualTo("x".repeat(500) + "…");
        assertThat((List<?>) mistake.get("label")).hasSize(33).last().isEqualTo("…");
        assertThat(((List<?>) mistake.get("label")).get(0)).isEqualTo("N".repeat(64) + "…");
    }

    @Test
    void shouldKeepTheCountsOfALargeConfusionMatrix() {
        GenericRecord status = Fabricated.event(
                "ModelStatus", Map.of("confusion", Fabricated.confusion(List.of("a"), 0, new long[33 * 33])));

        Truncation.shorten(status);

        assertThat((List<?>) ((GenericRecord) status.get("confusion")).get("counts"))
                .hasSize(33 * 33);
    }

    @Test
    void shouldKeepTheClassesThatMetricsMayHave() {
        GenericRecord metrics = Fabricated.metrics("ModelStatus");
        Object row = ((List<?>) metrics.get("classes")).get(0);
        metrics.put("classes", Collections.nCopies(MetricsView.MAX_CLASSES, row));
        GenericRecord status = Fabricated.event("ModelStatus", Map.of("metrics", metrics));

        Truncation.shorten(status);

        assertThat((List<?>) ((GenericRecord) status.get("metrics")).get("classes"))
                .hasSize(MetricsView.MAX_CLASSES);
    }

    @Test
    void shouldLeaveShortEventsAsTheyAre() {
        GenericRecord mistake = Fabricated.mistakeValue("e", 1);
        String before = mistake.toString();

        Truncation.shorten(mistake);

        assertThat(mistake).hasToString(before);
    }

    @Test
    void shouldNotCutACharacterInTwo() {
        assertThat(Truncation.text("ab\uD83D\uDE00", 3)).isEqualTo("ab…");
        assertThat(Truncation.text("ab\uD83D\uDE00", 4)).isEqualTo("ab\uD83D\uDE00");
    }
}
