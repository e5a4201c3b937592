package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.model.StreamErrors.Source;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A model whose owner follows every advice at once makes fewer errors than one that is left alone, and nowhere more.
 * With the advice of before it made six times as many on a table of loans.
 */
final class AdviceFollowedTest {
    private static final int EXAMPLES = 5_000;
    private static final int SEEDS = 2;

    // a few errors more in a short stream are chance
    private static final double MOST = 1.02;

    /**
     * The challengers of a model that scales, averages or makes small steps are found better after the end of some of
     * these streams.
     */
    @ParameterizedTest
    @CsvSource({
        "'', 0.7",
        "predict=averaged, 1",
        "scale=standard, 1",
        "algorithm=adaptive, 1",
        "algorithm=sgd, 0.99",
        "algorithm=sgd rate=adagrad scale=standard implicit=true, 1"
    })
    void shouldMakeNoMoreErrorsThanAModelThatIsLeftAlone(String settings, double onAverage) throws IOException {
        compare(twoClasses(), settings, onAverage);
    }

    @ParameterizedTest
    @CsvSource({
        "algorithm=multiclass, 0.75",
        "algorithm=multiclass predict=averaged, 1",
        "algorithm=multiclass-pa, 0.8",
        "algorithm=multiclass-pa scale=standard, 1",
        "algorithm=softmax, 0.7",
        "algorithm=adaptive, 1"
    })
    void shouldMakeNoMoreErrorsOfSeveralClasses(String settings, double onAverage) {
        compare(severalClasses(), settings, onAverage);
    }

    private static void compare(Map<String, Source> streams, String settings, double onAverage) {
        double logs = 0;
        int advised = 0;
        for (Map.Entry<String, Source> stream : streams.entrySet()) {
            List<String> done = new ArrayList<>();
            long alone = StreamErrors.follow(stream.getValue(), settings, false, new ArrayList<>());
            long followed = StreamErrors.follow(stream.getValue(), settings, true, done);
            assertThat((double) followed)
                    .as("%s from '%s': %s", stream.getKey(), settings, done)
                    .isLessThanOrEqualTo(MOST * alone);
            if (!done.isEmpty()) {
                advised++;
                logs += Math.log((double) followed / alone);
            }
        }
        assertThat(advised).isPositive();
        // the geometric mean of the ratios
        assertThat(Math.exp(logs / advised)).isLessThanOrEqualTo(onAverage);
    }

    /** Streams of all kinds, and the table that is shipped. */
    private static Map<String, Source> twoClasses() throws IOException {
        Map<String, Source> streams = new LinkedHashMap<>();
        StreamKinds.all().forEach((name, generator) -> {
            for (int seed = 1; seed <= SEEDS; seed++) {
                int drawn = seed;
                streams.put(name + " of seed " + seed, new Source(any -> generator.apply(drawn), EXAMPLES));
            }
        });
        List<String> rows = Files.readAllLines(Path.of("src/app/main/resources/demo/wdbc.csv"));
        int label = Arrays.asList(rows.get(0).split(",", -1)).indexOf("diagnosis");
        streams.put(
                "wdbc",
                new Source(
                        any -> {
                            int[] row = new int[1];
                            return example -> fill(example, rows.get(++row[0]).split(",", -1), label);
                        },
                        rows.size() - 1));
        return streams;
    }

    private static void fill(Example example, String[] cells, int label) {
        example.vector().resetDense();
        for (int column = 0; column < cells.length; column++) {
            // the first column has the ids
            if (column != label && column > 0) {
                example.vector().append(Double.parseDouble(cells[column]));
            }
        }
        example.setFeatures(example.vector());
        example.setLabel(Label.of(cells[label].equals("M") ? 1 : -1));
    }

    /**
     * Five Gaussian clouds, in features of one unit or of several, whose labels are independent or stay for 20 examples
     * in the mean.
     */
    private static Map<String, Source> severalClasses() {
        Map<String, Source> streams = new LinkedHashMap<>();
        for (boolean isOfUnits : List.of(false, true)) {
            for (double change : List.of(1.0, 0.05)) {
                for (int seed = 1; seed <= SEEDS; seed++) {
                    int drawn = seed;
                    streams.put(
                            (isOfUnits ? "units" : "one unit") + ", change " + change + " of seed " + seed,
                            new Source(any -> clouds(drawn, isOfUnits, change), EXAMPLES));
                }
            }
        }
        return streams;
    }

    private static StreamGenerators.Stream clouds(long seed, boolean isOfUnits, double change) {
        int classes = 5;
        int features = 8;
        Random random = new Random(seed);
        double[][] means = new double[classes][features];
        double[] units = new double[features];
        for (int k = 0; k < features; k++) {
            units[k] = isOfUnits ? Math.pow(10, k % 4 - 1) : 1;
            for (double[] mean : means) {
                mean[k] = random.nextGaussian();
            }
        }
        int[] label = {random.nextInt(classes)};
        return example -> {
            label[0] = random.nextDouble() < change ? random.nextInt(classes) : label[0];
            example.vector().resetDense();
            for (int k = 0; k < features; k++) {
                example.vector().append(units[k] * (means[label[0]][k] + random.nextGaussian()));
            }
            example.setFeatures(example.vector());
            example.setLabel(new Label.ClassName("c" + label[0]));
        };
    }
}
