package io.perceptronstreams.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.drift.DriftDetector.Level;
import io.perceptronstreams.example.SeededTest;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

final class PageHinkleyTest {
    @SeededTest
    void shouldFollowTheFormulasOfTheTextbook(long seed) {
        Random random = new Random(seed);
        PageHinkley pageHinkley = new PageHinkley(0.01, 15);
        List<Boolean> errors = new ArrayList<>();
        int alarms = 0;
        for (boolean isError : ErrorStreams.changing(random, 4000)) {
            errors.add(isError);
            double excess = excess(errors, 0.01);
            boolean isAlarm = errors.size() >= 30 && excess > 15;

            assertThat(pageHinkley.add(isError) == Level.DRIFT).isEqualTo(isAlarm);

            if (isAlarm) {
                alarms++;
                errors.clear();
            } else {
                assertThat(pageHinkley.excess()).isCloseTo(excess, within(1e-9));
            }
        }
        assertThat(alarms).isPositive();
    }

    /** m_t minus the smallest of m_0 to m_t, from all examples since the start. */
    private static double excess(List<Boolean> errors, double delta) {
        double sum = 0;
        double m = 0;
        double smallest = 0;
        for (int i = 1; i <= errors.size(); i++) {
            int x = errors.get(i - 1) ? 1 : 0;
            sum += x;
            m += x - sum / i - delta;
            smallest = Math.min(smallest, m);
        }
        return m - smallest;
    }
}
