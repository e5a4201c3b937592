package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.settings.Loss;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.BlockVector;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** SGD against its golden trace, the perceptron, and the properties of its losses and rates. */
final class SgdTest {
    private final Outcome outcome = new Outcome();

    private static Sgd sgd(Map<String, String> changes) {
        Map<String, String> all = new HashMap<>(changes);
        all.put("algorithm", "sgd");
        return new Sgd(Settings.DEFAULTS.with(all));
    }

    @Test
    void shouldGoAsTheTraceSays() throws IOException {
        assertThat(LearnerTrace.compare("sgd", SgdTest::sgd)).isEqualTo(30);
    }

    /** The perceptron and the margin perceptron are subgradient descent on the hinge loss. */
    @SeededTest
    void shouldBeThePerceptronBitForBit(long seed) {
        for (String h : List.of("0", "1")) {
            Map<String, String> common = Map.of("eta", "0.3", "predict", "averaged", "survival.start", h);
            Learner learner = sgd(with(common, "loss", h.equals("0") ? "perceptron" : "hinge"));
            Learner perceptron = new Perceptron(Settings.DEFAULTS.with(with(common, "h", h)));
            Outcome expected = new Outcome();
            Random random = new Random(seed);
            for (Sample sample : RandomStreams.noisy(random, 1_000, 300, 8)) {
                double weight = 0.5 + random.nextDouble();
                learner.learn(sample.vector(), Label.of(sample.y), weight, outcome);
                perceptron.learn(sample.vector(), Label.of(sample.y), weight, expected);
                assertThat(Bits.of(outcome)).as("seed %d", seed).isEqualTo(Bits.of(expected));
            }
            assertThat(Bits.of((BlockVector) learner.blocks().get(0)))
                    .isEqualTo(Bits.of((BlockVector) perceptron.blocks().get(0)));
        }
    }

    private static Map<String, String> with(Map<String, String> settings, String name, String value) {
        Map<String, String> more = new HashMap<>(settings);
        more.put(name, value);
        return more;
    }

    @ParameterizedTest
    @EnumSource(Loss.class)
    void shouldFollowTheDerivativeOfItsLoss(Loss loss) {
        DoubleUnaryOperator of = switch (loss) {
            case PERCEPTRON -> m -> Math.max(0, -m);
            case HINGE -> m -> Math.max(0, 1 - m);
            case SQUARED_HINGE -> m -> Math.pow(Math.max(0, 1 - m), 2);
            case LOGISTIC -> m -> Math.log1p(Math.exp(-m));
            case SIGMOID -> m -> Math.pow(1 - 1 / (1 + Math.exp(-m)), 2) / 2;
        };
        double e = 1e-5;
        for (double m = -4.05; m < 4; m += 0.1) {
            double slope = (of.applyAsDouble(m - e) - of.applyAsDouble(m + e)) / (2 * e);
            assertThat(loss.gradient(m)).as("margin %s", m).isCloseTo(slope, within(1e-8));
        }
        assertThat(loss.gradient(1e6)).isZero();
        // the hinge losses end where the margin is 1
        assertThat(loss.gradient(1) == 0).isEqualTo(!loss.isNeverZero());
        assertThat(loss.gradient(-1e3)).isNotNegative().isFinite();
    }

    @Test
    void shouldHardlyMoveForAnExampleThatIsWrongWithConfidence() {
        for (String loss : List.of("sigmoid", "logistic")) {
            Sgd learner = sgd(Map.of("loss", loss, "bias", "false", "eta", "100"));
            learn(learner, 1, 1);
            double before = learner.weightNorm();
            learn(learner, -1, 1);
            assertThat(outcome.kind()).isEqualTo(Outcome.Kind.MISTAKE);
            // the steps: 100·p(1-p)^2 with p = 1/(1 + exp(12.5)), and 100·(1-p) with nearly all of the slope
            double moved = before - learner.weightNorm();
            assertThat(moved).isCloseTo(loss.equals("sigmoid") ? 100 / (1 + Math.exp(12.5)) : 0, within(1e-3));
            if (loss.equals("logistic")) {
                // from 50 to -50
                assertThat(learner.norm().squaredNorm()).isCloseTo(2500, within(1e-6));
            }
        }
    }

    /** Powers of two are exact, so every score must be the same to the last bit (Ross, Mineiro and Langford 2013). */
    @SeededTest
    void shouldNotDependOnTheScaleOfFeaturesWhereItIsNormalised(long seed) {
        for (String rate : List.of("constant", "inverse-sqrt", "adagrad")) {
            Map<String, String> settings =
                    Map.of("normalised", "true", "rate", rate, "loss", "logistic", "predict", "averaged");
            Learner plain = sgd(settings);
            Learner scaled = sgd(settings);
            Outcome other = new Outcome();
            for (Sample sample : RandomStreams.noisy(new Random(seed), 500, 20, 5)) {
                double[] values = sample.values.clone();
                for (int k = 0; k < values.length; k++) {
                    values[k] = Math.scalb(values[k], 5 * (sample.indices[k] % 7) - 20);
                }
                learn(plain, sample);
                scaled.learn(Sample.sparse(sample.y, sample.indices, values).vector(), Label.of(sample.y), 1, other);
                assertThat(Bits.of(other)).as("seed %d, %s", seed, rate).isEqualTo(Bits.of(outcome));
            }
            assertThat(plain.weightNorm()).isPositive();
        }
    }

    /** With the logistic loss all examples make an update. */
    @SeededTest
    void shouldPredictByTheMeanOfItsPastWeights(long seed) {
        Learner learner = sgd(Map.of("loss", "logistic", "rate", "adagrad", "predict", "averaged", "bias", "false"));
        List<Map<Integer, Double>> past = new ArrayList<>();
        for (Sample sample : RandomStreams.noisy(new Random(seed), 300, 10, 4)) {
            learn(learner, sample);
            double sum = 0;
            for (Map<Integer, Double> w : past) {
                for (int k = 0; k < sample.indices.length; k++) {
                    sum += sample.values[k] * w.getOrDefault(sample.indices[k], 0.0);
                }
            }
            assertThat(outcome.predictedScore())
                    .as("seed %d", seed)
                    .isCloseTo(past.isEmpty() ? 0 : sum / past.size(), within(1e-9));
            past.add(new HashMap<>(WeightSummary.ofWeights(learner).features()));
        }
    }

    /** Each example makes an update, so with 0 none would count, and every score be 0. */
    @ParameterizedTest
    @ValueSource(strings = {"sigmoid", "logistic"})
    void shouldCountTheUpdatingExampleWhereEveryOneIs(String loss) {
        Map<String, String> averaged = Map.of("loss", loss, "predict", "averaged");
        Learner learner = sgd(with(averaged, "survival.start", "0"));
        Learner expected = sgd(averaged);
        Outcome other = new Outcome();
        int negative = 0;
        for (Sample sample : RandomStreams.noisy(new Random(3), 200, 10, 4)) {
            learn(learner, sample);
            expected.learn(sample.vector(), Label.of(sample.y), 1, other);
            assertThat(Bits.of(outcome)).isEqualTo(Bits.of(other));
            negative += outcome.predicted().equals(Label.MINUS_ONE) ? 1 : 0;
        }
        assertThat(negative).isBetween(50, 150);
    }

    @Test
    void shouldCountAnUpdateAboveTheMarginAsNeitherMistakeNorMarginMistake() {
        Model model = new Model();
        model.configure(Map.of("algorithm", "sgd", "loss", "logistic"));
        for (int n = 0; n < 50; n++) {
            model.process(Sample.dense(1, 1, 2).example(), 0);
        }
        assertThat(model.counts().totals().updates()).isEqualTo(50);
        assertThat(model.current().version()).isEqualTo(50);
        assertThat(model.counts().totals().mistakes()).isEqualTo(1);
        assertThat(model.counts().totals().marginMistakes()).isZero();
    }

    @Test
    void shouldTakeRateAndScaleOnlyBeforeTheFirstLabel() {
        Model model = new Model();
        model.configure(Map.of("algorithm", "sgd"));
        model.configure(Map.of("rate", "adagrad"));
        model.configure(Map.of("normalised", "true"));
        model.process(Sample.dense(1, 1, 2).example(), 0);

        assertThatThrownBy(() -> model.configure(Map.of("rate", "constant")))
                .hasMessage(
                        "rate must stay adagrad once a model has seen labels, got constant (reset the model first)");
        assertThatThrownBy(() -> model.configure(Map.of("normalised", "false")))
                .hasMessage(
                        "normalised must stay true once a model has seen labels, got false (reset the model first)");
        model.configure(Map.of("loss", "hinge", "eta", "0.1"));
        model.reset(Map.of());
        model.configure(Map.of("rate", "inverse-sqrt", "normalised", "false"));
        model.process(Sample.dense(1, 1, 2).example(), 0);
        model.configure(Map.of("rate", "constant"));
        assertThatThrownBy(() -> model.configure(Map.of("rate", "adagrad")))
                .hasMessageStartingWith("rate must stay constant or inverse-sqrt once ");
    }

    @ParameterizedTest
    @CsvSource({"h, 1", "h.positive, 1", "h.inclusive, true", "c, 2", "r, 2", "predict, voted", "kernel, linear"})
    void shouldRefuseSettingsThatItWouldNotHeed(String name, String value) {
        assertThatThrownBy(() ->
                        Settings.DEFAULTS.with(Map.of(name, value)).requireUsedBy(Algorithm.SGD, Settings.DEFAULTS))
                .hasMessageStartingWith(name + " must be ")
                .hasMessageContaining(" with algorithm=sgd, got ");
    }

    @ParameterizedTest
    @CsvSource({
        "loss, hinge, sgd",
        "rate, adagrad, 'softmax, sgd'",
        "normalised, true, sgd",
        "implicit, true, 'softmax, sgd'"
    })
    void shouldShareItsSettingsWithSoftmaxOnly(String name, String value, String users) {
        for (Algorithm algorithm : Algorithm.values()) {
            if (!List.of((users + ", auto, adaptive").split(", ", -1)).contains(algorithm.toString())) {
                assertThatThrownBy(() ->
                                Settings.DEFAULTS.with(Map.of(name, value)).requireUsedBy(algorithm, Settings.DEFAULTS))
                        .hasMessageContaining(name + " must be ")
                        .hasMessageEndingWith("(used by " + users + ")");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"adagrad, false, 1e308", "constant, false, 1e308", "constant, true, 1e308", "adagrad, true, 1e308"})
    void shouldRefuseAndNeverKeepWhatIsNotFinite(String rate, boolean isNormalised, double weight) {
        for (String implicit : List.of("false", "true")) {
            Map<String, String> steps = Map.of("rate", rate, "normalised", "" + isNormalised, "implicit", implicit);
            Sgd learner = sgd(with(with(steps, "loss", "squared-hinge"), "eta", "1e300"));
            List<Object> before = Bits.of(learner);

            RejectedException rejection = catchThrowableOfType(
                    RejectedException.class,
                    () -> learner.learn(Sample.dense(1, 10).vector(), Label.PLUS_ONE, weight, outcome));

            assertThat(rejection.reason()).isEqualTo(RejectReason.SCORE_OVERFLOW);
            assertThat(Bits.of(learner)).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"constant", "adagrad"})
    void shouldRejectAFeatureThatIsTooSmallToBeNormalised(String rate) {
        Sgd learner = sgd(Map.of("rate", rate, "normalised", "true"));
        learn(learner, 1, 1, 1);
        List<Object> before = Bits.of(learner);

        // below 1e-162 the squares of adagrad are 0, and nothing moves
        RejectedException rejection =
                catchThrowableOfType(RejectedException.class, () -> learn(learner, -1, 1, 1, 1e-156));

        assertThat(rejection.reason()).isEqualTo(RejectReason.SCORE_OVERFLOW);
        assertThat(rejection)
                .hasMessageEndingWith("got a feature whose largest |x| is 1.0E-156 (scale the features up)");
        assertThat(Bits.of(learner)).isEqualTo(before);
        learn(learner, -1, 1, 1, 1e-100);
        assertThat(outcome.isUpdated()).isTrue();
    }

    @Test
    void shouldLearnFromFeaturesWhoseSquaresUnderflow() {
        Sgd learner = sgd(Map.of("rate", "adagrad", "bias", "false"));
        learn(learner, 1, 1e-200);

        assertThat(outcome.isUpdated()).isTrue();
        assertThat(learner.weightNorm()).isZero();
    }

    @Test
    void shouldChangeNothingWhereThereIsNothingToMove() {
        for (String normalised : List.of("false", "true")) {
            Sgd learner = sgd(Map.of("bias", "false", "normalised", normalised));
            learn(learner, 1);
            learn(learner, 1, 0);

            assertThat(outcome.kind()).isEqualTo(Outcome.Kind.MISTAKE);
            assertThat(learner.weightNorm()).isZero();
            assertThat(learner.blocks().get(0).count()).isZero();
            learn(learner, 1, 1);
            assertThat(learner.weightNorm()).isPositive().isFinite();
        }
    }

    @Test
    void shouldRejectAnUpdateThatNeedsMoreBlocksThanAllowed() {
        Sgd learner = sgd(Map.of("blocks.max", "1"));
        double[] spread = new double[200];
        spread[0] = 1;
        spread[199] = 1;

        RejectedException rejection = catchThrowableOfType(RejectedException.class, () -> learn(learner, 1, spread));

        assertThat(rejection.reason()).isEqualTo(RejectReason.MODEL_FULL);
        assertThat(learner.blocks().get(0).count()).isZero();
    }

    @Test
    void shouldTakeBlocksOfItsOwnLengthOnly() {
        sgd(Map.of()).checkBlock(0, 0, 2 * 128);
        Sgd learner = sgd(Map.of("rate", "adagrad", "normalised", "true"));
        learner.checkBlock(0, 0, 4 * 128);

        assertThatThrownBy(() -> learner.checkBlock(0, 0, 4 * 128 + 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> sgd(Map.of()).checkBlock(0, 0, 3 * 128)).isInstanceOf(IllegalArgumentException.class);
    }

    private void learn(Learner learner, Sample sample) {
        learner.learn(sample.vector(), Label.of(sample.y), 1, outcome);
    }

    private void learn(Learner learner, int y, double... values) {
        learn(learner, Sample.dense(y, values));
    }
}
