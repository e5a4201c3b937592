package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongFunction;
import java.util.stream.Collectors;

/**
 * Probabilities and label sets of files and generated streams, each made before its label is known.
 * {@code probability_errors.py} runs it, and makes other probabilities of the same scores.
 *
 * <p>Arguments: the maximum number of examples of a stream, the seed of the generated ones, and files. Prints a line
 * {@code #}, stream, settings, number of classes, 2 for two, for each run, then a line for each prediction: label,
 * predicted label, score, probability, label set, and, of several classes, {@code label:score:probability} of each;
 * tabs between them, and blanks between the parts of the last two. Labels are numbered; of two, 1 is the positive one.
 */
public final class ProbabilityErrors {
    private static final String FORECAST = " calibrate=platt coverage=0.95";

    private static final List<String> TWO_CLASSES = List.of(
            "algorithm=perceptron scale=standard",
            "algorithm=perceptron scale=standard predict=averaged",
            "algorithm=adaptive",
            "algorithm=sgd scale=standard",
            "algorithm=pa-ii c=0.1 scale=standard",
            "algorithm=scw c=0.1 scale=standard",
            "portfolio=true");

    private static final List<String> CLASSES = List.of(
            "algorithm=multiclass scale=standard",
            "algorithm=multiclass scale=standard predict=averaged",
            "algorithm=multiclass-pa c=0.1 scale=standard",
            "algorithm=softmax eta=0.01 scale=standard",
            "algorithm=adaptive",
            "portfolio=true");

    private ProbabilityErrors() {}

    public static void main(String[] args) throws IOException {
        int most = Integer.parseInt(args[0]);
        long seed = Long.parseLong(args[1]);
        for (String file : List.of(args).subList(2, args.length)) {
            String name = String.valueOf(Path.of(file).getFileName());
            StreamErrors.Source source = StreamErrors.file(file);
            print(name.substring(0, name.indexOf('.')), source.generator(), Math.min(most, source.examples()), seed);
        }
        Map<String, LongFunction<StreamGenerators.Stream>> generated = new LinkedHashMap<>(StreamKinds.all());
        generated.putAll(StreamGenerators.all());
        generated.put("inverted", any -> inverted(StreamKinds.all().get("noisy").apply(any)));
        for (int classes : new int[] {3, 5, 10, 20}) {
            generated.put("centres-" + classes, any -> centres(new Random(any), classes));
        }
        generated.forEach((name, generator) -> print(name, generator, most, seed));
    }

    /** The labels of a stream are inverted, or no more, every 5,000 examples. */
    private static StreamGenerators.Stream inverted(StreamGenerators.Stream stream) {
        int[] n = new int[1];
        return example -> {
            stream.next(example);
            boolean isPositive = example.label().equals(Label.PLUS_ONE) == (n[0]++ / 5_000 % 2 == 0);
            example.setLabel(Label.of(isPositive ? 1 : -1));
        };
    }

    /** Classes of 5 to 30 numbers, each around a centre of its own; the first classes are the most frequent. */
    private static StreamGenerators.Stream centres(Random random, int classes) {
        double[][] centres = new double[classes][5 + random.nextInt(26)];
        double distance = 0.3 + 0.7 * random.nextDouble();
        double skew = 1 + 2 * random.nextDouble();
        for (double[] centre : centres) {
            for (int k = 0; k < centre.length; k++) {
                centre[k] = distance * random.nextGaussian();
            }
        }
        return example -> {
            int label = (int) (centres.length * Math.pow(random.nextDouble(), skew));
            example.vector().resetDense();
            for (double each : centres[label]) {
                example.vector().append(each + random.nextGaussian());
            }
            example.setFeatures(example.vector());
            example.setLabel(new Label.ClassName("c" + label));
        };
    }

    private static void print(String name, LongFunction<StreamGenerators.Stream> generator, int size, long seed) {
        Map<String, Integer> numbers = new LinkedHashMap<>();
        Example example = new Example();
        StreamGenerators.Stream first = generator.apply(seed);
        for (int n = 0; n < size; n++) {
            first.next(example);
            numbers.putIfAbsent(example.label().toString(), numbers.size());
        }
        boolean isTwo = numbers.keySet().stream().allMatch(each -> each.matches("-?1|0"));
        if (isTwo) {
            // before its first negative label a model takes it to be -1
            numbers.putAll(Map.of("-1", 0, "0", 0, "1", 1));
        }
        String classes = Long.toString(numbers.values().stream().distinct().count());
        for (String settings : isTwo ? TWO_CLASSES : CLASSES) {
            System.out.println(String.join("\t", "#", name, settings, classes));
            Model model = new Model();
            model.configure(StreamErrors.changes(settings + FORECAST + (isTwo ? "" : " predict.scores=true")));
            StreamGenerators.Stream stream = generator.apply(seed);
            for (int n = 0; n < size; n++) {
                stream.next(example);
                String label = example.label().toString();
                if (!isTwo) {
                    example.setLabel(new Label.ClassName(label));
                }
                Outcome outcome = model.process(example, 0);
                if (outcome.hasProbability()) {
                    System.out.println(numbers.get(label) + "\t" + line(outcome, numbers));
                }
            }
        }
    }

    private static String line(Outcome outcome, Map<String, Integer> numbers) {
        List<String> scores = new ArrayList<>();
        for (int k = 0; k < outcome.scoreCount(); k++) {
            int number = numbers.get(outcome.scoredLabel(k).toString());
            scores.add(number + ":" + outcome.score(k) + ":" + outcome.probability(k));
        }
        return String.join(
                "\t",
                numbers.get(outcome.predicted().toString()).toString(),
                Double.toString(outcome.predictedScore()),
                Double.toString(outcome.probability()),
                outcome.labelSet().stream()
                        .map(each -> numbers.get(each.toString()).toString())
                        .collect(Collectors.joining(" ")),
                String.join(" ", scores));
    }
}
