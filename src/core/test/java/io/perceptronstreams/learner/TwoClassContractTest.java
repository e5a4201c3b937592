package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.settings.Settings;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Contract of two-class learners, with additions: labels, bias, and sums over weights and examples. */
final class TwoClassContractTest extends LearnerContract {
    @Override
    public boolean covers(Algorithm algorithm) {
        return algorithm.has(Algorithm.Trait.TWO_CLASSES);
    }

    @Override
    public String others() {
        return """
                perceptron | h=1 | bias=false
                perceptron | h=2 | h.inclusive=true | eta=0.3
                perceptron | predict=averaged
                perceptron | predict=averaged | average.halflife=1
                perceptron | predict=averaged | survival.start=0 | eta=0.1
                perceptron | labels=ham,spam
                pa | bias=false | predict.scores=true
                pa-i | c=0.1
                pa-i | predict=averaged
                pa-ii | c=3 | labels=ham,spam
                pa-ii | predict=averaged | survival.start=0
                arow | r=0.1 | bias=false
                arow | r=10 | labels=ham,spam | predict.scores=true
                arow | diagonal=covariance | r=0.1
                alma | bias=false | predict.scores=true
                alma | alpha=0.01 | labels=ham,spam
                alma | alpha=1 | c=3
                romma | aggressive=true | bias=false | predict.scores=true
                romma | aggressive=true | labels=ham,spam
                pdm | alpha=0.05 | labels=ham,spam
                pdm | alpha=0.5 | bias=false | predict.scores=true
                pdm | alpha=0.2 | predict=averaged | survival.start=0
                sgd | loss=hinge | rate=inverse-sqrt | predict=averaged
                sgd | predict=averaged | average.halflife=1
                sgd | loss=logistic | rate=adagrad | labels=ham,spam
                sgd | loss=squared-hinge | normalised=true | eta=0.1
                sgd | normalised=true | rate=adagrad | predict.scores=true
                sgd | implicit=true | rate=adagrad
                sgd | implicit=true | loss=hinge | normalised=true
                sgd | stacked=true | rate=adagrad | implicit=true
                sgd | stacked=true | predict=averaged | predict.scores=true | labels=ham,spam
                sgd | loss=perceptron | normalised=true | rate=adagrad | bias=false | predict=averaged | survival.start=0
                scw | c=0.1 | bias=false
                scw | confidence=0.6 | labels=ham,spam | predict.scores=true
                kernel | kernel=poly(c=1,k=2)
                kernel | kernel=rbf(g=0.1) | h=0.5 | bias=false | predict=averaged
                kernel | predict=voted | eta=0.3
                kernel | predict=voted | survival.start=0 | labels=ham,spam | h.inclusive=true
                kernel | kernel=linear | budget=20
                kernel | predict=voted | budget=20 | budget.policy=smallest
                kernel | kernel=0.5*linear + rbf(g=1) | budget=1 | predict=averaged
                kernel | kernel=normalise(poly(c=1,k=3)) | budget=30 | budget.policy=random
                """;
    }

    @Override
    public Label label(Settings settings, int y) {
        return settings.get(Settings.LABELS).isEmpty()
                ? Label.of(y)
                : new Label.ClassName(settings.get(Settings.LABELS).get(y < 0 ? 0 : 1));
    }

    @Override
    public List<Rejected> rejected() {
        Sample good = Sample.dense(1, 1, 2, 3);
        return List.of(
                new Rejected(Sample.dense(1, 1e200), Label.PLUS_ONE),
                new Rejected(Sample.dense(1, 1e200), new Label.ClassName("spam")),
                new Rejected(good, Label.of(0)),
                new Rejected(good, Label.of(2)),
                new Rejected(good, new Label.ClassName("eggs")),
                new Rejected(good, new Label.Tags(List.of("NOUN"))));
    }

    /** One tiny example must not end a model, whether its learner can use it or not. */
    @ParameterizedTest
    @MethodSource("settings")
    void shouldNotBeQuarantinedByATinyExample(Settings settings) {
        for (String bias : List.of("true", "false")) {
            for (double value : new double[] {1e-155, 1e-170, 1e-310}) {
                Settings with = settings.with(Map.of("bias", bias));
                Learner fresh = create(with);
                Learner learned = create(with);
                samples(1).forEach(sample -> learn(with, learned, sample));
                for (int y : new int[] {-1, 1, 1, -1}) {
                    for (Learner learner : List.of(fresh, learned)) {
                        // the first index is that of another feature, the last one is new
                        for (int index : new int[] {0, 100_000}) {
                            tryToLearn(with, learner, Sample.sparse(y, new int[] {index}, new double[] {value}));
                        }
                    }
                }
            }
        }
    }

    private void tryToLearn(Settings settings, Learner learner, Sample sample) {
        try {
            learn(settings, learner, sample);
        } catch (RejectedException e) {
            assertThat(e.reason()).as("%s: %s", settings, e.getMessage()).isEqualTo(RejectReason.SCORE_OVERFLOW);
        }
    }

    /** The kernel perceptron has neither weights nor a radius of the features themselves. */
    private static boolean isLinear(Settings settings) {
        return Algorithm.of(settings).isLinear();
    }

    /** Every other example of a kernel has an id, which is part of the state. */
    @Override
    public void prepare(Settings settings, Sample sample, Outcome outcome) {
        if (!isLinear(settings)) {
            boolean hasId = sample.values.length % 2 == 0;
            outcome.ask(hasId ? 2 : 0, new Utf8Slice().set("id of " + sample.y));
        }
    }

    @ParameterizedTest
    @MethodSource("settings")
    void shouldMeasureItsWeightsAndTheLongestExample(Settings settings) {
        assumeTrue(isLinear(settings));
        Learner learner = create(settings);
        double longest = 0;
        for (Sample sample : samples(1)) {
            learn(settings, learner, sample);
            longest = Math.max(longest, sample.squaredNorm() + (settings.get(Settings.BIAS) ? 1 : 0));
        }

        double[] squares = new double[1];
        learner.forEachWeight(new Learner.WeightVisitor() {
            @Override
            public void vector(String name, double bias, double averagedBias) {
                squares[0] += bias * bias;
            }

            @Override
            public void weight(int index, double weight, double averaged) {
                squares[0] += weight * weight;
            }
        });
        assertThat(squares[0]).isPositive();
        assertThat(learner.norm().squaredNorm()).isCloseTo(squares[0], withinPercentage(1e-7));
        assertThat(learner.norm().squaredRadius()).isCloseTo(longest, withinPercentage(1e-7));
    }

    /** A scaled example has a bias feature other than 1. */
    @ParameterizedTest
    @MethodSource("settings")
    void shouldUseTheBiasAsOneMoreFeature(Settings settings) {
        assumeTrue(isLinear(settings));
        Learner biased = create(settings.with(Map.of("bias", "true")));
        Learner unbiased = create(settings.with(Map.of("bias", "false")));
        Outcome expected = new Outcome();
        Outcome actual = new Outcome();
        double bias = 0.5;
        for (Sample sample : samples(2)) {
            bias = 1.25 - bias;
            FeatureVector x = sample.vector();
            x.setBias(bias);
            FeatureVector withOneMore = sample.vector();
            withOneMore.append(5_000_000, bias);
            biased.learn(x, label(settings, sample), sample.weight, actual);
            unbiased.learn(withOneMore, label(settings, sample), sample.weight, expected);

            assertThat(Bits.of(actual)).isEqualTo(Bits.of(expected));
        }
        assertThat(biased.weightNorm()).isCloseTo(unbiased.weightNorm(), withinPercentage(1e-7));
        assertThat(biased.radius()).isCloseTo(unbiased.radius(), withinPercentage(1e-7));
    }

    /** The caller reads all examples into one object. */
    @ParameterizedTest
    @MethodSource("settings")
    void shouldIgnoreWhatAVectorHeldBefore(Settings settings) {
        Learner learner = create(settings);
        Learner expected = create(settings);
        FeatureVector reused = new FeatureVector();
        Outcome outcome = new Outcome();
        for (Sample sample : samples(3)) {
            int size = 1 + Math.floorMod(sample.indices[0] / 77_777, sample.indices.length);
            Sample shorter =
                    Sample.sparse(sample.y, Arrays.copyOf(sample.indices, size), Arrays.copyOf(sample.values, size));
            learner.learn(shorter.fill(reused), label(settings, sample), 1, outcome);
            expected.learn(shorter.vector(), label(settings, sample), 1, outcome);
        }
        assertThat(Bits.of(learner)).isEqualTo(Bits.of(expected));
    }

    /** Of another learner than the perceptron they are unknown, and must not become 0 by a restart. */
    @ParameterizedTest
    @MethodSource("settings")
    void shouldKeepItsBoundsWhereItsStateIsRestored(Settings settings) {
        Learner learner = create(settings);
        samples(4).forEach(sample -> learn(settings, learner, sample));
        Learner restored = create(settings);
        restored.restore(learner.state());

        // boxed: NaN equals NaN
        assertThat(List.of(restored.norm().steps(), restored.norm().most()))
                .isEqualTo(List.of(learner.norm().steps(), learner.norm().most()));
    }

    @ParameterizedTest
    @MethodSource("settings")
    void shouldRejectAnUpdateThatNeedsMoreBlocksThanAllowed(Settings settings) {
        assumeTrue(isLinear(settings));
        Settings oneBlock = settings.with(Map.of("blocks.max", "1"));
        Learner learner = create(oneBlock);
        Sample inTwoBlocks = Sample.sparse(1, new int[] {0, 200}, new double[] {1, 1});

        assertThatThrownBy(() -> learn(oneBlock, learner, inTwoBlocks)).hasMessageContaining("blocks.max = 1");
        assertThat(learner.weightNorm()).isZero();
    }

    @ParameterizedTest
    @MethodSource("settings")
    void shouldRefuseAStateWithNames(Settings settings) {
        LearnerState state = new LearnerState(create(settings).state().numbers(), List.of("spam"));

        assertThatThrownBy(() -> create(settings).restore(state))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the state of " + create(settings).name() + " must have no names, got 1");
    }
}
