package io.perceptronstreams.probability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.learner.Decision;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.settings.AlertLimit;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.settings.Threshold;
import io.perceptronstreams.state.StoredFields;
import io.perceptronstreams.state.UnreadableModelException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Decisions by hand, and what they have cost by brute force. */
final class DecisionsTest {
    private static final long HOUR = 3_600_000;
    private static final long DAY = 24 * HOUR;

    private final Decisions decisions = new Decisions();
    private final Outcome outcome = new Outcome();

    private static Threshold costs(String text) {
        return Settings.DEFAULTS
                .with(Map.of("threshold", text, "calibrate", "platt"))
                .get(Settings.THRESHOLD);
    }

    private static AlertLimit limit(String text) {
        return Settings.DEFAULTS.with(Map.of("alerts.max", text)).get(Settings.ALERTS_MAX);
    }

    /** A prediction with this probability of +1; -1 for none. */
    private Decision decide(int ofPositive, Threshold threshold, AlertLimit limit, long time) {
        boolean isPositive = ofPositive >= Outcome.UNIT / 2;
        outcome.predict(Label.of(isPositive ? 1 : -1), 0, 0);
        if (ofPositive >= 0) {
            outcome.forecast(isPositive ? ofPositive : Outcome.UNIT - ofPositive, null);
        }
        outcome.decide(decisions.decide(outcome, isPositive, threshold, limit, time));
        return outcome.decision();
    }

    private void label(boolean isTrue) {
        boolean isPositive = outcome.predicted().equals(Label.PLUS_ONE);
        outcome.emittedEarlier(outcome.predicted(), isPositive != isTrue);
        decisions.count(outcome, isPositive);
    }

    private Decision alert(AlertLimit limit, long time) {
        return decide(900_000, costs("0"), limit, time);
    }

    @ParameterizedTest
    @CsvSource({
        // 1/(1 + 20) = 0.047619
        "cost:1:20, 47619, NEGATIVE",
        "cost:1:20, 47620, POSITIVE",
        "cost:1:1, 499999, NEGATIVE",
        "cost:1:1, 500000, POSITIVE",
        // 3/4: a label +1 that is not worth an alert
        "cost:3:1, 749999, NEGATIVE",
        "cost:3:1, 750000, POSITIVE",
    })
    void shouldDecideForTheSmallerExpectedCost(String threshold, int ofPositive, Decision expected) {
        assertThat(decide(ofPositive, costs(threshold), limit(""), 0)).isEqualTo(expected);
        assertThat(decisions.isEmpty()).isTrue();
    }

    @Test
    void shouldDecideNothingWithoutCostsOrLimit() {
        assertThat(decide(900_000, costs("0"), limit(""), 0)).isEqualTo(Decision.NONE);
        assertThat(decide(900_000, costs("0.7"), limit(""), 0)).isEqualTo(Decision.NONE);
        // no probability yet
        assertThat(decide(-1, costs("cost:1:20"), limit(""), 0)).isEqualTo(Decision.NONE);
        outcome.predictNothing();
        assertThat(decisions.decide(outcome, false, costs("cost:1:20"), limit("1/day"), 0))
                .isEqualTo(Decision.NONE);
    }

    @Test
    void shouldDecideByTheLabelWhereThereIsOnlyALimit() {
        assertThat(decide(-1, costs("0"), limit("5/day"), 0)).isEqualTo(Decision.NEGATIVE);
        assertThat(decide(700_000, costs("0"), limit("5/day"), 0)).isEqualTo(Decision.POSITIVE);
    }

    @Test
    void shouldWithholdAlertsAboveTheLimitUntilTheNextDay() {
        AlertLimit limit = limit("2/day");
        assertThat(alert(limit, DAY - 2)).isEqualTo(Decision.POSITIVE);
        assertThat(alert(limit, DAY - 1)).isEqualTo(Decision.POSITIVE);
        assertThat(alert(limit, DAY - 1)).isEqualTo(Decision.WITHHELD);
        // nothing is kept for the next day
        assertThat(alert(limit, DAY)).isEqualTo(Decision.POSITIVE);
        assertThat(decide(100_000, costs("0"), limit, DAY)).isEqualTo(Decision.NEGATIVE);
        // an example of yesterday counts in the latest day
        assertThat(alert(limit, DAY - 5)).isEqualTo(Decision.POSITIVE);
        assertThat(alert(limit, 2 * DAY - 1)).isEqualTo(Decision.WITHHELD);
        assertThat(alert(limit, 5 * DAY)).isEqualTo(Decision.POSITIVE);
        assertThat(decisions.withheld()).isEqualTo(2);
    }

    @Test
    void shouldGoOnWithTheAlertsOfTheDayUntilTheNextHour() {
        assertThat(alert(limit("2/day"), HOUR / 2)).isEqualTo(Decision.POSITIVE);
        assertThat(alert(limit("2/day"), HOUR / 2)).isEqualTo(Decision.POSITIVE);
        assertThat(alert(limit("2/hour"), HOUR - 1)).isEqualTo(Decision.WITHHELD);
        assertThat(alert(limit("2/hour"), HOUR)).isEqualTo(Decision.POSITIVE);
        // back: the day began before the hour, and ends after it
        assertThat(alert(limit("2/day"), 2 * HOUR)).isEqualTo(Decision.POSITIVE);
        assertThat(alert(limit("2/day"), 3 * HOUR)).isEqualTo(Decision.WITHHELD);
        assertThat(alert(limit("2/day"), DAY)).isEqualTo(Decision.POSITIVE);
    }

    @Test
    void shouldCountWhatWasDecidedNotWhatWouldBeNow() {
        Threshold threshold = costs("cost:1:20");
        decide(100_000, threshold, limit("1/day"), 0); // an alert for a label -1
        label(false);
        decide(100_000, threshold, limit("1/day"), 0); // withheld
        label(true);
        decide(10_000, threshold, limit("1/day"), 0);
        label(false);
        decide(10_000, threshold, limit("1/day"), 0);
        label(true);

        assertThat(decisions.labelled()).isEqualTo(4);
        assertThat(decisions.falseAlarms()).isEqualTo(1);
        assertThat(decisions.misses()).isEqualTo(2);
        assertThat(decisions.cost(threshold)).isEqualTo(41);
        assertThat(decisions.costOfAlways(threshold)).isEqualTo(2);
        assertThat(decisions.costOfNever(threshold)).isEqualTo(40);
        // what is counted is valued by the costs of now
        assertThat(decisions.cost(costs("cost:10:0.5"))).isEqualTo(11);
    }

    private static final double[] EDGES = {
        0, .001, .002, .005, .01, .02, .05, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95, .98, .99, .995, .998, .999, 1.1
    };

    @SeededTest
    void shouldFindTheBestFixedThresholdOfAll(long seed) {
        Random random = new Random(seed);
        for (String text : List.of("cost:1:20", "cost:1:1", "cost:50:1", "cost:1:1000")) {
            Threshold threshold = costs(text);
            decisions.clear();
            List<double[]> rows = new ArrayList<>();
            double cost = 0;
            for (int n = 0; n < 400; n++) {
                double odds = 4 * random.nextGaussian();
                int p = (int) Math.max(1, Math.min(999_999, Math.round(1e6 / (1 + Math.exp(-odds)))));
                boolean isTrue = random.nextDouble() < p / 1e6 * 0.8;
                boolean isAlert = decide(p, threshold, limit(""), 0) == Decision.POSITIVE;
                label(isTrue);
                rows.add(new double[] {p / 1e6, isTrue ? 1 : 0});
                cost += isAlert == isTrue ? 0 : isAlert ? threshold.falseAlarm() : threshold.miss();
            }
            double best = Double.POSITIVE_INFINITY;
            double at = 0;
            for (double edge : EDGES) {
                double sum = 0;
                for (double[] row : rows) {
                    boolean isAlert = row[0] >= edge;
                    sum += isAlert == (row[1] == 1) ? 0 : isAlert ? threshold.falseAlarm() : threshold.miss();
                }
                if (sum < best) {
                    best = sum;
                    at = edge;
                }
            }
            Decisions.Fixed fixed = decisions.bestFixed(threshold);
            assertThat(decisions.cost(threshold)).as("seed %d, %s", seed, text).isCloseTo(cost, within(1e-9));
            assertThat(fixed.cost()).as("seed %d, %s", seed, text).isCloseTo(best, within(1e-9));
            assertThat(Math.min(1.1, fixed.probability() > 1 ? 1.1 : fixed.probability()))
                    .as("seed %d, %s", seed, text)
                    .isEqualTo(at);
        }
    }

    @Test
    void shouldRestoreWhatWasDecidedAndTheAlertsOfTheDay() {
        AlertLimit limit = limit("2/day");
        decide(900_000, costs("cost:1:20"), limit, 3 * DAY + 5);
        label(false);
        decide(900_000, costs("cost:1:20"), limit, 3 * DAY + 6);
        label(true);
        StoredFields out = new StoredFields();
        decisions.exchange(out);
        Decisions restored = new Decisions();
        StoredFields in = new StoredFields(out.toBytes());
        restored.exchange(in);
        in.requireEnd();

        assertThat(restored.falseAlarms()).isEqualTo(1);
        assertThat(restored.labelled()).isEqualTo(2);
        assertThat(restored.bestFixed(costs("cost:1:20"))).isEqualTo(decisions.bestFixed(costs("cost:1:20")));
        assertThat(restored.decide(outcome, true, costs("0"), limit, 4 * DAY - 1))
                .isEqualTo(Decision.WITHHELD);
        assertThat(restored.decide(outcome, true, costs("0"), limit, 4 * DAY)).isEqualTo(Decision.POSITIVE);

        // counts go, the limit of the day stays
        decisions.clear();
        assertThat(decisions.isEmpty()).isTrue();
        assertThat(alert(limit, 4 * DAY - 1)).isEqualTo(Decision.WITHHELD);
    }

    @Test
    void shouldRefuseMoreCountsThanItHas() {
        StoredFields out = new StoredFields();
        out.flag(false);
        long[] counts = new long[50];
        counts[49] = 1;
        out.counts(counts);

        assertThatThrownBy(() -> new Decisions().exchange(new StoredFields(out.toBytes())))
                .isInstanceOf(UnreadableModelException.class)
                .hasMessageContaining("have 49 counts of decisions");
    }
}
