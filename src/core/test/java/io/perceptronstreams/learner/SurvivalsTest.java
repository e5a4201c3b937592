package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Seeds;
import io.perceptronstreams.multiclass.MulticlassContractTest;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.structured.SequenceContractTest;
import io.perceptronstreams.structured.StructuredPerceptronContractTest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The lazy average that forgets, against its recurrence computed eagerly for every weight. */
final class SurvivalsTest {
    private final Outcome outcome = new Outcome();

    /** The recurrence A = l·A + e·w, C = l·C + e, by vector and index; the bias has index -1. */
    private static final class Eager {
        private final double l;
        private final Map<String, Double> sums = new HashMap<>();
        private double count;
        private double largest;

        Eager(double halfLife) {
            l = Math.pow(0.5, 1 / halfLife);
        }

        void add(Learner learner, int e) {
            sums.replaceAll((where, sum) -> l * sum);
            count = l * count + e;
            visit(learner, (where, weight, average) -> {
                sums.merge(where, e * weight, Double::sum);
                largest = Math.max(largest, Math.abs(weight));
            });
        }

        double mean(String where) {
            return count == 0 ? 0 : sums.getOrDefault(where, 0.0) / count;
        }
    }

    private interface Visitor {
        void number(String where, double weight, double average);
    }

    private static void visit(Learner learner, Visitor visitor) {
        learner.forEachWeight(new Learner.WeightVisitor() {
            private String name;

            @Override
            public void vector(String vector, double bias, double averagedBias) {
                name = vector;
                visitor.number(name + " " + -1, bias, averagedBias);
            }

            @Override
            public void weight(int index, double weight, double averaged) {
                visitor.number(name + " " + index, weight, averaged);
            }
        });
    }

    static Stream<Arguments> learners() {
        Map<Algorithm, LearnerContract> contracts = Map.of(
                Algorithm.PERCEPTRON, new TwoClassContractTest(),
                Algorithm.PA_I, new TwoClassContractTest(),
                Algorithm.SGD, new TwoClassContractTest(),
                Algorithm.MULTICLASS, new MulticlassContractTest(),
                Algorithm.STRUCTURED, new StructuredPerceptronContractTest(),
                Algorithm.SEQUENCE, new SequenceContractTest());
        return contracts.entrySet().stream()
                .flatMap(each -> Stream.of("1", "7.5", "1000")
                        .flatMap(halfLife -> Seeds.all()
                                .mapToObj(seed -> Arguments.of(each.getKey(), each.getValue(), halfLife, seed))));
    }

    @ParameterizedTest(name = "{0}, {2}, seed {3}")
    @MethodSource("learners")
    void shouldBeWhatItsRecurrenceGives(Algorithm algorithm, LearnerContract contract, String halfLife, long seed) {
        for (int start = 0; start <= 1; start++) {
            Settings settings = Settings.DEFAULTS.with(Map.of(
                    "predict", "averaged", "average.halflife", halfLife, "survival.start", "" + start, "eta", "0.3"));
            Learner learner = algorithm.create(settings);
            Eager eager = new Eager(Double.parseDouble(halfLife));
            for (Sample sample : RandomStreams.noisy(new Random(seed), 600, 30, 8)) {
                learner.learn(contract.features(sample), contract.label(settings, sample), sample.weight, outcome);
                // with the sigmoid loss of sgd every example makes an update, and counts
                boolean isCounted = !outcome.isUpdated() || algorithm == Algorithm.SGD;
                eager.add(learner, isCounted ? 1 : start);

                String where = algorithm + ", half-life " + halfLife + ", seed " + seed;
                visit(
                        learner,
                        (at, weight, average) -> assertThat(average)
                                .as(where + ", " + at)
                                .isCloseTo(eager.mean(at), within(1e-10 * (1 + eager.largest))));
            }
        }
    }

    @Test
    void shouldForgetHalfInAHalfLife() {
        Survivals survivals = survivals("10");
        survivals.add(1);
        double afterOne = survivals.sum();
        for (int k = 0; k < 9; k++) {
            survivals.add(0);
        }
        survivals.add(1);
        // the second example counts twice as much as the first
        assertThat(survivals.sum() - afterOne).isCloseTo(2 * afterOne, within(1e-14));
    }

    @Test
    void shouldShrinkWhenTheUnitIsTooLarge() {
        Survivals survivals = survivals("1");
        for (int k = 1; k <= 600; k++) {
            assertThat(survivals.add(1)).as("example %d", k).isEqualTo(k % 256 == 0);
            assertThat(survivals.sum()).isLessThan(0x1p256);
        }
    }

    @Test
    void shouldCountExactlyWhereNothingIsForgotten() {
        Survivals survivals = survivals("0");
        for (int k = 0; k < 1_000_000; k++) {
            assertThat(survivals.add(k % 2)).isFalse();
        }
        assertThat(survivals.sum()).isEqualTo(500_000);
    }

    private static Survivals survivals(String halfLife) {
        Survivals survivals = new Survivals();
        survivals.configure(Settings.DEFAULTS.with(Map.of("average.halflife", halfLife)));
        return survivals;
    }

    /** C is near 1/(1 - l), about 1.44 half-lives, and the largest and the smallest half-life give finite numbers. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "1000", "1e300"})
    void shouldStayFiniteForEver(String halfLife) {
        Perceptron learner = new Perceptron(Settings.DEFAULTS.with(
                Map.of("predict", "averaged", "average.halflife", halfLife, "bias", "false", "eta", "1e60")));
        Random random = new Random(3);
        for (int n = 0; n < 100_000; n++) {
            int y = random.nextBoolean() ? 1 : -1;
            learner.learn(Sample.dense(y, 1, y * random.nextDouble()).vector(), Label.of(y), 1, outcome);
            assertThat(outcome.predictedScore()).isFinite();
        }
        visit(learner, (where, weight, average) -> assertThat(average).isFinite());
    }

    /** Between example t and t + 1 the half-life changes: the past keeps its proportions. */
    @Test
    void shouldGoOnFromItsAverageWhereTheHalfLifeChanges() {
        Settings first = Settings.DEFAULTS.with(Map.of("predict", "averaged", "average.halflife", "5"));
        Perceptron learner = new Perceptron(first);
        Eager eager = new Eager(5);
        List<Sample> samples = RandomStreams.noisy(new Random(2), 200, 10, 4);
        for (Sample sample : samples.subList(0, 100)) {
            learner.learn(sample.vector(), Label.of(sample.y), 1, outcome);
            eager.add(learner, 1);
        }
        learner.configure(first.with(Map.of("average.halflife", "0")));
        Eager kept = new Eager(Double.POSITIVE_INFINITY);
        kept.sums.putAll(eager.sums);
        kept.count = eager.count;
        // the unit stays that of the first example without forgetting, which is the next in the recurrence of before
        kept.sums.replaceAll((where, sum) -> eager.l * sum);
        kept.count *= eager.l;
        for (Sample sample : samples.subList(100, 200)) {
            learner.learn(sample.vector(), Label.of(sample.y), 1, outcome);
            kept.add(learner, 1);
        }
        visit(learner, (at, weight, average) -> assertThat(average).isCloseTo(kept.mean(at), within(1e-10)));
    }

    @Test
    void shouldStoreTheUnitOnlyWhereSomethingWasForgotten() {
        Settings plain = Settings.DEFAULTS.with(Map.of("predict", "averaged"));
        Settings forgetting = plain.with(Map.of("average.halflife", "3"));
        for (Algorithm algorithm : List.of(Algorithm.PERCEPTRON, Algorithm.PA, Algorithm.SGD)) {
            Learner one = algorithm.create(plain);
            Learner other = algorithm.create(forgetting);
            one.learn(Sample.dense(1, 1).vector(), Label.PLUS_ONE, 1, outcome);
            int numbers = one.state().numbers().size();
            assertThat(other.state().numbers()).hasSize(numbers);
            other.learn(Sample.dense(1, 1).vector(), Label.PLUS_ONE, 1, outcome);
            assertThat(other.state().numbers()).hasSize(numbers + 1);

            List<Double> wrong = new ArrayList<>(other.state().numbers());
            wrong.set(wrong.size() - 1, 0.0);
            assertThatThrownBy(() -> algorithm.create(forgetting).restore(new LearnerState(wrong, List.of())))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("a finite number > 0");
        }
    }

    @Test
    void shouldStoreTheUnitBesideAComparator() {
        Settings settings = Settings.DEFAULTS.with(Map.of("average.halflife", "3", "comparator", "2"));
        Perceptron learner = new Perceptron(settings);
        learner.pin(2);
        for (Sample sample : RandomStreams.noisy(new Random(1), 50, 10, 4)) {
            learner.learn(sample.vector(), Label.of(sample.y), 1, outcome);
        }
        assertThat(learner.pinned()).isNotNull();
        Perceptron restored = new Perceptron(settings);
        restored.restore(learner.state());
        assertThat(restored.state()).isEqualTo(learner.state());
    }

    @ParameterizedTest
    @ValueSource(strings = {"kernel", "arow", "alma"})
    void shouldRefuseToForgetWhereThereIsNoSum(String algorithm) {
        assertThatThrownBy(() -> Settings.DEFAULTS
                        .with(Map.of("average.halflife", "9"))
                        .requireUsedBy(Settings.ALGORITHM.parse(algorithm), Settings.DEFAULTS))
                .hasMessageStartingWith(
                        "average.halflife must be 0.0 with algorithm=" + algorithm + ", got '9.0' (used by");
    }
}
