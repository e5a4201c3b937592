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
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Weights from a file into a running engine and back. */
final class WeightsIT {
    private static final String WDBC = "src/app/main/resources/demo/wdbc.csv";
    private static final String CSV = WDBC + " --label-column diagnosis";

    @TempDir
    static Path directory;

    @RegisterExtension
    static final EngineOnCluster ENGINE = new EngineOnCluster("weights");

    @Test
    void shouldPredictWithImportedWeightsAsFitDid() throws IOException {
        Path weights = directory.resolve("wdbc.weights");
        fit(CSV + " --id-column id --set scale=standard --epochs 3 --test " + WDBC + " --json", weights);
        List<JsonNode> fit = ENGINE.objects();
        int expected = fit.get(fit.size() - 1).at("/testErrors/last").asInt();

        assertThat(lines("weights import wdbc " + weights + " --yes"))
                .singleElement()
                .asString()
                // the engine has emitted nothing yet
                .startsWith("wdbc: live, perceptron, 0 examples, ")
                .contains("(IMPORT at weights-examples-");
        lines("models freeze wdbc");
        lines("produce " + CSV + " --model wdbc --id-column id");
        lines("watch predictions --model wdbc --from-beginning --limit 569 --json");
        int wrong = 0;
        for (JsonNode prediction : ENGINE.objects()) {
            wrong += prediction.get("correct").asBoolean() ? 0 : 1;
        }
        assertThat(wrong).isEqualTo(expected).isPositive();

        assertThat(lines("weights import wdbc " + weights + " --comparator"))
                .singleElement()
                .asString()
                .startsWith("wdbc: frozen, perceptron, 569 examples, ")
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
        fit(wide.toString(), fitted);
        assertThat(Files.readAllLines(fitted)).hasSizeGreaterThan(3);

        lines("weights import first " + fitted + " --yes");
        lines("models snapshot first");
        lines("weights export first --format avro -o " + avro);
        lines("weights import second " + avro + " --yes");
        lines("models snapshot second");
        List<String> exported = lines("weights export second");

        assertThat(exported.stream().map(WeightsIT::model).toList())
                .isEqualTo(Files.readAllLines(fitted).stream()
                        .map(WeightsIT::model)
                        .toList());
        assertThat(lines("weights export second --format vw --limit 2"))
                .hasSize(7)
                .startsWith("Version perceptron-streams", "Id second", "bits:18", ":0")
                .satisfies(lines -> assertThat(lines.subList(5, 7)).allMatch(each -> each.matches(":\\d+:-?\\d.*")));
    }

    @Test
    @Tag("full")
    void shouldGoBackToANamedSnapshotAndUndoThat() throws IOException {
        Path weights = directory.resolve("versions.weights");
        fit(CSV + " --set names.max=0", weights);
        lines("weights import kept " + weights + " --yes");
        assertThat(lines("versions tag kept v1")).singleElement().asString().contains("(SNAPSHOT at weights-examples-");
        lines("produce " + CSV + " --model kept --limit 100");
        assertThat(ENGINE.failure(1, "versions tag kept v1 --timeout 120"))
                .contains("the name of a snapshot must be new, got 'v1' again")
                .contains("perceptron versions untag kept v1");
        lines("models snapshot kept");
        List<String> later = lines("weights export kept");
        assertThat(lines("weights export kept@v1").stream()
                        .map(WeightsIT::model)
                        .toList())
                .isEqualTo(Files.readAllLines(weights).stream()
                        .map(WeightsIT::model)
                        .toList());

        assertThat(lines("versions rollback kept v1"))
                .hasSize(2)
                .last()
                .asString()
                .contains("(IMPORT at ");
        lines("models snapshot kept");
        assertThat(model(lines("weights export kept").get(0)))
                .isEqualTo(model(lines("weights export kept@v1").get(0)));
        List<String> tags = lines("versions list kept");
        assertThat(tags).hasSize(3);
        assertThat(tags.get(0).strip().split(" +")).containsExactly("name", "epoch", "updates", "offset");
        String before = tags.get(2).split(" ", 2)[0];
        assertThat(before).matches("before-rollback-\\d+");

        lines("versions rollback kept " + before);
        lines("models snapshot kept");
        assertThat(model(lines("weights export kept").get(0))).isEqualTo(model(later.get(0)));
        assertThat(lines("challengers begin kept old --from kept@v1 trial.round=5 --timeout 120"))
                .singleElement()
                .asString()
                .contains("(CHALLENGED at ");
        lines("challengers begin kept file --from " + weights + " --timeout 120");
        assertThat(lines("challengers show kept")).hasSize(4).anyMatch(line -> line.startsWith("file "));
        assertThat(ENGINE.failure(2, "challengers begin kept x h=1 --from " + weights))
                .contains("settings must come with the weights of --from, got also [h]");
        assertThat(ENGINE.failure(1, "challengers begin kept previous --from " + weights + " --timeout 120"))
                .contains("challenger must be a name of 1 to 32 of the characters");
        assertThat(lines("versions untag kept v1 --yes --timeout 120")).hasSize(1);
        assertThat(ENGINE.failure(1, "versions rollback kept v1"))
                .contains(
                        "a named snapshot must exist, got none of 'kept@v1' (perceptron versions list kept lists them)");

        lines("models delete kept --yes");
        assertThat(ENGINE.failure(1, "weights export kept"))
                .contains("model must exist, got 'kept', which was deleted");
        // nothing to be named
        assertThat(lines("versions rollback kept " + before))
                .singleElement()
                .asString()
                .startsWith("kept: live, perceptron, ");
        assertThat(ENGINE.failure(2, "weights export a/b@v1")).contains("model name must be ");
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
        String namespaces = " --namespaces user=name --namespaces drink=title";
        lines("models set taste crosses=user*drink namespaces.keep=user,drink names.max=0");
        lines("produce " + file + " --model taste" + namespaces);
        lines("models snapshot taste");

        assertThat(lines("weights show taste")).noneMatch(line -> line.contains("^"));
        List<String> named = lines("weights show taste --names " + file + namespaces);
        assertThat(named.stream()
                        .filter(line -> line.matches("[ 0-9]{12} .*\\^.*"))
                        .toList())
                .hasSize(8)
                .anyMatch(line -> line.endsWith("  drink^title=rum*user^name=ann"))
                .anyMatch(line -> line.endsWith("  drink^title=tea"))
                .allMatch(line -> line.contains("^"));
        assertThat(ENGINE.failure(2, "weights show taste" + namespaces))
                .contains("options of columns, such as --label-column, must be used with --names");
        assertThat(ENGINE.failure(2, "produce taste.vw --model taste" + namespaces))
                .contains("options of columns, such as --label-column, must be used with csv, arff or jsonl, got VW");
        assertThat(ENGINE.failure(2, "produce " + file + " --model taste --namespaces user"))
                .contains("--namespaces must be NAMESPACE=COLUMN,COLUMN, got 'user'");
    }

    @Test
    void shouldSendNothingOfAFileThatIsNoWholeSnapshot() throws IOException {
        Path file = directory.resolve("part.weights");
        fit(CSV, file);
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
        assertThat(ENGINE.failure(1, "weights import part " + file + " --yes --timeout 120")
                        .lines())
                .singleElement()
                .asString()
                .contains(message);
    }

    @Test
    void shouldTellWhyTheEngineRefusesWeights() throws IOException {
        Path file = directory.resolve("magic.weights");
        fit(CSV, file);
        Files.writeString(file, Files.readString(file).replace("\"perceptron\"", "\"magic\""));

        assertThat(ENGINE.failure(1, "weights import magic " + file + " --yes --timeout 120"))
                .contains("algorithm must be one of", "'magic' (INVALID_WEIGHTS, weights-examples-");
    }

    /** Removes fields that depend on the position in the log. */
    private static JsonNode model(String line) {
        ObjectNode chunk = (ObjectNode) json(line);
        // counts of what was emitted are those of the model, not of the weights
        chunk.remove(List.of("epoch", "partition", "offset", "emitted", "lastEpoch", "countsSince"));
        return chunk;
    }

    private static JsonNode json(String text) {
        try {
            return new ObjectMapper().readTree(text);
        } catch (IOException e) {
            throw new AssertionError(text, e);
        }
    }

    private static void fit(String arguments, Path weights) {
        assertThat(ENGINE.runAlone(("fit " + arguments + " --set algorithm=auto --output " + weights).split(" ", -1)))
                .as(ENGINE.errors())
                .isZero();
    }

    private static List<String> lines(String command) {
        // on a busy machine the engine may exceed the default time-out
        boolean isLong = command.matches("\\S+ (import|snapshot|freeze|tag|rollback|delete) .*");
        return ENGINE.output(command + (isLong ? " --timeout 120" : "")).lines().toList();
    }
}
