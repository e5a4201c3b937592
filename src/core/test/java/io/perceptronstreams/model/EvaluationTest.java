package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.ExampleBuffer;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.settings.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is counted and measured without learning. */
final class EvaluationTest {
    private final Model model = new Model();
    private final ExampleBuffer examples = new ExampleBuffer();
    private final List<Outcome.Kind> kinds = new ArrayList<>();
    private final List<Double> margins = new ArrayList<>();

    private Evaluation evaluate(Settings.Predict predict) {
        return Evaluation.of(model, examples, predict, done -> true, (position, outcome, margin) -> {
            kinds.add(outcome == null ? null : outcome.kind());
            margins.add(margin);
        });
    }

    /** The weight is 1 for three examples and -2 after the fourth one, their mean 1/4. */
    @Test
    void shouldPredictAsItIsToldAndLeaveTheSettingAsItIs() {
        model.configure(Map.of("bias", "false", "predict", "averaged"));
        for (Sample sample : List.of(Sample.dense(1, 1), Sample.dense(1, 1), Sample.dense(1, 1), Sample.dense(-1, 3))) {
            model.process(sample.example(), 0);
        }
        examples.add(Sample.dense(-1, 2).example());
        examples.add(Sample.dense(1, -3).example());

        Evaluation last = evaluate(Settings.Predict.LAST);
        assertThat(last.errors()).isZero();
        assertThat(model.pipeline().settings().get(Settings.PREDICT)).isEqualTo(Settings.Predict.AVERAGED);
        assertThat(evaluate(Settings.Predict.AVERAGED).errors()).isEqualTo(2);
        // of the weights that learn
        assertThat(margins).containsExactly(4.0, 6.0, 4.0, 6.0);
        assertThat(last.leastMargin()).isEqualTo(4);
        assertThat(last.features()).isEqualTo(1);
    }

    /** The first feature is 101 for a and 99 for b, which only standardized are on two sides. */
    @Test
    void shouldCountALabelThatTheModelDoesNotHaveAsAnErrorOfItsPrediction() {
        model.configure(Map.of("scale", "standard", "classes", "a,b"));
        for (int k = 0; k < 20; k++) {
            model.process(named(k % 2 == 0 ? "a" : "b", k % 2 == 0 ? 101 : 99, k), 0);
        }
        examples.add(named("a", 101, 10));
        examples.add(named("b", 99, 10));
        examples.add(named("c", 101, 10));

        Evaluation evaluation = evaluate(Settings.Predict.LAST);

        assertThat(evaluation.labelled()).isEqualTo(3);
        assertThat(evaluation.errors()).isEqualTo(1);
        assertThat(kinds).containsExactly(Outcome.Kind.CORRECT, Outcome.Kind.CORRECT, null);
        assertThat(margins.get(2)).isNaN();
        assertThat(evaluation.leastMargin()).isNaN();
        // the prediction for c is a
        assertThat(evaluation.metrics().predicted(0)).isEqualTo(2);
    }

    private static Example named(String label, double... values) {
        Example example = Sample.dense(1, values).example();
        example.setLabel(new Label.ClassName(label));
        return example;
    }

    @Test
    void shouldMeasureMarginsOfSequencesOnlyWithAHinge() {
        for (String h : List.of("0", "1")) {
            Model sequences = new Model();
            sequences.configure(Map.of("algorithm", "sequence", "bias", "false", "h", h));
            Example example = sequence("N", "V");
            sequences.process(example, 0);
            sequences.process(sequence("N", "V"), 0);
            ExampleBuffer one = new ExampleBuffer();
            one.add(sequence("N", "V"));

            Evaluation evaluation = Evaluation.of(
                    sequences, one, Settings.Predict.LAST, done -> true, (position, outcome, margin) -> {});

            assertThat(evaluation.errors()).isZero();
            assertThat(evaluation.tags()).isEqualTo(2);
            assertThat(evaluation.wrongTags()).isZero();
            if (h.equals("0")) {
                assertThat(evaluation.leastMargin()).isNaN();
            } else {
                // N V has the score 5: two features, start, pair and end; N N has 2
                assertThat(evaluation.leastMargin()).isCloseTo(3, within(1e-12));
            }
        }
    }

    private static Example sequence(String... tags) {
        Sequence tokens = new Sequence();
        for (int k = 0; k < tags.length; k++) {
            tokens.append().append(k, 1);
        }
        Example example = new Example();
        example.setFeatures(tokens);
        example.setLabel(new Label.Tags(List.of(tags)));
        return example;
    }
}
