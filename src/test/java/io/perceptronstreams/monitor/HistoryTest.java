package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The bounded history of a model. */
final class HistoryTest {
    private final History history = new History();

    @Test
    void shouldKeepTheSumOfAllWindowsInABoundedNumberOfPoints() {
        for (int window = 1; window <= 10_000; window++) {
            history.count(Fabricated.count("m", window, 7, 7L * window), 50);
        }

        List<History.Point> points = history.points();
        assertThat(points).hasSizeBetween(25, 50);
        assertThat(points.stream().mapToLong(History.Point::examples).sum()).isEqualTo(70_000);
        assertThat(points.stream().mapToLong(History.Point::errors).sum()).isEqualTo(10_000);
        assertThat(history.last().totalExamples()).isEqualTo(70_000);
        assertThat(points.get(0).windowStart()).isZero();
    }

    @Test
    void shouldJoinPointsWithoutAHoleInTime() {
        for (int window = 1; window <= 1_000; window++) {
            history.count(Fabricated.count("m", window, 7, 7L * window), 20);
        }

        List<History.Point> points = history.points();
        for (int k = 1; k < points.size(); k++) {
            assertThat(points.get(k).windowStart()).isEqualTo(points.get(k - 1).windowEnd());
        }
    }

    @Test
    void shouldShowTheErrorsOfBothBaselines() {
        for (int window = 1; window <= 2; window++) {
            Event count = Fabricated.count("m", window, 100, 100L * window);
            if (window == 2) {
                count.value().put("metrics", Fabricated.metrics("MistakeCount"));
            }
            history.count(count, 100);
        }
        assertThat(history.points().get(0).majorityError()).isNull();
        assertThat(history.points().get(0).auc()).isNull();
        assertThat(history.last().majorityError()).isEqualTo(0.1);
        assertThat(history.last().sameError()).isEqualTo(0.4);
        assertThat(history.last().auc()).isEqualTo(0.75);

        history.thin(100);
        assertThat(history.size()).isEqualTo(1);
        assertThat(history.last().sameError()).isEqualTo(0.4);
    }

    @Test
    void shouldNotJoinPointsOfTwoEpochs() {
        history.count(Fabricated.count("m", 1, 10, 10), 100);
        history.count(Fabricated.count("m", 2, 3, 3), 100);
        history.thin(100);

        assertThat(history.points()).extracting(History.Point::totalExamples).containsExactly(10L, 3L);
    }

    @Test
    void shouldStayBoundedWhereEveryWindowIsOfAnotherEpoch() {
        for (int window = 1; window <= 1_000; window++) {
            history.count(Fabricated.count("m", window, 1, 1_000 - window), 20);
        }

        assertThat(history.size()).isLessThanOrEqualTo(20);
        assertThat(history.last().windowEnd()).isEqualTo(10_000_000);
    }

    @Test
    void shouldTakeTheStatusOfAWindowBeforeAndAfterIt() {
        history.status(10_000, 2, 1, 0.5, 30, 100);
        history.status(15_000, 9, 1, 0.5, 30, 100);
        history.status(20_000, 2.5, 1, 0.5, 30, 100);
        for (int window = 1; window <= 4; window++) {
            history.count(Fabricated.count("m", window, 10, 10L * window), 100);
        }
        history.status(30_000, 3, 1, 0.25, Double.NaN, 100);
        history.status(40_000, 4, 1, 0.25, Double.NaN, 100);

        assertThat(history.points()).extracting(History.Point::weightNorm).containsExactly(2.0, 2.5, 3.0, 4.0);
        assertThat(history.points()).extracting(History.Point::gammaCeiling).containsExactly(0.5, 0.5, 0.25, 0.25);
        assertThat(history.points()).extracting(History.Point::updateBound).containsExactly(30.0, 30.0, null, null);
    }

    @Test
    void shouldHaveNoErrorWhereNothingWasLabelled() {
        history.count(new Event(0, 1, 1, "m", Fabricated.event("MistakeCount", java.util.Map.of("examples", 5L))), 100);

        assertThat(history.last().error()).isNull();
        assertThat(history.sparkline(3)).containsExactly((Double) null);
    }

    @Test
    void shouldTakeStatusesOfManyWindowsWhicheverTopicIsReadFirst() {
        History other = new History();
        for (int window = 1; window <= 200; window++) {
            history.count(Fabricated.count("m", window, 7, 7L * window), 300);
            other.status(10_000L * window, window, 1, 0.5, 30, 300);
            // one of each second, which closes no window
            other.status(10_000L * window + 1_000, 0, 1, 0.5, 30, 0);
        }
        for (int window = 1; window <= 200; window++) {
            history.status(10_000L * window, window, 1, 0.5, 30, 300);
            other.count(Fabricated.count("m", window, 7, 7L * window), 300);
        }

        for (History each : List.of(history, other)) {
            assertThat(each.points())
                    .extracting(History.Point::weightNorm)
                    .containsExactlyElementsOf(LongStream.rangeClosed(1, 200)
                            .mapToObj(window -> (double) window)
                            .toList());
        }
    }
}
