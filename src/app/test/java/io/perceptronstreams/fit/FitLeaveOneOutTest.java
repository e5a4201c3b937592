package io.perceptronstreams.fit;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.ExampleBuffer;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.model.BatchTrainer;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.theory.BoundsReport;
import io.perceptronstreams.theory.TrainingRun;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The bound |S| on leave-one-out errors against trainings without each example in turn. */
final class FitLeaveOneOutTest {
    private static final int PASSES = 2;

    private static final List<String> SETTINGS = List.of(
            "h=0",
            "h=1 bias=false",
            "class.weights=-1:1,1:3 h.positive=2",
            "kernel=poly(c=1,k=2)",
            "budget=3 budget.policy=random",
            "algorithm=pa",
            "algorithm=pa-i c=0.1 scale=unit-norm",
            "algorithm=arow",
            "algorithm=scw",
            "algorithm=alma",
            "algorithm=romma aggressive=true",
            "algorithm=pdm",
            "algorithm=sgd loss=hinge rate=adagrad normalised=true",
            "algorithm=multiclass",
            "algorithm=multiclass-pa",
            "algorithm=softmax rate=adagrad",
            "threshold=0.5",
            "drift=ddm");

    @SeededTest
    void shouldBoundTheErrors(long seed) {
        Random random = new Random(seed);
        int below = 0;
        for (int n = 0; n < 50; n++) {
            List<Sample> samples = samples(random);
            for (String settings : SETTINGS) {
                long support = facts(trained(samples, settings), settings).support();
                assertThat(errors(samples, settings))
                        .as("seed %d, %s", seed, settings)
                        .isLessThanOrEqualTo((int) support);
                below += support < samples.size() ? 1 : 0;
            }
        }
        assertThat(below).isGreaterThan(100);
    }

    /** Around (0.5, 0.5) by the label, as whole numbers. */
    private static List<Sample> samples(Random random) {
        List<Sample> samples = new ArrayList<>();
        for (int k = 0; k < 12; k++) {
            int y = random.nextBoolean() ? 1 : -1;
            double[] x = {
                Math.rint(0.5 + 2 * y + 1.5 * random.nextGaussian()), Math.rint(0.5 + y + random.nextGaussian())
            };
            samples.add(Sample.dense(y, x));
        }
        return samples;
    }

    /** It was 6 of 8, but 7 trainings without one of them predicted it wrongly. */
    @Test
    void shouldNotBeStatedForBalancedClasses() {
        List<Sample> samples = List.of(
                Sample.dense(1, 3, 1),
                Sample.dense(1, 3, 1),
                Sample.dense(-1, 3, -3),
                Sample.dense(1, 1, 3),
                Sample.dense(-1, -2, -2),
                Sample.dense(1, -3, -2),
                Sample.dense(-1, -2, -1),
                Sample.dense(-1, 3, 3));
        String settings = "class.weights=balanced";

        assertThat(errors(samples, settings)).isEqualTo(7);
        assertThat(facts(trained(samples, settings), settings).support()).isEqualTo(-1);
    }

    @ParameterizedTest
    @CsvSource({
        "scale=standard, -1",
        "drift=adwin drift.action=reset, -1",
        "drift=adwin drift.action=shadow, -1",
        "drift=none drift.action=reset, 1",
        "drift=adwin, 1"
    })
    void shouldNotBeStatedWhereOtherExamplesChangeTheModel(String settings, long support) {
        List<Sample> samples = List.of(Sample.dense(-1, 1, 1), Sample.dense(1, -1, -1));

        assertThat(facts(trained(samples, settings), settings).support()).isEqualTo(support);
    }

    /**
     * It was 0.2006 with {@code predict=averaged}, although every training without one example predicted it wrongly,
     * and the uniform bound was 0.118 with 3,000 errors in 3,001 examples.
     */
    @ParameterizedTest
    @CsvSource({"averaged, 3000", "voted, 1"})
    void shouldNotBoundTheErrorsOfWWhereOthersAreEmitted(String predict, int errors) {
        List<Sample> samples = new ArrayList<>(Collections.nCopies(3_001, Sample.dense(1, 1)));
        samples.set(0, Sample.dense(-1, 600));
        String settings = "bias=false predict=" + predict;

        TrainingRun facts = facts(trained(samples, settings), settings);
        // -600, 1 after 601 updates by +1; in the second pass -599
        assertThat(facts.support()).isEqualTo(602);
        assertThat(facts.trainingError()).isEqualTo(errors / 3_001.0);
        Map<String, BoundsReport.Line> lines = new HashMap<>();
        BoundsReport.of(facts).forEach(line -> lines.put(line.name(), line));
        assertThat(lines.get("leave-one-out error").text())
                .startsWith("does not apply: it is about the predictions of w")
                .contains("predict=" + predict);
        if (predict.equals("voted")) {
            assertThat(lines.get("uniform bound").text()).startsWith("does not apply: ");
        } else {
            assertThat(lines.get("uniform bound").value()).isGreaterThan(3_000 / 3_001.0);
        }
    }

    @Test
    void shouldNotTakeTheScoreOfNormalisedUpdatesForAMargin() {
        List<Sample> samples = List.of(Sample.dense(-1, 1, 1), Sample.dense(1, -1, -1));
        assertThat(facts(trained(samples, "algorithm=sgd"), "").margin()).isPositive();
        assertThat(facts(trained(samples, "algorithm=sgd normalised=true"), "").margin())
                .isNaN();
    }

    @Test
    void shouldNotApplyTheoremsOfTwoClassesToSeveral() {
        List<Sample> samples = List.of(Sample.dense(-1, 1, 1), Sample.dense(1, -1, -1));
        assertThat(facts(trained(samples, "algorithm=multiclass-pa"), "").kind())
                .isEqualTo(TrainingRun.Kind.OTHER_STRUCTURED);
    }

    private record Training(Model model, ExampleBuffer examples, BatchTrainer trainer, BatchTrainer.Pass last) {}

    private static Training trained(List<Sample> samples, String settings) {
        Map<String, String> map = new HashMap<>();
        for (String each : settings.split(" ", -1)) {
            map.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
        }
        Model model = new Model();
        model.configure(map);
        ExampleBuffer examples = new ExampleBuffer();
        samples.forEach(sample -> examples.add(sample.example()));
        BatchTrainer trainer = new BatchTrainer(model, examples, BatchTrainer.Order.FILE, 1);
        List<BatchTrainer.Pass> passes = new ArrayList<>();
        trainer.train(PASSES, new BatchTrainer.Watcher() {
            @Override
            public boolean keepGoing(long done) {
                return true;
            }

            @Override
            public void passed(BatchTrainer.Pass pass) {
                passes.add(pass);
            }
        });
        return new Training(model, examples, trainer, passes.get(passes.size() - 1));
    }

    private static TrainingRun facts(Training of, String settings) {
        TrainingRun facts =
                FitFacts.of(of.model, of.examples, of.trainer, of.last, BatchTrainer.Order.FILE, null, done -> true);
        assertThat(facts).as(settings).isNotNull();
        return facts;
    }

    private static int errors(List<Sample> samples, String settings) {
        int errors = 0;
        for (int left = 0; left < samples.size(); left++) {
            List<Sample> others = new ArrayList<>(samples);
            Sample sample = others.remove(left);
            Outcome outcome = trained(others, settings).model.current().evaluate(sample.example());
            errors += outcome.isError() ? 1 : 0;
        }
        return errors;
    }
}
