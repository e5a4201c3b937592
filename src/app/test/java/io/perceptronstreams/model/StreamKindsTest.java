package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Example;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The settings that docs/streams.md advises suit streams whose parameters are drawn at random. */
final class StreamKindsTest {
    private static final int EXAMPLES = 3000;
    private static final int SEEDS = 5;

    // of the page's settings, by kind
    private static final Map<String, Double> LEAST = new ConcurrentHashMap<>();

    /**
     * A row of the page, and the kinds that it is for; the first is for most of those that have a row of their own,
     * too.
     */
    @ParameterizedTest
    @CsvSource({
        "algorithm=sgd rate=adagrad scale=standard implicit=true,"
                + " noisy gradual imbalanced words table units irrelevant missing",
        "algorithm=sgd rate=adagrad scale=standard implicit=true drift=adwin drift.action=reset,"
                + " noisy abrupt gradual imbalanced words table units irrelevant missing",
        "algorithm=sgd scale=standard implicit=true, gradual",
        "algorithm=scw c=0.1 scale=standard, noisy imbalanced table units irrelevant missing",
        "algorithm=scw scale=standard, separable",
        "algorithm=sgd rate=adagrad normalised=true, words",
        "algorithm=pa scale=standard, runs"
    })
    void shouldMakeAtMost15PercentMoreErrorsThanTheBestSettings(String settings, String kinds) throws IOException {
        assertThat(Files.readString(Path.of("docs/streams.md"))).contains("| `" + settings + "`");
        for (String kind : kinds.split(" ", -1)) {
            double least = LEAST.computeIfAbsent(kind, StreamKindsTest::least);
            double error = error(kind, settings);
            assertThat(error)
                    .as("%s of %s, the least is %s", settings, kind, least)
                    .isLessThanOrEqualTo(1.15 * least);
        }
    }

    private static double least(String kind) {
        return StreamErrors.PAGE.stream()
                .mapToDouble(settings -> error(kind, settings))
                .min()
                .orElseThrow();
    }

    private static double error(String kind, String settings) {
        return StreamErrors.error(StreamKinds.all().get(kind), EXAMPLES, SEEDS, settings);
    }

    static List<String> kinds() {
        return List.copyOf(StreamKinds.all().keySet());
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void shouldMakeTheSameExamplesOfTheSameSeed(String kind) {
        LongFunction<StreamGenerators.Stream> streams = StreamKinds.all().get(kind);
        long seed = new Random().nextLong();
        assertThat(rows(streams.apply(seed)))
                .as("seed %d", seed)
                .isEqualTo(rows(streams.apply(seed)))
                .isNotEqualTo(rows(streams.apply(seed + 1)));
    }

    private static List<String> rows(StreamGenerators.Stream stream) {
        List<String> rows = new ArrayList<>();
        Example example = new Example();
        for (int n = 0; n < 50; n++) {
            stream.next(example);
            StringBuilder row = new StringBuilder(example.label().toString());
            for (int k = 0; k < example.vector().size(); k++) {
                row.append(' ')
                        .append(example.vector().index(k))
                        .append(':')
                        .append(example.vector().values()[k]);
            }
            rows.add(row.toString());
        }
        return rows;
    }
}
