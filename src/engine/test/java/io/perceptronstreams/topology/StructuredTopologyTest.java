package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.format.ExampleFormat;
import io.perceptronstreams.format.ExampleReader;
import io.perceptronstreams.format.ExampleSource;
import io.perceptronstreams.format.LabelType;
import io.perceptronstreams.serde.Topic;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Sequences and candidates from their events to predictions, without any configuration. */
@ExtendWith(EngineExtension.class)
class StructuredTopologyTest {
    private static final String DOG = "{\"tokens\":[[\"w=the\"],[\"w=dog\"]]}";
    private static final String CAT = "{\"tokens\":[[\"w=the\"],[\"w=cat\",\"w=cat\"]]}";
    private static final String PARSES = "{\"candidates\":[{\"output\":\"noun\",\"features\":{\"f\":1,\"g\":2}},"
            + "{\"output\":\"verb\",\"features\":{\"f\":1,\"h\":1}}]}";

    @TempDir
    Path dir;

    @Test
    void shouldTagSequencesInJson(EngineDriver engine) {
        engine.send("m", example("0", null, DOG), 1);
        engine.send("m", example("1", "[\"DET\",\"NOUN\"]", DOG), 2);
        engine.send("m", example("2", null, CAT), 3);
        engine.send("m", example("3", "[\"DET\",\"DET\"]", DOG), 4);

        assertThat(engine.events(Topic.PREDICTIONS))
                .extracting(
                        event -> label(event, "label"), event -> event.get("correct"), event -> event.get("updates"))
                .containsExactly(
                        tuple("null", null, 0L),
                        tuple("null", false, 0L),
                        tuple("[DET, NOUN]", null, 1L),
                        tuple("[DET, NOUN]", false, 1L));
        List<GenericRecord> mistakes = engine.events(Topic.MISTAKES);
        assertThat(mistakes)
                .extracting(event -> label(event, "label"), event -> label(event, "predicted"))
                .containsExactly(tuple("[DET, NOUN]", "null"), tuple("[DET, DET]", "[DET, NOUN]"));
        // two words, two biases, start, pair and end, 1 each; DET DET has the first word, its bias and the start,
        // and
        // the bias of DET a second time
        assertThat(mistakes.get(1).get("score")).isEqualTo(7.0);
        assertThat(mistakes.get(1).get("margin")).isEqualTo(4.0 - 7.0);
        assertThat(engine.model("m").pipeline().algorithm()).isEqualTo(Algorithm.SEQUENCE);
        assertThat(engine.records(Topic.DEAD_LETTERS)).isEmpty();
    }

    @Test
    void shouldCountTags(EngineDriver engine) {
        engine.send("m", example("1", "[\"DET\",\"NOUN\"]", DOG), 1);
        engine.send("m", example("2", "[\"DET\",\"DET\"]", DOG), 2);
        engine.send("m", "{\"action\":\"FREEZE\"}", 3);

        // no prediction for the first, DET NOUN for the second: three of four are wrong
        List<GenericRecord> statuses = engine.events(Topic.MODELS);
        GenericRecord last = statuses.get(statuses.size() - 1);
        assertThat(last.get("tags")).isEqualTo(4L);
        assertThat(last.get("tagErrors")).isEqualTo(3L);
        assertThat(last.get("abstained")).isEqualTo(1L);
    }

    @Test
    void shouldChooseAmongCandidatesInJson(EngineDriver engine) {
        engine.send("m", example("1", "\"verb\"", PARSES), 1);
        engine.send("m", example("2", null, PARSES), 2);

        assertThat(engine.events(Topic.PREDICTIONS))
                .extracting(event -> label(event, "label"), event -> event.get("score"), event -> event.get("correct"))
                // theta is h - 2g after the first: verb has 1, noun -4
                .containsExactly(tuple("noun", 0.0, false), tuple("verb", 1.0, null));
        assertThat(engine.model("m").pipeline().algorithm()).isEqualTo(Algorithm.STRUCTURED);
        assertThat(engine.records(Topic.DEAD_LETTERS)).isEmpty();
    }

    @Test
    @EngineSettings("output.format=json")
    void shouldWritePredictedTagsInJson(EngineDriver engine) throws IOException {
        engine.send("m", example("1", "[\"DET\",\"NOUN\"]", DOG), 1);
        engine.send("m", example("2", null, DOG), 2);
        JsonNode prediction = new ObjectMapper()
                .readTree(engine.records(Topic.PREDICTIONS).get(1).value());
        assertThat(prediction.get("label")).hasToString("[\"DET\",\"NOUN\"]");
    }

    @Test
    void shouldPublishTheWeightsOfTagsAndOfPairs(EngineDriver engine) {
        engine.send("m", example("1", "[\"DET\",\"NOUN\"]", DOG), 1);
        engine.send("m", "{\"action\":\"SNAPSHOT\"}", 2);
        List<?> vectors = (List<?>) engine.events(Topic.WEIGHTS).get(0).get("vectors");
        assertThat(vectors)
                .extracting(vector -> ((GenericRecord) vector).get("name").toString())
                .containsExactly("DET", "NOUN", "<s>>DET", "DET>NOUN", "NOUN></s>");
    }

    /** What produce sends, word by word as the JSON of the same features. */
    @Test
    void shouldLearnFromATreebank() throws IOException {
        String conllu = "1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n\n1\tgo\tgo\t_\tVB\t_\t0\troot\t_\t_\n";
        ExampleSource source = new ExampleSource("f.conllu", ExampleFormat.CONLLU, LabelType.AUTO, null, null, null);
        try (EngineDriver engine = new EngineDriver(dir);
                ExampleReader reader =
                        source.open(new ByteArrayInputStream(conllu.getBytes(StandardCharsets.UTF_8)), 1)) {
            byte[] key = "m".getBytes(StandardCharsets.UTF_8);
            engine.send(key, engine.encode(reader.next()), 1);
            engine.send(key, engine.encode(reader.next()), 2);
            engine.send(
                    "m",
                    example(
                            "3",
                            null,
                            "{\"tokens\":[[\"b\",\"w=go\",\"l=go\",\"s1=o\",\"s2=go\",\"s3=go\",\"p1=g\",\"p2=go\","
                                    + "\"-1=<s>\",\"+1=</s>\"]]}"),
                    3);

            List<GenericRecord> predictions = engine.events(Topic.PREDICTIONS);
            assertThat(predictions)
                    .extracting(
                            event -> label(event, "label"),
                            event -> event.get("exampleId").toString())
                    .containsExactly(tuple("null", "f:1"), tuple("[VERB]", "f:3"), tuple("[VERB]", "3"));
            // all but w= and capital, which the first word has another way; bias, start and end
            assertThat(predictions.get(1).get("score")).isEqualTo(9.0 + 3);
            assertThat(predictions.get(2).get("score")).isEqualTo(9.0 + 3);
        }
    }

    private static String label(GenericRecord event, String field) {
        return String.valueOf(event.get(field));
    }

    private static String example(String id, String label, String features) {
        return "{\"id\":\"" + id + "\",\"label\":" + label + ",\"features\":" + features + "}";
    }
}
