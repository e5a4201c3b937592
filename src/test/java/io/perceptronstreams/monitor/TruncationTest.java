package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericData;
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
        assertThat(((List<?>) mistake.get("label")).get(0)).isEqualTo("N".repeat(40) + "…" + "N".repeat(23));
    }

    @Test
    void shouldKeepClassesApartWhoseNamesBeginAlike() {
        String same = "x".repeat(70);
        List<String> labels = List.of(same + "-red", same + "-blue", same + "1" + same, same + "2" + same, "short");

        List<String> names = Truncation.names(labels);

        assertThat(names)
                .startsWith(
                        "x".repeat(40) + "…" + "x".repeat(19) + "-red", "x".repeat(40) + "…" + "x".repeat(18) + "-blue")
                .endsWith(
                        "x".repeat(40) + "…" + "x".repeat(23), "x".repeat(40) + "…" + "x".repeat(23) + " (2)", "short")
                .doesNotHaveDuplicates();
        // the cut of a long event shortens a name again
        assertThat(Truncation.name(names.get(0))).isEqualTo(names.get(0));
        // two halves of a character stay together
        assertThat(Truncation.name("x".repeat(39) + "\ud83d\ude00" + "x".repeat(80)))
                .isEqualTo("x".repeat(39) + "…" + "x".repeat(23));
        assertThat(Truncation.name("x".repeat(80) + "\ud83d\ude00" + "x".repeat(22)))
                .isEqualTo("x".repeat(40) + "…" + "x".repeat(22));
    }

    @Test
    void shouldShowTheSameNamesInMatrixAndMetrics() {
        String same = "x".repeat(100);
        GenericRecord metrics = Fabricated.metrics("ModelStatus");
        GenericRecord row = (GenericRecord) ((List<?>) metrics.get("classes")).get(0);
        List<GenericRecord> rows = new ArrayList<>();
        for (String label : List.of(same + "y", same, same + "x")) {
            GenericRecord each = new GenericData.Record((GenericData.Record) row, true);
            each.put("label", label);
            rows.add(each);
        }
        metrics.put("classes", rows);
        GenericRecord confusion = Fabricated.confusion(List.of(same + "y", same, same + "x"), 0, new long[9]);
        GenericRecord status = Fabricated.event("ModelStatus", Map.of("metrics", metrics, "confusion", confusion));
        Truncation.shorten(status);
        Event event = new Event(0, 0, 0, "m", status);

        List<String> names = Confusion.of(event, 100).labels();

        assertThat(names).doesNotHaveDuplicates();
        assertThat(MetricsView.of(event, "metrics").classes())
                .extracting(MetricsView.ClassRow::label)
                .containsExactlyElementsOf(names);
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
