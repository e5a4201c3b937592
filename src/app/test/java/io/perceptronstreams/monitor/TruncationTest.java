package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.event.ClassCount;
import io.perceptronstreams.event.ConfusionMatrix;
import io.perceptronstreams.event.Metrics;
import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.event.ModelStatus;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Truncated events have at most some KiB. */
final class TruncationTest {
    @Test
    void shouldCutLongTextsAndLists() {
        Mistake mistake = Fabricated.event(
                Mistake.class,
                Map.of("exampleId", "x".repeat(100_000), "label", Collections.nCopies(100_000, "N".repeat(1_000))));

        Truncation.shorten(mistake);

        assertThat(mistake.getExampleId()).isEqualTo("x".repeat(500) + "…");
        assertThat((List<?>) mistake.getLabel()).hasSize(33).last().isEqualTo("…");
        assertThat(((List<?>) mistake.getLabel()).get(0)).isEqualTo("N".repeat(40) + "…" + "N".repeat(23));
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
        List<String> labels = List.of(same + "y", same, same + "x");
        Metrics metrics = Fabricated.metrics();
        metrics.setClasses(
                labels.stream().map(each -> new ClassCount(each, 1L, 1L, 1L)).toList());
        ConfusionMatrix confusion = Fabricated.confusion(labels, 0, new long[9]);
        ModelStatus status = Fabricated.event(ModelStatus.class, Map.of("metrics", metrics, "confusion", confusion));
        Truncation.shorten(status);
        Truncation.shortenLabels(status);

        List<String> names = status.getConfusion().getLabels();
        assertThat(names).doesNotHaveDuplicates();
        assertThat(status.getMetrics().getClasses())
                .extracting(ClassCount::getLabel)
                .containsExactlyElementsOf(names);
    }

    @Test
    void shouldKeepTheCountsOfALargeConfusionMatrix() {
        ModelStatus status = Fabricated.event(
                ModelStatus.class, Map.of("confusion", Fabricated.confusion(List.of("a"), 0, new long[33 * 33])));

        Truncation.shorten(status);

        assertThat(status.getConfusion().getCounts()).hasSize(33 * 33);
    }

    @Test
    void shouldKeepTheClassesThatMetricsMayHave() {
        Metrics metrics = Fabricated.metrics();
        ClassCount row = metrics.getClasses().get(0);
        metrics.setClasses(Collections.nCopies(Truncation.MAX_CLASSES, row));
        ModelStatus status = Fabricated.event(ModelStatus.class, Map.of("metrics", metrics));

        Truncation.shorten(status);

        assertThat(status.getMetrics().getClasses()).hasSize(Truncation.MAX_CLASSES);
    }

    @Test
    void shouldLeaveShortEventsAsTheyAre() {
        Mistake mistake = Fabricated.mistakeValue("e", 1);
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
