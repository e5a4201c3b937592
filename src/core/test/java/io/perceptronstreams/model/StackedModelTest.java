package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.evaluation.Counts.Counter;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.RandomStreams;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.state.StoredFields;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The second stage in the life of a model: which label before it has, and what moves with the weights. */
final class StackedModelTest {
    private static final Map<String, String> PLAIN =
            Map.of("algorithm", "sgd", "rate", "adagrad", "scale", "standard", "implicit", "true");
    private static final Map<String, String> STACKED = stacked();

    private final Model model = new Model();
    private final Random random = new Random(1);

    private static Map<String, String> stacked() {
        Map<String, String> all = new HashMap<>(PLAIN);
        all.put("stacked", "true");
        return all;
    }

    /** The formula, written apart. */
    private static final class Stage {
        private final double[] v = {1, 0, 0, 0};
        private final double[] sums = new double[4];
        private final List<Integer> labels = new ArrayList<>();

        private double[] inputs(double score, int before) {
            double lead = labels.stream().mapToInt(y -> y).sum();
            return new double[] {Math.min(1, Math.max(-1, score)), before, lead / (labels.size() + 2), 1};
        }

        private double score(double score, int before) {
            double[] f = inputs(score, before);
            return ((v[0] * f[0] + v[1] * f[1]) + v[2] * f[2]) + v[3] * f[3];
        }

        private double shown(double score, int before) {
            double z = score(score, before);
            double s = inputs(score, before)[0];
            return v[0] > 0 && z * score > 0 ? z + v[0] * (score - s) : z;
        }

        private void learn(double score, int before, int y) {
            double[] f = inputs(score, before);
            double z = y * score(score, before);
            double e = StrictMath.exp(-Math.abs(z));
            double d = z >= 0 ? e / (1 + e) : 1 / (1 + e);
            for (int k = 0; k < 4; k++) {
                double slope = d * f[k];
                sums[k] += slope * slope;
                v[k] += sums[k] == 0 ? 0 : 0.3 * y * (slope / Math.sqrt(sums[k]));
            }
            labels.add(y);
        }
    }

    /** An example whose label is still to come. */
    private record Open(int number, Sample sample, int before, Waiting then, Waiting ofPlain) {}

    private static Waiting waits(Model of, Example example, int number) {
        InputRecord record = new InputRecord(null, number, number, number, false);
        return of.waiting(example, null, record, of.current().version());
    }

    private static Example unlabelled(Sample sample) {
        Example example = sample.example();
        example.setLabel(null);
        return example;
    }

    /** Labels in runs, in time, late, out of order, or never; frozen now and then. */
    @SeededTest
    void shouldHaveTheLabelBeforeOfTheStream(long seed) {
        Model plain = new Model();
        plain.configure(PLAIN);
        model.configure(STACKED);
        Random story = new Random(seed);
        List<Sample> samples = RandomStreams.noisy(story, 800, 20, 5);
        Stage stage = new Stage();
        List<Open> open = new ArrayList<>();
        int before = 0;
        int last = -1;
        boolean isFrozen = false;
        int known = 0;
        int afterLate = 0;
        boolean isLateBefore = false;
        for (int n = 0; n < samples.size(); n++) {
            if (n > 20 && story.nextInt(40) == 0) {
                isFrozen = !isFrozen;
                model.freeze(isFrozen);
                plain.freeze(isFrozen);
            }
            Sample sample = samples.get(n);
            String place = "seed " + seed + ", " + n;
            if (n > 5 && story.nextInt(3) == 0) {
                double s = plain.use(unlabelled(sample), n, null, null).predictedScore();
                Outcome outcome = model.use(unlabelled(sample), n, null, null);
                assertThat(outcome.predictedScore()).as(place).isEqualTo(stage.shown(s, before));
                open.add(new Open(
                        n, sample, before, waits(model, unlabelled(sample), n), waits(plain, unlabelled(sample), n)));
                before = 0;
                last = n;
            } else {
                double s = plain.use(sample.example(), n, null, null).predictedScore();
                Outcome outcome = model.use(sample.example(), n, null, null);
                assertThat(outcome.predictedScore()).as(place).isEqualTo(stage.shown(s, before));
                if (!isFrozen) {
                    stage.learn(s, before, sample.y);
                }
                known += before == 0 ? 0 : 1;
                afterLate += before != 0 && isLateBefore ? 1 : 0;
                before = sample.y;
                last = -1;
            }
            isLateBefore = false;
            while (!open.isEmpty() && story.nextInt(3) == 0) {
                Open late = open.remove(story.nextBoolean() ? open.size() - 1 : story.nextInt(open.size()));
                double s = plain.use(late.sample.example(), n, late.ofPlain, Counter.LATE)
                        .predictedScore();
                Outcome outcome = model.use(late.sample.example(), n, late.then, Counter.LATE);
                assertThat(outcome.predictedScore()).as(place).isEqualTo(stage.shown(s, late.before));
                if (!isFrozen) {
                    stage.learn(s, late.before, late.sample.y);
                }
                if (late.number == last) {
                    before = late.sample.y;
                    isLateBefore = true;
                }
            }
            // what asks changes nothing
            double asked = plain.evaluate(unlabelled(samples.get(0))).predictedScore();
            assertThat(model.evaluate(unlabelled(samples.get(0))).predictedScore())
                    .as(place)
                    .isEqualTo(stage.shown(asked, before));
            assertThat(model.current().evaluateApart(unlabelled(samples.get(0))).predictedScore())
                    .as(place)
                    .isEqualTo(stage.shown(asked, 0));
        }
        assertThat(known).isGreaterThan(100);
        assertThat(afterLate).isGreaterThan(10);
        assertThat(model.counts().totals().errors())
                .isNotEqualTo(plain.counts().totals().errors());
    }

    /** A challenger is what the model with its settings would be, also after its promotion. */
    @SeededTest
    void shouldBeTheSameAsAChallenger(long seed) {
        Model champion = new Model();
        champion.configure(PLAIN);
        model.configure(STACKED);
        champion.challenge(Map.of("challenger", "second", "stacked", "true"));
        Challenger challenger = champion.challengers().find("second");
        Random story = new Random(seed);
        List<Open> open = new ArrayList<>();
        List<Sample> samples = RandomStreams.noisy(story, 400, 20, 5);
        for (int n = 0; n < samples.size(); n++) {
            Sample sample = samples.get(n);
            if (n == 300) {
                champion.promote(Map.of("challenger", "second"));
                assertThat(champion.pipeline().given().toMap()).containsEntry("stacked", "true");
            }
            boolean isLabelled = n == 0 || story.nextBoolean();
            Example example = isLabelled ? sample.example() : unlabelled(sample);
            Example same = isLabelled ? sample.example() : unlabelled(sample);
            Outcome expected = model.use(example, n, null, null);
            Outcome own = champion.use(same, n, null, null);
            Outcome outcome = n < 300 ? challenger.model().outcome() : own;
            assertThat(outcome.predictedScore()).as("seed %d, %d", seed, n).isEqualTo(expected.predictedScore());
            assertThat(outcome.labelBefore()).isEqualTo(expected.labelBefore());
            if (!isLabelled) {
                open.add(new Open(n, sample, 0, waits(model, example, n), waits(champion, same, n)));
            }
            while (!open.isEmpty() && story.nextBoolean()) {
                Open late = open.remove(open.size() - 1);
                model.use(late.sample.example(), n, late.then, Counter.LATE);
                champion.use(late.sample.example(), n, late.ofPlain, Counter.LATE);
            }
        }
        assertThat(champion.pipeline().learner().state())
                .isEqualTo(model.pipeline().learner().state());
        // and the former champion goes on without one
        assertThat(champion.challengers()
                        .find(Challenger.PREVIOUS)
                        .model()
                        .pipeline()
                        .given()
                        .toMap())
                .containsEntry("stacked", "false");
    }

    private int labelBefore(Sample sample) {
        return model.use(sample.example(), 0, null, null).labelBefore();
    }

    @Test
    void shouldKeepTheLabelBeforeWhereOtherWeightsTakeOver() {
        List<Sample> samples = RandomStreams.noisy(random, 40, 20, 5);
        model.configure(STACKED);
        assertThat(labelBefore(samples.get(0))).isZero();
        assertThat(labelBefore(samples.get(1))).isEqualTo(samples.get(0).y);

        model.reset(Map.of());
        assertThat(labelBefore(samples.get(2))).isEqualTo(samples.get(1).y);

        Model imported = new Model();
        imported.configure(STACKED);
        for (Sample sample : samples.subList(10, 40)) {
            imported.process(sample.example(), 0);
        }
        // a snapshot has no label before
        Model bare = new Model(EpochModel.restored(
                0,
                imported.pipeline().given(),
                imported.pipeline().negative(),
                imported.pipeline().algorithm(),
                imported.pipeline().learner().state()));
        model.replaceWith(bare);
        assertThat(labelBefore(samples.get(3))).isEqualTo(samples.get(2).y);

        model.delete();
        model.configure(STACKED);
        assertThat(labelBefore(samples.get(4))).isZero();
    }

    /** A copy predicts as the original does. */
    @Test
    void shouldGoOnAsACopy() {
        List<Sample> samples = RandomStreams.noisy(random, 200, 20, 5);
        model.configure(STACKED);
        for (Sample sample : samples.subList(0, 100)) {
            model.process(sample.example(), 0);
        }
        Model copy = new Model(model.current().copy(3));
        for (Sample sample : samples.subList(100, 200)) {
            Outcome outcome = copy.process(sample.example(), 0);
            assertThat(outcome.predictedScore())
                    .isEqualTo(model.process(sample.example(), 0).predictedScore());
        }
    }

    /** A probability is one of the emitted label. */
    @Test
    void shouldMakeProbabilitiesOfItsOwnScore() {
        Map<String, String> sure = stacked();
        sure.put("calibrate", "platt");
        sure.put("coverage", "0.9");
        model.configure(sure);
        int ofEmitted = 0;
        for (Sample sample : RandomStreams.noisy(random, 400, 20, 5)) {
            Outcome outcome = model.process(sample.example(), 0);
            boolean isPositive = outcome.predictedScore() >= 0;
            assertThat(outcome.predicted()).isEqualTo(Label.of(isPositive ? 1 : -1));
            ofEmitted += outcome.millionths() >= 500_000 ? 1 : 0;
        }
        assertThat(ofEmitted).isGreaterThan(350);
    }

    @Test
    void shouldRefuseAStoredLabelBeforeThatIsNone() {
        StoredFields out = new StoredFields();
        out.signed(2);
        out.signed(-1);
        out.upTo(Short.MAX_VALUE, 0);

        assertThatThrownBy(() -> new LabelBefore().exchange(new StoredFields(out.toBytes())))
                .hasMessageContaining("a stored model must have a label before of -1, 0 or 1, got 2");
    }
}
