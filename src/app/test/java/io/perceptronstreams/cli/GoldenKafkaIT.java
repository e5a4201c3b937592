package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.Seeds;
import io.perceptronstreams.format.ExampleFormat;
import io.perceptronstreams.format.ExampleReader;
import io.perceptronstreams.format.ExampleSource;
import io.perceptronstreams.format.LabelType;
import io.perceptronstreams.learner.NamedWeights;
import io.perceptronstreams.learner.WeightSummary;
import io.perceptronstreams.model.ReferenceResults;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.apache.avro.generic.GenericRecord;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares the engine with the shared reference results, through Kafka: one data set per learner is sent through broker
 * and engine; counts, updates, weights and predictions are read from the output topics.
 *
 * <p>Training examples are Avro,
 * test examples are JSON without labels.
 */
final class GoldenKafkaIT {
    private static final int SENTENCES = 1000;
    private static final List<String> LAST = List.of("last");
    private static final List<String> AVERAGED = List.of("last", "averaged_c1", "averaged_c0");
    private static final List<String> VOTED = List.of("last", "averaged_c1", "averaged_c0", "voted_c1", "voted_c0");

    private static GoldenCluster cluster;
    private static final List<GoldenModel> MODELS = new ArrayList<>();

    @BeforeAll
    @Timeout(1800)
    static void play() throws IOException, InterruptedException {
        ReferenceResults.require();
        List<GenericRecord> train = libsvm("breast-cancer", "train");
        List<GenericRecord> test = libsvm("breast-cancer", "test");
        for (JsonNode entry : runs("breast-cancer")) {
            // all runs for learning; one linear perceptron for all ways of predicting, and in a full run a kernel
            // perceptron
            boolean isPlain = entry.get("algorithm").asText().equals("perceptron")
                    && entry.get("bias").asBoolean();
            boolean isGaussian = entry.at("/params/kernel/type").asText().equals("rbf");
            add("breast-cancer", entry, isPlain || (isGaussian && Seeds.isFull()) ? VOTED : LAST, train, test);
        }
        List<GenericRecord> digits = libsvm("digits", "train");
        List<GenericRecord> otherDigits = libsvm("digits", "test");
        for (JsonNode entry : runs("digits")) {
            if (!entry.get("algorithm").asText().equals("one-vs-rest-perceptron")) {
                add(
                        "digits",
                        entry,
                        entry.get("bias").asBoolean() && Seeds.isFull() ? AVERAGED : LAST,
                        digits,
                        otherDigits);
            }
        }
        List<GenericRecord> sentences = sentences("train", SENTENCES);
        List<GenericRecord> otherSentences = sentences("dev", Integer.MAX_VALUE);
        for (JsonNode entry : runs("ud-ewt-1000")) {
            add("ud-ewt", entry, Seeds.isFull() ? List.of("last", "averaged_c1") : LAST, sentences, otherSentences);
        }
        cluster = new GoldenCluster();
        cluster.play(MODELS);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    static Stream<GoldenModel> models() {
        return MODELS.stream();
    }

    /** Only runs of one pass, as a stream is one pass; tests of the learners cover further passes. */
    private static void add(
            String data, JsonNode entry, List<String> ways, List<GenericRecord> train, List<GenericRecord> test) {
        if (entry.at("/params/epochs").asInt(1) == 1) {
            for (String way : ways) {
                String name = data + "-" + entry.get("algorithm").asText() + "-" + way + "-" + MODELS.size();
                MODELS.add(GoldenModel.of(name, entry, way, train, test));
            }
        }
    }

    @Test
    void shouldUseEveryRecord() {
        assertThat(cluster.deadLetters()).isEmpty();
        // breast-cancer: 9 linear and 7 kernel models, digits: 4, treebank: 2, and further ways of predicting
        assertThat(MODELS).hasSize(9 + 4 + 7 + 4 + 2 + (Seeds.isFull() ? 4 + 3 * 2 + 2 : 0));
    }

    @ParameterizedTest
    @MethodSource("models")
    void shouldCountAsTheReferenceDoesAtEveryTenth(GoldenModel model) {
        assertThat(model.counts()).hasSize(10);
        SoftAssertions soft = new SoftAssertions();
        JsonNode first = model.expected().get("first_epoch");
        for (int k = 1; k <= 10; k++) {
            GenericRecord count = model.counts().get(k - 1);
            String tenth = 10 * k + "%";
            soft.assertThat(count.get("totalExamples")).as(tenth).isEqualTo((long) model.tenth(k));
            soft.assertThat(count.get("examples")).as(tenth).isEqualTo((long) model.tenth(k) - model.tenth(k - 1));
            check(
                    soft,
                    tenth,
                    count.get("totalUpdates"),
                    first.path(isTagging(model) ? "sentence_updates" : "updates"));
            check(soft, tenth, count.get("totalMistakes"), first.path("mistakes"));
            check(soft, tenth, count.get("totalErrors"), first.path("errors_online_" + model.which()));
            if (isTagging(model) && model.which().equals("last")) {
                check(soft, tenth, wrongTags(model, model.tenth(k)), first.get("token_mistakes"));
            }
        }
        GenericRecord total = model.counts().get(9);
        JsonNode result = model.expected();
        checkIfThere(soft, total.get("totalMistakes"), result.path("mistakes"));
        checkIfThere(soft, total.get("totalMarginMistakes"), result.path("margin_mistakes"));
        checkIfThere(soft, total.get("totalErrors"), result.at("/errors_online/" + model.which()));
        if (result.has("hinge_loss")) {
            soft.assertThat(total.get("totalHingeLoss"))
                    .isEqualTo(result.get("hinge_loss").asDouble());
        }
        soft.assertAll();
    }

    private static void check(SoftAssertions soft, String tenth, Object found, JsonNode expected) {
        checkIfThere(soft, found, expected.path(tenth));
    }

    private static void checkIfThere(SoftAssertions soft, Object found, JsonNode expected) {
        if (!expected.isMissingNode()) {
            soft.assertThat(found).isEqualTo(expected.asLong());
        }
    }

    private static boolean isTagging(GoldenModel model) {
        return model.algorithm().equals("sequence-perceptron");
    }

    private static long wrongTags(GoldenModel model, int examples) {
        long wrong = 0;
        for (int n = 0; n < examples; n++) {
            wrong += wrongTags(model.predictions().get(n), model.train().get(n));
        }
        return wrong;
    }

    private static long wrongTags(GenericRecord prediction, GenericRecord example) {
        List<?> tags = (List<?>) example.get("label");
        List<?> predicted = (List<?>) prediction.get("label");
        long wrong = 0;
        for (int i = 0; i < tags.size(); i++) {
            wrong += predicted != null
                            && tags.get(i).toString().equals(predicted.get(i).toString())
                    ? 0
                    : 1;
        }
        return wrong;
    }

    @ParameterizedTest
    @MethodSource("models")
    void shouldUpdateWhereTheReferenceDoes(GoldenModel model) {
        StringBuilder positions = new StringBuilder();
        long updates = 0;
        for (GenericRecord mistake : model.mistakes()) {
            positions.append((Long) mistake.get("examples") - 1).append('\n');
            assertThat(mistake.get("updates")).isEqualTo(++updates);
        }
        String field = "update_positions_sha256" + (isTagging(model) ? "_first_epoch" : "");
        assertThat(WeightSummary.sha256(positions.toString()))
                .isEqualTo(model.expected().get(field).asText());
        if (model.expected().has("squared_norm_of_w")) {
            double norm = (Double) model.mistakes().get((int) updates - 1).get("weightNorm");
            double expected = model.expected().get("squared_norm_of_w").asDouble();
            assertThat(norm * norm).isCloseTo(expected, within(1e-9 * expected));
        }
    }

    /** Bit for bit; fractions that were divided and multiplied again to 1e-9. */
    @ParameterizedTest
    @MethodSource("models")
    void shouldPublishTheReferenceWeights(GoldenModel model) {
        SoftAssertions soft = new SoftAssertions();
        JsonNode expected = isTagging(model) ? model.expected().at("/after_epoch/1") : model.expected();
        long n = model.train().size();
        switch (model.algorithm()) {
            case "kernel-perceptron" -> checkSupport(soft, model);
            case "sequence-perceptron" -> {
                NamedWeights.check(named(model, model.weights()), expected.get("weights"));
                NamedWeights.check(named(model, model.sums(n)), expected.get("weights_sum_c1"));
            }
            case "multiclass-perceptron" -> {
                for (int c = 0; c < expected.get("class_order").size(); c++) {
                    String name = expected.get("class_order").get(c).asText();
                    model.weights()
                            .get(name)
                            .check(soft, name, expected.get("weights").get(c), 0);
                    if (!model.which().equals("averaged_c0")) {
                        JsonNode sum = expected.get("weights_sum_c1").get(c);
                        model.sums(n).get(name).check(soft, name, sum, 0);
                    }
                }
            }
            default -> {
                String start = model.which().endsWith("c0") ? "c0" : "c1";
                long survivals = start.equals("c1") ? n : n - model.mistakes().size();
                // votes sum products in the order of the updates
                double tolerance = model.which().startsWith("voted") ? 1e-9 : 0;
                model.weights().get("").check(soft, "w", expected.get("weights"), tolerance);
                model.sums(survivals).get("").check(soft, start, expected.get("weights_sum_" + start), 1e-9);
            }
        }
        soft.assertAll();
    }

    /** A kernel model has no weight vector, unless the kernel is linear. */
    private static void checkSupport(SoftAssertions soft, GoldenModel model) {
        WeightSummary coefficients = model.weights().get("support");
        if (coefficients != null) {
            // one coefficient per example, the sum over its updates, which all have the sign of its label
            soft.assertThat(coefficients.features().values().stream()
                            .mapToDouble(Math::abs)
                            .sum())
                    .isEqualTo(model.expected().get("support_vectors").asDouble());
            soft.assertThat(coefficients.features().values().stream()
                            .mapToDouble(Double::doubleValue)
                            .sum())
                    .isEqualTo(model.expected().get("sum_of_coefficients").asDouble());
        }
    }

    /** Published features have only an index. */
    private static SortedMap<String, Double> named(GoldenModel model, Map<String, WeightSummary> weights) {
        Map<Integer, String> names = new HashMap<>();
        for (GenericRecord example : model.train()) {
            for (Object token : (List<?>) ((GenericRecord) example.get("features")).get("tokens")) {
                for (Object feature : (List<?>) token) {
                    byte[] utf8 = feature.toString().getBytes(StandardCharsets.UTF_8);
                    names.put(new FeatureHasher(30).index(utf8, 0, utf8.length), feature.toString());
                }
            }
        }
        assertThat(names)
                .as("names that do not collide")
                .hasSize(model.expected().get("features").asInt());
        SortedMap<String, Double> named = NamedWeights.none();
        weights.forEach((vector, summary) -> summary.features().forEach((index, value) -> {
            boolean isPair = vector.contains(">");
            named.put(isPair ? vector : names.get(index) + "|" + vector, value);
        }));
        return named;
    }

    @ParameterizedTest
    @MethodSource("models")
    void shouldPredictAsTheReferenceDoesWithoutALabel(GoldenModel model) {
        int n = model.train().size();
        assertThat(model.predictions()).hasSize(n + model.test().size());
        long wrong = 0;
        for (int k = 0; k < model.test().size(); k++) {
            GenericRecord prediction = model.predictions().get(n + k);
            assertThat(prediction.get("correct")).isNull();
            assertThat(prediction.get("updates"))
                    .isEqualTo((long) model.mistakes().size());
            GenericRecord example = model.test().get(k);
            assertThat(prediction.get("exampleId"))
                    .hasToString(example.get("id").toString());
            wrong += isTagging(model)
                    ? wrongTags(prediction, example)
                    : example.get("label")
                                    .toString()
                                    .equals(prediction.get("label").toString())
                            ? 0
                            : 1;
        }
        JsonNode expected = model.expected();
        assertThat(wrong)
                .isEqualTo((isTagging(model)
                                ? expected.at("/after_epoch/1/dev/" + model.which() + "/token_errors")
                                : expected.at("/test_errors/" + model.which()))
                        .asLong());
        JsonNode scores = expected.path("test_errors").path("first_scores_last");
        for (int k = 0; k < scores.size() && model.which().equals("last"); k++) {
            double score = scores.get(k).asDouble();
            boolean isWhole = score == Math.rint(score);
            assertThat((Double) model.predictions().get(n + k).get("score"))
                    .isCloseTo(score, within(isWhole ? 0 : 1e-9 * Math.abs(score)));
        }
    }

    @ParameterizedTest
    @MethodSource("models")
    void shouldLearnNothingWithoutALabel(GoldenModel model) {
        for (String field : List.of("updates", "labelled", "vectors", "state")) {
            assertThat(model.tested().stream().map(chunk -> chunk.get(field)).toList())
                    .as(field)
                    .isEqualTo(model.learned().stream()
                            .map(chunk -> chunk.get(field))
                            .toList());
        }
        assertThat(model.tested().get(0).get("examples"))
                .isEqualTo((long) model.train().size() + model.test().size());
    }

    private static JsonNode runs(String data) throws IOException {
        return ReferenceResults.json(data).get("runs");
    }

    private static List<GenericRecord> libsvm(String data, String part) throws IOException {
        return read(ReferenceResults.libsvm(data, part), ExampleFormat.LIBSVM, Integer.MAX_VALUE);
    }

    private static List<GenericRecord> sentences(String part, int limit) throws IOException {
        return read(ReferenceResults.file("data/ud-ewt/en_ewt-ud-" + part + ".conllu.gz"), ExampleFormat.CONLLU, limit);
    }

    private static List<GenericRecord> read(Path file, ExampleFormat format, int limit) throws IOException {
        List<GenericRecord> examples = new ArrayList<>();
        ExampleSource source = new ExampleSource(file.toString(), format, LabelType.AUTO, null, null, null);
        try (ExampleReader reader = source.open(1)) {
            for (GenericRecord each = reader.next(); each != null && examples.size() < limit; each = reader.next()) {
                examples.add(each);
            }
        }
        return examples;
    }
}
