package io.perceptronstreams.structured;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.perceptronstreams.format.ExampleFormat;
import io.perceptronstreams.format.ExampleReader;
import io.perceptronstreams.format.ExampleSource;
import io.perceptronstreams.format.LabelType;
import io.perceptronstreams.learner.NamedWeights;
import io.perceptronstreams.learner.WeightSummary;
import io.perceptronstreams.model.ReferenceResults;
import io.perceptronstreams.structured.SequenceRun.Sentence;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every result of the sequence learner in the {@link ReferenceResults}. */
final class SequenceGoldenTest {
    @BeforeEach
    void requireResults() {
        ReferenceResults.require();
    }

    @Test
    void shouldGiveTheReferenceNumbersOfTheTreebank() throws IOException {
        requireReferenceNumbers("as-seen");
    }

    @Test
    @Tag("full")
    void shouldGiveTheReferenceNumbersOfTheTreebankWhereTheTagsAreFixed() throws IOException {
        requireReferenceNumbers("fixed");
    }

    private static void requireReferenceNumbers(String tags) throws IOException {
        List<Sentence> train = features("train");
        List<Sentence> dev = features("dev");
        JsonNode result =
                entry(ReferenceResults.json("ud-ewt-1000").get("runs"), tags).get("result");
        SequenceRun run = new SequenceRun(settings(tags, result.get("tags"), "1"));
        SequenceRun from0 = new SequenceRun(settings(tags, result.get("tags"), "0"));
        for (int epoch = 1; epoch <= 5; epoch++) {
            run.learn(train);
            from0.learn(train);
            JsonNode expected = result.get("after_epoch").path(Integer.toString(epoch));
            if (!expected.isMissingNode()) {
                NamedWeights.check(run.weights(), expected.get("weights"));
                NamedWeights.check(run.sums(), expected.get("weights_sum_c1"));
                NamedWeights.check(from0.sums(), expected.get("weights_sum_c0"));
                checkErrors(run.errors(dev, "last"), expected.get("dev").get("last"));
                checkErrors(run.errors(dev, "averaged"), expected.get("dev").get("averaged_c1"));
                checkErrors(from0.errors(dev, "averaged"), expected.get("dev").get("averaged_c0"));
                assertThat(run.updatesByEpoch)
                        .isEqualTo(ReferenceResults.longs(expected.get("sentence_updates_by_epoch")));
            }
        }
        checkFirstEpoch(run, result, train.size());
        assertThat(run.model.pipeline().learner().state().names()).isEqualTo(strings(result.get("tags")));
        assertThat(run.featureCount()).isEqualTo(result.get("features").asInt());
        assertThat(train.stream().mapToInt(sentence -> sentence.tags().size()).sum())
                .isEqualTo(result.get("tokens").asInt());
    }

    private static void checkFirstEpoch(SequenceRun run, JsonNode result, int n) {
        JsonNode first = result.get("first_epoch");
        for (int k = 1; k <= 10; k++) {
            String percent = 10 * k + "%";
            assertThat(run.counts.get(n * k / 10))
                    .as("updates and wrong tags after %s", percent)
                    .containsExactly(
                            first.get("sentence_updates").get(percent).asLong(),
                            first.get("token_mistakes").get(percent).asLong());
        }
        StringBuilder lines = new StringBuilder();
        run.updatePositions.stream()
                .filter(position -> position < n)
                .forEach(position -> lines.append(position).append('\n'));
        assertThat(WeightSummary.sha256(lines.toString()))
                .isEqualTo(result.get("update_positions_sha256_first_epoch").asText());
        assertThat(run.updatePositions)
                .startsWith(ReferenceResults.longs(result.get("first_update_positions"))
                        .toArray(Long[]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"as-seen", "fixed"})
    void shouldGiveEveryStepOfTheTinyTreebank(String tags) throws IOException {
        JsonNode entry = entry(ReferenceResults.json("tiny").get("sets").get("tagging"), tags);
        List<Sentence> sentences = tinySentences();
        SequenceRun run = new SequenceRun(settings(tags, entry.get("tags"), "1"));
        SequenceRun from0 = new SequenceRun(settings(tags, entry.get("tags"), "0"));
        for (int epoch = 1; epoch <= entry.get("params").get("epochs").asInt(); epoch++) {
            run.learn(sentences);
            from0.learn(sentences);
        }
        List<List<String>> features = new ArrayList<>();
        entry.get("features_of_first_sentence").forEach(token -> features.add(strings(token)));
        assertThat(sentences.get(0).features()).isEqualTo(features);
        for (int n = 0; n < run.steps.size(); n++) {
            JsonNode expected = entry.get("steps").get(n);
            SequenceRun.Step step = run.steps.get(n);
            assertThat(String.valueOf(step.prediction()))
                    .as("step %s", n)
                    .isEqualTo(expected.get("prediction").isNull() ? "null" : "" + strings(expected.get("prediction")));
            assertThat(step.score())
                    .as("step %s", n)
                    .isEqualTo(expected.get("best_score").asDouble());
            assertThat(step.isUpdate())
                    .as("step %s", n)
                    .isEqualTo(expected.get("update").asBoolean());
        }
        assertThat(run.steps).hasSameSizeAs(entry.get("steps"));
        NamedWeights.check(run.weights(), entry.get("weights"));
        NamedWeights.check(run.sums(), entry.get("weights_sum_c1"));
        NamedWeights.check(from0.sums(), entry.get("weights_sum_c0"));
    }

    @Test
    void shouldMakeTheSameFeaturesOfTheTreebankItself() throws IOException {
        List<Sentence> train = treebank("train", 1000);
        List<Sentence> dev = treebank("dev", Integer.MAX_VALUE);

        assertThat(train).isEqualTo(features("train"));
        assertThat(dev).isEqualTo(features("dev"));
    }

    private static Map<String, String> settings(String tags, JsonNode names, String survivalStart) {
        Map<String, String> settings = new HashMap<>(Map.of("survival.start", survivalStart));
        if (tags.equals("fixed")) {
            settings.put("classes", String.join(",", strings(names)));
        }
        return settings;
    }

    private static void checkErrors(SequenceRun.Errors found, JsonNode expected) {
        assertThat(found)
                .isEqualTo(new SequenceRun.Errors(
                        expected.get("tokens").asLong(),
                        expected.get("token_errors").asLong(),
                        expected.get("sentences").asLong(),
                        expected.get("sentences_wrong").asLong()));
    }

    private static JsonNode entry(JsonNode entries, String tags) {
        for (JsonNode entry : entries) {
            if (entry.get("params").get("tags").asText().equals(tags)) {
                return entry;
            }
        }
        throw new IllegalStateException("no entry for " + tags);
    }

    /** {@code tag TAB feature feature …}, an empty line after each sentence. */
    private static List<Sentence> features(String part) throws IOException {
        Path file = ReferenceResults.file("golden/ud-ewt-1000." + part + ".features.tsv.gz");
        List<Sentence> sentences = new ArrayList<>();
        List<List<String>> features = new ArrayList<>();
        List<String> tags = new ArrayList<>();
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.isEmpty()) {
                    sentences.add(new Sentence(List.copyOf(features), List.copyOf(tags)));
                    features.clear();
                    tags.clear();
                } else {
                    int tab = line.indexOf('\t');
                    tags.add(line.substring(0, tab));
                    features.add(List.of(line.substring(tab + 1).split(" ", -1)));
                }
            }
        }
        return sentences;
    }

    private static List<Sentence> treebank(String part, int limit) throws IOException {
        String file = ReferenceResults.file("data/ud-ewt/en_ewt-ud-" + part + ".conllu.gz")
                .toString();
        try (ExampleReader reader = source(file).open(1)) {
            return sentences(reader, limit);
        }
    }

    private static ExampleSource source(String file) {
        return new ExampleSource(file, ExampleFormat.CONLLU, LabelType.AUTO, null, null, null);
    }

    /** Words and tags with a tab between them, as CoNLL-U. */
    private static List<Sentence> tinySentences() throws IOException {
        StringBuilder conllu = new StringBuilder();
        int id = 0;
        for (String line : Files.readAllLines(ReferenceResults.file("data/tiny/tagging.tsv"))) {
            String[] columns = line.split("\t", -1);
            id = line.isEmpty() ? 0 : id + 1;
            conllu.append(line.isEmpty() ? "" : id + "\t" + columns[0] + "\t_\t" + columns[1] + "\t_\t_\t_\t_\t_\t_");
            conllu.append('\n');
        }
        byte[] bytes = conllu.toString().getBytes(StandardCharsets.UTF_8);
        try (ExampleReader reader = source("tiny.conllu").open(new ByteArrayInputStream(bytes), 1)) {
            return sentences(reader, Integer.MAX_VALUE);
        }
    }

    @SuppressWarnings("unchecked")
    private static List<Sentence> sentences(ExampleReader reader, int limit) throws IOException {
        List<Sentence> sentences = new ArrayList<>();
        for (GenericRecord read = reader.next(); read != null && sentences.size() < limit; read = reader.next()) {
            GenericRecord features = (GenericRecord) read.get("features");
            sentences.add(new Sentence((List<List<String>>) features.get("tokens"), (List<String>) read.get("label")));
        }
        return sentences;
    }

    private static List<String> strings(JsonNode array) {
        List<String> list = new ArrayList<>();
        array.forEach(element -> list.add(element.asText()));
        return list;
    }
}
