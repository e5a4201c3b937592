package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.Main;
import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.ExampleLoader;
import io.perceptronstreams.client.WeightsFile;
import io.perceptronstreams.format.ExampleFormat;
import io.perceptronstreams.format.ExampleReader;
import io.perceptronstreams.format.ExampleSource;
import io.perceptronstreams.format.LabelType;
import io.perceptronstreams.serde.AvroEventWriter;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.EngineDriver;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FitCommandTest {
    private static final String WDBC = "src/main/resources/demo/wdbc.csv --label-column diagnosis --id-column id";

    @TempDir
    Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "h=1 | {\"h\":\"1\"}",
                "algorithm=multiclass h=0.5 | {\"algorithm\":\"multiclass\",\"h\":\"0.5\"}",
                "drift=page-hinkley drift.threshold=1 drift.action=reset |"
                        + " {\"drift\":\"page-hinkley\",\"drift.threshold\":\"1\",\"drift.action\":\"reset\"}",
                "scale=standard predict=averaged | {\"scale\":\"standard\",\"predict\":\"averaged\"}",
                "scale=unit-norm survival.start=0 hash.bits=9 |"
                        + " {\"scale\":\"unit-norm\",\"survival.start\":\"0\",\"hash.bits\":\"9\"}"
            })
    void shouldComeInOnePassToTheBitsOfTheEngine(String set, String settings) throws IOException {
        StringBuilder sets = new StringBuilder();
        for (String each : set.split(" ", -1)) {
            sets.append(" --set ").append(each);
        }
        fit(WDBC + sets + " --epochs 1");

        GenericRecord published;
        try (EngineDriver engine = new EngineDriver(directory.resolve("engine"))) {
            engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":" + settings + "}", 0);
            AvroEventWriter writer = new AvroEventWriter(EventSchemas.schema("Example"), engine.id("Example"));
            ExampleSource source = new ExampleSource(
                    "src/main/resources/demo/wdbc.csv", ExampleFormat.CSV, LabelType.AUTO, "diagnosis", "id", null);
            try (ExampleReader reader = source.open(1)) {
                long time = 0;
                for (GenericRecord next = reader.next(); next != null; next = reader.next()) {
                    engine.send("m".getBytes(StandardCharsets.UTF_8), writer.write(next), time += 500);
                }
            }
            engine.send("m", "{\"action\":\"SNAPSHOT\"}", 1);
            published = engine.events(Topic.WEIGHTS).get(0);
        }
        List<GenericRecord> fitted = read(directory.resolve("w"));
        assertThat(fitted).hasSize(1);
        for (String field : List.of(
                "version", "seen", "labelled", "mistakes", "algorithm", "settings", "vectors", "state", "chunks")) {
            assertThat(text(fitted.get(0).get(field))).as(field).isEqualTo(text(published.get(field)));
        }
    }

    // The exclusive or of two columns: only their cross separates it.
    @Test
    void shouldLearnWithCrosses() throws IOException {
        StringBuilder rows = new StringBuilder("user^name,item^name,label\n");
        for (int k = 0; k < 40; k++) {
            rows.append(k % 2 == 0 ? "ann" : "bob")
                    .append(k / 2 % 2 == 0 ? ",tea," : ",rum,")
                    .append(k % 2 == k / 2 % 2 ? 1 : -1)
                    .append("\n");
        }
        Path file = Files.writeString(directory.resolve("xor.csv"), rows);
        fit(file + " --epochs 50 --test " + file);
        assertThat(out.toString()).contains("maximum number of passes reached");
        out.getBuffer().setLength(0);
        fit(file + " --epochs 50 --set crosses=user*item --test " + file);
        assertThat(out.toString()).containsPattern("pass \\d+ made no update");
        assertThat(text(read(directory.resolve("w")).get(0).get("settings"))).contains("crosses=item*user");
    }

    /** Doubles are written in full. */
    private static String text(Object value) {
        if (value instanceof Map<?, ?> map) {
            Map<String, String> sorted = new TreeMap<>();
            map.forEach((key, each) -> sorted.put(key.toString(), each.toString()));
            return sorted.toString();
        }
        return value.toString();
    }

    @Test
    void shouldPrintTheObjectsOfAPassAndOfTheTest() throws IOException {
        fit(WDBC + " --set scale=standard --epochs 2 --json --test src/main/resources/demo/wdbc.csv");

        List<JsonNode> objects = objects();
        assertThat(objects).hasSize(3);
        List<String> names = new ArrayList<>();
        objects.get(0).fieldNames().forEachRemaining(names::add);
        assertThat(names)
                .containsExactly(
                        "pass", "examples", "updates", "mistakes", "marginMistakes", "errors", "loss", "testErrors");
        assertThat(objects.get(1).get("pass").asInt()).isEqualTo(2);
        assertThat(objects.get(1).get("examples").asInt()).isEqualTo(569);
        assertThat(objects.get(2).get("testErrors").get("last").isIntegralNumber())
                .isTrue();
        assertThat(objects.get(2).get("testErrors").get("averaged").isIntegralNumber())
                .isTrue();
        assertThat(objects.get(2).get("testExamples").asInt()).isEqualTo(569);
        // the scaling changes in each pass
        assertThat(objects.get(2).at("/theory/margin").isNull()).isTrue();
    }

    @Test
    void shouldStopAfterAPassWithoutUpdate() throws IOException {
        Path file = Files.writeString(directory.resolve("and.libsvm"), "+1 1:1 2:1\n-1 1:1\n-1 2:1\n-1 3:1\n");
        fit(file + " --json --epochs 100");

        List<JsonNode> objects = objects();
        JsonNode theory = objects.remove(objects.size() - 1).get("theory");
        assertThat(objects.get(objects.size() - 1).get("updates").asInt()).isZero();
        assertThat(objects).hasSizeLessThan(100);
        assertThat(theory.get("margin").asDouble()).isPositive();
        for (JsonNode pass : objects.subList(0, objects.size() - 1)) {
            assertThat(pass.get("updates").asInt()).isPositive();
        }
    }

    @Test
    void shouldWriteTheSameWeightsWhetherTheyAreTestedOrNot() throws IOException {
        String fit = WDBC + " --set scale=standard --set predict=averaged --epochs 2";
        fit(fit);
        String untested = Files.readString(directory.resolve("w"));
        fit(fit + " --test src/main/resources/demo/wdbc.csv");

        assertThat(directory.resolve("w")).hasContent(untested);
    }

    @Test
    void shouldWriteTheWeightsOfThePassWithTheFewestTestErrors() throws IOException {
        Path test = Files.writeString(directory.resolve("test.csv"), wdbc(3));
        String csv = " --label-column diagnosis --id-column id --set scale=unit-norm --order shuffled --json";
        String fit = "src/main/resources/demo/wdbc.csv" + csv;
        fit(fit + " --epochs 40 --patience 3 --test " + test);
        String weights = Files.readString(directory.resolve("w"));
        List<JsonNode> objects = objects();
        JsonNode result = objects.remove(objects.size() - 1);
        List<Integer> errors = new ArrayList<>();
        objects.forEach(pass -> errors.add(pass.get("testErrors").asInt()));
        int fewest = errors.indexOf(Collections.min(errors));
        assertThat(errors).hasSize(fewest + 4).hasSizeLessThan(40);
        assertThat(result.at("/testErrors/last").asInt()).isEqualTo(Collections.min(errors));

        fit(fit + " --epochs " + (fewest + 1));
        assertThat(directory.resolve("w")).hasContent(weights);
        fit(fit + " --epochs " + errors.size());
        assertThat(Files.readString(directory.resolve("w"))).isNotEqualTo(weights);
    }

    /** The header and every n-th line. */
    private static String wdbc(int n) throws IOException {
        List<String> lines = Files.readAllLines(Path.of("src/main/resources/demo/wdbc.csv"));
        StringBuilder some = new StringBuilder(lines.get(0)).append('\n');
        for (int line = 1; line < lines.size(); line += n) {
            some.append(lines.get(line)).append('\n');
        }
        return some.toString();
    }

    @Test
    void shouldRefusePatienceWithoutATest() {
        assertThat(run("fit " + WDBC + " --patience 3")).isEqualTo(2);
        assertThat(err.toString()).contains("--patience must be used with --test");
        assertThat(run("fit " + WDBC + " --patience 0 --test x")).isEqualTo(2);
        assertThat(err.toString()).contains("--patience must be at least 1, got 0");
    }

    @Test
    void shouldProveThatNothingSeparatesExclusiveOr() throws IOException {
        Path file = Files.writeString(directory.resolve("xor.libsvm"), "-1\n+1 1:1\n+1 2:1\n-1 1:1 2:1\n");
        fit(file + " --epochs 8");
        assertThat(out.toString().replaceAll("\\s+", " "))
                .contains("no separator no hyperplane separates the examples, and the passes repeat for ever: pass ")
                .contains("computed exactly: 1 of example 1, 1 of example 2, 1 of example 3, 1 of example 4");
        fit(file + " --epochs 8 --order shuffled");
        assertThat(out.toString()).contains("no separator         does not apply: no pass was found");
    }

    @Test
    void shouldCountLabelsItHasNeverSeenAsErrors() throws IOException {
        Path train = Files.writeString(directory.resolve("train.libsvm"), "+1 1:1\n-1 2:1\n");
        Path test = Files.writeString(directory.resolve("test.libsvm"), "+1 1:1\n7 2:1\n-1 2:1\n");
        fit(train + " --json --test " + test);

        List<JsonNode> objects = objects();
        assertThat(objects.get(objects.size() - 1).get("testErrors")).hasToString("{\"last\":1,\"averaged\":1}");
    }

    @ParameterizedTest
    @CsvSource({
        "0, bias=false",
        "1, bias=false h=1",
        "2, bias=false kernel=linear",
        "3, 'algorithm=multiclass classes=-1,1 bias=false'"
    })
    void shouldSayWhatTheTheoremsSayOfASeparableFile(long seed, String set) throws IOException {
        // unit vectors, separated by (0.6, -0.8, 0) with a margin of at least 0.1
        double gamma = 0.1;
        Random random = new Random(seed);
        StringBuilder lines = new StringBuilder();
        for (int k = 0; k < 200; ) {
            double[] x = random.doubles(3, -1, 1).toArray();
            double length = Math.sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
            double u = (0.6 * x[0] - 0.8 * x[1]) / length;
            if (Math.abs(u) >= gamma) {
                lines.append(u > 0 ? "+1" : "-1");
                for (int i = 0; i < 3; i++) {
                    lines.append(' ').append(i + 1).append(':').append(x[i] / length);
                }
                lines.append('\n');
                k++;
            }
        }
        Path file = Files.writeString(directory.resolve("separable.libsvm"), lines);
        fit(file + " --json --epochs 1000 --set " + set.replace(" ", " --set "));

        List<JsonNode> objects = objects();
        JsonNode theory = objects.get(objects.size() - 1).get("theory");
        // Kesler's vectors of two classes: the margin of (u, -u) / sqrt(2) is 2u / sqrt(2)
        boolean isKesler = set.contains("multiclass");
        double best = isKesler ? Math.sqrt(2) * gamma : gamma;
        double radius = isKesler ? Math.sqrt(2) : 1;
        assertThat(theory.get("radius").asDouble()).as("seed %d", seed).isCloseTo(radius, within(1e-12));
        double margin = theory.get("gammaLowerBound").asDouble();
        assertThat(margin).isPositive().isEqualTo(theory.get("margin").asDouble());
        assertThat(theory.get("gammaUpperBound").asDouble()).isGreaterThan(Math.max(best, margin));
        long updates = theory.get("updates").asLong();
        String name = set.contains("h=1") ? "margin perceptron" : "mistake bound";
        double numerator = set.contains("h=1") ? 3 : radius * radius;
        assertThat((double) updates).isLessThanOrEqualTo(numerator / (best * best));
        assertThat(theorem(theory, name).get("value").asDouble())
                .isCloseTo(numerator / (margin * margin), within(1e-6))
                .isGreaterThanOrEqualTo((double) updates);
        if (name.equals("margin perceptron")) {
            assertThat(margin).isGreaterThanOrEqualTo(best / 3);
        }
        for (JsonNode each : theory.get("theorems")) {
            assertThat(each.get("value").isNull())
                    .isEqualTo(each.get("text").asText().startsWith("does not apply: "));
        }
    }

    private static JsonNode theorem(JsonNode theory, String name) {
        for (JsonNode each : theory.get("theorems")) {
            if (each.get("name").asText().equals(name)) {
                return each;
            }
        }
        throw new AssertionError("no theorem of the name " + name);
    }

    @Test
    void shouldSayWhyATheoremDoesNotApply() throws IOException {
        fit(WDBC + " --epochs 2 --set algorithm=pa-i");
        assertThat(out.toString())
                .contains("pa-i: M = ")
                .contains("mistake bound        does not apply: the learner's updates are not the perceptron's")
                .contains("VC dimension         P + 1 = 31");
        fit(WDBC + " --epochs 2 --order random");
        assertThat(out.toString())
                .contains("hinge bound          does not apply: the hinge loss of a u to compare with");
        fit(WDBC + " --epochs 2 --set algorithm=arow");
        assertThat(out.toString()).contains("does not apply: w is no sum of steps times examples, so its length");
        fit(WDBC + " --epochs 2 --set algorithm=multiclass");
        assertThat(out.toString()).contains("mistake bound        does not apply: w is no sum of steps times examples");
    }

    @Test
    void shouldTakeTheWeightThatAllExamplesHaveForAStep() throws IOException {
        String lines = """
                {"label":1,"features":[1,1,0],"weight":2}
                {"label":-1,"features":[1,0,0],"weight":2}
                {"label":-1,"features":[0,1,0],"weight":%s}
                """;
        Path equal = Files.writeString(directory.resolve("equal.jsonl"), String.format(lines, "2"));
        fit(equal + " --json --epochs 100");
        JsonNode theory = objects().get(objects().size() - 1).get("theory");
        assertThat(theorem(theory, "mistake bound").get("value").asDouble())
                .isGreaterThanOrEqualTo(theory.get("updates").asDouble());
        assertThat(theory.get("gammaUpperBound").asDouble())
                .isCloseTo(
                        theory.get("weightNorm").asDouble()
                                / (2 * theory.get("updates").asDouble()),
                        within(1e-12));

        Path different = Files.writeString(directory.resolve("different.jsonl"), String.format(lines, "3"));
        fit(different + " --json --epochs 100");
        theory = objects().get(objects().size() - 1).get("theory");
        assertThat(theorem(theory, "mistake bound").get("text").asText()).contains("different weights");
    }

    @Test
    void shouldSayNothingOfAnOutputWithoutRivals() throws IOException {
        String lines = """
                {"label":"a","features":{"candidates":[{"output":"a","features":{"x":1}}]}}
                {"label":"a","features":{"candidates":[{"output":"b","features":{"z":1}},{"output":"a","features":{"y":1}}]}}
                """;
        fit(Files.writeString(directory.resolve("candidates.jsonl"), lines) + " --json --epochs 100");

        JsonNode theory = objects().get(objects().size() - 1).get("theory");
        // one update by f(x,a) - f(x,b), which has length sqrt(2)
        assertThat(theory.get("updates").asInt()).isEqualTo(1);
        assertThat(theory.get("margin").asDouble()).isCloseTo(Math.sqrt(2), within(1e-12));
        // u = w/2 has the margin 1 on the only difference: R^2|u|^2 = 2/2
        assertThat(theorem(theory, "hinge bound").get("value").asDouble()).isCloseTo(1, within(1e-9));
    }

    @Test
    void shouldCountWrongTagsOfSequences() throws IOException {
        String sentence = "%s\tdog\t_\t%s\t_\t_\t_\t_\t_\t_\n";
        Path train = Files.writeString(
                directory.resolve("train.conllu"),
                String.format(sentence, 1, "NOUN") + String.format(sentence, 2, "VERB") + "\n");
        Path test = Files.writeString(
                directory.resolve("test.conllu"),
                String.format(sentence, 1, "NOUN") + String.format(sentence, 2, "NEW") + "\n"
                        + String.format(sentence, 1, "NOUN") + String.format(sentence, 2, "VERB") + "\n");
        fit(train + " --json --epochs 20 --set bias=false --test " + test);

        List<JsonNode> objects = objects();
        JsonNode last = objects.get(objects.size() - 1);
        assertThat(last.get("testErrors").get("last").asInt()).isEqualTo(1);
        assertThat(last.get("testTagErrors").get("last").asInt()).isEqualTo(1);
        assertThat(last.get("testTags").asInt()).isEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource({"shuffled", "random"})
    void shouldComeToTheSameBitsFromTheSameSeedOnly(String order) throws IOException {
        String fit = WDBC + " --set scale=unit-norm --epochs 3 --order " + order;
        fit(fit + " --seed 5");
        String first = Files.readString(directory.resolve("w"));
        fit(fit + " --seed 5");
        assertThat(directory.resolve("w")).hasContent(first);

        fit(fit + " --seed 6");
        assertThat(Files.readString(directory.resolve("w"))).isNotEqualTo(first);
    }

    @Test
    void shouldWriteTheSameChunksAsAvroAndAsJson() throws IOException {
        fit(WDBC);
        run("fit " + WDBC + " --output " + directory.resolve("w.avro"));

        assertThat(read(directory.resolve("w.avro"))).isEqualTo(read(directory.resolve("w")));
    }

    // 0 stopped the command, and True made a multiclass model
    @ParameterizedTest
    @CsvSource({"0,1", "0.0,1.0", "False,True"})
    void shouldTakeOrdinaryLabelsWithoutOptions(String negative, String positive) throws IOException {
        Path file = directory.resolve("zo.csv");
        Files.writeString(file, "label,x\n" + positive + ",2\n" + negative + ",-1\n" + positive + ",1\n");

        fit(file + " --test " + file);

        GenericRecord weights = read(directory.resolve("w")).get(0);
        assertThat(weights.get("algorithm")).hasToString("perceptron");
        assertThat(((Map<?, ?>) weights.get("settings")).get("negative.label")).hasToString("auto:0");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "+1 1:1\\n-1 x:1 | bad.libsvm:2: ",
                "+1 1:1\\n-1 2:1e999 | bad.libsvm:2: ",
                "+1 1:1\\n3 2:1 | bad.libsvm, example 2: label must be the int -1 or +1, got 3",
                "'' | file must have at least one example, got none from "
            })
    void shouldStopAtABadExampleAndSayWhere(String text, String message) throws IOException {
        Path file = Files.writeString(directory.resolve("bad.libsvm"), text.replace("\\n", "\n"));

        assertThat(run("fit " + file + " --output " + directory.resolve("w"))).isEqualTo(1);
        assertThat(err.toString().lines()).singleElement().asString().contains(message);
        assertThat(directory.resolve("w")).doesNotExist();
    }

    @Test
    void shouldSayThatTheFileIsTooLargeForTheMemory() {
        ExampleSource source = new ExampleSource(
                "src/main/resources/demo/wdbc.csv", ExampleFormat.CSV, LabelType.AUTO, "diagnosis", "id", null);
        ExampleLoader loader = new ExampleLoader(new io.perceptronstreams.example.FeatureHasher(18), 100_000);

        org.assertj.core.api.Assertions.assertThatThrownBy(() -> loader.load(source, count -> true))
                .isInstanceOf(CommandFailedException.class)
                .hasMessageContaining("examples must fit into")
                .hasMessageContaining("PERCEPTRON_OPTS");
    }

    private void fit(String arguments) {
        assertThat(run("fit " + arguments + " --output " + directory.resolve("w")))
                .as(err.toString())
                .isZero();
    }

    private int run(String arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return Main.run(arguments.split(" "), new PrintWriter(out), new PrintWriter(err));
    }

    private List<JsonNode> objects() throws IOException {
        List<JsonNode> objects = new ArrayList<>();
        for (String line : out.toString().lines().toList()) {
            objects.add(new ObjectMapper().readTree(line));
        }
        return objects;
    }

    private static List<GenericRecord> read(Path file) throws IOException {
        List<GenericRecord> chunks = new ArrayList<>();
        try (WeightsFile weights = WeightsFile.open(Files.newInputStream(file), file.toString())) {
            for (GenericRecord chunk = weights.next(); chunk != null; chunk = weights.next()) {
                chunks.add(chunk);
            }
        }
        return chunks;
    }
}
