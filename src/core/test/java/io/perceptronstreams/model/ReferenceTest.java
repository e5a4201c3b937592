package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.ExampleBuffer;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.settings.Settings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every learner against the numbers in {@code src/test/resources/reference}: counts and positions of mistakes exactly,
 * others to 1e-9.
 *
 * <p>{@code python3 src/test/python/reference.py} computes these numbers from the formulas of docs/algorithms.md.
 */
final class ReferenceTest {
    private static final List<String> FILES = List.of(
            "perceptron",
            "passive-aggressive",
            "arow",
            "sgd",
            "kernel",
            "multiclass",
            "multiclass-pa",
            "softmax",
            "structured",
            "sequence",
            "scw",
            "pdm",
            "romma",
            "unit-norm-bias",
            "forgetting",
            "batch");

    /** One model and what it must give. */
    record Run(String file, JsonNode expected) {
        @Override
        public String toString() {
            String order = expected.get("order").asText();
            return String.join(" ", file, expected.get("data").asText(), order, "" + expected.get("settings"));
        }
    }

    /** A weight and its mean over all weight vectors so far. */
    private record Weight(double last, double mean) {
        private static final Weight ZERO = new Weight(0, 0);

        double number(int which) {
            return which == 0 ? last : mean;
        }
    }

    /** A vector of the model: bias, and weights by index. */
    private record Vector(Weight bias, SortedMap<Integer, Weight> weights) {
        double norm(int which) {
            double sum = bias.number(which) * bias.number(which);
            for (Weight weight : weights.values()) {
                sum += weight.number(which) * weight.number(which);
            }
            return Math.sqrt(sum);
        }
    }

    private final Model model = new Model();
    private final Example example = new Example();
    private final SoftAssertions soft = new SoftAssertions();
    private final List<Integer> mistakes = new ArrayList<>();
    private final List<List<Long>> byPass = new ArrayList<>();

    static List<Run> runs() throws IOException {
        List<Run> runs = new ArrayList<>();
        for (String file : FILES) {
            JsonNode results = new ObjectMapper()
                    .readTree(Path.of("src/test/resources/reference", file + ".json")
                            .toFile());
            results.forEach(expected -> runs.add(new Run(file, expected)));
        }
        return runs;
    }

    @ParameterizedTest
    @MethodSource("runs")
    void shouldGiveTheNumbersOfTheReference(Run run) {
        JsonNode expected = run.expected;
        ExampleBuffer data = ReferenceStreams.named(expected.get("data").asText());
        Map<String, String> settings = new HashMap<>();
        expected.get("settings")
                .properties()
                .forEach(each -> settings.put(each.getKey(), each.getValue().asText()));
        model.configure(settings);

        int count = data.size() * 4 / 5;
        if (!run.file.equals("batch")) {
            learn(data, count, expected.get("scores"));
        } else {
            train(data, count, expected);
        }

        checkCounts(expected);
        checkTest(data, count, expected);
        checkWeights(expected.get("weights"));
        close("norm", model.pipeline().learner().weightNorm(), expected.get("norm"));
        close("radius", model.pipeline().learner().radius(), expected.get("radius"));
        soft.assertAll();
    }

    private void learn(ExampleBuffer data, int count, JsonNode scores) {
        int noted = 0;
        for (int n = 0; n < count; n++) {
            data.fill(n, example);
            Outcome outcome = model.process(example, 0);
            if (outcome.kind() == Outcome.Kind.MISTAKE) {
                mistakes.add(n);
            }
            if (n == scores.get(noted).get(0).asInt()) {
                close("score " + n, outcome.score(), scores.get(noted).get(1));
                close(
                        "score of the prediction " + n,
                        outcome.predictedScore(),
                        scores.get(noted).get(2));
                noted++;
            }
        }
        soft.assertThat(noted).isEqualTo(scores.size());
        byPass.add(List.of(
                model.counts().totals().updates(), model.counts().totals().errors()));
    }

    /** Trains in passes; whether an example was a mistake is seen before the next one. */
    private void train(ExampleBuffer data, int count, JsonNode expected) {
        ExampleBuffer examples = new ExampleBuffer();
        for (int n = 0; n < count; n++) {
            data.fill(n, example);
            examples.add(example);
        }
        BatchTrainer trainer = new BatchTrainer(
                model,
                examples,
                BatchTrainer.Order.valueOf(expected.get("order").asText().toUpperCase(Locale.ROOT)),
                expected.get("seed").asLong());
        trainer.train(expected.get("passes").asInt(), new BatchTrainer.Watcher() {
            @Override
            public boolean keepGoing(long done) {
                noteMistake(done - 1);
                return true;
            }

            @Override
            public void passed(BatchTrainer.Pass pass) {
                noteMistake(model.counts().totals().examples() - 1);
                byPass.add(List.of(pass.updates(), pass.errors()));
            }
        });
    }

    private void noteMistake(long position) {
        if (model.counts().totals().mistakes() > mistakes.size()) {
            mistakes.add((int) position);
        }
    }

    private void checkCounts(JsonNode expected) {
        List<Integer> positions = new ArrayList<>();
        expected.get("mistakes").forEach(position -> positions.add(position.asInt()));
        soft.assertThat(mistakes).as("mistakes").isEqualTo(positions);
        List<List<Long>> counts = new ArrayList<>();
        expected.get("updatesAndErrorsByPass")
                .forEach(pass ->
                        counts.add(List.of(pass.get(0).asLong(), pass.get(1).asLong())));
        soft.assertThat(byPass).as("updates and errors of each pass").isEqualTo(counts);
        Counts totals = model.counts().totals();
        soft.assertThat(totals.mistakes()).as("number of mistakes").isEqualTo(positions.size());
        soft.assertThat(totals.updates())
                .as("updates")
                .isEqualTo(counts.stream().mapToLong(pass -> pass.get(0)).sum());
        if (!model.pipeline().algorithm().uses(Settings.RATE)) {
            soft.assertThat(totals.mistakes() + totals.marginMistakes())
                    .as("mistakes and margin mistakes")
                    .isEqualTo(totals.updates());
        }
        close("hinge loss", totals.hingeLoss(), expected.get("hingeLoss"));
    }

    private void checkTest(ExampleBuffer data, int from, JsonNode expected) {
        int errors = 0;
        for (int n = from; n < data.size(); n++) {
            data.fill(n, example);
            errors += model.current().evaluateApart(example).isError() ? 1 : 0;
        }
        soft.assertThat(errors)
                .as("errors on the rest")
                .isEqualTo(expected.get("testErrors").asInt());
    }

    private void checkWeights(JsonNode expected) {
        Map<String, Vector> vectors = vectors(model.pipeline().learner());
        List<String> names = new ArrayList<>();
        expected.forEach(vector -> names.add(vector.get("name").asText()));
        soft.assertThat(vectors.keySet()).containsExactlyInAnyOrderElementsOf(names);
        for (JsonNode each : expected) {
            String name = each.get("name").asText();
            Vector vector = vectors.getOrDefault(name, new Vector(Weight.ZERO, new TreeMap<>()));
            soft.assertThat(vector.weights)
                    .as("weights of %s", name)
                    .hasSize(each.get("count").asInt());
            for (int which = 0; which < 2; which++) {
                String what = (which == 0 ? "weights " : "means ") + name;
                double norm = each.get("norm").get(which).asDouble();
                close(what + " norm", vector.norm(which), norm, norm);
                close(
                        what + " bias",
                        vector.bias.number(which),
                        each.get("bias").get(which).asDouble(),
                        norm);
                for (JsonNode some : each.get("some")) {
                    int index = some.get(0).asInt();
                    double found =
                            vector.weights.getOrDefault(index, Weight.ZERO).number(which);
                    close(what + " " + index, found, some.get(which + 1).asDouble(), norm);
                }
            }
        }
    }

    private static Map<String, Vector> vectors(Learner learner) {
        Map<String, Vector> vectors = new HashMap<>();
        List<Vector> last = new ArrayList<>();
        learner.forEachWeight(new Learner.WeightVisitor() {
            @Override
            public void vector(String name, double bias, double averagedBias) {
                last.clear();
                last.add(new Vector(new Weight(bias, averagedBias), new TreeMap<>()));
                vectors.put(name, last.get(0));
            }

            @Override
            public void weight(int index, double weight, double averaged) {
                last.get(0).weights.put(index, new Weight(weight, averaged));
            }
        });
        return vectors;
    }

    private void close(String what, double found, JsonNode expected) {
        close(what, found, expected.asDouble(), expected.asDouble());
    }

    private void close(String what, double found, double expected, double size) {
        soft.assertThat(found).as(what).isCloseTo(expected, within(1e-9 * Math.abs(size)));
    }
}
