package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Traces of the two-class learner on a few generated examples, one line each, with a derivation of the first ten.
 *
 * <p>{@code -Dgolden.write=true} rewrites them and keeps the comments; explain the change in the commit.
 */
final class GoldenTraceTest {
    @ParameterizedTest
    @ValueSource(strings = {"perceptron", "margin", "margin-inclusive", "hinge", "averaged", "averaged-003", "pdm"})
    void shouldGoAsTheTraceSays(String name) throws IOException {
        Path file = Path.of("src/test/resources/golden", name + ".trace");
        List<String> expected = Files.readAllLines(file);

        List<String> found = trace(expected);

        if (Boolean.getBoolean("golden.write")) {
            Files.write(file, found);
        }
        assertThat(found).isEqualTo(expected).anyMatch(line -> line.contains("|"));
    }

    private static List<String> trace(List<String> lines) {
        // of the same updates, one for the emitted label and one for the average, which only a predicting average shows
        Model model = new Model();
        Model averaged = new Model();
        List<String> traced = new ArrayList<>();
        for (String line : lines) {
            if (line.startsWith("settings ")) {
                Map<String, String> settings = settings(line);
                model.configure(settings);
                averaged.configure(settings);
                averaged.configure(Map.of("predict", "averaged"));
            }
            traced.add(line.startsWith("#") || !line.contains("|") ? line : traced(model, averaged, line));
        }
        return traced;
    }

    private static Map<String, String> settings(String line) {
        Map<String, String> settings = new HashMap<>();
        for (String setting : line.substring("settings ".length()).split(" ", -1)) {
            String[] pair = setting.split("=", -1);
            settings.put(pair[0], pair[1]);
        }
        return settings;
    }

    private static String traced(Model model, Model averaged, String line) {
        String features = line.substring(0, line.indexOf('|')).trim();
        Outcome outcome = model.process(example(features), 0);
        double average = averaged.process(example(features), 0).predictedScore();
        double squaredNorm = model.pipeline().learner().state().numbers().get(3);
        String prediction = outcome.predicted().equals(Label.PLUS_ONE) ? "+1" : "-1";
        return features + " | " + outcome.score() + ' ' + prediction + ' ' + outcome.kind() + ' ' + squaredNorm + ' '
                + average;
    }

    /** Parses {@code +1 0:2 1:-1 *0.5}, of which the last is the weight, 1 unless said. */
    private static Example example(String text) {
        int star = text.indexOf('*');
        Sample sample = Sample.parse(star < 0 ? text : text.substring(0, star));
        return star < 0
                ? sample.example()
                : sample.withWeight(Double.parseDouble(text.substring(star + 1)))
                        .example();
    }
}
