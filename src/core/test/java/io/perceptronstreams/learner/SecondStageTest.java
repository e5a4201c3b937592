package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The second stage against its golden trace and its formula, and what it leaves to the learner. */
final class SecondStageTest {
    private static final Map<String, String> STACKED = Map.of("stacked", "true");

    private final Outcome outcome = new Outcome();

    private static Sgd sgd(Map<String, String> changes) {
        Map<String, String> all = new HashMap<>(changes);
        all.put("algorithm", "sgd");
        return new Sgd(Settings.DEFAULTS.with(all));
    }

    private static List<Double> weights(SecondStage stage) {
        return StateFields.write(stage::exchange).numbers().subList(0, 4);
    }

    @Test
    void shouldGoAsTheTraceSays() throws IOException {
        SecondStage stage = new SecondStage();
        int lines = 0;
        for (String line : Files.readAllLines(Path.of("src/test/resources/golden/stacked.trace"))) {
            if (line.startsWith("#") || line.isEmpty()) {
                continue;
            }
            String[] parts = line.split(" \\| ", -1);
            String[] input = parts[0].split(" \\*?", -1);
            String[] expected = parts[1].split(" ", -1);
            double u = Double.parseDouble(input[0]);
            double score = stage.score(u, Integer.parseInt(input[1]));
            double shown = stage.shown(u);
            stage.learn(Integer.parseInt(input[2]), input.length > 3 ? Double.parseDouble(input[3]) : 1);

            assertThat(score).as(line).isCloseTo(Double.parseDouble(expected[0]), within(1e-13));
            assertThat(shown).as(line).isCloseTo(Double.parseDouble(expected[1]), within(1e-13));
            for (int k = 0; k < 4; k++) {
                assertThat(weights(stage).get(k))
                        .as(line)
                        .isCloseTo(Double.parseDouble(expected[k + 2]), within(1e-13));
            }
            lines++;
        }
        assertThat(lines).isEqualTo(10);
    }

    @Test
    void shouldPredictAsTheScoreBeforeTheFirstLabel() {
        SecondStage stage = new SecondStage();
        for (double score : new double[] {-3, -0.5, -0.0, 0, 1e-300, 0.5, 7}) {
            for (int before : new int[] {-1, 0, 1}) {
                assertThat(stage.score(score, before)).isEqualTo(Math.max(-1, Math.min(1, score)));
                assertThat(stage.shown(score)).isEqualTo(score);
            }
        }
    }

    @Test
    void shouldStayFiniteWithTheLargestAndSmallestWeights() {
        for (double weight : new double[] {Double.MAX_VALUE, Double.MIN_VALUE}) {
            SecondStage stage = new SecondStage();
            for (int k = 0; k < 100; k++) {
                stage.score(k % 3 - 1, k % 2);
                stage.learn(k % 5 < 2 ? 1 : -1, weight);
            }
            assertThat(weights(stage)).allMatch(Double::isFinite);
            SecondStage restored = new SecondStage();
            StateFields.read(StateFields.write(stage::exchange), "a second stage", restored::exchange);
            assertThat(weights(restored)).isEqualTo(weights(stage));
        }
    }

    /** What it computes is a function of the scores of the learner without it, and of labels. */
    @SeededTest
    void shouldLeaveTheLearnerAsItIs(long seed) {
        for (String predict : List.of("last", "averaged")) {
            Map<String, String> settings =
                    Map.of("predict", predict, "rate", "adagrad", "implicit", "true", "loss", "hinge");
            Sgd plain = sgd(settings);
            Map<String, String> more = new HashMap<>(settings);
            more.putAll(STACKED);
            Sgd stacked = sgd(more);
            SecondStage stage = new SecondStage();
            Outcome expected = new Outcome();
            Random random = new Random(seed);
            int different = 0;
            for (Sample sample : RandomStreams.noisy(random, 500, 50, 6)) {
                double weight = 0.5 + random.nextDouble();
                int before = random.nextInt(3) - 1;
                FeatureVector x = sample.vector();
                x.setLabelBefore(before);
                plain.learn(sample.vector(), Label.of(sample.y), weight, expected);

                stacked.learn(x, Label.of(sample.y), weight, outcome);

                double score = stage.score(expected.predictedScore(), before);
                double shown = stage.shown(expected.predictedScore());
                stage.learn(sample.y, weight);
                assertThat(outcome.predictedScore()).as("seed %d", seed).isEqualTo(shown);
                assertThat(Math.signum(shown)).isEqualTo(Math.signum(score));
                assertThat(Math.abs(shown)).isGreaterThanOrEqualTo(Math.abs(score));
                assertThat(outcome.predicted()).isEqualTo(Label.of(score >= 0 ? 1 : -1));
                assertThat(outcome.isError()).isEqualTo(score >= 0 != sample.y > 0);
                assertThat(outcome.labelBefore()).isEqualTo(before);
                assertThat(outcome.score()).isEqualTo(expected.score());
                assertThat(outcome.margin()).isEqualTo(expected.margin());
                assertThat(outcome.kind()).isEqualTo(expected.kind());
                assertThat(outcome.isUpdated()).isEqualTo(expected.isUpdated());
                assertThat(stacked.weightNorm()).isEqualTo(plain.weightNorm());
                different += outcome.predicted().equals(expected.predicted()) ? 0 : 1;
            }
            assertThat(different).as("seed %d", seed).isPositive();
        }
    }

    @Test
    void shouldCompareItsScoreWithTheThreshold() {
        Sgd learner = sgd(Map.of("stacked", "true", "threshold", "0.5", "predict.scores", "2"));
        Sample sample = Sample.dense(1, 1, 2);
        for (int k = 0; k < 50; k++) {
            learner.learn(sample.vector(), Label.of(1), 1, outcome);
            double score = outcome.predictedScore();
            assertThat(outcome.predicted()).isEqualTo(Label.of(score >= 0.5 ? 1 : -1));
            assertThat(outcome.score(1)).isEqualTo(score);
        }
        assertThat(outcome.predicted()).isEqualTo(Label.PLUS_ONE);
    }

    @Test
    void shouldStayOnOrOff() {
        assertThatThrownBy(() -> sgd(Map.of()).configure(Settings.DEFAULTS.with(STACKED)))
                .hasMessageContaining("stacked must stay false once a model has seen labels, got true");
        assertThatThrownBy(() -> Settings.DEFAULTS.with(Map.of("stacked", "true", "loss", "perceptron")))
                .hasMessageContaining("stacked must be false with loss=perceptron");
    }
}
