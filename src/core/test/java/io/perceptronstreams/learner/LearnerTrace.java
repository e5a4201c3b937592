package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.Label;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * The golden traces of learners: {@code label features [*weight] | score, emitted prediction or none, what it is,
 * whether w changed (not in all), |w| afterwards}. A line {@code settings …} begins with a new learner.
 */
public final class LearnerTrace {
    private static final double TOLERANCE = 1e-12;

    private LearnerTrace() {}

    /** Compares each line of a trace, and returns how many there are. */
    public static int compare(String name, Function<Map<String, String>, Learner> learners) throws IOException {
        Learner learner = null;
        Outcome outcome = new Outcome();
        int examples = 0;
        for (String line : Files.readAllLines(Path.of("src/test/resources/golden", name + ".trace"))) {
            if (line.startsWith("settings ")) {
                learner = learners.apply(settings(line.substring("settings ".length())));
            }
            if (line.startsWith("#") || !line.contains("|")) {
                continue;
            }
            String[] parts = line.split("\\|", -1);
            String[] input = parts[0].trim().split("\\*", -1);
            String[] expected = parts[1].trim().split(" ", -1);
            int last = expected.length - 1;
            Sample sample = Sample.parse(input[0].trim());
            double weight = input.length > 1 ? Double.parseDouble(input[1]) : 1;

            learner.learn(sample.vector(), Label.of(sample.y), weight, outcome);

            assertThat(outcome.score()).as(line).isCloseTo(Double.parseDouble(expected[0]), within(TOLERANCE));
            Object predicted = expected[1].equals("none") ? null : Integer.valueOf(expected[1]);
            assertThat("" + outcome.predicted()).as(line).isEqualTo("" + predicted);
            assertThat(outcome.kind()).as(line).hasToString(expected[2]);
            if (last > 3) {
                assertThat(outcome.isUpdated()).as(line).isEqualTo(expected[3].equals("updated"));
            }
            assertThat(learner.weightNorm()).as(line).isCloseTo(Double.parseDouble(expected[last]), within(TOLERANCE));
            examples++;
        }
        return examples;
    }

    private static Map<String, String> settings(String line) {
        Map<String, String> settings = new HashMap<>();
        for (String each : line.split(" ", -1)) {
            settings.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
        }
        return settings;
    }
}
