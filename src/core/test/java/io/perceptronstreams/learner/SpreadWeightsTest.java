package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.example.Candidates;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.example.Seeds;
import io.perceptronstreams.settings.ComparatorSetting;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.structured.StructuredPerceptron;
import io.perceptronstreams.weights.BlockVector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same stream gives the same bits wherever the weights are: in a table, in full or in sparse slabs, near or far.
 */
class SpreadWeightsTest {
    private static final int FEATURES = 3_000;
    private static final int NON_ZEROS = 20;
    private static final int EXAMPLES = 4_000;

    /**
     * By what indices are multiplied, which keeps their order, and hence that of all sums. From 130 on each has a block
     * of its own; at 100,000 most lie beyond 2^24.
     */
    private static final List<Integer> STRIDES = List.of(2, 20, 130, 5_000, 100_000);

    static Stream<Arguments> learners() {
        List<Map<String, String>> settings = List.of(
                Map.of(),
                Map.of("h", "1"),
                Map.of("predict", "averaged", "bias", "true"),
                Map.of("comparator", "100"),
                Map.of("algorithm", "pa-i"),
                Map.of("algorithm", "arow"),
                Map.of("algorithm", "sgd", "rate", "adagrad", "normalised", "true", "predict", "averaged"));
        return settings.stream()
                .flatMap(each -> STRIDES.stream()
                        .flatMap(stride -> Seeds.all().mapToObj(seed -> Arguments.of(each, stride, seed))));
    }

    @ParameterizedTest(name = "{0}, stride {1}, seed {2}")
    @MethodSource("learners")
    void shouldLearnTheSameFromFeaturesThatLieFarApart(Map<String, String> changes, int stride, long seed) {
        Settings settings = Settings.DEFAULTS.with(changes);
        Algorithm algorithm = Algorithm.of(settings).refined(settings);
        algorithm = algorithm == Algorithm.AUTO ? Algorithm.PERCEPTRON : algorithm;
        Learner near = algorithm.create(settings);
        Learner far = algorithm.create(settings);
        pin(near, settings);
        pin(far, settings);
        Random random = new Random(seed);
        int number = 0;
        for (Sample sample : RandomStreams.noisy(random, EXAMPLES, FEATURES, NON_ZEROS)) {
            if (++number == EXAMPLES / 2) {
                far = restored(far, algorithm, settings);
            }
            Outcome expected = new Outcome();
            Outcome outcome = new Outcome();

            near.learn(sample.vector(), Label.of(sample.y), 1, expected);
            far.learn(spread(sample, stride), Label.of(sample.y), 1, outcome);

            assertThat(Bits.of(outcome)).as("example %d", number).isEqualTo(Bits.of(expected));
        }
        assertThat(((BlockVector) near.blocks().get(0)).isSmall()).isFalse();
        assertThat(far.state()).isEqualTo(near.state());
        assertThat(weights(far, stride)).isEqualTo(weights(near, 1));
    }

    /**
     * Never in blocks, in blocks from the tenth example on, and from the 512th feature on if these lie close together.
     */
    @ParameterizedTest(name = "{0}, stride {1}, seed {2}")
    @MethodSource("learners")
    void shouldLearnTheSameFromATableAndFromBlocks(Map<String, String> changes, int stride, long seed) {
        Settings settings = Settings.DEFAULTS.with(changes);
        Algorithm algorithm = Algorithm.of(settings).refined(settings);
        algorithm = algorithm == Algorithm.AUTO ? Algorithm.PERCEPTRON : algorithm;
        for (int features : new int[] {400, 2_600}) {
            Learner small = algorithm.create(settings);
            Learner large = algorithm.create(settings);
            pin(small, settings);
            pin(large, settings);
            Random random = new Random(seed);
            int number = 0;
            for (Sample sample : RandomStreams.noisy(random, 3 * features, features, NON_ZEROS)) {
                if (++number == 10) {
                    large = restored(large, algorithm, settings);
                }
                Outcome expected = new Outcome();
                Outcome outcome = new Outcome();

                small.learn(spread(sample, stride), Label.of(sample.y), 1, expected);
                large.learn(spread(sample, stride), Label.of(sample.y), 1, outcome);

                assertThat(Bits.of(outcome)).as("example %d", number).isEqualTo(Bits.of(expected));
                if (number % 20 == 0) {
                    assertThat(large.blocks().get(0).count())
                            .isEqualTo(small.blocks().get(0).count());
                }
            }
            assertThat(((BlockVector) small.blocks().get(0)).isSmall()).isEqualTo(features == 400 || stride > 2);
            assertThat(((BlockVector) large.blocks().get(0)).isSmall()).isFalse();
            assertThat(Bits.of(large)).isEqualTo(Bits.of(small));
        }
    }

    @SeededTest
    void shouldRefuseTheSameExamplesInATableAndInBlocks(long seed) {
        Settings settings = Settings.DEFAULTS.with(Map.of("blocks.max", "150", "algorithm", "perceptron"));
        Learner small = Algorithm.of(settings).create(settings);
        Learner large = Algorithm.of(settings).create(settings);
        Random random = new Random(seed);
        int number = 0;
        int refused = 0;
        for (Sample sample : RandomStreams.noisy(random, 1_000, 400, NON_ZEROS)) {
            if (++number == 5) {
                large = restored(large, Algorithm.of(settings), settings);
            }
            // some blocks with one feature, some with two
            boolean isRefused = isRefused(small, spread(sample, 70), sample.y);

            assertThat(isRefused(large, spread(sample, 70), sample.y))
                    .as("seed %d, example %d", seed, number)
                    .isEqualTo(isRefused);
            refused += isRefused ? 1 : 0;
        }
        assertThat(refused).isPositive();
        assertThat(((BlockVector) small.blocks().get(0)).isSmall()).isTrue();
        assertThat(((BlockVector) large.blocks().get(0)).isSmall()).isFalse();
        assertThat(Bits.of(large)).isEqualTo(Bits.of(small));
    }

    private static void pin(Learner learner, Settings settings) {
        if (learner instanceof HasComparator comparing) {
            comparing.pin(ComparatorSetting.updatesUntil(settings, 0));
        }
    }

    private static boolean isRefused(Learner learner, FeatureVector x, int y) {
        try {
            learner.learn(x, Label.of(y), 1, new Outcome());
            return false;
        } catch (RejectedException full) {
            assertThat(full.reason()).isEqualTo(RejectReason.MODEL_FULL);
            return true;
        }
    }

    @SeededTest
    void shouldTellCandidatesApartWhoseFeaturesLieFarApart(long seed) {
        StructuredPerceptron near = new StructuredPerceptron(Settings.DEFAULTS);
        StructuredPerceptron far = new StructuredPerceptron(Settings.DEFAULTS);
        Random random = new Random(seed);
        List<Sample> samples = RandomStreams.noisy(random, 2 * EXAMPLES, FEATURES, NON_ZEROS);
        for (int k = 0; k < samples.size(); k += 2) {
            Candidates close = new Candidates();
            Candidates wide = new Candidates();
            for (int output = 0; output < 2; output++) {
                samples.get(k + output).fill(close.append("c" + output));
                copy(spread(samples.get(k + output), 5_000), wide.append("c" + output));
            }
            Label truth = new Label.ClassName("c" + random.nextInt(2));
            Outcome expected = new Outcome();
            Outcome outcome = new Outcome();

            near.learn(close, truth, 1, expected);
            far.learn(wide, truth, 1, outcome);

            assertThat(Bits.of(outcome)).as("seed %d, example %d", seed, k / 2).isEqualTo(Bits.of(expected));
        }
    }

    private static FeatureVector spread(Sample sample, int stride) {
        FeatureVector x = new FeatureVector().resetSparse();
        for (int k = 0; k < sample.indices.length; k++) {
            x.append(stride * sample.indices[k], sample.values[k]);
        }
        return x;
    }

    private static void copy(FeatureVector from, FeatureVector to) {
        to.resetSparse();
        for (int k = 0; k < from.size(); k++) {
            to.append(from.index(k), from.values()[k]);
        }
    }

    /** As after a restart: from its blocks and its state alone. */
    private static Learner restored(Learner learner, Algorithm algorithm, Settings settings) {
        Learner copy = algorithm.create(settings);
        copy.restore(learner.state());
        for (int vector = 0; vector < learner.blocks().size(); vector++) {
            int number = vector;
            learner.blocks()
                    .get(vector)
                    .forEach((block, values) -> copy.blocks().get(number).restore(block, values.clone()));
        }
        return copy;
    }

    private static List<List<Object>> weights(Learner learner, int stride) {
        List<List<Object>> weights = new ArrayList<>();
        learner.forEachWeight(new Learner.WeightVisitor() {
            @Override
            public void vector(String name, double bias, double averagedBias) {
                weights.add(List.of(name, bias, averagedBias));
            }

            @Override
            public void weight(int index, double weight, double averaged) {
                assertThat(index % stride).isZero();
                weights.add(List.of(index / stride, weight, averaged));
            }
        });
        return weights;
    }
}
