package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.evaluation.CountingWindow;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Counting windows that end after a number of examples. */
final class WindowExamplesTest {
    private final Model model = new Model();
    private final Observed observed = Observed.of(model);

    @Test
    void shouldShowTheCourseOfAFileThatCameAtOnce() {
        List<CountingWindow.Closed> windows = examples(600, 0);

        // 10, 20, … 200; from 220 on a twentieth, rounded down: 10 at 200 to 219, then 11 at 220, …
        assertThat(windows).extracting(window -> window.totals().examples()).startsWith(10L, 20L, 30L);
        assertThat(windows).hasSizeBetween(40, 45);
        assertThat(windows).allSatisfy(window -> {
            long before = window.totals().examples() - window.counts().examples();
            assertThat(window.counts().examples())
                    .isGreaterThanOrEqualTo(10)
                    .isLessThanOrEqualTo(Math.max(10, before / 19 + 1));
        });
        // in one millisecond, but with an order and apart
        assertThat(windows).extracting(CountingWindow.Closed::start).containsOnly(0L);
        assertThat(windows).extracting(CountingWindow.Closed::end).containsOnly(1L);
        assertThat(windows)
                .extracting(window -> window.totals().examples())
                .doesNotHaveDuplicates()
                .isSorted();
        long open = model.counts().window().counts().examples();
        assertThat(windows.stream()
                                .mapToLong(window -> window.counts().examples())
                                .sum()
                        + open)
                .isEqualTo(600);
    }

    @ParameterizedTest
    @CsvSource({"30, 3", "9, 0"})
    void shouldCloseWindowsOfSmallModels(int examples, int windows) {
        assertThat(examples(examples, 0)).hasSize(windows);
    }

    @Test
    void shouldMakeFewerAndFewerWindowsOfALongStream() {
        // 20 + 20 ln(1,000,000/200) = 190, and some more because parts of examples are cut off
        assertThat(examples(1_000_000, 0)).hasSizeBetween(180, 220);
    }

    @Test
    void shouldEndAfterAGivenNumberOfExamples() {
        model.configure(Map.of("window.examples", "7"));

        List<CountingWindow.Closed> windows = examples(50, 0);

        assertThat(windows)
                .hasSize(7)
                .allSatisfy(window -> assertThat(window.counts().examples()).isEqualTo(7));
    }

    @Test
    void shouldEndByTimeIfThatIsFirst() {
        model.configure(Map.of("window.ms", "1000", "window.examples", "7"));

        // two every 250 ms: 8 in a second; a window of 7, and one of the eighth
        List<CountingWindow.Closed> windows = examples(17, 125);

        assertThat(windows).extracting(window -> window.counts().examples()).containsExactly(7L, 1L, 7L, 1L);
        assertThat(windows).extracting(CountingWindow.Closed::start).containsExactly(0L, 750L, 1000L, 1750L);
        assertThat(windows).extracting(CountingWindow.Closed::end).containsExactly(751L, 1000L, 1751L, 2000L);
    }

    /** Each window of 10 s had one example, whose error is 0 or 1. */
    @Test
    void shouldHaveAHundredExamplesOrTheirTwentiethPartWhereTheyComeEachSevenMinutes() {
        List<CountingWindow.Closed> windows = examples(5_000, 420_000);

        // 10, 20, … 200 by their number, then a twentieth of all so far, which is 100 at 2,000; from there on by the
        // time
        assertThat(windows).hasSizeBetween(90, 105);
        assertThat(windows).extracting(each -> each.counts().examples()).startsWith(10L, 10L, 10L);
        assertThat(windows.subList(70, windows.size()))
                .extracting(each -> each.counts().examples())
                .containsOnly(100L);
        for (int k = 1; k < windows.size(); k++) {
            assertThat(windows.get(k).start())
                    .isGreaterThanOrEqualTo(windows.get(k - 1).end() - 1);
        }
    }

    @Test
    void shouldLastTenSecondsWhereTheStreamIsFast() {
        // 2,000 per second would be every half millisecond: one per millisecond, 10,000 in 10 s, a twentieth of 200,000
        List<CountingWindow.Closed> windows = examples(400_000, 1);

        assertThat(windows.subList(windows.size() - 15, windows.size())).allSatisfy(each -> {
            assertThat(each.end() - each.start()).isEqualTo(10_000);
            assertThat(each.counts().examples()).isEqualTo(10_000);
        });
    }

    @Test
    void shouldEndByAGivenNumberAloneUnlessATimeIsGivenToo() {
        model.configure(Map.of("window.examples", "300"));

        assertThat(examples(1_000, 420_000))
                .extracting(each -> each.counts().examples())
                .containsExactly(300L, 300L, 300L);
    }

    private List<CountingWindow.Closed> examples(int count, int everyMs) {
        List<CountingWindow.Closed> windows = new ArrayList<>();
        for (int k = 0; k < count; k++) {
            Example example = Sample.dense(1, k % 7 - 3).example();
            example.setLabel(new Label.Int(k % 2 == 0 ? 1 : -1));
            model.process(example, (long) k * everyMs);
        }
        Stream.iterate(observed.closed(), Objects::nonNull, last -> observed.closed())
                .forEach(windows::add);
        return windows;
    }
}
