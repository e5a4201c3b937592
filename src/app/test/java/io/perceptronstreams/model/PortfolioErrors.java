package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.ExampleBuffer;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.fit.ExampleLoader;
import io.perceptronstreams.format.ExampleFormat;
import io.perceptronstreams.format.ExampleSource;
import io.perceptronstreams.format.LabelType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.stream.IntStream;

/**
 * Prints the table "Portfolio" of src/bench/streams.md: the errors of a model with {@code portfolio=true} beside those
 * of the best settings in hindsight, in the first 5,000 examples and in all.
 *
 * <p>{@code java -cp target/test-classes:src/core/target/test-classes:target/perceptron-streams.jar
 * io.perceptronstreams.model.PortfolioErrors [EXAMPLES SEEDS FOLDER [SETTINGS]]}. Defaults: 40,000 examples of each
 * kind of {@link StreamKinds}, the mean of the seeds 1 to 3, and the files of {@code data}.
 */
final class PortfolioErrors {
    private static final int FIRST = 5_000;
    private static final List<String> FILES =
            List.of("breast-cancer", "wdbc", "banknote", "weather-stream", "a9a", "sms-spam");

    /** Shares of errors in the first examples, and in all. */
    private record Errors(double first, double all) {
        Errors plus(Errors other) {
            return new Errors(first + other.first, all + other.all);
        }
    }

    private PortfolioErrors() {}

    public static void main(String[] args) throws IOException {
        int examples = args.length > 0 ? Integer.parseInt(args[0]) : 40_000;
        int seeds = args.length > 1 ? Integer.parseInt(args[1]) : 3;
        String folder = args.length > 2 ? args[2] : "data";
        List<String> settings = new ArrayList<>(StreamErrors.PAGE);
        settings.add(args.length > 3 ? args[3] : "portfolio=true");
        System.out.println("| stream | examples | best settings, first 5,000 | `portfolio=true` | best settings, all |"
                + " `portfolio=true` | leads |");
        System.out.println("|---|--:|---|--:|---|--:|---|");
        for (Map.Entry<String, LongFunction<StreamGenerators.Stream>> kind :
                StreamKinds.all().entrySet()) {
            print("`" + kind.getKey() + "`", examples, settings, seeds, seed -> {
                StreamGenerators.Stream stream = kind.getValue().apply(seed);
                return (position, example) -> stream.next(example);
            });
        }
        for (String name : FILES) {
            Path file = Path.of(folder, name, name + ".train.libsvm.gz");
            ExampleBuffer data = new ExampleLoader(new FeatureHasher(18))
                    .load(
                            new ExampleSource(file.toString(), ExampleFormat.LIBSVM, LabelType.INT, null, null, null),
                            count -> true);
            print("`" + name + "`", Math.min(examples, data.size()), settings, 1, seed -> data::fill);
        }
    }

    /** Puts the example at a position into a reused one. */
    private interface Source {
        void fill(int position, Example example);
    }

    /** A source for each run, because a generator has a state. */
    private interface Sources {
        Source of(int seed);
    }

    private static void print(String name, int examples, List<String> settings, int seeds, Sources sources) {
        Errors[] errors = new Errors[settings.size()];
        List<String> leaders = new ArrayList<>();
        int portfolio = settings.size() - 1;
        IntStream.range(0, settings.size()).parallel().forEach(row -> {
            Errors sum = new Errors(0, 0);
            for (int seed = 1; seed <= seeds; seed++) {
                List<String> leader = new ArrayList<>();
                sum = sum.plus(run(settings.get(row), examples, sources.of(seed), leader));
                if (row == portfolio) {
                    leaders.addAll(leader);
                }
            }
            errors[row] = new Errors(sum.first / seeds, sum.all / seeds);
        });
        int first = 0;
        int all = 0;
        for (int row = 1; row < portfolio; row++) {
            first = errors[row].first < errors[first].first ? row : first;
            all = errors[row].all < errors[all].all ? row : all;
        }
        System.out.printf(
                Locale.ROOT,
                "| %s | %,d | %.2f %%: `%s` | %.2f %%, %.2f | %.2f %%: `%s` | %.2f %%, %.2f | %s |%n",
                name,
                examples,
                100 * errors[first].first,
                settings.get(first),
                100 * errors[portfolio].first,
                errors[portfolio].first / errors[first].first,
                100 * errors[all].all,
                settings.get(all),
                100 * errors[portfolio].all,
                errors[portfolio].all / errors[all].all,
                String.join(", ", leaders.stream().distinct().toList()));
    }

    private static Errors run(String settings, int examples, Source source, List<String> leader) {
        Model model = new Model();
        model.configure(StreamErrors.changes(settings));
        Example example = new Example();
        long errors = 0;
        long first = 0;
        for (int position = 0; position < examples; position++) {
            source.fill(position, example);
            errors += model.use(example, 0, null, null).isError() ? 1 : 0;
            var unused = model.adapt();
            first = position < FIRST ? errors : first;
        }
        model.voters().stream()
                .filter(Model.Voter::isLeading)
                .map(Model.Voter::name)
                .forEach(leader::add);
        return new Errors((double) first / Math.min(FIRST, examples), (double) errors / examples);
    }
}
