package io.perceptronstreams.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.evaluation.Counts.Counter;
import io.perceptronstreams.learner.Bits;
import io.perceptronstreams.learner.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CountingWindowTest {
    private final CountingWindow window = new CountingWindow();
    private final Counts totals = new Counts();
    private final Outcome outcome = new Outcome();
    // by the last call of the window
    private CountingWindow.Closed closed;

    @ParameterizedTest
    @CsvSource({"0, 0", "999, 0", "1000, 1000", "123456, 123000", "-1, -1000"})
    void shouldAlignWindowsToMultiplesOfTheirLength(long timestamp, long start) {
        count(timestamp, 1000);

        assertThat(window.isOpen()).isTrue();
        assertThat(window.start()).isEqualTo(start);
        assertThat(window.end()).isEqualTo(start + 1000);
    }

    @Test
    void shouldCountUpToItsEndExclusive() {
        count(1000, 1000);
        count(1999, 1000);
        assertThat(closed).isNull();
        count(2000, 1000);

        assertThat(closed.start()).isEqualTo(1000);
        assertThat(closed.end()).isEqualTo(2000);
        assertThat(closed.counts().examples()).isEqualTo(2);
        assertThat(closed.totals().examples()).isEqualTo(2);
        assertThat(window.counts().examples()).isEqualTo(1);
        assertThat(window.start()).isEqualTo(2000);
    }

    @Test
    void shouldCountLateExamplesInTheOpenWindow() {
        count(5000, 1000);
        count(3, 1000);

        assertThat(closed).isNull();
        assertThat(window.start()).isEqualTo(5000);
        assertThat(window.counts().examples()).isEqualTo(2);
    }

    @Test
    void shouldLeaveOutWindowsInWhichNothingHappened() {
        count(0, 10);
        count(95, 10);

        assertThat(closed.start()).isZero();
        assertThat(window.start()).isEqualTo(90);
    }

    @Test
    void shouldEndAsItBeganWhenTheLengthChangesMeanwhile() {
        count(0, 1000);
        count(999, 10);
        assertThat(closed).isNull();
        assertThat(window.end()).isEqualTo(1000);

        count(1005, 10);

        assertThat(closed.end()).isEqualTo(1000);
        assertThat(window.start()).isEqualTo(1000);
        assertThat(window.end()).isEqualTo(1010);
    }

    @Test
    void shouldKeepTheCountsOfAClosedWindowApartFromThoseThatFollow() {
        count(0, 10);
        count(10, 10);
        CountingWindow.Closed first = closed;
        count(11, 10);

        assertThat(first.counts().examples()).isEqualTo(1);
        assertThat(first.totals().examples()).isEqualTo(1);
    }

    @Test
    void shouldGoOnWhereItWasRestored() {
        CountingWindow restored = new CountingWindow();
        restored.restore(true, 1000, 2000);
        restored.counts()
                .set(Counter.EXAMPLES, 3)
                .set(Counter.LABELLED, 2)
                .set(Counter.ERRORS, 1)
                .set(Counter.MISTAKES, 1)
                .set(Counter.MARGIN_MISTAKES, 0)
                .set(Counter.UPDATES, 1)
                .setHingeLoss(0.5);

        CountingWindow.Closed closed = restored.moveTo(2000, 1000, this::atEnd);

        assertThat(closed.start()).isEqualTo(1000);
        assertThat(Bits.of(closed.counts()))
                .startsWith(3L, 2L, 1L, 1L, 0L, 1L)
                .endsWith(Double.doubleToRawLongBits(0.5));
    }

    @Test
    void shouldCloseWithoutAWordWhereNothingWasCounted() {
        closed = window.moveTo(0, 10, this::atEnd);

        closed = window.close(this::atEnd);

        assertThat(window.isOpen()).isFalse();
        assertThat(closed).isNull();
    }

    @ParameterizedTest
    @CsvSource({"1400, 1401, 1400", "1999, 2000, 1999", "300, 1001, 1000"})
    void shouldEndEarlyWithTheTimeOfItsLastExample(long timestamp, long end, long next) {
        count(1200, 1000);
        count(timestamp, 1000);

        closed = window.endWith(timestamp, this::atEnd);

        assertThat(closed.start()).isEqualTo(1000);
        assertThat(closed.end()).isEqualTo(end);
        assertThat(closed.counts().examples()).isEqualTo(2);
        assertThat(window.isOpen()).isTrue();
        assertThat(window.start()).isEqualTo(next);
        assertThat(window.end()).isEqualTo(2000);
        assertThat(window.counts().isEmpty()).isTrue();
    }

    @Test
    void shouldOpenNoOtherWindowForTheRestOfAnIntervalInWhichNothingHappened() {
        count(1500, 1000);
        closed = window.endWith(1500, this::atEnd);
        assertThat(closed).isNotNull();

        count(2000, 1000);

        assertThat(closed).isNull();
        assertThat(window.start()).isEqualTo(2000);
    }

    /** What a model does for an unlabelled example. */
    private void count(long timestamp, long length) {
        closed = window.moveTo(timestamp, length, this::atEnd);
        window.counts().add(null, outcome);
        totals.add(null, outcome);
    }

    private CountingWindow.AtEnd atEnd() {
        return new CountingWindow.AtEnd(totals.copy(), null, null, 0, null);
    }
}
