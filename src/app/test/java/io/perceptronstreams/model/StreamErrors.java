package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.ExampleBuffer;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.fit.ExampleLoader;
import io.perceptronstreams.format.ExampleFormat;
import io.perceptronstreams.format.ExampleSource;
import io.perceptronstreams.format.LabelType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * Prints the tables of src/bench/streams.md: the errors of models on streams, each example predicted before it is
 * learned from.
 *
 * <p>{@code java -cp target/test-classes:src/core/target/test-classes:target/perceptron-streams.jar
 * io.perceptronstreams.model.StreamErrors [kinds] [EXAMPLES SEEDS [SETTINGS…]]}; settings are {@code NAME=VALUE},
 * separated by blanks, as one argument. Defaults: 100,000 examples, the mean of the seeds 1 to 3, and the settings of
 * the page. With {@code kinds} the streams are {@link StreamKinds}, and each error stands beside its ratio to the least
 * one.
 *
 * <p>{@code … StreamErrors files FILE[,FILE…] [SETTINGS…]}: the same for files, in which the column of the labels has
 * the name {@code label}, with the geometric mean of each row's ratios and the largest one. Files of several classes
 * need settings for them.
 *
 * <p>{@code … StreamErrors advice FILE[,FILE…] [SETTINGS…]}: tables of the advice, for each of the settings
 * the errors of a model that is left alone and of one whose owner follows every advice at once, see {@link #follow}.
 */
public final class StreamErrors {
    private static final String SGD = "algorithm=sgd rate=adagrad scale=standard";

    /** The settings of the page. */
    public static final List<String> PAGE = List.of(
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

    /** Predicts the label of an example, then learns it; returns true if the prediction was wrong. */
    private interface Predictor {
        boolean isError(Example example);
    }

    /** A stream for each seed, and how many of its examples are used. */
    record Source(LongFunction<StreamGenerators.Stream> generator, int examples) {}

    private StreamErrors() {}

    public static void main(String[] args) throws IOException {
        if (args.length > 1 && args[0].equals("advice")) {
            Map<String, Source> streams = files(args[1]);
            for (String settings : args.length > 2 ? List.of(args).subList(2, args.length) : List.of("")) {
                printAdvice(streams, settings);
            }
            return;
        }
        boolean areKinds = args.length > 0 && args[0].equals("kinds");
        boolean areFiles = args.length > 0 && args[0].equals("files");
        List<String> rest = List.of(args).subList(areKinds || areFiles ? 1 : 0, args.length);
        int numbers = areFiles ? 1 : 2;
        List<String> all = rest.size() > numbers ? rest.subList(numbers, rest.size()) : PAGE;
        int seeds = areFiles ? 1 : rest.size() > 1 ? Integer.parseInt(rest.get(1)) : 3;
        Map<String, Source> streams = new LinkedHashMap<>();
        if (areFiles) {
            streams.putAll(files(rest.get(0)));
        } else {
            int examples = rest.isEmpty() ? 100_000 : Integer.parseInt(rest.get(0));
            (areKinds ? StreamKinds.all() : StreamGenerators.all())
                    .forEach((name, generator) -> streams.put(name, new Source(generator, examples)));
        }
        Map<String, Supplier<Predictor>> predictors = new LinkedHashMap<>();
        predictors.put("majority so far", StreamErrors::majority);
        predictors.put("same as last label", StreamErrors::last);
        for (String settings : all) {
            predictors.put("`" + (settings.isEmpty() ? "algorithm=perceptron" : settings) + "`", () -> model(settings));
        }
        System.out.println("| settings | " + String.join(" | ", streams.keySet())
                + (areFiles ? " | geometric mean | largest |" : " |"));
        System.out.println("|---|" + "--:|".repeat(streams.size() + (areFiles ? 2 : 0)));
        Map<String, List<Result>> rows = new LinkedHashMap<>();
        predictors.forEach((name, predictor) -> {
            List<Result> row = new ArrayList<>();
            for (Source source : streams.values()) {
                row.add(mean(source, seeds, predictor));
            }
            rows.put(name, row);
            if (!areKinds && !areFiles) {
                System.out.println(line(name, row, List.copyOf(streams.keySet()), null));
            }
        });
        if (areKinds || areFiles) {
            List<List<Result>> models = List.copyOf(rows.values()).subList(2, rows.size());
            rows.forEach((name, row) -> System.out.println(
                    line(name, row, List.copyOf(streams.keySet()), models) + (areFiles ? summary(row, models) : "")));
        }
    }

    private static Map<String, Source> files(String list) throws IOException {
        Map<String, Source> streams = new LinkedHashMap<>();
        for (String file : list.split(",", -1)) {
            streams.put(Path.of(file).getFileName().toString(), file(file));
        }
        return streams;
    }

    static Source file(String file) throws IOException {
        ExampleFormat format = ExampleFormat.ofFileName(file).orElseThrow();
        ExampleBuffer examples = new ExampleLoader(new Model().pipeline().hasher())
                .load(new ExampleSource(file, format, LabelType.AUTO, null, null, null), count -> true);
        return new Source(
                seed -> {
                    int[] position = new int[1];
                    return example -> examples.fill(position[0]++, example);
                },
                examples.size());
    }

    /** Ratios to the least error of each column. */
    private static double[] ratios(List<Result> row, List<List<Result>> models) {
        double[] ratios = new double[row.size()];
        for (int k = 0; k < ratios.length; k++) {
            int column = k;
            double least = models.stream()
                    .mapToDouble(each -> each.get(column).error)
                    .min()
                    .orElse(0);
            ratios[k] = row.get(k).error / least;
        }
        return ratios;
    }

    private static String summary(List<Result> row, List<List<Result>> models) {
        double[] ratios = ratios(row, models);
        double mean = Math.exp(Arrays.stream(ratios).map(Math::log).average().orElse(0));
        return String.format(
                Locale.ROOT, " %.3f | %.2f |", mean, Arrays.stream(ratios).max().orElse(0));
    }

    private static String line(String name, List<Result> row, List<String> streams, List<List<Result>> models) {
        StringBuilder line = new StringBuilder("| " + name + " |");
        double[] ratios = models == null ? null : ratios(row, models);
        for (int k = 0; k < row.size(); k++) {
            Result result = row.get(k);
            line.append(String.format(Locale.ROOT, " %.2f %%", 100 * result.error));
            if (ratios != null) {
                line.append(String.format(Locale.ROOT, ", %.2f", ratios[k]));
            } else if (streams.get(k).equals("imbalance")) {
                line.append(String.format(Locale.ROOT, ", F1 %.3f", result.f1));
            }
            line.append(" |");
        }
        return line.toString();
    }

    /** The mean error of a model on the streams of the seeds 1 to {@code seeds}. */
    static double error(LongFunction<StreamGenerators.Stream> generator, int examples, int seeds, String settings) {
        return mean(new Source(generator, examples), seeds, () -> model(settings)).error;
    }

    private static Result mean(Source source, int seeds, Supplier<Predictor> predictors) {
        double error = 0;
        double f1 = 0;
        for (int seed = 1; seed <= seeds; seed++) {
            Predictions predictions = run(source.generator.apply(seed), source.examples, predictors.get());
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
            result.add(truth, predictor.isError(example) != truth);
        }
        return result;
    }

    /** Predicts +1 before the first label, and where it is as common as another one. */
    private static Predictor majority() {
        Map<Label, Integer> counts = new HashMap<>(Map.of(Label.PLUS_ONE, 0));
        Label[] most = {Label.PLUS_ONE};
        return example -> {
            Label label = example.label();
            boolean isError = !label.equals(most[0]);
            int count = counts.merge(label, 1, Integer::sum);
            boolean isMore = count > counts.get(most[0]);
            boolean isTie = count == counts.get(most[0]) && label.equals(Label.PLUS_ONE);
            most[0] = isMore || isTie ? label : most[0];
            return isError;
        };
    }

    private static Predictor last() {
        Label[] last = {Label.PLUS_ONE};
        return example -> {
            boolean isError = !example.label().equals(last[0]);
            last[0] = example.label();
            return isError;
        };
    }

    /** Settings as the arguments have them, by name. */
    public static Map<String, String> changes(String settings) {
        Map<String, String> changes = new LinkedHashMap<>();
        for (String each : settings.isEmpty() ? List.<String>of() : List.of(settings.split(" ", -1))) {
            changes.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
        }
        return changes;
    }

    private static Predictor model(String settings) {
        Model model = new Model();
        model.configure(changes(settings));
        return example -> model.process(example, 0).isError();
    }

    /** A line for each stream on which a model with these settings is advised, and a last one for all of them. */
    private static void printAdvice(Map<String, Source> streams, String settings) {
        System.out.println("| stream | examples | left alone | followed | what was followed |\n|---|--:|--:|--:|---|");
        double logs = 0;
        double worst = 0;
        int advised = 0;
        for (Map.Entry<String, Source> stream : streams.entrySet()) {
            Source source = stream.getValue();
            List<String> done = new ArrayList<>();
            long followed = follow(source, settings, true, done);
            if (!done.isEmpty()) {
                long alone = follow(source, settings, false, new ArrayList<>());
                double ratio = (double) followed / alone;
                advised++;
                logs += Math.log(ratio);
                worst = Math.max(worst, ratio);
                System.out.printf(
                        Locale.ROOT,
                        "| `%s` | %,d | %,d | %,d | %s |%n",
                        stream.getKey(),
                        source.examples,
                        alone,
                        followed,
                        String.join("; ", done));
            }
        }
        System.out.printf(
                Locale.ROOT,
                "%n| `%s` | %d of %d | %.3f | %.3f |%n%n",
                settings,
                advised,
                streams.size(),
                advised == 0 ? 1 : Math.exp(logs / advised),
                worst);
    }

    /**
     * Returns the errors of a model whose owner follows every advice that has a command, as it stands and at once.
     *
     * @param isFollowed false for a model that is left alone
     * @param done receives what was followed, and what became of challengers
     */
    static long follow(Source source, String settings, boolean isFollowed, List<String> done) {
        StreamGenerators.Stream stream = source.generator.apply(1);
        Model model = new Model();
        model.configure(changes(settings));
        Observed observed = Observed.of(model);
        Example example = new Example();
        long errors = 0;
        for (int n = 1; n <= source.examples; n++) {
            stream.next(example);
            errors += model.process(example, 0).isError() ? 1 : 0;
            for (Judgement judgement : observed.takeJudged()) {
                if (judgement.message().contains(" is better than the model")) {
                    done.add(String.format(Locale.ROOT, "promoted at %,d", n));
                }
            }
            for (Advice advice : observed.takeAdvice()) {
                String command = advice.command("m");
                // another model would have errors of its own
                if (isFollowed && command != null && advice.way() != Advice.Way.OTHER_MODEL) {
                    String verb = List.of(command.split(" ", -1)).get(2);
                    done.add(String.format(
                            Locale.ROOT, "`%s` at %,d: %s, `%s`", advice.kind(), n, verb, advice.settings()));
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
        words.stream().filter(each -> each.contains("=")).forEach(each -> settings.putAll(changes(each)));
        switch (words.get(2)) {
            case "reset" -> model.reset(settings);
            case "begin" -> {
                settings.put("challenger", words.get(4));
                model.challenge(settings);
            }
            default -> throw new IllegalArgumentException("no command for the model itself: " + command);
        }
    }
}
