package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.serde.Topic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Weights from a file into a running engine and back. */
final class WeightsIT {
    private static final String WDBC = "src/main/resources/demo/wdbc.csv";

    @TempDir
    static Path directory;

    @RegisterExtension
    static final EngineOnCluster ENGINE = new EngineOnCluster("weights");

    @Test
    void shouldPredictWithImportedWeightsAsFitDid() throws IOException {
        Path weights = directory.resolve("wdbc.weights");
        List<String> fit = lines(
                "fit",
                WDBC,
                "--label-column",
                "diagnosis",
                "--id-column",
                "id",
                "--set",
                "scale=standard",
                "--epochs",
                "3",
                "--test",
                WDBC,
                "--json",
                "--output",
                weights.toString());
        int expected = json(fit.get(fit.size() - 1)).at("/testErrors/last").asInt();

        assertThat(clientLines("weights", "import", "wdbc", weights.toString(), "--yes"))
                .singleElement()
                .asString()
                .startsWith("wdbc: live, perceptron, 1707 examples, ")
                .contains("(IMPORT at weights-examples-");
        clientLines("models", "freeze", "wdbc");
        clientLines("produce", WDBC, "--model", "wdbc", "--label-column", "diagnosis", "--id-column", "id");
        List<String> predictions =
                clientLines("watch", "predictions", "--model", "wdbc", "--from-beginning", "--limit", "569", "--json");
        int wrong = 0;
        for (String prediction : predictions) {
            wrong += json(prediction).get("correct").asBoolean() ? 0 : 1;
        }
        assertThat(wrong).isEqualTo(expected).isPositive();

        assertThat(clientLines("weights", "import", "wdbc", weights.toString(), "--comparator"))
                .singleElement()
                .asString()
                .startsWith("wdbc: frozen, perceptron, 2276 examples, ")
                .contains("(COMPARATOR at weights-examples-");
    }

    @Test
    void shouldExportTheBitsThatItImportedInManyChunks() throws IOException {
        Path wide = directory.resolve("wide.libsvm");
        StringBuilder line = new StringBuilder("-1");
        Random random = new Random(4);
        for (int index = 0; index < 60_000; index++) {
            line.append(' ').append(index).append(':').append(random.nextGaussian());
        }
        Files.writeString(wide, line.append('\n'));
        Path fitted = directory.resolve("wide.weights");
        Path avro = directory.resolve("wide.avro");
        lines("fit", wide.toString(), "--output", fitted.toString());
        assertThat(Files.readAllLines(fitted)).hasSizeGreaterThan(3);

        clientLines("weights", "import", "first", fitted.toString(), "--yes");
        clientLines("models", "snapshot", "first");
        clientLines("weights", "export", "first", "--format", "avro", "-o", avro.toString());
        clientLines("weights", "import", "second", avro.toString(), "--yes");
        clientLines("models", "snapshot", "second");
        List<String> exported = clientLines("weights", "export", "second");

        assertThat(exported.stream().map(WeightsIT::model).toList())
                .isEqualTo(Files.readAllLines(fitted).stream()
                        .map(WeightsIT::model)
                        .toList());
        assertThat(clientLines("weights", "export", "second", "--format", "vw", "--top", "2"))
                .hasSize(7)
                .startsWith("Version perceptron-streams", "Id second", "bits:18", ":0")
                .satisfies(lines -> assertThat(lines.subList(5, 7)).allMatch(each -> each.matches(":\\d+:-?\\d.*")));
    }

    /** Ann likes tea, Bob likes rum, and neither likes the other drink. The model itself keeps no names. */
    @Test
    void shouldNameTheCrossesOfColumnsWithNamespaces() throws IOException {
        Path file = Files.writeString(directory.resolve("taste.csv"), "label,name,title\n" + """
                1,ann,tea
                -1,ann,rum
                -1,bob,tea
                1,bob,rum
                """.repeat(50));
        String[] namespaces = {"--namespaces", "user=name", "--namespaces", "drink=title"};
        clientLines("models", "set", "taste", "crosses=user*drink", "namespaces.keep=user,drink", "names.max=0");
        clientLines(with(namespaces, "produce", file.toString(), "--model", "taste"));
        clientLines("models", "snapshot", "taste");

        assertThat(clientLines("weights", "show", "taste")).noneMatch(line -> line.contains("^"));
        List<String> named = clientLines(with(namespaces, "weights", "show", "taste", "--names", file.toString()));
        assertThat(named.stream()
                        .filter(line -> line.matches("[ 0-9]{12} .*\\^.*"))
                        .toList())
                .hasSize(8)
                .anyMatch(line -> line.endsWith("  drink^title=rum*user^name=ann"))
                .anyMatch(line -> line.endsWith("  drink^title=tea"))
                .allMatch(line -> line.contains("^"));
        assertThat(run(with(namespaces, "weights", "show", "taste"))).isEqualTo(2);
        assertThat(ENGINE.errors()).contains("options of columns, such as --label-column, must be used with --names");
        assertThat(run(with(namespaces, "produce", "taste.jsonl", "--model", "taste")))
                .isEqualTo(2);
        assertThat(ENGINE.errors())
                .contains("options of columns, such as --label-column, must be used with csv, got JSONL");
        assertThat(run("produce", file.toString(), "--model", "taste", "--namespaces", "user"))
                .isEqualTo(2);
        assertThat(ENGINE.errors()).contains("--namespaces must be NAMESPACE=COLUMN,COLUMN, got 'user'");
    }

    private static String[] with(String[] last, String... first) {
        return Stream.concat(Stream.of(first), Stream.of(last)).toArray(String[]::new);
    }

    @Test
    void shouldSendNothingOfAFileThatIsNoWholeSnapshot() throws IOException {
        Path file = directory.resolve("part.weights");
        lines("fit", WDBC, "--label-column", "diagnosis", "--output", file.toString());
        ObjectNode chunk = (ObjectNode) json(Files.readString(file));

        refused(chunk.deepCopy().put("chunks", 2), "must hold all 2 chunks of a snapshot, got 1");
        refused(chunk.deepCopy().put("chunk", 1), "got chunk 1 of 1 as number 0");
        refused(chunk.deepCopy().putNull("state"), "must hold a model's exact state, got weights only");
        refused(chunk.deepCopy().put("epoch", "none"), "must hold WeightsSnapshot events");

        // nor a record of the model: a part of an import makes no model, but is sent
        try (TopicScan examples =
                TopicScan.open(ENGINE.config(), ENGINE.config().topic(Topic.EXAMPLES))) {
            examples.readAll(record ->
                    assertThat(new String(record.key(), StandardCharsets.UTF_8)).isNotEqualTo("part"));
        }
    }

    private static void refused(JsonNode chunk, String message) throws IOException {
        Path file = Files.writeString(directory.resolve("refused.weights"), chunk + "\n");
        assertThat(run("weights", "import", "part", file.toString(), "--yes")).isEqualTo(1);
        assertThat(ENGINE.errors().lines()).singleElement().asString().contains(message);
    }

    @Test
    void shouldTellWhyTheEngineRefusesWeights() throws IOException {
        Path file = directory.resolve("magic.weights");
        lines("fit", WDBC, "--label-column", "diagnosis", "--output", file.toString());
        Files.writeString(file, Files.readString(file).replace("\"perceptron\"", "\"magic\""));

        assertThat(run("weights", "import", "magic", file.toString(), "--yes")).isEqualTo(1);
        assertThat(ENGINE.errors()).contains("algorithm must be one of", "'magic' (INVALID_WEIGHTS, weights-examples-");
    }

    /** Removes fields that depend on the position in the log. */
    private static JsonNode model(String line) {
        ObjectNode chunk = (ObjectNode) json(line);
        chunk.remove(List.of("epoch", "partition", "offset"));
        return chunk;
    }

    private static JsonNode json(String text) {
        try {
            return new ObjectMapper().readTree(text);
        } catch (IOException e) {
            throw new AssertionError(text, e);
        }
    }

    private static List<String> lines(String... arguments) {
        return ENGINE.lines(ENGINE.runAlone(arguments));
    }

    private static List<String> clientLines(String... arguments) {
        return ENGINE.lines(run(arguments));
    }

    private static int run(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        if (List.of("import", "snapshot", "freeze").contains(arguments[1])) {
            // on a busy machine the engine may exceed the default time-out
            all.addAll(List.of("--timeout", "120"));
        }
        return ENGINE.run(all.toArray(String[]::new));
    }
}
