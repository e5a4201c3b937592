package io.perceptronstreams.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.evaluation.Counts.Counter;
import io.perceptronstreams.learner.Bits;
import io.perceptronstreams.learner.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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

        CountingWindow.Closed closed = restored.moveTo(2000, CountingWindow.Length.of(1000), this::atEnd);

        assertThat(closed.start()).isEqualTo(1000);
        assertThat(Bits.of(closed.counts()))
                .startsWith(3L, 2L, 1L, 1L, 0L, 1L)
                .endsWith(Double.doubleToRawLongBits(0.5));
    }

    @Test
    void shouldCloseWithoutAWordWhereNothingWasCounted() {
        closed = window.moveTo(0, CountingWindow.Length.of(10), this::atEnd);

        closed = window.close(this::atEnd);

        assertThat(window.isOpen()).isFalse();
        assertThat(closed).isNull();
    }

    @ParameterizedTest
    @CsvSource({"1400, 1401, 1400", "1999, 2000, 1999", "300, 1001, 1000"})
    void shouldEndEarlyWithTheTimeOfItsLastExample(long timestamp, long end, long next) {
        count(1200, 1000);
        count(timestamp, 1000);

        closed = window.endWith(timestamp, CountingWindow.Length.of(1000), this::atEnd);

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
        closed = window.endWith(1500, CountingWindow.Length.of(1000), this::atEnd);
        assertThat(closed).isNotNull();

        count(2000, 1000);

        assertThat(closed).isNull();
        assertThat(window.start()).isEqualTo(2000);
    }

    @Test
    void shouldGoOnUntilItHasEnoughExamplesWithALengthOfItsOwn() {
        // a row each 7 minutes: the hundredth, k=99, is at 41,580 s; the next closes the window at the end of its 10 s
        for (int k = 0; k < 100; k++) {
            countAuto(k * 420_000L);
            assertThat(closed).isNull();
        }
        countAuto(42_000_000);

        assertThat(closed.start()).isZero();
        assertThat(closed.end()).isEqualTo(41_590_000);
        assertThat(closed.counts().examples()).isEqualTo(100);
        assertThat(window.start()).isEqualTo(42_000_000);
        assertThat(window.end()).isEqualTo(42_010_000);
    }

    @Test
    void shouldBeShortAgainWhereTheStreamIsFast() {
        for (int k = 0; k < 100; k++) {
            countAuto(k * 420_000L);
        }
        // 2,000 in a second from 41,581 s on: those before the end of the window at 41,590 s are in it, 20,000 in each
        // after it
        List<CountingWindow.Closed> all = new ArrayList<>();
        for (long k = 0; k < 60_000; k++) {
            countAuto(41_581_000 + k / 2);
            if (closed != null) {
                all.add(closed);
            }
        }

        assertThat(all).extracting(CountingWindow.Closed::start).containsExactly(0L, 41_590_000L, 41_600_000L);
        assertThat(all).extracting(CountingWindow.Closed::end).containsExactly(41_590_000L, 41_600_000L, 41_610_000L);
        assertThat(all).extracting(each -> each.counts().examples()).containsExactly(18_100L, 20_000L, 20_000L);
    }

    @Test
    void shouldNotStayAtATimeToWhichOneExampleHasJumped() {
        countAuto(1_000);
        countAuto(9_000_000_000L);
        countAuto(2_000);
        assertThat(closed).isNull();
        assertThat(window.end()).isEqualTo(9_000_010_000L);

        closed = window.endWith(2_000, CountingWindow.Length.AUTO, this::atEnd);

        assertThat(closed.end()).isEqualTo(2_001);
        assertThat(window.start()).isEqualTo(2_000);
        assertThat(window.end()).isEqualTo(10_000);
    }

    @Test
    void shouldBeginWithItsFirstExampleAfterAPause() {
        countAuto(5_000);
        closed = window.endWith(5_000, CountingWindow.Length.AUTO, this::atEnd);
        assertThat(closed).isNotNull();

        countAuto(86_400_000);

        assertThat(closed).isNull();
        assertThat(window.start()).isEqualTo(86_400_000);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldNeverOverlapWhateverTheTimes(long seed) {
        Random random = new Random(seed);
        List<CountingWindow.Closed> all = new ArrayList<>();
        long time = 1_000_000;
        for (int k = 0; k < 20_000; k++) {
            // steps of either sign and of any size
            time = Math.max(0, time + Math.round((random.nextDouble() - 0.45) * Math.pow(10, random.nextInt(9))));
            countAuto(time);
            if (closed == null && window.size() >= 200) {
                closed = window.endWith(time, CountingWindow.Length.AUTO, this::atEnd);
            }
            if (closed != null) {
                all.add(closed);
            }
        }
        assertThat(all.size()).isBetween(50, 200);
        assertThat(all).allSatisfy(each -> assertThat(each.start()).isLessThan(each.end()));
        for (int k = 1; k < all.size(); k++) {
            // a window may begin in the millisecond in which the one before it ended early
            assertThat(all.get(k).start()).isGreaterThanOrEqualTo(all.get(k - 1).end() - 1);
        }
        assertThat(all).extracting(each -> each.counts().examples()).allMatch(count -> count >= 100 && count <= 200);
    }

    private void countAuto(long timestamp) {
        closed = window.moveTo(timestamp, CountingWindow.Length.AUTO, this::atEnd);
        window.counts().add(null, outcome);
        totals.add(null, outcome);
    }

    /** What a model does for an unlabelled example. */
    private void count(long timestamp, long length) {
        closed = window.moveTo(timestamp, CountingWindow.Length.of(length), this::atEnd);
        window.counts().add(null, outcome);
        totals.add(null, outcome);
    }

    private CountingWindow.AtEnd atEnd() {
        return new CountingWindow.AtEnd(totals.copy(), null, null, null, List.of(), -1, 0, null);
    }
}
