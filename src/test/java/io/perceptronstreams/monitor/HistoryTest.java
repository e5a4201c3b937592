package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.event.MistakeCount;
import io.perceptronstreams.event.ModelStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
            Event<MistakeCount> count = Fabricated.count("m", window, 100, 100L * window);
            if (window == 2) {
                count.value().setMetrics(Fabricated.metrics());
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
    void shouldShowTheWeightsOfAWindow() {
        Event<MistakeCount> count = Fabricated.count("m", 1, 10, 10);
        count.value().setWeightNorm(2.5);
        count.value().setRadius(1.5);
        count.value().setGammaUpperBound(0.25);
        count.value().setUpdateBound(30.0);
        history.count(count, 100);
        history.count(Fabricated.count("m", 2, 10, 20), 100);

        assertThat(history.points()).extracting(History.Point::weightNorm).containsExactly(2.5, null);
        assertThat(history.points()).extracting(History.Point::radius).containsExactly(1.5, null);
        assertThat(history.points()).extracting(History.Point::gammaUpperBound).containsExactly(0.25, null);
        assertThat(history.points()).extracting(History.Point::updateBound).containsExactly(30.0, null);
    }

    @Test
    void shouldShowTheOpenWindowOfAModelWithoutAClosedOne() {
        history.status(status(1, 5_000, 1, 1, "FIRST_EXAMPLE"), Double.NaN, false);
        history.status(status(1, 7_000, 9, 3, "IDLE"), 40, false);

        History.Point open = history.open();
        assertThat(open.examples()).isEqualTo(9);
        assertThat(open.error()).isEqualTo(3 / 9.0);
        assertThat(open.weightNorm()).isEqualTo(3.5);
        assertThat(open.updateBound()).isEqualTo(40);
        assertThat(open.windowStart()).isEqualTo(5_000);
        assertThat(open.windowEnd()).isEqualTo(7_001);
        assertThat(history.last()).isEqualTo(open);
        assertThat(history.sparkline(24)).containsExactly(3 / 9.0);
        // 9 in 2.001 s
        assertThat(history.examplesPerSecond()).isEqualTo(9_000 / 2_001.0);
    }

    @Test
    void shouldShowWhatCameAfterTheLastClosedWindow() {
        history.count(count(1, 20_000, 25, 25, 5), 100);
        history.status(status(1, 23_000, 31, 8, "IDLE"), Double.NaN, false);

        assertThat(history.open().examples()).isEqualTo(6);
        assertThat(history.open().errors()).isEqualTo(3);
        assertThat(history.open().totalExamples()).isEqualTo(31);
        assertThat(history.last().examples()).isEqualTo(25);

        history.count(count(1, 24_000, 10, 35, 9), 100);
        assertThat(history.open()).isNull();
    }

    @Test
    void shouldTakeNoWindowOfAFormerEpochForTheOpenOne() {
        history.count(count(1, 20_000, 25, 25, 5), 100);
        history.status(status(2, 20_000, 0, 0, "RESET"), Double.NaN, false);
        assertThat(history.open()).isNull();

        history.status(status(2, 21_000, 30, 1, "IDLE"), Double.NaN, false);
        assertThat(history.open().examples()).isEqualTo(30);
        assertThat(history.open().windowStart()).isEqualTo(20_000);

        // a status of the former epoch that is read after windows of this one
        history.count(count(3, 22_000, 10, 10, 1), 100);
        assertThat(history.open()).isNull();
    }

    @Test
    void shouldNotCountWhatAnImportedModelHasSeenElsewhere() {
        history.status(status(4, 10_000, 1_000, 100, "IMPORT"), Double.NaN, true);
        assertThat(history.open()).isNull();

        history.status(status(4, 11_000, 1_005, 101, "IDLE"), Double.NaN, false);
        assertThat(history.open().examples()).isEqualTo(5);
        assertThat(history.open().error()).isEqualTo(0.2);
    }

    @Test
    void shouldMeasureTheRateOverASecondOfWindows() {
        history.count(count(1, 1_000, 500, 500, 0), 100);
        // two windows of 1 ms
        for (int window = 1; window <= 2; window++) {
            Event<MistakeCount> count = count(1, 1_000 + window, 10, 500 + 10 * window, 0);
            count.value().setWindowStart(Instant.ofEpochMilli(999L + window));
            history.count(count, 100);
        }

        // 520 examples in 1.002 s
        assertThat(history.examplesPerSecond()).isEqualTo(520_000 / 1_002.0);
    }

    @Test
    void shouldNotJoinPointsOfTwoEpochsWhoseTotalsRise() {
        history.count(count(1, 10_000, 5, 5, 0), 100);
        history.count(count(2, 20_000, 10, 10, 0), 100);
        history.thin(100);

        assertThat(history.points()).extracting(History.Point::epoch).containsExactly(1L, 2L);
    }

    private static Event<ModelStatus> status(long epoch, long timestamp, long seen, long errors, String cause) {
        return Fabricated.status(
                "m",
                timestamp,
                Map.of(
                        "epoch",
                        epoch,
                        "examples",
                        seen,
                        "labelled",
                        seen,
                        "errors",
                        errors,
                        "cause",
                        cause,
                        "weightNorm",
                        3.5));
    }

    /** A window that began a second before its end. */
    private static Event<MistakeCount> count(long epoch, long end, long examples, long total, long totalErrors) {
        Map<String, Object> fields =
                new TreeMap<>(Map.of("epoch", epoch, "windowStart", end - 1_000, "windowEnd", end));
        fields.putAll(Map.of("examples", examples, "labelled", examples, "totalExamples", total));
        fields.putAll(Map.of("totalLabelled", total, "totalErrors", totalErrors));
        return new Event<>(0, end, end, "m", Fabricated.event(MistakeCount.class, fields));
    }

    @Test
    void shouldHaveNoErrorWhereNothingWasLabelled() {
        history.count(new Event<>(0, 1, 1, "m", Fabricated.event(MistakeCount.class, Map.of("examples", 5L))), 100);

        assertThat(history.last().error()).isNull();
        assertThat(history.sparkline(3)).containsExactly((Double) null);
    }
}
