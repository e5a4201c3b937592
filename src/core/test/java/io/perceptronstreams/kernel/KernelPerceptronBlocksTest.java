package io.perceptronstreams.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.learner.Bits;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.LearnerState;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.learner.WeightList;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.Blocks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Blocks of a kernel perceptron: what they hold, what is refused, and the limits of their size. */
final class KernelPerceptronBlocksTest {
    private final Outcome outcome = new Outcome();

    private static KernelPerceptron kernelPerceptron(String... pairs) {
        return new KernelPerceptron(KernelPerceptronTest.settings(pairs));
    }

    private void learn(Learner learner, Sample sample) {
        learner.learn(sample.vector(), Label.of(sample.y), sample.weight, outcome);
    }

    @Test
    void shouldStoreOneEntryForAMistakeAndOneNumberForASurvival() {
        KernelPerceptron learner = kernelPerceptron("kernel", "linear");
        for (Sample sample : KernelPerceptronTest.integers(new Random(5), 500, 40)) {
            learn(learner, sample);
            List<Integer> terms = new ArrayList<>();
            List<Integer> rows = new ArrayList<>();
            learner.blocks().get(0).drainChanged((number, block) -> terms.add(number));
            learner.blocks().get(1).drainChanged((number, block) -> rows.add(number));

            assertThat(terms).hasSize(1);
            assertThat(rows).hasSize(outcome.isUpdated() ? 1 : 0);
        }
    }

    @SeededTest
    void shouldTakeItsBlocksBackInAnyOrder(long seed) {
        Random random = new Random(seed);
        Settings settings = KernelPerceptronTest.settings(
                "kernel", "poly(c=1,k=2)", "predict", "averaged", "budget", "40", "budget.policy", "random");
        KernelPerceptron original = new KernelPerceptron(settings);
        KernelPerceptronTest.integers(random, 400, 30).forEach(sample -> learn(original, sample));
        List<Map.Entry<List<Integer>, double[]>> blocks = new ArrayList<>();
        for (int vector = 0; vector < original.blocks().size(); vector++) {
            int of = vector;
            original.blocks()
                    .get(vector)
                    .drainChanged((number, block) -> blocks.add(Map.entry(List.of(of, number), block.clone())));
        }
        Collections.shuffle(blocks, random);

        KernelPerceptron restored = new KernelPerceptron(settings);
        restored.restore(original.state());
        blocks.forEach(each -> restored.blocks()
                .get(each.getKey().get(0))
                .restore(each.getKey().get(1), each.getValue()));

        for (Sample sample : KernelPerceptronTest.integers(random, 200, 30)) {
            learn(original, sample);
            List<Object> expected = Bits.of(outcome);
            learn(restored, sample);
            assertThat(Bits.of(outcome)).isEqualTo(expected);
        }
        assertThat(Bits.of(restored)).isEqualTo(Bits.of(original));
    }

    /** Integers, so that all sums are exact: the naive implementation keeps a vector for every update. */
    @SeededTest
    void shouldLearnFromRepeatedExamplesAsWithAVectorForEachUpdate(long seed) {
        for (String policy : List.of("oldest", "smallest")) {
            for (String budget : List.of("0", "12")) {
                Random random = new Random(seed);
                Settings settings = KernelPerceptronTest.settings(
                        "kernel", "poly(c=1,k=2)", "budget", budget, "budget.policy", policy, "h", "9", "bias", "true");
                KernelPerceptron learner = new KernelPerceptron(settings);
                NaiveDual naive = new NaiveDual(settings);
                List<Sample> few = KernelPerceptronTest.integers(random, 8, 6);
                for (int k = 0; k < 150; k++) {
                    // a label at random: many updates
                    Sample features = few.get(random.nextInt(few.size()));
                    Sample sample = Sample.sparse(random.nextBoolean() ? 1 : -1, features.indices, features.values);
                    double expected = naive.last(sample);
                    learn(learner, sample);
                    naive.learn(sample);
                    assertThat(outcome.score())
                            .as("seed %d, %s of %s, example %d", seed, policy, budget, k)
                            .isEqualTo(expected);
                    if (random.nextInt(20) == 0) {
                        learner = restored(learner, settings, random.nextBoolean());
                    }
                }
                assertThat(learner.weightNorm()).isEqualTo(Math.sqrt(naive.squaredNorm()));
                assertThat(naive.terms.stream()
                                .map(term -> term.x().indices)
                                .distinct()
                                .count())
                        .as("examples with several updates")
                        .isLessThan(naive.terms.size());
            }
        }
    }

    /** @param isOld whether each vector has its features, as states of earlier versions */
    private static KernelPerceptron restored(KernelPerceptron learner, Settings settings, boolean isOld) {
        Map<Integer, double[]> rows = new TreeMap<>();
        learner.blocks().get(1).forEach((number, block) -> rows.put(number, block.clone()));
        KernelPerceptron restored = new KernelPerceptron(settings);
        restored.restore(learner.state());
        learner.blocks()
                .get(0)
                .forEach((number, block) -> restored.blocks().get(0).restore(number, block.clone()));
        rows.forEach((number, block) -> restored.blocks()
                .get(1)
                .restore(
                        number,
                        isOld && block[0] == 2 ? rows.get((int) block[1]).clone() : block));
        restored.checkBlocks();
        return restored;
    }

    @Test
    void shouldStoreAndListTheFeaturesOfAnExampleOnce() {
        KernelPerceptron learner = kernelPerceptron("kernel", "poly(c=1,k=2)", "h", "1e6");
        Sample one = Sample.dense(1, 1, 2, 3, 4);
        Sample other = Sample.dense(-1, 4, 3, 2, 1);
        for (Sample sample : List.of(one, other, one, one, other)) {
            learn(learner, sample);
        }
        assertThat(rows(learner))
                .containsExactly(
                        "[0.0, 1.0, 2.0, 3.0, 4.0]",
                        "[0.0, 4.0, 3.0, 2.0, 1.0]",
                        "[2.0, 0.0]",
                        "[2.0, 0.0]",
                        "[2.0, 1.0]");
        // the shares of the five terms in the average are 5/5, 4/5, …: 1 + 0.6 + 0.4 and -0.8 - 0.2
        assertThat(WeightList.of(learner)).containsExactly("support 0.0 0.0", "0 3.0 2.0", "1 -2.0 -1.0");

        // the budget removes the first vector of each: another one of the same example stores the features
        learner.configure(KernelPerceptronTest.settings("kernel", "poly(c=1,k=2)", "h", "1e6", "budget", "4"));
        learn(learner, one.withWeight(0.5));
        assertThat(rows(learner))
                .containsExactly("[2.0, 2.0]", "[0.0, 1.0, 2.0, 3.0, 4.0]", "[2.0, 2.0]", "[0.0, 4.0, 3.0, 2.0, 1.0]");
    }

    private static List<String> rows(KernelPerceptron learner) {
        List<String> rows = new ArrayList<>();
        learner.blocks().get(1).forEach((number, block) -> rows.add(Arrays.toString(block)));
        return rows;
    }

    // What an import brings was not made by this learner, and must be refused before it can end in the middle of a
    // stream.
    @Test
    void shouldRefuseBlocksThatDoNotBelongTogether() {
        double[] terms = new double[3 * 128];
        terms[0] = 1;
        terms[2 * 128] = 1;
        double[] late = terms.clone();
        late[2 * 128] = 9;
        double[] row = {1, 3, 0.5};

        assertThat(isTaken(terms, 0, row)).isTrue();
        assertThat(isTaken(late, 0, row))
                .as("a serial number above the updates")
                .isFalse();
        assertThat(isTaken(new double[3 * 128], 0, row)).as("no term").isFalse();
        assertThat(isTaken(terms, 1, row)).as("features of another slot").isFalse();
        assertThat(isTaken(terms, 1 << 30, row)).as("a slot beyond all memory").isFalse();
        assertThat(isTaken(terms, 0, new double[0])).as("an empty block").isFalse();
        assertThat(isTaken(terms, 0, new double[] {2, 3, 0.5}))
                .as("no such form")
                .isFalse();
        assertThat(isTaken(terms, 0, new double[] {1, 3})).as("half a pair").isFalse();
        assertThat(isTaken(terms, 0, new double[] {1, 3, 1, 3, 1}))
                .as("twice an index")
                .isFalse();
        assertThat(isTaken(terms, 0, new double[] {2, 0})).as("itself").isFalse();
        assertThat(isTaken(terms, 0, new double[] {2, 7}))
                .as("features of no slot")
                .isFalse();
        assertThat(isTaken(terms, 0, new double[] {4, 0.5, 3, 0.5}))
                .as("with a bias")
                .isTrue();
        assertThat(isTaken(terms, 0, new double[] {4, 0.5, 3}))
                .as("half a pair after the bias")
                .isFalse();
        assertThat(isTaken(terms, 0, new double[] {3})).as("no bias").isFalse();
        assertThat(isTaken(terms, 0, new double[] {3, Double.NaN}))
                .as("not a number")
                .isFalse();
        assertThat(isTaken(terms, 0, new double[] {1, 3.5, 1})).as("no index").isFalse();
        assertThat(isTaken(terms, 0, new double[] {1, 1e10, 1})).as("too large").isFalse();
    }

    @Test
    void shouldRefuseIdsThatAreNone() {
        double[] id = {0x6261, 1};
        assertThat(isTakenAsId(0, id)).isTrue();
        assertThat(isTakenAsId(1, id)).as("of a free slot").isFalse();
        assertThat(isTakenAsId(1 << 30, id)).as("a slot beyond all memory").isFalse();
        for (double[] none : new double[][] {
            {}, new double[11], {1, 0}, {0}, {Double.NaN}, {0.5}, {-1}, {0x1p48}, {Double.POSITIVE_INFINITY}
        }) {
            assertThat(isTakenAsId(0, none)).as(Arrays.toString(none)).isFalse();
        }
    }

    private boolean isTakenAsId(int slot, double[] id) {
        double[] terms = new double[3 * 128];
        terms[0] = 1;
        terms[2 * 128] = 1;
        return isTaken(
                terms, 0, new double[] {1, 3, 0.5}, blocks -> blocks.get(2).restore(slot, id));
    }

    private boolean isTaken(double[] terms, int slot, double[] row) {
        return isTaken(terms, slot, row, blocks -> {});
    }

    private boolean isTaken(double[] terms, int slot, double[] row, Consumer<List<Blocks>> more) {
        KernelPerceptron learner = kernelPerceptron("kernel", "linear");
        learner.restore(new LearnerState(List.of(1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0), List.of()));
        try {
            learner.blocks().get(0).restore(0, terms.clone());
            learner.blocks().get(1).restore(slot, row);
            more.accept(learner.blocks());
            learner.predict(Sample.dense(1, 1).vector(), outcome);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    @Test
    void shouldRefuseToLearnFromAnExampleTooLargeForOneRecord() {
        KernelPerceptron learner = kernelPerceptron("kernel", "linear");
        learn(learner, Sample.dense(1, 1));
        Sample most = nonZeros(-1, 32_767);
        Sample tooMany = nonZeros(-1, 32_768);
        List<Object> before = Bits.of(learner);

        learner.predict(tooMany.vector(), outcome);
        RejectedException rejection = catchThrowableOfType(RejectedException.class, () -> learn(learner, tooMany));

        assertThat(rejection.reason()).isEqualTo(RejectReason.UNSUPPORTED_FEATURES);
        assertThat(rejection).hasMessageContaining("more than 65535 numbers").hasMessageContaining("got 65537");
        assertThat(Bits.of(learner)).isEqualTo(before);
        learn(learner, most);
        learner.blocks()
                .get(1)
                .drainChanged((number, block) -> assertThat(block.length * 8).isLessThan(512 * 1024));
    }

    @Test
    void shouldStoreDenseExamplesInLessThanHalfAMebibyteToo() {
        double[] most = new double[65_534];
        double[] tooMany = new double[65_535];
        Arrays.fill(most, 1);
        Arrays.fill(tooMany, 1);
        KernelPerceptron learner = kernelPerceptron("kernel", "linear");
        learn(learner, Sample.dense(1, most));
        learner.blocks()
                .get(1)
                .drainChanged((number, block) -> assertThat(block.length * 8).isLessThan(512 * 1024));

        assertThat(catchThrowableOfType(RejectedException.class, () -> learn(learner, Sample.dense(-1, tooMany))))
                .hasMessageContaining("got 65536");
    }

    /** Every other index, so that the dense form is no shorter. */
    private static Sample nonZeros(int y, int n) {
        int[] indices = new int[n];
        double[] values = new double[n];
        for (int k = 0; k < n; k++) {
            indices[k] = 2 * k + 1;
            values[k] = 1;
        }
        return Sample.sparse(y, indices, values);
    }

    @Test
    void shouldBoundTheSupportByBlocksMax() {
        // 100 values and what says that they are dense fill one block of 128 numbers
        double[] values = new double[100];
        Arrays.fill(values, 1);
        KernelPerceptron learner = kernelPerceptron("blocks.max", "2", "kernel", "linear");
        learn(learner, Sample.dense(1, values));
        learn(learner, Sample.dense(-1, values));
        List<Object> before = Bits.of(learner);

        RejectedException rejection =
                catchThrowableOfType(RejectedException.class, () -> learn(learner, Sample.dense(1, values)));

        assertThat(rejection.reason()).isEqualTo(RejectReason.MODEL_FULL);
        assertThat(rejection).hasMessageContaining("blocks.max = 2").hasMessageContaining("set a budget");
        assertThat(Bits.of(learner)).isEqualTo(before);
        learner.configure(KernelPerceptronTest.settings("blocks.max", "2", "kernel", "linear", "budget", "2"));
        learn(learner, Sample.dense(1, values));
        assertThat(outcome.isUpdated()).isTrue();
    }
}
