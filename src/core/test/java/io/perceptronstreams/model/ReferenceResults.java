package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.learner.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/**
 * Shared reference results, in the folder {@code ../shared} or {@code -Dshared.dir}; tests are skipped without them.
 */
public final class ReferenceResults {
    private static final Path SHARED = Path.of(System.getProperty("shared.dir", "../shared"));

    private ReferenceResults() {}

    /**
     * Result of one learner on one data set.
     *
     * @param test file of the test set, null if there is none
     */
    public record Entry(String data, JsonNode json, Path train, Path test) {
        public String algorithm() {
            return json.get("algorithm").asText();
        }

        List<Sample> trainSamples() throws IOException {
            return Sample.read(train);
        }

        /** Empty if there is no test set. */
        List<Sample> testSamples() throws IOException {
            return test == null ? List.of() : Sample.read(test);
        }

        @Override
        public String toString() {
            return data
                    + ' '
                    + algorithm()
                    + ' '
                    + json.path("params")
                    + (json.path("bias").asBoolean() ? " bias" : "")
                    + (json.path("normalised").asBoolean() ? " normalised" : "");
        }
    }

    /** Comparison with one entry. */
    public interface Check {
        void run(Entry entry) throws IOException;
    }

    /**
     * A test for each selected entry of the tiny sets and of other data sets.
     *
     * @param atLeast minimum number of tests
     */
    public static Stream<DynamicTest> tests(int atLeast, Predicate<Entry> isSelected, Check check, String... dataSets)
            throws IOException {
        if (!Files.isDirectory(SHARED.resolve("golden"))) {
            // within a test, for an aborted factory would not even be listed as skipped
            return Stream.of(dynamicTest("skipped", ReferenceResults::require));
        }
        List<Entry> entries = new ArrayList<>();
        json("tiny")
                .get("sets")
                .properties()
                .forEach(set -> set.getValue()
                        .forEach(each -> entries.add(new Entry(
                                set.getKey(), each, SHARED.resolve("data/tiny/" + set.getKey() + ".libsvm"), null))));
        for (String data : dataSets) {
            json(data)
                    .get("runs")
                    .forEach(run -> entries.add(new Entry(data, run, libsvm(data, "train"), libsvm(data, "test"))));
        }
        List<DynamicTest> tests = entries.stream()
                .filter(isSelected)
                .map(entry -> dynamicTest(entry.toString(), () -> check.run(entry)))
                .toList();
        assertThat(tests).hasSizeGreaterThanOrEqualTo(atLeast);
        return tests.stream();
    }

    /** Skips the test if there are no results. */
    public static void require() {
        assumeTrue(
                Files.isDirectory(SHARED.resolve("golden")),
                () -> "no reference results in " + SHARED.toAbsolutePath().normalize()
                        + " (say where they are with -Dshared.dir=…)");
    }

    /** A file of results or data. */
    public static Path file(String name) {
        return SHARED.resolve(name);
    }

    /** Part of a data set: {@code train} or {@code test}. */
    public static Path libsvm(String data, String part) {
        Path file = SHARED.resolve("data/" + data + "/" + data + "." + part + ".libsvm");
        return Files.exists(file) ? file : file.resolveSibling(file.getFileName() + ".gz");
    }

    /** Results on a data set. */
    public static JsonNode json(String data) throws IOException {
        return new ObjectMapper()
                .readTree(SHARED.resolve("golden/" + data + ".json").toFile());
    }

    public static List<Long> longs(JsonNode array) {
        List<Long> list = new ArrayList<>();
        array.forEach(element -> list.add(element.asLong()));
        return list;
    }
}
