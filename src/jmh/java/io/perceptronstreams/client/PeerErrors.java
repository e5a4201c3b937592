package io.perceptronstreams.client;

import com.yahoo.labs.samoa.instances.Attribute;
import com.yahoo.labs.samoa.instances.DenseInstance;
import com.yahoo.labs.samoa.instances.Instance;
import com.yahoo.labs.samoa.instances.Instances;
import com.yahoo.labs.samoa.instances.InstancesHeader;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.ExampleBuffer;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.fit.ExampleLoader;
import io.perceptronstreams.format.ExampleFormat;
import io.perceptronstreams.format.ExampleSource;
import io.perceptronstreams.format.LabelType;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.StreamErrors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import moa.classifiers.AbstractClassifier;
import moa.classifiers.bayes.NaiveBayes;
import moa.classifiers.functions.Perceptron;
import moa.classifiers.functions.SGD;
import moa.classifiers.functions.SGDMultiClass;
import moa.classifiers.functions.SPegasos;
import moa.classifiers.meta.AdaptiveRandomForest;
import moa.classifiers.trees.HoeffdingTree;
import vowpalWabbit.learner.VWLearners;
import vowpalWabbit.learner.VWMulticlassLearner;
import vowpalWabbit.learner.VWScalarLearner;

/**
 * Online errors on files of examples, each example predicted before it is learned: ours, MOA's and Vowpal Wabbit's.
 * {@code peer_errors.py} runs it, adds scikit-learn's, and prints the table of docs/streams.md.
 *
 * <p>Arguments: the maximum number of examples of a file, and files. Prints a line for each file and learner: the
 * file's name up to its first point, a family of learners, the learner with its options, the numbers of examples and of
 * errors; tabs between them.
 *
 * <p>MOA's learners get a column for each feature. A number that is missing in a row of a table is the mean. Numbers
 * are standardized by mean and deviation so far, or all columns, or none.
 */
public final class PeerErrors {
    /** What a model is without settings. */
    private static final String DEFAULT = "algorithm=adaptive";

    // a forest makes all attributes of all trees for each
    private static final int MAX_COLUMNS_OF_TREES = 500;

    /** Settings of which the best in hindsight is taken, besides those of the page. */
    private static final List<String> TWO_CLASSES = List.of(
            "algorithm=sgd eta=0.1 scale=standard",
            "algorithm=sgd eta=0.01 scale=standard",
            "algorithm=sgd rate=adagrad eta=0.3 scale=standard implicit=true",
            "algorithm=arow r=10 scale=standard",
            "algorithm=arow scale=unit-norm");

    private static final List<String> CLASSES = List.of(
            "",
            "scale=standard",
            "predict=averaged",
            "scale=standard predict=averaged",
            "algorithm=multiclass-pa",
            "algorithm=multiclass-pa predict=averaged average.halflife=200",
            "algorithm=multiclass-pa c=0.1 predict=averaged average.halflife=1000",
            "algorithm=multiclass-pa scale=standard",
            "algorithm=multiclass-pa c=0.1 scale=standard",
            "algorithm=multiclass-pa scale=standard predict=averaged average.halflife=200",
            "algorithm=multiclass-pa c=0.1 scale=standard predict=averaged average.halflife=1000",
            "algorithm=softmax eta=0.1 scale=standard",
            "algorithm=softmax eta=0.01 scale=standard",
            "algorithm=softmax rate=adagrad scale=standard implicit=true",
            "algorithm=softmax rate=adagrad eta=0.3 scale=standard implicit=true",
            "algorithm=softmax rate=adagrad eta=0.3 implicit=true");

    /** Predicts the label of the example at a position, then learns it; returns true if the prediction was wrong. */
    private interface Predictor {
        boolean isError(int position, Example example);
    }

    private PeerErrors() {}

    public static void main(String[] args) throws IOException {
        int most = Integer.parseInt(args[0]);
        for (String file : List.of(args).subList(1, args.length)) {
            Stream stream = new Stream(Path.of(file), most);
            Map<String, Supplier<Predictor>> predictors = new LinkedHashMap<>();
            predictors.put("baseline\tmajority so far", stream::majority);
            predictors.put("baseline\tsame as last", stream::same);
            addOurs(stream, predictors);
            addMoa(stream, predictors);
            addVowpalWabbit(stream, predictors);
            List<String> names = List.copyOf(predictors.keySet());
            long[] errors = new long[names.size()];
            IntStream.range(0, names.size())
                    .parallel()
                    .forEach(k -> errors[k] =
                            stream.errors(predictors.get(names.get(k)).get()));
            for (int k = 0; k < names.size(); k++) {
                System.out.printf("%s\t%s\t%d\t%d%n", stream.name, names.get(k), stream.size, errors[k]);
            }
        }
    }

    private static void addOurs(Stream stream, Map<String, Supplier<Predictor>> predictors) {
        predictors.put("default\t" + DEFAULT, () -> stream.ours(DEFAULT));
        predictors.put("portfolio\tportfolio=true", () -> stream.ours("portfolio=true"));
        List<String> settings = new ArrayList<>(stream.isTwo() ? StreamErrors.PAGE : CLASSES);
        settings.addAll(stream.isTwo() ? TWO_CLASSES : List.of());
        settings.forEach(each -> predictors.put("ours\t" + each, () -> stream.ours(each)));
    }

    private static void addMoa(Stream stream, Map<String, Supplier<Predictor>> predictors) {
        Map<String, Supplier<AbstractClassifier>> linear = new LinkedHashMap<>();
        for (String options : List.of("", "-r 0.1", "-r 0.01")) {
            linear.put("Perceptron " + options, () -> set(new Perceptron(), options));
        }
        for (String options : List.of("", "-r 0.001", "-r 0.01", "-r 0.01 -o LOGLOSS", "-r 0.1 -o LOGLOSS")) {
            linear.put("SGD " + options, () -> set(stream.isTwo() ? new SGD() : new SGDMultiClass(), options));
        }
        if (stream.isTwo()) {
            linear.put("SPegasos ", SPegasos::new);
        }
        linear.forEach((name, learner) -> {
            for (Columns columns : Columns.values()) {
                predictors.put("MOA\t" + name.strip() + ", " + columns.text, () -> stream.moa(learner.get(), columns));
            }
        });
        predictors.put("MOA, not linear\tNaiveBayes", () -> stream.moa(new NaiveBayes(), Columns.RAW));
        if (stream.columns() <= MAX_COLUMNS_OF_TREES) {
            predictors.put("MOA, not linear\tHoeffdingTree", () -> stream.moa(new HoeffdingTree(), Columns.RAW));
            predictors.put(
                    "MOA, not linear\tAdaptiveRandomForest -s 10",
                    () -> stream.moa(set(new AdaptiveRandomForest(), "-s 10"), Columns.RAW));
        }
    }

    private static void addVowpalWabbit(Stream stream, Map<String, Supplier<Predictor>> predictors) {
        for (String loss : List.of("logistic", "hinge", "squared")) {
            for (String rate : List.of("0.1", "0.5", "2")) {
                String options = "--loss_function " + loss + " -l " + rate;
                for (Columns columns : List.of(Columns.RAW, Columns.NUMBERS)) {
                    predictors.put(
                            "Vowpal Wabbit\t" + options + ", " + columns.text,
                            () -> stream.vowpalWabbit(options, columns));
                }
            }
        }
    }

    private static <T extends AbstractClassifier> T set(T learner, String options) {
        learner.getOptions().setViaCLIString(options);
        return learner;
    }

    /** Which columns are standardized. */
    private enum Columns {
        RAW("raw"),
        NUMBERS("numbers standardized"),
        ALL("standardized");

        private final String text;

        Columns(String text) {
            this.text = text;
        }
    }

    /** The examples of a file, its columns, and learners for them. */
    private static final class Stream {
        private final String name;
        private final int size;
        private final int[] labels;
        private final List<String> classes = new ArrayList<>();
        private final Map<Integer, Integer> columns = new HashMap<>();
        private final List<Boolean> isNumber = new ArrayList<>();
        private final ExampleBuffer examples;
        private final boolean isTable;

        Stream(Path file, int most) throws IOException {
            String full = String.valueOf(file.getFileName());
            name = full.substring(0, full.indexOf('.'));
            ExampleFormat format = ExampleFormat.ofFileName(full).orElseThrow();
            isTable = format == ExampleFormat.CSV;
            // texts, so that two classes of any name can be told from several
            examples = new ExampleLoader(new Model().pipeline().hasher())
                    .load(
                            new ExampleSource(
                                    file.toString(),
                                    format,
                                    LabelType.STRING,
                                    format == ExampleFormat.CSV ? "label" : null,
                                    null,
                                    null),
                            count -> count < most);
            size = examples.size();
            labels = new int[size];
            Example example = new Example();
            for (int position = 0; position < size; position++) {
                examples.fill(position, example);
                String label = example.label().toString();
                if (!classes.contains(label)) {
                    classes.add(label);
                }
                labels[position] = classes.indexOf(label);
                FeatureVector x = (FeatureVector) example.features();
                for (int k = 0; k < x.size(); k++) {
                    int column = columns.computeIfAbsent(x.index(k), index -> columns.size());
                    if (column == isNumber.size()) {
                        isNumber.add(false);
                    }
                    isNumber.set(column, isNumber.get(column) || (x.values()[k] != 1 && x.values()[k] != 0));
                }
            }
        }

        boolean isTwo() {
            return classes.size() == 2 && classes.stream().allMatch(each -> each.matches("[+-]?1|0"));
        }

        int columns() {
            return isNumber.size();
        }

        long errors(Predictor predictor) {
            Example example = new Example();
            long errors = 0;
            for (int position = 0; position < size; position++) {
                examples.fill(position, example);
                errors += predictor.isError(position, example) ? 1 : 0;
            }
            return errors;
        }

        /** Before the first label it is wrong; the first of equally common labels is predicted. */
        Predictor majority() {
            int[] counts = new int[classes.size()];
            int[] most = {-1};
            return (position, example) -> {
                int label = labels[position];
                boolean isWrong = label != most[0];
                counts[label]++;
                most[0] = most[0] < 0 || counts[label] > counts[most[0]] ? label : most[0];
                return isWrong;
            };
        }

        Predictor same() {
            return (position, example) -> position == 0 || labels[position] != labels[position - 1];
        }

        Predictor ours(String settings) {
            Model model = new Model();
            model.configure(StreamErrors.changes(settings));
            return (position, example) -> {
                if (isTwo()) {
                    example.setLabel(Label.of(Integer.parseInt(classes.get(labels[position]))));
                }
                return model.process(example, 0).isError();
            };
        }

        /** Adaptive, normalised and invariant steps, as by default. A score of 0 predicts +1. */
        Predictor vowpalWabbit(String options, Columns standardized) {
            Row row = new Row(standardized);
            if (isTwo()) {
                VWScalarLearner learner = VWLearners.create("--quiet " + options);
                return (position, example) -> {
                    boolean isPositive = Integer.parseInt(classes.get(labels[position])) > 0;
                    // the prediction of the weights before the update
                    return learner.learn(line(isPositive ? "1" : "-1", row.of(example), example)) >= 0 != isPositive;
                };
            }
            VWMulticlassLearner learner = VWLearners.create("--quiet --oaa " + classes.size() + " " + options);
            return (position, example) -> {
                double[] values = row.of(example);
                int predicted = learner.predict(line("", values, example));
                learner.learn(line(Integer.toString(labels[position] + 1), values, example));
                return predicted != labels[position] + 1;
            };
        }

        /** The features of the example, with the values of its row. */
        private String line(String label, double[] values, Example example) {
            FeatureVector x = (FeatureVector) example.features();
            StringBuilder line = new StringBuilder(label + " |");
            for (int k = 0; k < x.size(); k++) {
                int column = columns.get(x.index(k));
                line.append(' ').append(column).append(':').append((float) values[column]);
            }
            return line.toString();
        }

        Predictor moa(AbstractClassifier learner, Columns standardized) {
            List<Attribute> attributes = new ArrayList<>();
            for (int k = 0; k < columns(); k++) {
                attributes.add(new Attribute("x" + k));
            }
            attributes.add(new Attribute("class", classes));
            InstancesHeader header = new InstancesHeader(new Instances("stream", attributes, 0));
            header.setClassIndex(columns());
            learner.setModelContext(header);
            learner.prepareForUse();
            Row row = new Row(standardized);
            return (position, example) -> {
                double[] values = Arrays.copyOf(row.of(example), columns() + 1);
                values[columns()] = labels[position];
                Instance instance = new DenseInstance(1, values);
                instance.setDataset(header);
                boolean isError = !learner.correctlyClassifies(instance);
                learner.trainOnInstance(instance);
                return isError;
            };
        }

        /**
         * The values of all columns of an example, by mean and deviation so far, this example included (Welford 1962).
         */
        private final class Row {
            private final Columns standardized;
            private final double[] values = new double[columns()];
            private final long[] count = new long[columns()];
            private final double[] mean = new double[columns()];
            private final double[] squares = new double[columns()];

            Row(Columns standardized) {
                this.standardized = standardized;
            }

            /** Valid until the next call. */
            double[] of(Example example) {
                FeatureVector x = (FeatureVector) example.features();
                for (int k = 0; k < values.length; k++) {
                    // a word that is not there is 0, a number of a table is missing
                    values[k] = isTable && isNumber.get(k) ? Double.NaN : 0;
                }
                for (int k = 0; k < x.size(); k++) {
                    values[columns.get(x.index(k))] = x.values()[k];
                }
                for (int k = 0; k < values.length; k++) {
                    add(k, values[k]);
                    values[k] = Double.isNaN(values[k]) ? mean[k] : values[k];
                    if (standardized == Columns.ALL || (standardized == Columns.NUMBERS && isNumber.get(k))) {
                        double deviation = Math.sqrt(squares[k] / count[k]);
                        values[k] = deviation > 0 ? (values[k] - mean[k]) / deviation : 0;
                    }
                }
                return values;
            }

            private void add(int column, double value) {
                if (!Double.isNaN(value)) {
                    count[column]++;
                    double difference = value - mean[column];
                    mean[column] += difference / count[column];
                    squares[column] += difference * (value - mean[column]);
                }
            }
        }
    }
}
