package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.SparseRows;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Valid models satisfy the inequalities, corrupt models break them. */
final class NormCheckTest {
    private final NormCheck ledger = new NormCheck();

    @Test
    void shouldAddWhatAnUpdateCanDoToTheNorm() {
        // |d|^2 = 2, step 3, m = -1: 18 - 6; the bound leaves the negative part out
        ledger.enter(3, -1, 2, 12);
        assertThat(ledger.squaredNorm()).isEqualTo(12);
        assertThat(ledger.most()).isEqualTo(18);
        // m = 0.5, a margin mistake: 2 + 2·0.5
        ledger.enter(1, 0.5, 2, 3);
        assertThat(ledger.squaredNorm()).isEqualTo(15);
        assertThat(ledger.most()).isEqualTo(21);
        assertThat(ledger.steps()).isEqualTo(4);
    }

    @Test
    void shouldFindANormLongerThanItsUpdatesCanHaveMadeIt() {
        ledger.enter(1, 0, 1, 1);
        assertThatCode(() -> ledger.check(1, 0, 1, 1)).doesNotThrowAnyException();
        ledger.restore(1.1, ledger.most(), 1);
        assertThatThrownBy(() -> ledger.check(1, 0, 1, 1))
                .hasMessageContaining("|w|^2 must be at least 0 and at most 2.0");
    }

    @Test
    void shouldFindANegativeSquare() {
        ledger.enter(1, 0, 1, 1);
        // |w| = 1, |d| = 1, m = -1 exactly cancels w; more than that cannot be
        assertThatCode(() -> ledger.check(1, -1, 1, -1)).doesNotThrowAnyException();
        assertThatThrownBy(() -> ledger.check(1, -1, 1, -1.1)).hasMessageContaining("got -0.1");
    }

    @Test
    void shouldFindAScoreBeyondCauchyAndSchwarz() {
        ledger.enter(1, 0, 4, 4);
        assertThatCode(() -> ledger.check(1, -2, 1, -3)).doesNotThrowAnyException();
        assertThatThrownBy(() -> ledger.check(1, -2.1, 1, -3))
                .isInstanceOf(RejectedException.class)
                .hasMessageContaining("a score must be at most |w|·|x| = 2.0")
                .hasMessageContaining("got -2.1");
    }

    @ParameterizedTest
    @ValueSource(doubles = {Double.NaN, -1, Double.NEGATIVE_INFINITY})
    void shouldFindNumbersThatAreNoneOfItsOwn(double corrupt) {
        ledger.enter(1, 0, 1, 1);
        ledger.restore(corrupt, 1, 1);
        assertThatThrownBy(() -> ledger.check(1, 0, 1, 1)).isInstanceOf(RejectedException.class);
        ledger.restore(1, corrupt, 1);
        assertThatThrownBy(() -> ledger.check(1, 0, 1, 1)).isInstanceOf(RejectedException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "0, false, 1, true",
        "1, false, 1, true",
        "1, true, 1, false",
        "0.3, false, 0.001, true",
        "50, false, 7, false",
        "0, false, 1e-200, true",
        "3, false, 1e-160, true",
        "0, false, 1e140, true"
    })
    void shouldFindNothingWrongWithSoundStreams(double h, boolean isInclusive, double eta, boolean bias) {
        for (long seed = 1; seed <= 4; seed++) {
            Random random = new Random(seed);
            Perceptron learner = perceptron(
                    Map.of("h", "" + h, "h.inclusive", "" + isInclusive, "eta", "" + eta, "bias", "" + bias));
            Outcome outcome = new Outcome();
            List<Sample> samples = RandomStreams.noisy(random, 2_000, 60, 12);
            for (int pass = 0; pass < 10; pass++) {
                for (Sample sample : samples) {
                    learner.learn(sample.vector(), Label.of(sample.y), 1, outcome);
                }
            }
            assertThat(learner.steps()).as("seed %d", seed).isPositive();
        }
    }

    /** Weights of examples from 1e-150 to 1e150: what has come in and gone out again has left its rounding. */
    @SeededTest
    void shouldFindNothingWrongWithStreamsOfAllMagnitudes(long seed) {
        Random random = new Random(seed);
        Perceptron learner = perceptron(Map.of("h", "1"));
        Outcome outcome = new Outcome();
        for (Sample sample : RandomStreams.noisy(random, 20_000, 30, 5)) {
            double weight = Math.pow(10, random.nextInt(20) == 0 ? random.nextInt(301) - 150 : random.nextInt(5) - 2);
            learner.learn(sample.vector(), Label.of(sample.y), weight, outcome);
        }
        assertThat(learner.weightNorm()).as("seed %d", seed).isGreaterThan(1e100);
    }

    /** With eta = 1 and weights of 1 the bound is never above that of Novikoff 1962 and Bartlett. */
    @SeededTest
    void shouldStayWithinTheBoundOfTheLectures(long seed) {
        Random random = new Random(seed);
        for (double h : new double[] {0, 1}) {
            Perceptron learner = perceptron(Map.of("h", "" + h));
            Outcome outcome = new Outcome();
            for (Sample sample : RandomStreams.noisy(random, 2_000, 40, 8)) {
                learner.learn(sample.vector(), Label.of(sample.y), 1, outcome);
                double most = learner.state().numbers().get(5);
                double updates = learner.steps();
                assertThat(learner.weightNorm() * learner.weightNorm()).isLessThanOrEqualTo(most * (1 + 1e-12));
                assertThat(most)
                        .isLessThanOrEqualTo((learner.radius() * learner.radius() + 2 * h) * updates * (1 + 1e-12));
            }
        }
    }

    /** A high bit flipped in a weight, at any time of any stream, is found when an update meets it. */
    @SeededTest
    void shouldFindAWeightThatHasBecomeMuchTooLarge(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 20; round++) {
            Model model = new Model();
            model.configure(Map.of("h", "" + random.nextInt(2), "eta", random.nextBoolean() ? "1" : "0.1"));
            List<Sample> samples = RandomStreams.noisy(random, 600, 20, 6);
            int at = 100 + random.nextInt(300);
            List<ModelState> states = new ArrayList<>();
            for (int k = 0; k < samples.size(); k++) {
                if (k == at) {
                    BlockVector weights = (BlockVector) model.pipeline().vector(0);
                    int index = random.nextInt(20);
                    weights.write(index, 0, (weights.read(index, 0) + 1) * 1e6);
                }
                Sample sample = samples.get(k);
                RejectedException rejected =
                        catchThrowableOfType(RejectedException.class, () -> model.process(sample.example(), 0));
                if (rejected != null && k >= at) {
                    assertThat(rejected.reason()).isEqualTo(RejectReason.MODEL_QUARANTINED);
                }
                states.add(model.state());
            }
            assertThat(states.subList(0, at)).as("seed %d", seed).containsOnly(ModelState.LIVE);
            assertThat(states.get(states.size() - 1))
                    .as("seed %d, round %d", seed, round)
                    .isEqualTo(ModelState.QUARANTINED);
        }
    }

    @Test
    void shouldKeepCountOfTheStepsAcrossWeightsAndEta() {
        Perceptron learner = perceptron(Map.of("eta", "0.5"));
        Outcome outcome = new Outcome();
        learner.learn(Sample.dense(1, 1).vector(), Label.PLUS_ONE, 3, outcome);
        learner.learn(Sample.dense(-1, 1).vector(), Label.MINUS_ONE, 1, outcome);
        assertThat(learner.steps()).isCloseTo(2, within(0.0));
    }

    @Test
    void shouldNotBoundAMarginByAnUpdateThatHadNoOtherClass() {
        Model found = new Model();
        found.configure(Map.of("algorithm", "multiclass"));
        found.process(Sample.dense(1, 1).example(), 0);
        found.process(Sample.dense(-1, 1).example(), 0);
        assertThat(found.pipeline().learner().steps()).isNaN();
        Model given = new Model();
        given.configure(Map.of("algorithm", "multiclass", "classes", "1,-1", "bias", "false"));
        given.process(Sample.dense(-1, 1).example(), 0);
        // w = x for -1 and -x for 1, a difference of length sqrt(2)
        assertThat(given.pipeline().learner().steps()).isEqualTo(1);
        assertThat(given.pipeline().learner().weightNorm()).isEqualTo(Math.sqrt(2));
    }

    @SeededTest
    void shouldFindAWeightOfOneClassThatHasBecomeMuchTooLarge(long seed) {
        Random random = new Random(seed);
        Model model = new Model();
        model.configure(Map.of("algorithm", "multiclass", "h", "" + random.nextInt(2)));
        for (Sample sample : RandomStreams.noisy(random, 200, 20, 6)) {
            model.process(sample.example(), 0);
        }
        assertThat(model.state()).as("seed %d", seed).isEqualTo(ModelState.LIVE);
        ((SparseRows) model.pipeline().vector(0)).touch(3, 2)[0] = 1e9;
        RejectedException last = null;
        for (Sample sample : RandomStreams.noisy(random, 200, 20, 6)) {
            last = catchThrowableOfType(RejectedException.class, () -> model.process(sample.example(), 0));
        }
        assertThat(last).as("seed %d", seed).isNotNull();
        assertThat(last.reason()).as("seed %d", seed).isEqualTo(RejectReason.MODEL_QUARANTINED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"pa", "pa-i", "pa-ii", "pdm", "multiclass", "arow", "sgd", "scw"})
    void shouldRefuseAComparatorWhereItsBoundDoesNotHold(String algorithm) {
        Model model = new Model();
        model.configure(Map.of("algorithm", algorithm));
        assertThatThrownBy(() -> model.configure(Map.of("comparator", "0")))
                .hasMessage("comparator must be empty with algorithm=" + algorithm
                        + ", got '0' (used by perceptron; comparator= empties it)");
        assertThatThrownBy(() -> model.pipeline().compareWith(new BlockVector(1), 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(model.pipeline().settings().get(Settings.COMPARATOR)).isEmpty();
    }

    private static Perceptron perceptron(Map<String, String> settings) {
        return new Perceptron(Settings.DEFAULTS.with(settings));
    }
}
