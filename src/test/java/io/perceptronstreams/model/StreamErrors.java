package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * Prints the table of docs/streams.md: the errors of models on generated streams, each example predicted before it is
 * learned from.
 *
 * <p>{@code java -cp target/test-classes:target/perceptron-streams.jar io.perceptronstreams.model.StreamErrors [EXAMPLES
 * SEEDS [SETTINGS…]]}; settings are {@code NAME=VALUE}, separated by blanks, as one argument. Defaults: 100,000 examples,
 * the mean of the seeds 1 to 3, and the settings of the page.
 */
final class StreamErrors {
    private static final String SGD = "algorithm=sgd rate=adagrad scale=standard";

    private static final List<String> PAGE = List.of(
            "",
            "predict=averaged",
            "scale=standard",
            "scale=standard predict=averaged",
            "scale=standard predict=averaged average.halflife=1000",
            "scale=standard algorithm=pa-i c=0.01",
            "scale=standard algorithm=pa-i c=0.01 predict=averaged",
            "scale=standard algorithm=pa-i c=0.01 predict=averaged average.halflife=1000",
            "scale=standard algorithm=arow",
            "scale=standard algorithm=arow drift=adwin drift.action=reset",
            "scale=standard algorithm=alma",
            "scale=standard algorithm=scw c=0.1",
            "scale=standard algorithm=scw c=0.1 class.weights=1:2",
            "scale=standard algorithm=scw c=0.1 drift=adwin drift.action=reset",
            "algorithm=sgd scale=standard",
            "algorithm=sgd scale=standard implicit=true",
            SGD,
            SGD + " implicit=true",
            SGD + " predict=averaged",
            SGD + " predict=averaged average.halflife=1000",
            SGD + " predict=averaged class.weights=1:3",
            SGD + " loss=logistic",
            "algorithm=sgd rate=adagrad normalised=true");

    /** The predictions of a stream: counts of right and wrong ones by label. */
    private static final class Result {
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
        int examples = args.length > 0 ? Integer.parseInt(args[0]) : 100_000;
        int seeds = args.length > 1 ? Integer.parseInt(args[1]) : 3;
        List<String> all = args.length > 2 ? List.of(args).subList(2, args.length) : PAGE;
        Map<String, LongFunction<StreamGenerators.Stream>> streams = StreamGenerators.all();
        System.out.println("| settings | " + String.join(" | ", streams.keySet()) + " |");
        System.out.println("|---|" + "--:|".repeat(streams.size()));
        row("majority so far", examples, seeds, StreamErrors::majority);
        row("same as last label", examples, seeds, StreamErrors::last);
        for (String settings : all) {
            row(settings.isEmpty() ? "defaults" : "`" + settings + "`", examples, seeds, () -> model(settings));
        }
    }

    private static void row(String name, int examples, int seeds, Supplier<Predictor> predictors) {
        StringBuilder line = new StringBuilder("| " + name + " |");
        StreamGenerators.all().forEach((stream, generator) -> {
            double error = 0;
            double f1 = 0;
            for (int seed = 1; seed <= seeds; seed++) {
                Result result = run(generator.apply(seed), examples, predictors.get());
                error += result.error() / seeds;
                f1 += result.f1() / seeds;
            }
            line.append(String.format(Locale.ROOT, " %.2f %%", 100 * error));
            line.append(stream.equals("imbalance") ? String.format(Locale.ROOT, ", F1 %.3f |", f1) : " |");
        });
        System.out.println(line);
    }

    private static Result run(StreamGenerators.Stream stream, int examples, Predictor predictor) {
        Result result = new Result();
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

    private static Predictor model(String settings) {
        Map<String, String> changes = new LinkedHashMap<>();
        for (String each : settings.isEmpty() ? List.<String>of() : List.of(settings.split(" ", -1))) {
            changes.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
        }
        Model model = new Model();
        model.configure(changes);
        return (example, truth) -> {
            boolean isError = model.process(example, 0).isError();
            model.advisor().poll();
            if (model.drift().isOn()) {
                model.adapt();
                model.pollEndedEpochs();
            }
            return isError != truth;
        };
    }
}
