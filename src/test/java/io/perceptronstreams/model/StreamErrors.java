package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * Prints the tables of docs/streams.md: the errors of models on generated streams, each example predicted before it is
 * learned from.
 *
 * <p>{@code java -cp target/test-classes:target/perceptron-streams.jar io.perceptronstreams.model.StreamErrors [kinds]
 * [EXAMPLES SEEDS [SETTINGS…]]}; settings are {@code NAME=VALUE}, separated by blanks, as one argument. Defaults: 100,000
 * examples, the mean of the seeds 1 to 3, and the settings of the page. With {@code kinds} the streams are {@link
 * StreamKinds}, and each error stands beside its ratio to the least one.
 */
final class StreamErrors {
    private static final String SGD = "algorithm=sgd rate=adagrad scale=standard";

    /** The settings of the page. */
    static final List<String> PAGE = List.of(
            "",
            "predict=averaged",
            "scale=standard",
            "scale=standard predict=averaged",
            "scale=standard predict=averaged average.halflife=1000",
            "scale=standard algorithm=pa",
            "scale=standard algorithm=pa-ii c=0.1",
            "scale=standard algorithm=pa-i c=0.01",
            "scale=standard algorithm=pa-i c=0.01 predict=averaged",
            "scale=standard algorithm=pa-i c=0.01 predict=averaged average.halflife=1000",
            "scale=standard algorithm=arow",
            "scale=standard algorithm=arow drift=adwin drift.action=reset",
            "scale=standard algorithm=alma",
            "scale=standard algorithm=scw",
            "scale=standard algorithm=scw c=0.1",
            "scale=standard algorithm=scw c=0.1 class.weights=1:2",
            "scale=standard algorithm=scw c=0.1 drift=adwin drift.action=reset",
            "algorithm=sgd scale=standard",
            "algorithm=sgd scale=standard implicit=true",
            "algorithm=sgd scale=standard loss=logistic implicit=true",
            SGD,
            SGD + " implicit=true",
            SGD + " implicit=true drift=adwin drift.action=reset",
            SGD + " predict=averaged",
            SGD + " predict=averaged average.halflife=1000",
            SGD + " predict=averaged class.weights=1:3",
            SGD + " loss=logistic",
            "algorithm=sgd rate=adagrad normalised=true");

    /** Means over the seeds. */
    private record Result(double error, double f1) {}

    /** The predictions of a stream: counts of right and wrong ones by label. */
    private static final class Predictions {
        private long examples;
        private long truePositives;
        private long falsePositives;
        private long falseNegatives;

        void add(boolean isPositive, boolean isPredictedPositive) {
            examples++;
            truePositives += isPositive && isPredictedPositive ? 1 : 0;
            falsePositives += !isPositive && isPredictedPositive ? 1 : 0;
            falseNegatives += isPositive && !isPredictedPositive ? 1 : 0;
        }

        double error() {
            return (falsePositives + falseNegatives) / (double) examples;
        }

        /** Of the class +1. */
        double f1() {
            double wrong = falsePositives + falseNegatives;
            return truePositives == 0 ? 0 : 2 * truePositives / (2 * truePositives + wrong);
        }
    }

    /** Predicts the label of an example, then learns it. */
    private interface Predictor {
        boolean isPositive(Example example, boolean truth);
    }

    private StreamErrors() {}

    public static void main(String[] args) {
        boolean areKinds = args.length > 0 && args[0].equals("kinds");
        List<String> numbers = List.of(args).subList(areKinds ? 1 : 0, args.length);
        int examples = numbers.isEmpty() ? 100_000 : Integer.parseInt(numbers.get(0));
        int seeds = numbers.size() > 1 ? Integer.parseInt(numbers.get(1)) : 3;
        List<String> all = numbers.size() > 2 ? numbers.subList(2, numbers.size()) : PAGE;
        Map<String, LongFunction<StreamGenerators.Stream>> streams =
                areKinds ? StreamKinds.all() : StreamGenerators.all();
        Map<String, Supplier<Predictor>> predictors = new LinkedHashMap<>();
        predictors.put("majority so far", StreamErrors::majority);
        predictors.put("same as last label", StreamErrors::last);
        for (String settings : all) {
            predictors.put(settings.isEmpty() ? "defaults" : "`" + settings + "`", () -> model(settings));
        }
        System.out.println("| settings | " + String.join(" | ", streams.keySet()) + " |");
        System.out.println("|---|" + "--:|".repeat(streams.size()));
        Map<String, List<Result>> rows = new LinkedHashMap<>();
        predictors.forEach((name, predictor) -> {
            List<Result> row = new ArrayList<>();
            for (LongFunction<StreamGenerators.Stream> generator : streams.values()) {
                row.add(mean(generator, examples, seeds, predictor));
            }
            rows.put(name, row);
            if (!areKinds) {
                System.out.println(line(name, row, List.copyOf(streams.keySet()), null));
            }
        });
        if (areKinds) {
            List<List<Result>> models = List.copyOf(rows.values()).subList(2, rows.size());
            rows.forEach((name, row) -> System.out.println(line(name, row, List.copyOf(streams.keySet()), models)));
        }
    }

    private static String line(String name, List<Result> row, List<String> streams, List<List<Result>> models) {
        StringBuilder line = new StringBuilder("| " + name + " |");
        for (int k = 0; k < row.size(); k++) {
            Result result = row.get(k);
            line.append(String.format(Locale.ROOT, " %.2f %%", 100 * result.error));
            if (models != null) {
                int column = k;
                double least = models.stream()
                        .mapToDouble(each -> each.get(column).error)
                        .min()
                        .orElse(0);
                line.append(String.format(Locale.ROOT, ", %.2f", result.error / least));
            } else if (streams.get(k).equals("imbalance")) {
                line.append(String.format(Locale.ROOT, ", F1 %.3f", result.f1));
            }
            line.append(" |");
        }
        return line.toString();
    }

    /** The mean error of a model on the streams of the seeds 1 to {@code seeds}. */
    static double error(LongFunction<StreamGenerators.Stream> generator, int examples, int seeds, String settings) {
        return mean(generator, examples, seeds, () -> model(settings)).error;
    }

    private static Result mean(
            LongFunction<StreamGenerators.Stream> generator, int examples, int seeds, Supplier<Predictor> predictors) {
        double error = 0;
        double f1 = 0;
        for (int seed = 1; seed <= seeds; seed++) {
            Predictions predictions = run(generator.apply(seed), examples, predictors.get());
            error += predictions.error() / seeds;
            f1 += predictions.f1() / seeds;
        }
        return new Result(error, f1);
    }

    private static Predictions run(StreamGenerators.Stream stream, int examples, Predictor predictor) {
        Predictions result = new Predictions();
        Example example = new Example();
        for (int n = 0; n < examples; n++) {
            stream.next(example);
            boolean truth = example.label().equals(Label.PLUS_ONE);
            result.add(truth, predictor.isPositive(example, truth));
        }
        return result;
    }

    private static Predictor majority() {
        long[] lead = new long[1];
        return (example, truth) -> {
            boolean isPositive = lead[0] >= 0;
            lead[0] += truth ? 1 : -1;
            return isPositive;
        };
    }

    private static Predictor last() {
        boolean[] last = {true};
        return (example, truth) -> {
            boolean isPositive = last[0];
            last[0] = truth;
            return isPositive;
        };
    }

    /** Settings as the arguments have them, by name. */
    static Map<String, String> changes(String settings) {
        Map<String, String> changes = new LinkedHashMap<>();
        for (String each : settings.isEmpty() ? List.<String>of() : List.of(settings.split(" ", -1))) {
            changes.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
        }
        return changes;
    }

    private static Predictor model(String settings) {
        Model model = new Model();
        model.configure(changes(settings));
        return (example, truth) -> {
            boolean isError = model.process(example, 0).isError();
            return isError != truth;
        };
    }
}
