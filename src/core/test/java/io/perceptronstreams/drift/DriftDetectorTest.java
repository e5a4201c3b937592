package io.perceptronstreams.drift;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.drift.DriftDetector.Level;
import io.perceptronstreams.drift.DriftSettings.Action;
import io.perceptronstreams.drift.DriftSettings.Detector;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.state.StoredText;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** What all detectors must do. */
final class DriftDetectorTest {
    private static final Set<Detector> ALL = EnumSet.complementOf(EnumSet.of(Detector.NONE));

    private static DriftDetector create(Detector detector) {
        return create(detector, Double.NaN, Double.NaN);
    }

    private static DriftDetector create(Detector detector, double delta, double threshold) {
        return new DriftSettings(detector, delta, threshold, Action.NONE, 100).create();
    }

    @SeededTest
    void shouldNotShowThatItWasRestored(long seed) {
        for (Detector kind : ALL) {
            Random random = new Random(seed);
            DriftDetector original = create(kind);
            DriftDetector restored = create(kind);
            for (boolean isError : ErrorStreams.changing(random, 20_000)) {
                Level level = original.add(isError);

                assertThat(restored.add(isError)).as(kind.name()).isEqualTo(level);

                if (level == Level.DRIFT) {
                    assertThat(restored.rateBefore()).isEqualTo(original.rateBefore());
                    assertThat(restored.rateAfter()).isEqualTo(original.rateAfter());
                }
                if (random.nextInt(50) == 0) {
                    String state = StoredText.of(restored::exchange);
                    restored = create(kind);
                    StoredText.restore(state, restored::exchange);
                    assertThat(StoredText.of(restored::exchange)).isEqualTo(state);
                }
            }
            assertThat(StoredText.of(restored::exchange)).isEqualTo(StoredText.of(original::exchange));
        }
    }

    @ParameterizedTest
    @CsvSource({"DDM, 100", "PAGE_HINKLEY, 200", "ADWIN, 96"})
    void shouldNoticeThatTheErrorRateHasJumped(Detector kind, int delay) {
        for (int seed = 0; seed < 20; seed++) {
            List<Boolean> errors = ErrorStreams.jump(new Random(seed), 1000, 0.05, 0.6);

            assertThat(ErrorStreams.alarms(create(kind), errors))
                    .as("seed %d", seed)
                    .anyMatch(at -> at > 1000 && at <= 1000 + delay);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void shouldTellTheRatesBeforeAndAfterAJump(Detector kind) {
        DriftDetector detector = create(kind);
        List<Boolean> errors = ErrorStreams.jump(new Random(1), 2000, 0.1, 0.7);
        for (int k = 0; k < errors.size(); k++) {
            if (detector.add(errors.get(k)) == Level.DRIFT && k >= 2000) {
                break;
            }
        }

        assertThat(detector.rateBefore()).isBetween(0.05, 0.15);
        assertThat(detector.rateAfter()).isBetween(0.4, 1.0);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void shouldNotCallItDriftWhenTheErrorRateFalls(Detector kind) {
        for (int seed = 0; seed < 20; seed++) {
            List<Boolean> errors = ErrorStreams.jump(new Random(seed), 1000, 0.6, 0.1);

            assertThat(ErrorStreams.alarms(create(kind), errors))
                    .as("seed %d", seed)
                    .noneMatch(at -> at > 1000 && at < 1200);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void shouldNotAlarmWhereThereIsNoErrorAtAll(Detector kind) {
        assertThat(ErrorStreams.alarms(create(kind), ErrorStreams.bernoulli(new Random(1), 5000, 0)))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void shouldNotAlarmWhereEverythingIsWrong(Detector kind) {
        assertThat(ErrorStreams.alarms(create(kind), ErrorStreams.bernoulli(new Random(1), 5000, 1)))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void shouldNoticeTheNextDriftAfterAnAlarm(Detector kind) {
        List<Boolean> errors = new ArrayList<>();
        for (int k = 0; k < 3; k++) {
            errors.addAll(ErrorStreams.jump(new Random(k), 500, 0.05, 0.6));
        }

        List<Integer> alarms = ErrorStreams.alarms(create(kind), errors);

        for (int k = 0; k < 3; k++) {
            int change = 500 + 1000 * k;
            assertThat(alarms).anyMatch(at -> at > change && at <= change + 250);
        }
    }

    @Test
    void shouldKeepAStateThatGrowsWithTheLogarithmOfTheWindow() {
        DriftDetector adwin = create(Detector.ADWIN);
        Random random = new Random(3);
        for (int k = 0; k < 1_000_000; k++) {
            adwin.add(random.nextInt(5) == 0);
        }
        // 5 buckets of at most 3 bytes, and their number, in each of 18 rows; two digits a byte
        assertThat(StoredText.of(adwin::exchange)).hasSizeLessThan(2 * 18 * 16);
        for (Detector kind : List.of(Detector.DDM, Detector.PAGE_HINKLEY)) {
            assertThat(StoredText.of(create(kind)::exchange)).hasSizeLessThan(2 * 12);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "DDM, NaN, 1.5, NaN, 6",
        "PAGE_HINKLEY, NaN, 10, NaN, 100",
        "PAGE_HINKLEY, 0.001, NaN, 0.2, NaN",
        "ADWIN, 0.5, NaN, 1e-12, NaN"
    })
    void shouldTakeLongerWithStricterParameters(
            Detector kind, double delta, double threshold, double strictDelta, double strictThreshold) {
        List<Boolean> errors = ErrorStreams.jump(new Random(11), 2000, 0.1, 0.6);

        int first = firstAfter(2000, ErrorStreams.alarms(create(kind, delta, threshold), errors));
        int strict = firstAfter(2000, ErrorStreams.alarms(create(kind, strictDelta, strictThreshold), errors));

        assertThat(first).isLessThan(strict);
    }

    private static int firstAfter(int change, List<Integer> alarms) {
        return alarms.stream().filter(at -> at > change).findFirst().orElseThrow();
    }

    @Test
    void shouldCreateNothingWhereNothingIsToBeWatched() {
        assertThat(create(Detector.NONE)).isNull();
    }
}
