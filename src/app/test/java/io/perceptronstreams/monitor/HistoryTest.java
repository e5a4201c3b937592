package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.perceptronstreams.event.Forecasts;
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

        List<ObjectNode> points = history.points();
        assertThat(points).hasSizeBetween(25, 50);
        assertThat(points.stream()
                        .mapToLong(each -> each.get("examples").asLong())
                        .sum())
                .isEqualTo(70_000);
        assertThat(points.stream()
                        .mapToLong(each -> each.get("errors").asLong())
                        .sum())
                .isEqualTo(10_000);
        assertThat(last().get("totalExamples").asLong()).isEqualTo(70_000);
        assertThat(points.get(0).get("windowStart").asLong()).isZero();
    }

    @Test
    void shouldJoinPointsWithoutAHoleInTime() {
        for (int window = 1; window <= 1_000; window++) {
            history.count(Fabricated.count("m", window, 7, 7L * window), 20);
        }

        List<ObjectNode> points = history.points();
        for (int k = 1; k < points.size(); k++) {
            assertThat(points.get(k).get("windowStart").asLong())
                    .isEqualTo(points.get(k - 1).get("windowEnd").asLong());
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
        assertThat(history.points().get(0).get("majorityError").isNull()).isTrue();
        assertThat(history.points().get(0).get("metrics").isNull()).isTrue();
        assertThat(last().get("majorityError").asDouble()).isEqualTo(0.1);
        assertThat(last().get("sameError").asDouble()).isEqualTo(0.4);
        assertThat(last().get("metrics").get("auc").asDouble()).isEqualTo(0.75);

        history.count(Fabricated.count("m", 3, 100, 300), 100);
        history.thin(4);
        // at most 4·300/4 examples in a point, and the last window stays
        assertThat(history.size()).isEqualTo(2);
        assertThat(history.points().get(0).get("sameError").asDouble()).isEqualTo(0.4);
    }

    @Test
    void shouldJoinProbabilitiesAndSetsOfWindows() {
        for (int window = 1; window <= 3; window++) {
            Event<MistakeCount> count = Fabricated.count("m", window, 100, 100L * window);
            Forecasts forecasts = window == 2 ? null : Fabricated.forecasts(90L + window);
            if (forecasts != null) {
                forecasts.setBrierScore(0.1 * window);
                forecasts.setLogLoss(0.2 * window);
                forecasts.setLabelled(50L * window);
            }
            count.value().setForecasts(forecasts);
            count.value().setTotalForecasts(Fabricated.forecasts(90));
            history.count(count, 100);
        }
        history.count(Fabricated.count("m", 4, 1, 301), 100);
        history.thin(2);

        assertThat(history.size()).isEqualTo(2);
        JsonNode joined = history.points().get(0).get("forecasts");
        assertThat(joined.get("labelled").asLong()).isEqualTo(200);
        // 50 of 0.1 and 150 of 0.3
        assertThat(joined.get("brierScore").asDouble()).isCloseTo(0.25, within(1e-12));
        assertThat(joined.get("logLoss").asDouble()).isCloseTo(0.5, within(1e-12));
        assertThat(joined.get("covered").asLong()).isEqualTo(91 + 93);
        assertThat(joined.get("unsure").asLong()).isEqualTo(80);
        assertThat(history.points().get(0).get("totalForecasts").isNull()).isTrue();
    }

    /** The page of a model with probabilities had a fault of the server. */
    @Test
    void shouldHaveProbabilitiesOfTheOpenWindow() {
        Event<MistakeCount> closed = Fabricated.count("m", 1, 100, 100);
        closed.value().setForecasts(Fabricated.forecasts(96));
        closed.value().setTotalForecasts(Fabricated.forecasts(96));
        history.count(closed, 100);
        Forecasts total = Fabricated.forecasts(141);
        total.setLabelled(150);
        total.setBrierScore(0.2);
        total.setSets(150);
        history.status(status(150, total), null, false);

        JsonNode open = history.openPoint().get("forecasts");
        assertThat(open.get("labelled").asLong()).isEqualTo(50);
        // (150·0.2 - 100·0.1)/50
        assertThat(open.get("brierScore").asDouble()).isCloseTo(0.4, within(1e-12));
        assertThat(open.get("sets").asLong()).isEqualTo(50);
        assertThat(open.get("covered").asLong()).isEqualTo(45);
        assertThat(open.get("ranges")).isEmpty();

        // examples without a label
        history.status(status(160, Fabricated.forecasts(96)), null, false);
        assertThat(history.openPoint().get("forecasts").isNull()).isTrue();
    }

    private static Event<ModelStatus> status(long examples, Forecasts forecasts) {
        return Fabricated.status(
                "m", 11_000, Map.of("cause", "TICK", "examples", examples, "labelled", 150L, "forecasts", forecasts));
    }

    @Test
    void shouldKeepPointsOfAboutTheSameNumberOfExamples() {
        for (int window = 1; window <= 5_000; window++) {
            history.count(Fabricated.count("m", window, 10, 10L * window), 300);
        }

        List<ObjectNode> points = history.points();
        assertThat(points).hasSizeBetween(100, 300);
        // 300 points of 167 examples were equal; those that have not been joined again since have fewer
        assertThat(points)
                .allSatisfy(point -> assertThat(point.get("examples").asLong()).isLessThanOrEqualTo(4L * 50_000 / 300));
        assertThat(points.stream()
                        .mapToLong(point -> point.get("examples").asLong())
                        .sum())
                .isEqualTo(50_000);
        assertThat(last().get("examples").asLong()).isEqualTo(10);
    }

    @Test
    void shouldEndTheOpenWindowWithItsNewestExampleAndNotWithACommand() {
        history.status(Fabricated.status("m", 900_000, Map.of("cause", "CONFIGURE")), null, false);
        history.status(
                Fabricated.status("m", 5_000, Map.of("cause", "FIRST_EXAMPLE", "examples", 1L, "lastExample", 5_000L)),
                null,
                false);
        history.status(
                Fabricated.status("m", 950_000, Map.of("cause", "SNAPSHOT", "examples", 4L, "lastExample", 8_000L)),
                null,
                false);

        ObjectNode open = history.openPoint();
        assertThat(open.get("windowStart").asLong()).isEqualTo(5_000);
        assertThat(open.get("windowEnd").asLong()).isEqualTo(8_001);
    }

    @Test
    void shouldNotJoinPointsOfTwoEpochs() {
        history.count(Fabricated.count("m", 1, 10, 10), 100);
        history.count(Fabricated.count("m", 2, 3, 3), 100);
        history.thin(100);

        assertThat(history.points())
                .extracting(each -> each.get("totalExamples").asLong())
                .containsExactly(10L, 3L);
    }

    @Test
    void shouldStayBoundedWhereEveryWindowIsOfAnotherEpoch() {
        for (int window = 1; window <= 1_000; window++) {
            history.count(Fabricated.count("m", window, 1, 1_000 - window), 20);
        }

        assertThat(history.size()).isLessThanOrEqualTo(20);
        assertThat(last().get("windowEnd").asLong()).isEqualTo(10_000_000);
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

        assertThat(history.points())
                .extracting(each -> each.get("weightNorm").toString())
                .containsExactly("2.5", "null");
        assertThat(history.points())
                .extracting(each -> each.get("radius").toString())
                .containsExactly("1.5", "null");
        assertThat(history.points())
                .extracting(each -> each.get("gammaUpperBound").toString())
                .containsExactly("0.25", "null");
        assertThat(history.points())
                .extracting(each -> each.get("updateBound").toString())
                .containsExactly("30.0", "null");
    }

    @Test
    void shouldShowTheOpenWindowOfAModelWithoutAClosedOne() {
        history.status(status(1, 5_000, 1, 1, "FIRST_EXAMPLE"), null, false);
        history.status(status(1, 7_000, 9, 3, "IDLE"), 40.0, false);

        MistakeCount open = history.open();
        assertThat(open.getExamples()).isEqualTo(9);
        assertThat(history.openPoint().get("error").asDouble()).isEqualTo(3 / 9.0);
        assertThat(open.getWeightNorm()).isEqualTo(3.5);
        assertThat(open.getUpdateBound()).isEqualTo(40);
        assertThat(open.getWindowStart()).isEqualTo(Instant.ofEpochMilli(5_000));
        assertThat(open.getWindowEnd()).isEqualTo(Instant.ofEpochMilli(7_001));
        assertThat(history.recent(24).windowError()).isEqualTo(3 / 9.0);
        assertThat(history.recent(24).sparkline()).containsExactly(3 / 9.0);
        // 9 in 2.001 s
        assertThat(history.recent(24).examplesPerSecond()).isEqualTo(9_000 / 2_001.0);
    }

    @Test
    void shouldShowWhatCameAfterTheLastClosedWindow() {
        history.count(count(1, 20_000, 25, 25, 5), 100);
        history.status(status(1, 23_000, 31, 8, "IDLE"), null, false);

        assertThat(history.open().getExamples()).isEqualTo(6);
        assertThat(history.open().getErrors()).isEqualTo(3);
        assertThat(history.open().getTotalExamples()).isEqualTo(31);
        assertThat(last().get("examples").asLong()).isEqualTo(25);

        history.count(count(1, 24_000, 10, 35, 9), 100);
        assertThat(history.open()).isNull();
    }

    @Test
    void shouldTakeNoWindowOfAFormerEpochForTheOpenOne() {
        history.count(count(1, 20_000, 25, 25, 5), 100);
        history.status(status(2, 20_000, 0, 0, "RESET"), null, false);
        assertThat(history.open()).isNull();

        history.status(status(2, 21_000, 30, 1, "IDLE"), null, false);
        assertThat(history.open().getExamples()).isEqualTo(30);
        assertThat(history.open().getWindowStart()).isEqualTo(Instant.ofEpochMilli(20_000));

        // a status of the former epoch that is read after windows of this one
        history.count(count(3, 22_000, 10, 10, 1), 100);
        assertThat(history.open()).isNull();
    }

    /**
     * The number of the epoch falls where a promotion is undone: there was no open window until the end of the next.
     */
    @Test
    void shouldShowTheOpenWindowOfALowerEpochThatWasPromoted() {
        history.status(status(0, 10_000, 100, 10, "WINDOW"), null, false);
        history.status(status(1, 20_000, 50, 5, "PROMOTED"), null, true);
        history.count(count(1, 25_000, 10, 60, 6), 100);
        history.status(status(0, 30_000, 120, 12, "PROMOTED"), null, true);
        assertThat(history.open()).isNull();

        history.status(status(0, 31_000, 127, 14, "IDLE"), null, false);
        assertThat(history.open().getExamples()).isEqualTo(7);
        assertThat(history.open().getWindowStart()).isEqualTo(Instant.ofEpochMilli(30_000));

        history.count(count(0, 32_000, 9, 129, 14), 100);
        assertThat(history.open()).isNull();
        history.status(status(0, 33_000, 130, 14, "IDLE"), null, false);
        assertThat(history.open().getExamples()).isEqualTo(1);
    }

    @Test
    void shouldNotCountWhatAnImportedModelHasSeenElsewhere() {
        history.status(status(4, 10_000, 1_000, 100, "IMPORT"), null, true);
        assertThat(history.open()).isNull();

        history.status(status(4, 11_000, 1_005, 101, "IDLE"), null, false);
        assertThat(history.open().getExamples()).isEqualTo(5);
        assertThat(history.openPoint().get("error").asDouble()).isEqualTo(0.2);
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
        assertThat(history.recent(24).examplesPerSecond()).isEqualTo(520_000 / 1_002.0);
    }

    @Test
    void shouldNotJoinPointsOfTwoEpochsWhoseTotalsRise() {
        history.count(count(1, 10_000, 5, 5, 0), 100);
        history.count(count(2, 20_000, 10, 10, 0), 100);
        history.thin(100);

        assertThat(history.points())
                .extracting(each -> each.get("epoch").asLong())
                .containsExactly(1L, 2L);
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

    private ObjectNode last() {
        List<ObjectNode> points = history.points();
        return points.get(points.size() - 1);
    }

    @Test
    void shouldHaveNoErrorWhereNothingWasLabelled() {
        history.count(new Event<>(0, 1, 1, "m", Fabricated.event(MistakeCount.class, Map.of("examples", 5L))), 100);

        assertThat(last().get("error").isNull()).isTrue();
        assertThat(history.recent(3).sparkline()).containsExactly((Double) null);
    }
}
