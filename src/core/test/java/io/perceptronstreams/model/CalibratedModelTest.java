package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.evaluation.Counts.Counter;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.learner.Decision;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.RandomStreams;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.probability.Calibration;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.state.StoredText;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Probabilities, sets of labels and decisions in the life of a model. */
final class CalibratedModelTest {
    private static final Map<String, String> SURE = Map.of("calibrate", "platt", "coverage", "0.9");
    private static final List<Label> TWO = List.of(Label.MINUS_ONE, Label.PLUS_ONE);

    private final Model model = new Model();
    private final List<Sample> samples = RandomStreams.noisy(new Random(3), 600, 20, 5);

    /** Sums over what was emitted, counted apart. */
    private static final class Emitted {
        private long labelled;
        private long squares;
        private long sets;
        private long covered;
        private long falseAlarms;
        private long misses;

        private void add(int millionths, List<Label> set, Decision decision, Label predicted, int y) {
            boolean isRight = predicted.equals(Label.of(y));
            if (millionths >= 0) {
                long missing = isRight ? 1_000_000 - millionths : millionths;
                labelled++;
                squares += (missing * missing + 500_000) / 1_000_000;
            }
            if (set != null) {
                sets++;
                covered += set.contains(Label.of(y)) ? 1 : 0;
            }
            falseAlarms += decision == Decision.POSITIVE && y < 0 ? 1 : 0;
            misses += (decision == Decision.NEGATIVE || decision == Decision.WITHHELD) && y > 0 ? 1 : 0;
        }

        private void add(Outcome outcome, int y) {
            add(outcome.millionths(), outcome.labelSet(), outcome.decision(), outcome.predicted(), y);
        }

        private void requireEqual(Model model) {
            Counts totals = model.counts().totals();
            assertThat(totals.of(Counter.PROBABILITIES)).isEqualTo(labelled);
            assertThat(totals.of(Counter.SQUARED_MILLIONTHS)).isEqualTo(squares);
            assertThat(totals.of(Counter.SETS)).isEqualTo(sets);
            assertThat(totals.of(Counter.COVERED)).isEqualTo(covered);
            assertThat(model.decisions().falseAlarms()).isEqualTo(falseAlarms);
            assertThat(model.decisions().misses()).isEqualTo(misses);
            assertThat(model.counts().reliability().stream()
                            .mapToLong(range -> range.examples())
                            .sum())
                    .isEqualTo(labelled);
        }
    }

    private void configure(String... more) {
        Map<String, String> all = new HashMap<>(SURE);
        for (String each : more) {
            all.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
        }
        model.configure(all);
    }

    private Outcome learn(Model to, int number) {
        return to.use(samples.get(number).example(), number, null, null);
    }

    private void learn(int from, int to) {
        for (int k = from; k < to; k++) {
            learn(model, k);
            model.adapt();
        }
    }

    private Waiting predict(int number) {
        Example example = samples.get(number).example();
        example.setLabel(null);
        model.use(example, number, null, null);
        InputRecord record = new InputRecord(null, number, number, number, false);
        long version = model.current().version();
        return model.current().waiting(example, null, record, version, model.emittedByChallengers());
    }

    private Outcome label(Waiting then, int number) {
        return model.use(samples.get(number).example(), number, then, Counter.LATE);
    }

    private String stored() {
        return StoredText.of(fields -> {
                    model.current().exchangeCalibration(fields);
                    model.challengers().exchangeSureness(fields);
                    model.decisions().exchange(fields);
                })
                .toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"portfolio=false", "portfolio=true"})
    void shouldCountLateLabelsByWhatWasSaidThen(String portfolio) {
        configure(portfolio, "threshold=cost:1:4", "alerts.max=50/hour");
        Emitted expected = new Emitted();
        learn(0, 20);
        Emitted before = new Emitted();
        before.labelled = model.counts().totals().of(Counter.PROBABILITIES);
        expected.labelled = before.labelled;
        expected.squares = model.counts().totals().of(Counter.SQUARED_MILLIONTHS);
        expected.sets = model.counts().totals().of(Counter.SETS);
        expected.covered = model.counts().totals().of(Counter.COVERED);
        expected.falseAlarms = model.decisions().falseAlarms();
        expected.misses = model.decisions().misses();
        Deque<Waiting> pending = new ArrayDeque<>();
        for (int k = 20; k < samples.size(); k++) {
            Waiting predicted = predict(k);
            pending.add(predicted);
            Waiting.Forecast forecast = predicted.forecast();
            expected.add(
                    forecast.millionths(), forecast.set(), forecast.decision(), predicted.emitted(), samples.get(k).y);
            if (k % 3 == 0) {
                while (pending.size() > 4) {
                    Waiting then = pending.remove();
                    label(then, (int) then.offset());
                }
            }
        }
        pending.forEach(then -> label(then, (int) then.offset()));

        expected.requireEqual(model);
        assertThat(expected.labelled).isGreaterThan(580);
        assertThat(expected.misses).isPositive();
        assertThat(expected.falseAlarms).isPositive();
        assertThat(model.decisions().withheld()).isPositive();
    }

    @Test
    void shouldNotCountAProbabilityThatWasNotSaid() {
        learn(0, 100);
        Waiting then = predict(100);
        configure();
        Outcome outcome = label(then, 100);

        assertThat(then.forecast()).isNull();
        assertThat(outcome.hasProbability()).isFalse();
        assertThat(outcome.labelSet()).isNull();
        assertThat(model.counts().totals().of(Counter.PROBABILITIES)).isZero();
        assertThat(model.counts().totals().of(Counter.SETS)).isZero();
        // the score and its label are known all the same, but no set was wrong or right
        List<Double> numbers = model.current().calibrationNumbers();
        assertThat(numbers.get(0)).isEqualTo(1);
        assertThat(numbers.get(30)).isZero();
    }

    @Test
    void shouldCountAProbabilityThatWasSaidBeforeTheEndOfThem() {
        configure("threshold=cost:1:9");
        learn(0, 100);
        Waiting then = predict(100);
        long counted = model.counts().totals().of(Counter.PROBABILITIES);
        model.configure(Map.of("calibrate", "none", "coverage", "0", "threshold", "0"));
        Outcome outcome = label(then, 100);

        assertThat(outcome.millionths()).isEqualTo(then.forecast().millionths()).isPositive();
        assertThat(outcome.labelSet()).isEqualTo(then.forecast().set()).isNotNull();
        assertThat(outcome.decision()).isEqualTo(then.forecast().decision()).isNotEqualTo(Decision.NONE);
        assertThat(model.counts().totals().of(Counter.PROBABILITIES)).isEqualTo(counted + 1);
        assertThat(model.current().calibrationNumbers()).isEmpty();
        assertThat(learn(model, 101).hasProbability()).isFalse();
    }

    // A prediction for somebody who asked began or ended a calibration, so the next one differed from that of a replay.
    @ParameterizedTest
    @ValueSource(strings = {"portfolio=false", "portfolio=true"})
    void shouldChangeNothingWhereSomebodyAsks(String portfolio) {
        model.configure(Map.of("portfolio", portfolio.substring(10)));
        learn(0, 50);
        configure();
        String before = stored();
        assertThat(model.evaluate(samples.get(50).example()).hasProbability()).isTrue();
        assertThat(stored()).isEqualTo(before);

        learn(50, 100);
        before = stored();
        assertThat(model.evaluate(samples.get(50).example()).labelSet()).isNotNull();
        assertThat(stored()).isEqualTo(before);

        model.configure(Map.of("calibrate", "none", "coverage", "0"));
        assertThat(model.evaluate(samples.get(50).example()).hasProbability()).isFalse();
        assertThat(stored()).isEqualTo(before);
    }

    @Test
    void shouldPredictAsTheNextExampleWillBe() {
        configure("predict.scores=true", "algorithm=multiclass");
        for (int k = 0; k < 200; k++) {
            Example example = samples.get(k).example();
            example.setLabel(new Label.ClassName("c" + k % 3));
            Outcome asked = model.evaluate(example);
            int millionths = asked.millionths();
            List<Label> set = asked.labelSet();
            Outcome outcome = model.use(example, k, null, null);
            assertThat(outcome.millionths()).isEqualTo(millionths);
            assertThat(outcome.labelSet()).isEqualTo(set);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"scratch", "live"})
    void shouldGoOnCountingWhatWasSaidWhereAChallengerIsPromoted(String from) {
        configure("threshold=cost:1:4");
        Emitted expected = new Emitted();
        for (int k = 0; k < 600; k++) {
            if (k == 100) {
                model.challenge(Map.of("challenger", "c", "from", from, "h", "1"));
            }
            if (k == 400) {
                List<Double> numbers = model.challengers().find("c").model().calibrationNumbers();
                assertThat(numbers).isNotEqualTo(model.current().calibrationNumbers());
                model.promote(Map.of("challenger", "c"));
                assertThat(model.current().calibrationNumbers()).isEqualTo(numbers);
            }
            expected.add(learn(model, k), samples.get(k).y);
        }

        expected.requireEqual(model);
        assertThat(expected.labelled).isEqualTo(600);
        long ofWeights = model.counts().ofWeights().counts().of(Counter.PROBABILITIES);
        assertThat(ofWeights).isEqualTo(from.equals("live") ? 600 : 500);
        assertThat(model.challengers().find(Challenger.PREVIOUS).model().calibrationNumbers())
                .isNotEmpty();
    }

    @Test
    void shouldGiveAChallengerSetsOfItsOwnCoverage() {
        configure();
        model.challenge(Map.of("challenger", "c", "coverage", "0.5"));
        learn(0, 600);
        Counts of = model.challengers().find("c").model().counts().ofWeights().counts();

        // (2B + 0.25)/0.25 = 74.7 labels at most
        assertThat((double) of.of(Counter.COVERED)).isCloseTo(300, within(75.0));
        assertThat(of.of(Counter.SETS)).isEqualTo(600);
        assertThat((double) model.counts().totals().of(Counter.COVERED)).isCloseTo(540, within(75.0));
        model.promote(Map.of("challenger", "c"));
        assertThat(model.pipeline().settings().get(Settings.COVERAGE)).isEqualTo(0.5);
    }

    // Each reset began again with other sets: 0.9721 of 10,000 had their label with coverage 0.95.
    @ParameterizedTest
    @CsvSource({"reset, 0.95, 100", "shadow, 0.95, 500", "reset, 0.8, 100", "shadow, 0.8, 500"})
    void shouldKeepTheCoverageOverDrifts(String action, String coverage, int length) {
        configure("coverage=" + coverage, "drift=ddm", "drift.action=" + action, "drift.threshold=2");
        // a perceptron of its own turns sooner than a shadow is found better
        model.configure(Map.of("predict", action.equals("reset") ? "last" : "averaged"));
        List<Sample> changing = DriftStreams.changing(new Random(5), 10_000 / length, length, 10, 10);
        int changes = 0;
        for (int k = 0; k < changing.size(); k++) {
            model.use(changing.get(k).example(), k, null, null);
            changes += model.adapt() == null ? 0 : 1;
        }

        assertThat(changes).isGreaterThan(action.equals("reset") ? 20 : 5);
        double covered = (double) model.counts().totals().of(Counter.COVERED);
        assertThat(covered / 10_000).as("%s changes", changes).isCloseTo(Double.parseDouble(coverage), within(0.0075));
    }

    @Test
    void shouldBeginAgainWithAReset() {
        configure("threshold=cost:1:4", "alerts.max=3/day");
        learn(0, 200);
        model.reset(Map.of());

        assertThat(model.current().calibrationNumbers()).isEmpty();
        assertThat(model.decisions().isEmpty()).isTrue();
        assertThat(model.counts().reliability()).isEmpty();
        Model other = new Model();
        other.configure(model.pipeline().given().toMap());
        for (int k = 200; k < 300; k++) {
            Outcome expected = learn(other, k);
            Outcome outcome = learn(model, k);
            assertThat(outcome.millionths()).isEqualTo(expected.millionths());
            assertThat(outcome.labelSet()).isEqualTo(expected.labelSet());
            // the alerts of the day are spent
            assertThat(outcome.decision()).isNotEqualTo(Decision.POSITIVE);
        }
        assertThat(model.decisions().withheld()).isPositive();
    }

    @Test
    void shouldLearnNothingWhileFrozen() {
        configure("threshold=cost:1:4");
        learn(0, 200);
        model.freeze(true);
        List<Double> before = model.current().calibrationNumbers();
        long labelled = model.decisions().labelled();
        learn(200, 300);

        assertThat(model.current().calibrationNumbers()).isEqualTo(before);
        assertThat(model.counts().totals().of(Counter.PROBABILITIES)).isEqualTo(300);
        assertThat(model.decisions().labelled()).isEqualTo(labelled + 100);
        model.freeze(false);
        learn(300, 301);
        assertThat(model.current().calibrationNumbers()).isNotEqualTo(before);
    }

    /** The probability of each member by its weight, through a calibration of the vote. */
    @SeededTest
    void shouldPoolTheProbabilitiesOfAVote(long seed) {
        configure("portfolio=true");
        List<Sample> stream = RandomStreams.noisy(new Random(seed), 400, 20, 5);
        Calibration vote = new Calibration();
        Outcome expected = new Outcome();
        for (int k = 0; k < stream.size(); k++) {
            boolean isVote = model.challengers().championShare() != null;
            double own = isVote ? model.challengers().championShare() : 0;
            Map<String, Double> shares = new HashMap<>();
            model.challengers()
                    .all()
                    .forEach(each -> shares.put(each.name(), model.challengers().share(each)));
            Outcome outcome = model.use(stream.get(k).example(), k, null, null);
            if (isVote) {
                double pooled = own * model.current().probability(Label.PLUS_ONE);
                for (Challenger each : model.challengers().all()) {
                    pooled += shares.get(each.name()) * each.model().probability(Label.PLUS_ONE);
                }
                double ofPositive = pooled;
                expected.predict(outcome.predicted(), 0, 0);
                expected.chosenFrom(TWO, null);
                vote.forecastVote(expected, 0.9, label -> label.equals(Label.PLUS_ONE) ? ofPositive : 1 - ofPositive);
                assertThat(outcome.millionths())
                        .as("seed %d, example %d", seed, k)
                        .isCloseTo(expected.millionths(), within(2));
                assertThat(outcome.labelSet())
                        .as("seed %d, example %d", seed, k)
                        .isEqualTo(expected.labelSet());
                vote.learnVote(outcome.isError());
                vote.moveSets(Calibration.setStep(outcome.isCovered(), 0.9));
            }
            model.adapt();
        }
        assertThat(model.counts().totals().of(Counter.PROBABILITIES)).isEqualTo(400);
        // the vote ends: the model goes on with what it has learned for itself
        model.promote(Map.of("challenger", model.challengers().all().get(0).name()));
        assertThat(model.evaluate(stream.get(0).example()).hasProbability()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"portfolio, true", "algorithm, adaptive"})
    void shouldDecideByCostAlsoWhereTheFirstLabelDecidesTheSettings(String name, String value) {
        configure("threshold=cost:1:4", name + "=" + value);
        learn(0, 200);
        Settings settings = model.pipeline().settings();
        assertThat(settings.get(Settings.THRESHOLD)).hasToString("cost:1.0:4.0");
        // the settings of the learner are those that it would have chosen without costs
        Model other = new Model();
        other.configure(Map.of("calibrate", "platt", "coverage", "0.9", name, value));
        for (int k = 0; k < 200; k++) {
            learn(other, k);
            other.adapt();
        }
        Map<String, String> shown = new HashMap<>(other.pipeline().shown());
        shown.put("threshold", "cost:1.0:4.0");
        assertThat(model.pipeline().shown()).containsAllEntriesOf(shown);

        assertThat(learn(model, 200).decision()).isNotEqualTo(Decision.NONE);
        if (!name.equals("portfolio")) {
            model.challenge(Map.of("challenger", "c", "from", "live", "eta", "0.5"));
        }
        learn(201, 300);
        model.promote(Map.of("challenger", model.challengers().all().get(0).name()));
        assertThat(model.pipeline().settings().get(Settings.THRESHOLD)).hasToString("cost:1.0:4.0");
        assertThat(learn(model, 300).decision()).isNotEqualTo(Decision.NONE);
        assertThat(model.decisions().labelled()).isEqualTo(301);
    }
}
