package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A model whose owner follows every advice at once makes fewer errors than one that is left alone, and nowhere more. With the
 * advice of before it made six times as many on a table of loans.
 */
final class AdviceFollowedTest {
    private static final int EXAMPLES = 5_000;
    private static final int SEEDS = 2;

    // a few errors more in a short stream are chance
    private static final double MOST = 1.02;

    /** Puts the next example into a reused one; returns false at the end. */
    private interface Source {
        boolean next(Example example);
    }

    /** The challengers of a model that scales, averages or makes small steps are found better after the end of some of these streams. */
    @ParameterizedTest
    @CsvSource({
        "'', 0.7",
        "predict=averaged, 1",
        "scale=standard, 1",
        "algorithm=sgd, 0.99",
        "algorithm=sgd rate=adagrad scale=standard implicit=true, 1"
    })
    void shouldMakeNoMoreErrorsThanAModelThatIsLeftAlone(String settings, double onAverage) throws IOException {
        Map<String, Supplier<Source>> streams = streams();
        double logs = 0;
        int advised = 0;
        for (Map.Entry<String, Supplier<Source>> stream : streams.entrySet()) {
            List<String> commands = new ArrayList<>();
            long alone = errors(stream.getValue().get(), settings, false, new ArrayList<>());
            long followed = errors(stream.getValue().get(), settings, true, commands);
            assertThat((double) followed)
                    .as("%s from '%s': %s", stream.getKey(), settings, commands)
                    .isLessThanOrEqualTo(MOST * alone);
            if (!commands.isEmpty()) {
                advised++;
                logs += Math.log((double) followed / alone);
            }
        }
        assertThat(advised).isPositive();
        // the geometric mean of the ratios
        assertThat(Math.exp(logs / advised)).isLessThanOrEqualTo(onAverage);
    }

    /** Streams of all kinds, and the table that is shipped. */
    private static Map<String, Supplier<Source>> streams() throws IOException {
        Map<String, Supplier<Source>> streams = new HashMap<>();
        StreamKinds.all().forEach((name, generator) -> {
            for (int seed = 1; seed <= SEEDS; seed++) {
                int drawn = seed;
                streams.put(name + " of seed " + seed, () -> {
                    StreamGenerators.Stream stream = generator.apply(drawn);
                    int[] count = new int[1];
                    return example -> {
                        stream.next(example);
                        return ++count[0] <= EXAMPLES;
                    };
                });
            }
        });
        List<String> rows = Files.readAllLines(Path.of("src/main/resources/demo/wdbc.csv"));
        int label = Arrays.asList(rows.get(0).split(",", -1)).indexOf("diagnosis");
        streams.put("wdbc", () -> {
            int[] row = new int[1];
            return example ->
                    ++row[0] < rows.size() && fill(example, rows.get(row[0]).split(",", -1), label);
        });
        return streams;
    }

    private static boolean fill(Example example, String[] cells, int label) {
        example.vector().resetDense();
        for (int column = 0; column < cells.length; column++) {
            // the first column has the ids
            if (column != label && column > 0) {
                example.vector().append(Double.parseDouble(cells[column]));
            }
        }
        example.setFeatures(example.vector());
        example.setLabel(Label.of(cells[label].equals("M") ? 1 : -1));
        return true;
    }

    private static long errors(Source source, String settings, boolean isFollowed, List<String> commands) {
        Model model = new Model();
        model.configure(StreamErrors.changes(settings));
        Observed observed = Observed.of(model);
        Example example = new Example();
        long errors = 0;
        while (source.next(example)) {
            errors += model.process(example, 0).isError() ? 1 : 0;
            for (Advice advice : observed.takeAdvice()) {
                String command = advice.command("m");
                if (isFollowed && command != null) {
                    commands.add(command);
                    follow(model, command);
                }
            }
        }
        return errors;
    }

    /** Does what the command of an advice does when it is copied. */
    private static void follow(Model model, String command) {
        List<String> words = List.of(command.split(" ", -1));
        Map<String, String> settings = new HashMap<>();
        words.stream().filter(each -> each.contains("=")).forEach(each -> settings.putAll(StreamErrors.changes(each)));
        if (words.get(2).equals("reset")) {
            model.reset(settings);
        } else {
            assertThat(words.get(2)).isEqualTo("challenge");
            settings.put("challenger", words.get(4));
            model.challenge(settings);
        }
    }
}
