package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Real data of the project, with every scaling, against the numbers of {@code golden/wdbc.json}. */
final class WdbcGoldenTest {
    private static final List<Sample> DATA = new ArrayList<>();

    @BeforeAll
    static void readData() throws IOException {
        List<String> lines = Files.readAllLines(Path.of("src/app/main/resources/demo/wdbc.csv"));
        for (String line : lines.subList(1, lines.size())) {
            String[] fields = line.split(",", -1);
            double[] values = new double[30];
            for (int k = 0; k < values.length; k++) {
                values[k] = Double.parseDouble(fields[k + 1]);
            }
            DATA.add(Sample.dense(Integer.parseInt(fields[31]), values));
        }
    }

    static List<JsonNode> runs() throws IOException {
        List<JsonNode> runs = new ArrayList<>();
        new ObjectMapper()
                .readTree(Path.of("src/test/resources/golden/wdbc.json").toFile())
                .get("runs")
                .forEach(runs::add);
        return runs;
    }

    @ParameterizedTest
    @MethodSource("runs")
    void shouldGiveTheNumbersOfAnIndependentProgram(JsonNode run) {
        Map<String, String> settings = new HashMap<>();
        run.get("settings")
                .properties()
                .forEach(each -> settings.put(each.getKey(), each.getValue().asText()));
        Model model =
                new GoldenRun(settings, false).train(DATA, run.get("passes").asInt(), false).model;

        Counts totals = model.counts().totals();
        assertThat(List.of(
                        totals.examples(),
                        totals.errors(),
                        totals.mistakes(),
                        totals.marginMistakes(),
                        totals.updates()))
                .containsExactly(
                        run.get("examples").asLong(),
                        run.get("errors").asLong(),
                        run.get("mistakes").asLong(),
                        run.get("marginMistakes").asLong(),
                        run.get("updates").asLong());
        assertThat(totals.hingeLoss()).isEqualTo(run.get("hingeLoss").asDouble());
        checkWeights(run, model.pipeline().learner());
    }

    private static void checkWeights(JsonNode run, Learner learner) {
        List<Double> weights = new ArrayList<>();
        List<Double> averages = new ArrayList<>();
        learner.forEachWeight(new Learner.WeightVisitor() {
            @Override
            public void vector(String name, double bias, double averagedBias) {
                assertThat(bias).isEqualTo(run.get("bias").asDouble());
                assertThat(averagedBias).isCloseTo(run.get("averagedBias").asDouble(), within(1e-9));
            }

            @Override
            public void weight(int index, double weight, double averaged) {
                assertThat(index).isEqualTo(weights.size());
                weights.add(weight);
                averages.add(averaged);
            }
        });
        assertThat(weights).isEqualTo(doubles(run.get("weights")));
        List<Double> expected = doubles(run.get("averaged"));
        double largest = expected.stream().mapToDouble(Math::abs).max().orElseThrow();
        for (int k = 0; k < averages.size(); k++) {
            assertThat(averages.get(k)).as("average %d", k).isCloseTo(expected.get(k), within(1e-9 * largest));
        }
    }

    private static List<Double> doubles(JsonNode array) {
        List<Double> list = new ArrayList<>();
        array.forEach(element -> list.add(element.asDouble()));
        return list;
    }
}
