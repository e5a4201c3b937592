package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.example.Candidates;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Seeds;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.learner.Evidence;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.Outcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Parts of a score or margin, against all weights before the update, read by their visitor. */
class EvidenceTest {
    private static final int PARTS = 4;

    private static Map<String, Map<Integer, Double>> weights(Model model) {
        Map<String, Map<Integer, Double>> all = new TreeMap<>();
        model.pipeline().learner().forEachWeight(new Learner.WeightVisitor() {
            private Map<Integer, Double> vector;

            @Override
            public void vector(String name, double bias, double averagedBias) {
                vector = all.computeIfAbsent(name, each -> new HashMap<>());
                vector.put(-1, bias);
            }

            @Override
            public void weight(int index, double weight, double averaged) {
                vector.put(index, weight);
            }
        });
        return all;
    }

    private static void fillVector(FeatureVector x, Random random) {
        x.resetSparse();
        int index = 0;
        for (int k = 0; k < 12; k++) {
            index += 1 + random.nextInt(5);
            x.append(index, random.nextGaussian());
        }
    }

    private static Example vector(Random random, boolean isTwoClass) {
        Example example = new Example();
        fillVector(example.vector(), random);
        double sum = 0;
        for (int k = 0; k < 6; k++) {
            sum += example.vector().values()[k];
        }
        example.setLabel(
                isTwoClass
                        ? new Label.Int(sum > 0 ^ random.nextInt(9) == 0 ? 1 : -1)
                        : new Label.ClassName("c" + (int) Math.max(0, Math.min(3, sum + 1.5))));
        return example;
    }

    private static Example candidates(Random random) {
        Example example = new Example();
        example.setFeatures(example.candidates());
        Candidates candidates = example.candidates();
        candidates.clear();
        int right = 0;
        double best = Double.NEGATIVE_INFINITY;
        for (int k = 0; k < 4; k++) {
            FeatureVector x = candidates.append("o" + k);
            fillVector(x, random);
            if (x.values()[0] > best) {
                best = x.values()[0];
                right = k;
            }
        }
        example.setLabel(new Label.ClassName("o" + right));
        return example;
    }

    private static Example sequence(Random random) {
        Example example = new Example();
        example.setFeatures(example.sequence());
        Sequence sequence = example.sequence();
        sequence.clear();
        List<String> tags = new ArrayList<>();
        for (int k = 0; k < 5; k++) {
            FeatureVector token = sequence.append();
            token.resetSparse();
            int word = random.nextInt(30);
            token.append(word, 1);
            token.append(40 + word % 7, 0.5);
            tags.add("t" + (word % 3 + (k > 2 ? 1 : 0)) % 3);
        }
        example.setLabel(new Label.Tags(tags));
        return example;
    }

    static Stream<Arguments> models() {
        return Seeds.all()
                .boxed()
                .flatMap(seed -> Stream.of(Algorithm.values())
                        .filter(each -> each.isDecided() && !each.has(Algorithm.Trait.DUAL))
                        .map(algorithm -> Arguments.of(algorithm.toString(), seed)));
    }

    private static Example example(String algorithm, Random random) {
        return switch (algorithm) {
            case "structured" -> candidates(random);
            case "sequence" -> sequence(random);
            default -> vector(random, !Algorithm.parse(algorithm).has(Algorithm.Trait.SEVERAL_CLASSES));
        };
    }

    /**
     * The contribution of every part to the score or margin, by "index" or "index tag" or the pair; the bias is "bias".
     */
    private static Map<String, Double> contributions(
            Map<String, Map<Integer, Double>> weights, Example example, Outcome before, String algorithm) {
        Map<String, Double> parts = new TreeMap<>();
        BiConsumer<String, Double> add = (name, part) -> parts.merge(name, part, Double::sum);
        switch (algorithm) {
            case "multiclass", "multiclass-pa", "softmax" -> {
                FeatureVector x = example.vector();
                Map<Integer, Double> right =
                        weights.getOrDefault(example.label().toString(), Map.of());
                String rival = rival(weights, x, example.label().toString());
                Map<Integer, Double> wrong = weights.getOrDefault(rival, Map.of());
                add.accept("bias", right.getOrDefault(-1, 0.0) - wrong.getOrDefault(-1, 0.0));
                for (int k = 0; k < x.size(); k++) {
                    double weight = right.getOrDefault(x.index(k), 0.0) - wrong.getOrDefault(x.index(k), 0.0);
                    add.accept("" + x.index(k), weight * x.values()[k]);
                }
            }
            case "structured" -> {
                Candidates all = example.candidates();
                for (int k = 0; k < all.size(); k++) {
                    boolean isRight = all.output(k).equals(example.label().toString());
                    if (isRight || all.output(k).equals(before.predicted().toString())) {
                        FeatureVector x = all.features(k);
                        for (int j = 0; j < x.size(); j++) {
                            double weight = weights.get("").getOrDefault(x.index(j), 0.0);
                            add.accept("" + x.index(j), (isRight ? 1 : -1) * weight * x.values()[j]);
                        }
                    }
                }
            }
            case "sequence" -> {
                if (before.predicted() != null) {
                    path(weights, example.sequence(), ((Label.Tags) example.label()).tags(), 1, add);
                    path(weights, example.sequence(), ((Label.Tags) before.predicted()).tags(), -1, add);
                }
            }
            default -> {
                FeatureVector x = example.vector();
                double length = algorithm.equals("alma") ? Math.sqrt(x.squaredNorm() + 1) : 1;
                int y = example.label().equals(Label.PLUS_ONE) ? 1 : -1;
                add.accept("bias", y * weights.get("").getOrDefault(-1, 0.0) / length);
                for (int k = 0; k < x.size(); k++) {
                    add.accept(
                            "" + x.index(k),
                            y * weights.get("").getOrDefault(x.index(k), 0.0) * x.values()[k] / length);
                }
            }
        }
        return parts;
    }

    private static String rival(Map<String, Map<Integer, Double>> weights, FeatureVector x, String truth) {
        return weights.keySet().stream()
                .filter(name -> !name.equals(truth))
                .max(Comparator.comparingDouble(name -> {
                    double score = weights.get(name).get(-1);
                    for (int k = 0; k < x.size(); k++) {
                        score += weights.get(name).getOrDefault(x.index(k), 0.0) * x.values()[k];
                    }
                    return score;
                }))
                .orElse("");
    }

    private static void path(
            Map<String, Map<Integer, Double>> weights,
            Sequence sequence,
            List<String> tags,
            int sign,
            BiConsumer<String, Double> add) {
        for (int k = 0; k < tags.size(); k++) {
            Map<Integer, Double> ofTag = weights.getOrDefault(tags.get(k), Map.of());
            add.accept("bias", sign * ofTag.getOrDefault(-1, 0.0));
            FeatureVector x = sequence.token(k);
            for (int j = 0; j < x.size(); j++) {
                add.accept(x.index(j) + " " + tags.get(k), sign * ofTag.getOrDefault(x.index(j), 0.0) * x.values()[j]);
            }
            String pair = (k == 0 ? "<s>" : tags.get(k - 1)) + ">" + tags.get(k);
            add.accept(pair, sign * weights.getOrDefault(pair, Map.of()).getOrDefault(0, 0.0));
        }
        String last = tags.get(tags.size() - 1) + "></s>";
        add.accept(last, sign * weights.getOrDefault(last, Map.of()).getOrDefault(0, 0.0));
    }

    @ParameterizedTest
    @MethodSource("models")
    void shouldNameTheLargestPartsOfAMistake(String algorithm, long seed) {
        Random random = new Random(seed);
        Model explained = new Model();
        explained.configure(Map.of("algorithm", algorithm, "explain", "" + PARTS));
        Model plain = new Model();
        plain.configure(Map.of("algorithm", algorithm));
        int mistakes = 0;
        for (int k = 0; k < 300; k++) {
            Example example = example(algorithm, random);
            Map<String, Map<Integer, Double>> before = weights(explained);
            Outcome outcome = explained.process(example, k);
            Outcome expected = plain.process(example, k);
            assertThat(List.of(outcome.score(), outcome.margin(), outcome.hingeLoss(), outcome.kind()))
                    .isEqualTo(List.of(expected.score(), expected.margin(), expected.hingeLoss(), expected.kind()));
            assertThat(expected.evidence().isEmpty()).isTrue();
            if (outcome.kind() == Outcome.Kind.CORRECT) {
                assertThat(outcome.evidence().isEmpty()).isTrue();
                continue;
            }
            Map<String, Double> parts = contributions(before, example, expected, algorithm);
            requireLargest(outcome, parts);
            if (outcome.isUpdated() && !outcome.evidence().isEmpty()) {
                mistakes++;
                assertThat(outcome.evidence().marginAfter())
                        .isEqualTo(plain.current().evaluate(example).margin());
            }
        }
        assertThat(mistakes).isGreaterThan(10);
        assertThat(weights(explained)).isEqualTo(weights(plain));
    }

    private static void requireLargest(Outcome outcome, Map<String, Double> parts) {
        Evidence evidence = outcome.evidence();
        double bias = parts.getOrDefault("bias", 0.0);
        parts.remove("bias");
        assertThat(evidence.bias()).isCloseTo(bias, within(1e-9));
        List<Double> largest = parts.values().stream()
                .map(Math::abs)
                .filter(part -> part > 1e-12)
                .sorted(Comparator.reverseOrder())
                .limit(PARTS)
                .toList();
        double absolute =
                Math.abs(bias) + parts.values().stream().mapToDouble(Math::abs).sum();
        assertThat(evidence.size()).isGreaterThanOrEqualTo(largest.size());
        double sum = evidence.bias();
        for (int k = 0; k < evidence.size(); k++) {
            String name = evidence.index(k) == Evidence.NO_FEATURE
                    ? evidence.tag(k)
                    : evidence.index(k) + (evidence.tag(k) == null ? "" : " " + evidence.tag(k));
            assertThat(evidence.contribution(k)).as(name).isCloseTo(parts.get(name), within(1e-9));
            if (k < largest.size()) {
                assertThat(Math.abs(evidence.contribution(k))).isCloseTo(largest.get(k), within(1e-9));
                assertThat(evidence.share(k)).isCloseTo(largest.get(k) / absolute, within(1e-9));
            }
            sum += evidence.contribution(k);
        }
        assertThat(sum + evidence.rest()).isCloseTo(outcome.margin(), within(1e-12));
    }

    @Test
    void shouldExplainMistakesOfAFrozenModelWithoutAnUpdate() {
        Model model = new Model();
        model.configure(Map.of("explain", "3"));
        Example example = new Example();
        example.vector().resetSparse().append(5, 2);
        example.setLabel(Label.PLUS_ONE);
        model.process(example, 0);
        model.freeze(true);
        example.setLabel(new Label.Int(-1));

        Evidence evidence = model.process(example, 1).evidence();

        assertThat(evidence.size()).isEqualTo(1);
        assertThat(evidence.index(0)).isEqualTo(5);
        assertThat(evidence.contribution(0)).isEqualTo(-4);
        assertThat(evidence.bias()).isEqualTo(-1);
        assertThat(evidence.rest()).isZero();
        assertThat(evidence.share(0)).isEqualTo(0.8);
        assertThat(evidence.marginAfter()).isNaN();
    }

    // 0.1 + 0.2 is not 0.3: the rest makes up for what is lost by rounding
    @Test
    void shouldAddUpToTheScore() {
        Random random = new Random(3);
        Model model = new Model();
        model.configure(Map.of("explain", "2"));
        for (int k = 0; k < 500; k++) {
            Outcome outcome = model.process(vector(random, true), k);
            Evidence evidence = outcome.evidence();
            if (!evidence.isEmpty()) {
                double sum = evidence.bias();
                for (int part = 0; part < evidence.size(); part++) {
                    sum += evidence.contribution(part);
                }
                assertThat(sum + evidence.rest()).isCloseTo(outcome.margin(), within(Math.ulp(absolute(evidence))));
            }
        }
    }

    private static double absolute(Evidence evidence) {
        double sum = Math.abs(evidence.bias()) + Math.abs(evidence.rest());
        for (int part = 0; part < evidence.size(); part++) {
            sum += Math.abs(evidence.contribution(part));
        }
        return sum;
    }

    /**
     * To explain a mistake, the example is scored again after the update; the prediction keeps its scores from before.
     */
    @ParameterizedTest
    @MethodSource("models")
    void shouldNotChangeTheScoresOfThePrediction(String algorithm, long seed) {
        if (List.of("structured", "sequence").contains(algorithm)) {
            return;
        }
        Model explained = new Model();
        explained.configure(Map.of("algorithm", algorithm, "explain", "3", "predict.scores", "true"));
        Model plain = new Model();
        plain.configure(Map.of("algorithm", algorithm, "predict.scores", "true"));
        Random random = new Random(seed);
        for (int k = 0; k < 50; k++) {
            Example example = example(algorithm, random);
            assertThat(scores(explained.process(example, k))).isEqualTo(scores(plain.process(example, k)));
        }
    }

    private static List<Double> scores(Outcome outcome) {
        return IntStream.range(0, outcome.scoreCount()).mapToObj(outcome::score).toList();
    }
}
