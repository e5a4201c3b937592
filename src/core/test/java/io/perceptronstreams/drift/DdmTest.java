package io.perceptronstreams.drift;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.drift.DriftDetector.Level;
import io.perceptronstreams.example.SeededTest;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class DdmTest {
    @SeededTest
    void shouldFollowTheFormulasOfThePaper(long seed) {
        Random random = new Random(seed);
        Ddm ddm = new Ddm(3);
        List<Boolean> errors = new ArrayList<>();
        Map<Level, Integer> levels = new EnumMap<>(Level.class);
        for (boolean isError : ErrorStreams.changing(random, 4000)) {
            errors.add(isError);
            Level expected = level(errors);
            levels.merge(expected, 1, Integer::sum);

            assertThat(ddm.add(isError)).isEqualTo(expected);

            if (expected == Level.DRIFT) {
                errors.clear();
            }
        }
        assertThat(levels).containsOnlyKeys(Level.values());
    }

    /** The level after the last of all examples since the start, from all of them. */
    private static Level level(List<Boolean> errors) {
        double wrong = 0;
        double p = 0;
        double s = 0;
        double pMin = 1;
        double sMin = 1;
        for (int i = 1; i <= errors.size(); i++) {
            wrong += errors.get(i - 1) ? 1 : 0;
            p = wrong / i;
            s = Math.sqrt(p * (1 - p) / i);
            if (i >= 30 && p + s <= pMin + sMin) {
                pMin = p;
                sMin = s;
            }
        }
        if (errors.size() < 30) {
            return Level.STABLE;
        }
        return p + s > pMin + 3 * sMin ? Level.DRIFT : p + s > pMin + 2 * sMin ? Level.WARNING : Level.STABLE;
    }

    @Test
    void shouldWarnBeforeItAlarms() {
        Ddm ddm = new Ddm(3);
        List<Level> levels = new ArrayList<>();
        for (boolean isError : ErrorStreams.jump(new Random(2), 500, 0.1, 0.4)) {
            levels.add(ddm.add(isError));
        }
        int drift = levels.subList(500, 1000).indexOf(Level.DRIFT);
        assertThat(drift).isPositive();
        assertThat(levels.subList(500, 500 + drift)).contains(Level.WARNING);
    }
}
