package io.perceptronstreams.client;

import com.yahoo.labs.samoa.instances.Attribute;
import com.yahoo.labs.samoa.instances.DenseInstance;
import com.yahoo.labs.samoa.instances.Instance;
import com.yahoo.labs.samoa.instances.Instances;
import com.yahoo.labs.samoa.instances.InstancesHeader;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.ExampleBuffer;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.format.ExampleFormat;
import io.perceptronstreams.format.ExampleSource;
import io.perceptronstreams.format.LabelType;
import io.perceptronstreams.model.Model;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import moa.classifiers.AbstractClassifier;
import vowpalWabbit.learner.VWLearners;
import vowpalWabbit.learner.VWScalarLearner;

/**
 * Online errors on data sets of two classes, each example predicted before it is learned: ours with the settings of
 * docs/streams.md, MOA's learners, and both baselines; prints a table in Markdown.
 *
 * <p>Arguments: the folder of the data sets, optionally a number n, and the names of the data sets. With n the mean of n
 * orders, shuffled by the seeds 1 to n; without it the order of the file. MOA's learners get all features, zeros included; Perceptron
 * and SGD once as they are, and once standardized by the mean and deviation so far.
 */
public final class PeerErrors {
    /** Predicts the label of an example, then learns it; returns true if the prediction was wrong. */
    private interface Predictor {
        boolean isError(Example example);
    }

    private static final List<String> OURS = List.of(
            "",
            "algorithm=sgd rate=adagrad scale=standard implicit=true",
            "algorithm=sgd rate=adagrad scale=standard",
            "algorithm=sgd scale=standard",
            "algorithm=scw c=0.1 scale=standard",
            "algorithm=sgd rate=adagrad normalised=true");

    // 0: that of the file
    private static int orders;

    private PeerErrors() {}

    public static void main(String[] args) throws IOException {
        boolean isShuffled = args.length > 1 && args[1].matches("\\d+");
        orders = isShuffled ? Integer.parseInt(args[1]) : 0;
        List<String> names = List.of(args).subList(isShuffled ? 2 : 1, args.length);
        List<ExampleBuffer> data = new ArrayList<>();
        for (String name : names) {
            Path file = Path.of(args[0], name, name + ".train.libsvm.gz");
            data.add(new ExampleLoader(new FeatureHasher(18))
                    .load(
                            new ExampleSource(file.toString(), ExampleFormat.LIBSVM, LabelType.INT, null, null, null),
                            count -> true));
        }
        System.out.println("| learner | " + String.join(" | ", names) + " |");
        System.out.println("|---|" + "--:|".repeat(names.size()));
        row("majority so far", data, examples -> majority());
        row("same as last label", data, examples -> same());
        for (String settings : OURS) {
            row(settings.isEmpty() ? "defaults" : "`" + settings + "`", data, examples -> ours(settings));
        }
        Map<String, Supplier<AbstractClassifier>> moa = new LinkedHashMap<>();
        moa.put("Perceptron", moa.classifiers.functions.Perceptron::new);
        moa.put("SGD", moa.classifiers.functions.SGD::new);
        moa.put("NaiveBayes", moa.classifiers.bayes.NaiveBayes::new);
        moa.put("HoeffdingTree", moa.classifiers.trees.HoeffdingTree::new);
        moa.forEach((name, learner) -> {
            row("MOA " + name, data, examples -> new Moa(learner.get(), features(examples), false));
            if (name.equals("Perceptron") || name.equals("SGD")) {
                row("MOA " + name + ", standardized", data, e -> new Moa(learner.get(), features(e), true));
            }
        });
        for (String loss : List.of("logistic", "hinge")) {
            row("Vowpal Wabbit, " + loss, data, examples -> vowpalWabbit(loss));
        }
    }

    /** With its defaults: adaptive, normalised and invariant steps. A score of 0 predicts +1. */
    private static Predictor vowpalWabbit(String loss) {
        VWScalarLearner learner = VWLearners.create("--quiet --loss_function " + loss);
        return example -> {
            FeatureVector x = (FeatureVector) example.features();
            StringBuilder line = new StringBuilder(isPositive(example) ? "1 |" : "-1 |");
            for (int k = 0; k < x.size(); k++) {
                line.append(' ').append(x.index(k)).append(':').append((float) x.values()[k]);
            }
            // the prediction of the weights before the update
            return learner.learn(line.toString()) >= 0 != isPositive(example);
        };
    }

    private static void row(String name, List<ExampleBuffer> data, Function<ExampleBuffer, Predictor> predictors) {
        StringBuilder line = new StringBuilder("| " + name + " |");
        for (ExampleBuffer examples : data) {
            long errors = 0;
            for (int seed = 1; seed <= Math.max(1, orders); seed++) {
                List<Integer> positions =
                        IntStream.range(0, examples.size()).boxed().collect(Collectors.toCollection(ArrayList::new));
                if (orders > 0) {
                    Collections.shuffle(positions, new Random(seed));
                }
                Predictor predictor = predictors.apply(examples);
                Example example = new Example();
                for (int position : positions) {
                    examples.fill(position, example);
                    errors += predictor.isError(example) ? 1 : 0;
                }
            }
            line.append(
                    String.format(Locale.ROOT, " %.2f %% |", 100.0 * errors / examples.size() / Math.max(1, orders)));
        }
        System.out.println(line);
    }

    /** One more than the largest index. */
    private static int features(ExampleBuffer examples) {
        int features = 0;
        Example example = new Example();
        for (int position = 0; position < examples.size(); position++) {
            examples.fill(position, example);
            FeatureVector x = (FeatureVector) example.features();
            features = Math.max(features, x.size() == 0 ? 0 : x.index(x.size() - 1) + 1);
        }
        return features;
    }

    private static boolean isPositive(Example example) {
        return example.label().equals(Label.PLUS_ONE);
    }

    /** Before the first label both baselines are wrong; -1 wins a tie. */
    private static Predictor majority() {
        long[] counts = new long[2];
        return example -> {
            boolean isMore = counts[1] > counts[0];
            boolean isFirst = counts[0] + counts[1] == 0;
            counts[isPositive(example) ? 1 : 0]++;
            return isFirst || isMore != isPositive(example);
        };
    }

    private static Predictor same() {
        Label[] last = new Label[1];
        return example -> {
            boolean isWrong = !example.label().equals(last[0]);
            last[0] = example.label();
            return isWrong;
        };
    }

    private static Predictor ours(String settings) {
        Map<String, String> changes = new LinkedHashMap<>();
        for (String each : settings.isEmpty() ? List.<String>of() : List.of(settings.split(" ", -1))) {
            changes.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
        }
        Model model = new Model();
        model.configure(changes);
        return example -> model.process(example, 0).isError();
    }

    /** A learner of MOA on dense instances. */
    private static final class Moa implements Predictor {
        private final AbstractClassifier learner;
        private final InstancesHeader header;
        private final int features;
        private final double[] mean;
        private final double[] squares;
        private final boolean isStandardized;
        private long count;

        Moa(AbstractClassifier learner, int features, boolean isStandardized) {
            this.learner = learner;
            this.features = features;
            this.isStandardized = isStandardized;
            this.mean = new double[features];
            this.squares = new double[features];
            List<Attribute> attributes = new ArrayList<>();
            for (int k = 0; k < features; k++) {
                attributes.add(new Attribute("x" + k));
            }
            attributes.add(new Attribute("class", List.of("-1", "1")));
            header = new InstancesHeader(new Instances("stream", attributes, 0));
            header.setClassIndex(features);
            learner.setModelContext(header);
            learner.prepareForUse();
        }

        @Override
        public boolean isError(Example example) {
            double[] values = new double[features + 1];
            FeatureVector x = (FeatureVector) example.features();
            for (int k = 0; k < x.size(); k++) {
                values[x.index(k)] = x.values()[k];
            }
            if (isStandardized) {
                standardize(values);
            }
            values[features] = isPositive(example) ? 1 : 0;
            Instance instance = new DenseInstance(1, values);
            instance.setDataset(header);
            boolean isError = !learner.correctlyClassifies(instance);
            learner.trainOnInstance(instance);
            return isError;
        }

        /** Welford 1962; this example included. */
        private void standardize(double[] values) {
            count++;
            for (int k = 0; k < features; k++) {
                double difference = values[k] - mean[k];
                mean[k] += difference / count;
                squares[k] += difference * (values[k] - mean[k]);
                double deviation = Math.sqrt(squares[k] / count);
                values[k] = deviation == 0 ? 0 : (values[k] - mean[k]) / deviation;
            }
        }
    }
}
