package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Compares {@code fit} with the shared two-class reference results; skipped if they are missing. */
final class FitGoldenTest {
    private static final Path SHARED = Path.of(System.getProperty("shared.dir", "../shared"));
    private static final Set<String> TWO_CLASS = Set.of("perceptron", "margin-open", "margin-closed", "hinge");

    @TempDir
    Path directory;

    @TestFactory
    Stream<DynamicTest> shouldCountAsTheReferenceDoes() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        if (Files.isDirectory(SHARED.resolve("golden"))) {
            JsonNode sets = json("tiny").get("sets");
            sets.fieldNames()
                    .forEachRemaining(set -> sets.get(set)
                            .forEach(entry -> add(tests, entry, SHARED.resolve("data/tiny/" + set + ".libsvm"), null)));
            for (String data : List.of("breast-cancer", "sms-spam")) {
                Path folder = SHARED.resolve("data/" + data);
                json(data)
                        .get("runs")
                        .forEach(entry -> add(
                                tests,
                                entry,
                                file(folder, data + ".train.libsvm"),
                                file(folder, data + ".test.libsvm")));
            }
            assertThat(tests).hasSizeGreaterThan(5);
        }
        tests.add(dynamicTest("there", () -> assumeTrue(tests.size() > 1, "no reference results in " + SHARED)));
        return tests.stream();
    }

    private static Path file(Path folder, String name) {
        return Files.exists(folder.resolve(name)) ? folder.resolve(name) : folder.resolve(name + ".gz");
    }

    private void add(List<DynamicTest> tests, JsonNode entry, Path train, Path test) {
        JsonNode params = entry.get("params");
        boolean isClean = params.path("until_clean").asBoolean();
        // the other results continue after a pass without update, which fit does not
        if (TWO_CLASS.contains(entry.get("algorithm").asText())
                && (isClean || params.path("epochs").asInt() == 1)) {
            tests.add(dynamicTest(train.getFileName() + " " + params, () -> check(entry, train, test)));
        }
    }

    private void check(JsonNode entry, Path train, Path test) throws IOException {
        JsonNode params = entry.get("params");
        List<String> arguments = new ArrayList<>(List.of(
                "fit",
                train.toString(),
                "--json",
                "--output",
                directory.resolve("w").toString(),
                "--epochs",
                params.get("epochs").asText(),
                "--set",
                "h=" + params.get("h").asText(),
                "--set",
                "h.inclusive=" + params.get("tie").asText().equals("update"),
                "--set",
                "eta=" + params.get("eta").asText(),
                "--set",
                "bias=" + entry.path("bias").asBoolean(),
                "--set",
                "scale=" + (entry.path("normalised").asBoolean() ? "unit-norm" : "none")));
        if (test != null) {
            arguments.addAll(List.of("--test", test.toString()));
        }
        List<JsonNode> objects = run(arguments);

        JsonNode expected = entry.get("result");
        JsonNode last = objects.remove(objects.size() - 1);
        checkTheory(last.get("theory"), expected);
        if (test != null) {
            JsonNode errors = last.get("testErrors");
            assertThat(errors.get("last")).isEqualTo(expected.at("/test_errors/last"));
            assertThat(errors.get("averaged")).isEqualTo(expected.at("/test_errors/averaged_c1"));
        }
        assertThat(objects.stream().map(pass -> pass.get("updates").asLong()).toList())
                .isEqualTo(longs(expected.get("updates_by_epoch")));
        assertThat(sum(objects, "mistakes")).isEqualTo(expected.get("mistakes").asLong());
        assertThat(sum(objects, "marginMistakes"))
                .isEqualTo(expected.get("margin_mistakes").asLong());
        assertThat(sum(objects, "examples"))
                .isEqualTo(expected.get("examples_seen").asLong());
        assertThat(sum(objects, "errors"))
                .isEqualTo(expected.at("/errors_online/last").asLong());
    }

    /** The reference contains a margin only if the final weights separate the training set. */
    private static void checkTheory(JsonNode theory, JsonNode expected) {
        assertThat(theory.get("radius").asDouble())
                .isCloseTo(expected.get("radius").asDouble(), withinPercentage(1e-10));
        JsonNode separation = expected.path("separation");
        if (separation.isObject()) {
            assertThat(theory.get("margin").asDouble())
                    .isCloseTo(separation.get("margin").asDouble(), withinPercentage(1e-10));
            assertThat(theory.get("gammaLowerBound")).isEqualTo(theory.get("margin"));
        } else {
            assertThat(theory.get("gammaLowerBound").isNull()).isTrue();
        }
    }

    private static List<JsonNode> run(List<String> arguments) throws IOException {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        assertThat(Main.run(arguments.toArray(String[]::new), new PrintWriter(out), new PrintWriter(err)))
                .as(err.toString())
                .isZero();
        List<JsonNode> objects = new ArrayList<>();
        for (String line : out.toString().lines().toList()) {
            objects.add(new ObjectMapper().readTree(line));
        }
        return objects;
    }

    private static long sum(List<JsonNode> passes, String field) {
        return passes.stream().mapToLong(pass -> pass.get(field).asLong()).sum();
    }

    private static List<Long> longs(JsonNode array) {
        List<Long> list = new ArrayList<>();
        array.forEach(element -> list.add(element.asLong()));
        return list;
    }

    private static JsonNode json(String name) throws IOException {
        return new ObjectMapper()
                .readTree(SHARED.resolve("golden/" + name + ".json").toFile());
    }
}
