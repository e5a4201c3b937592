package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.ExampleBuffer;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Votes against a trace derived by hand and against NumPy; {@code python3 src/test/python/vote.py} computes both. */
final class VoteTest {
    private static final double TOLERANCE = 1e-12;

    private final Vote vote = new Vote();
    private double[] errors = new double[3];

    @Test
    void shouldGoAsTheTraceSays() throws IOException {
        int lines = 0;
        for (String line : Files.readAllLines(Path.of("src/test/resources/golden/vote.trace"))) {
            if (line.startsWith("new ")) {
                errors = new double[Integer.parseInt(line.substring("new ".length()))];
            } else if (!line.startsWith("#") && line.contains("|")) {
                check(line);
                lines++;
            }
        }
        assertThat(lines).isEqualTo(16);
    }

    private void check(String line) {
        String[] parts = Arrays.stream(line.split("\\|", -1)).map(String::trim).toArray(String[]::new);
        boolean isRepeated = parts[0].contains(" x ");
        String truth = isRepeated ? parts[0].substring(parts[0].indexOf(" x ") + 3) : parts[0];
        int count = isRepeated ? Integer.parseInt(parts[0].substring(0, parts[0].indexOf(' '))) : 1;
        String[] labels = parts[1].split(" ", -1);
        for (int k = 0; k < count; k++) {
            double least = Arrays.stream(errors).min().orElseThrow();
            vote.clear();
            for (int member = 0; member < errors.length; member++) {
                vote.add(label(labels[member]), Vote.weight(errors[member], least));
            }
            for (int member = 0; member < errors.length && !truth.equals("none"); member++) {
                errors[member] = Vote.after(errors[member], !truth.equals(labels[member]));
            }
        }
        String[] expected = parts[2].split(" ", -1);
        Label winner = label(expected[0]);
        assertThat(vote.winner()).as(line).isEqualTo(winner);
        assertThat(vote.share(winner)).as(line).isCloseTo(Double.parseDouble(expected[1]), within(TOLERANCE));
        assertThat(vote.lead(winner)).as(line).isCloseTo(Double.parseDouble(expected[2]), within(TOLERANCE));
        double[] after = Arrays.stream(parts[3].split(" ", -1))
                .mapToDouble(Double::parseDouble)
                .toArray();
        for (int member = 0; member < errors.length; member++) {
            assertThat(errors[member])
                    .as(line)
                    .isCloseTo(after[member], within(TOLERANCE * Math.max(1, after[member])));
        }
    }

    private static Label label(String text) {
        return text.equals("none") ? null : Label.parse(text);
    }

    static List<JsonNode> portfolios() throws IOException {
        JsonNode all = new ObjectMapper()
                .readTree(Path.of("src/test/resources/reference/vote.json").toFile());
        return List.copyOf(all.valueStream().toList());
    }

    @ParameterizedTest
    @MethodSource("portfolios")
    void shouldVoteAsTheReference(JsonNode expected) {
        ExampleBuffer data = ReferenceStreams.named(expected.get("data").asText());
        Model model = new Model();
        model.configure(Map.of("portfolio", "true"));
        Example example = new Example();
        String emitted = expected.get("emitted").asText();
        // of the first example there is no vote
        List<Model.Voter> voters = List.of();
        int votes = 0;
        int voteErrors = 0;
        for (int n = 0; n < data.size(); n++) {
            data.fill(n, example);
            voters = model.voters();
            Outcome outcome = model.use(example, 0, null, null);
            if (n > 0) {
                assertThat(outcome.predicted()).as("example %d", n).isEqualTo(emitted(emitted.charAt(n - 1)));
                if (votes % 20 == 0) {
                    double score = expected.get("scores").get(votes / 20).asDouble();
                    assertThat(outcome.predictedScore()).as("example %d", n).isCloseTo(score, within(1e-11));
                }
                votes++;
                voteErrors += outcome.isError() ? 1 : 0;
            }
            model.adapt();
        }
        assertThat(votes).isEqualTo(emitted.length());
        assertThat(voteErrors).isEqualTo(expected.get("voteErrors").asInt());
        for (int member = 0; member < voters.size(); member++) {
            double share = expected.get("shares").get(member).asDouble();
            assertThat(voters.get(member).share()).as("member %d", member).isCloseTo(share, within(1e-11));
        }
        assertThat(voters).hasSize(expected.get("shares").size());
    }

    private static Label emitted(char letter) {
        return switch (letter) {
            case '+' -> Label.PLUS_ONE;
            case '-' -> Label.MINUS_ONE;
            default -> new Label.ClassName(Character.toString(letter));
        };
    }
}
