package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The streams of docs/streams.md are the same on every machine, and the learners that the page advises learn them. */
final class StreamGeneratorsTest {
    private static final int EXAMPLES = 20_000;

    @ParameterizedTest
    @CsvSource({
        "sea-abrupt, 3, 0.63",
        "sea-gradual, 3, 0.63",
        "rotating, 10, 0.5",
        "label-noise, 20, 0.5",
        "scales, 10, 0.5",
        "features, 100, 0.5",
        "imbalance, 10, 0.01"
    })
    void shouldMakeTheSameExamplesOfTheSameSeed(String name, int features, double positives) {
        LongFunction<StreamGenerators.Stream> streams = StreamGenerators.all().get(name);
        assertThat(rows(streams.apply(7))).isEqualTo(rows(streams.apply(7))).isNotEqualTo(rows(streams.apply(8)));
        assertThat(rows(streams.apply(7))).allMatch(row -> row.size() == features + 1);
        double share = rows(streams.apply(7)).stream()
                        .filter(row -> row.get(features) > 0)
                        .count()
                / (double) EXAMPLES;
        assertThat(share).isCloseTo(positives, within(name.equals("imbalance") ? 0.003 : 0.1));
    }

    private static List<List<Double>> rows(StreamGenerators.Stream stream) {
        List<List<Double>> rows = new ArrayList<>();
        Example example = new Example();
        for (int n = 0; n < EXAMPLES; n++) {
            stream.next(example);
            List<Double> row = new ArrayList<>();
            for (int k = 0; k < example.vector().size(); k++) {
                row.add(example.vector().values()[k]);
            }
            row.add(example.label().equals(Label.PLUS_ONE) ? 1.0 : -1.0);
            rows.add(row);
        }
        return rows;
    }

    /** The error cannot be below the share of inverted labels; the advice of the page is near it. */
    @ParameterizedTest
    @CsvSource({
        "sea-abrupt, 0.1, 0.02",
        "rotating, 0.05, 0.03",
        "label-noise, 0.2, 0.07",
        "scales, 0.05, 0.02",
        "features, 0.05, 0.06"
    })
    void shouldBeLearnedNearTheNoise(String name, double noise, double more) {
        Model model = new Model();
        model.configure(Map.of("algorithm", "sgd", "rate", "adagrad", "scale", "standard", "implicit", "true"));
        StreamGenerators.Stream stream = StreamGenerators.all().get(name).apply(1);
        Example example = new Example();
        for (int n = 0; n < EXAMPLES; n++) {
            stream.next(example);
            model.process(example, 0);
        }
        double error = model.counts().totals().errors() / (double) EXAMPLES;
        assertThat(error).isBetween(noise - 0.01, noise + more);
    }
}
