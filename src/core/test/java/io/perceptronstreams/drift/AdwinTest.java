package io.perceptronstreams.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.drift.DriftDetector.Level;
import io.perceptronstreams.example.SeededTest;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AdwinTest {
    /** ADWIN as the paper says it, over a window that is simply kept: every cut is computed from the single errors. */
    private static final class NaiveAdwin {
        private final double delta;
        private final List<Integer> window = new ArrayList<>();

        // lengths of the buckets, oldest first
        private final List<Integer> buckets = new ArrayList<>();
        private int time;
        private double rateBefore;
        private double rateAfter;

        NaiveAdwin(double delta) {
            this.delta = delta;
        }

        boolean add(boolean isError) {
            window.add(isError ? 1 : 0);
            buckets.add(1);
            for (int length = 1; buckets.lastIndexOf(length) - buckets.indexOf(length) + 1 > 5; length *= 2) {
                int oldest = buckets.indexOf(length);
                buckets.remove(oldest);
                buckets.set(oldest, 2 * length);
            }
            if (++time % 32 != 0) {
                return false;
            }
            boolean isCut = hasCut();
            boolean isRise = isCut && isRiseAtTheSharpestCut();
            while (hasCut()) {
                window.subList(0, buckets.remove(0)).clear();
            }
            return isRise;
        }

        private boolean isRiseAtTheSharpestCut() {
            double sharpest = 0;
            int cut = 0;
            for (int length : buckets) {
                cut += length;
                if (cut >= 5 && window.size() - cut >= 5 && beyond(cut) > sharpest) {
                    sharpest = beyond(cut);
                    rateBefore = mean(window.subList(0, cut));
                    rateAfter = mean(window.subList(cut, window.size()));
                }
            }
            return rateAfter > rateBefore;
        }

        private boolean hasCut() {
            int cut = 0;
            for (int length : buckets) {
                cut += length;
                if (cut >= 5 && window.size() - cut >= 5 && beyond(cut) > 0) {
                    return true;
                }
            }
            return false;
        }

        /** |mean0 - mean1| - eps. */
        private double beyond(int cut) {
            double n = window.size();
            double mean = mean(window);
            double variance = 0;
            for (int x : window) {
                variance += (x - mean) * (x - mean) / n;
            }
            double m = 1 / (1.0 / cut + 1 / (n - cut));
            double deltaPrime = delta / Math.log(n);
            double epsilon =
                    Math.sqrt(2 / m * variance * Math.log(2 / deltaPrime)) + 2 / (3 * m) * Math.log(2 / deltaPrime);
            return Math.abs(mean(window.subList(0, cut)) - mean(window.subList(cut, window.size()))) - epsilon;
        }

        private static double mean(List<Integer> window) {
            return window.stream().mapToInt(x -> x).average().orElse(Double.NaN);
        }
    }

    @SeededTest
    void shouldCutWhereEveryErrorOfTheWindowSaysSo(long seed) {
        Random random = new Random(seed);
        for (double delta : List.of(0.002, 0.3)) {
            NaiveAdwin naive = new NaiveAdwin(delta);
            Adwin adwin = new Adwin(delta);
            int alarms = 0;
            for (boolean isError : ErrorStreams.changing(random, 6000)) {
                boolean isAlarm = naive.add(isError);

                assertThat(adwin.add(isError) == Level.DRIFT).isEqualTo(isAlarm);
                assertThat(adwin.width()).isEqualTo(naive.window.size());

                if (isAlarm) {
                    alarms++;
                    assertThat(adwin.rateBefore()).isCloseTo(naive.rateBefore, within(1e-12));
                    assertThat(adwin.rateAfter()).isCloseTo(naive.rateAfter, within(1e-12));
                }
            }
            assertThat(alarms).isPositive();
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.002, 0.05, 0.3})
    void shouldRaiseNoMoreFalseAlarmsThanDeltaAllows(double delta) {
        Random random = new Random(5);
        int length = 20_000;
        int streams = 0;
        int alarms = 0;
        for (double rate : List.of(0.01, 0.05, 0.2, 0.5)) {
            for (int k = 0; k < 5; k++) {
                streams++;
                alarms += ErrorStreams.alarms(new Adwin(delta), ErrorStreams.bernoulli(random, length, rate))
                        .size();
            }
        }
        assertThat(alarms).isLessThanOrEqualTo((int) (delta * streams * length / Adwin.CHECK_EVERY));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.05, 0.3})
    void shouldKeepTheWholeWindowWhileNothingChanges(double rate) {
        Adwin adwin = new Adwin(1e-6);
        ErrorStreams.alarms(adwin, ErrorStreams.bernoulli(new Random(9), 50_000, rate));
        assertThat(adwin.width()).isEqualTo(50_000);
    }
}
