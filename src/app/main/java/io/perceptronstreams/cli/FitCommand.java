package io.perceptronstreams.cli;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.ProgressBar;
import io.perceptronstreams.client.Remedy;
import io.perceptronstreams.client.ShutdownSignal;
import io.perceptronstreams.client.WeightsFile;
import io.perceptronstreams.example.ExampleBuffer;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.fit.ExampleFeed;
import io.perceptronstreams.fit.ExampleLoader;
import io.perceptronstreams.fit.FitFacts;
import io.perceptronstreams.fit.FitPasses;
import io.perceptronstreams.fit.FitReport;
import io.perceptronstreams.fit.ReadAhead;
import io.perceptronstreams.format.ExampleFormat;
import io.perceptronstreams.format.ExampleSource;
import io.perceptronstreams.format.LabelType;
import io.perceptronstreams.model.BatchTrainer;
import io.perceptronstreams.model.Evaluation;
import io.perceptronstreams.model.LinearWeights;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.theory.TrainingRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code perceptron fit FILE}: batch training without Kafka. */
@Command(
        name = "fit",
        mixinStandardHelpOptions = true,
        description =
                "Train on a file without Kafka, in passes until one makes no update. Writes the weights to a file for"
                        + " weights import. One pass in file order gives bit for bit the model that learns the file"
                        + " over Kafka. Then prints the theorems' bounds. Ctrl-C stops and writes the weights so far.",
        sortOptions = false)
public final class FitCommand implements Callable<Integer> {
    private static final long KEPT_BYTES = 8 << 20;

    /** Features of a single pass that are kept for the theorems, about; of more, none are. */
    long keptBytes = KEPT_BYTES;

    @Parameters(paramLabel = "FILE", description = "Text with examples, gzipped or not; - is standard input.")
    String file;

    @Mixin
    SourceOptions sourceOptions;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "A setting of the model, as in models set; may be repeated.")
    Map<String, String> settings = new LinkedHashMap<>();

    @Option(
            names = "--portfolio",
            description =
                    "Learn with a portfolio of learners that vote, and write the one that leads: --set portfolio=true.")
    boolean isPortfolio;

    @Option(
            names = "--order",
            paramLabel = "ORDER",
            defaultValue = "FILE",
            description = "file; shuffled: a new order in each pass; random: drawn with replacement (default: file).")
    BatchTrainer.Order order;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed of the orders shuffled and random (default: ${DEFAULT-VALUE}).")
    long seed;

    @Option(
            names = "--epochs",
            paramLabel = "N",
            defaultValue = "10",
            description = "Maximum number of passes (default: ${DEFAULT-VALUE}).")
    int epochs;

    @Option(
            names = "--test",
            paramLabel = "FILE",
            description =
                    "Examples to count errors on after each pass, and after training for each way to predict; same format"
                            + " as FILE.")
    String test;

    @Option(
            names = "--patience",
            paramLabel = "N",
            description =
                    "Stop after N passes without fewer errors on --test, and write the weights of the pass with the"
                            + " fewest (default: all passes, and the last weights).")
    Integer patience;

    @Option(
            names = "--bounds",
            description =
                    "Keep all examples of a single pass for the theorems' bounds, which need them again (default: up to 8 MB"
                            + " of features).")
    boolean isBounds;

    @Option(
            names = "--comparator",
            paramLabel = "FILE",
            description =
                    "Weights of fit or weights export: the hinge bound uses the best multiple of them, of the weights"
                            + " found, or of their average.")
    Path comparator;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description =
                    "File for the weights, as JSON, or as Avro if it ends with .avro (default: the file's name with"
                            + " .weights, in the working directory).")
    Path output;

    @Option(
            names = "--json",
            description =
                    "Print a JSON object for each pass, and one with the errors of --test and the theorems' bounds.")
    boolean isJson;

    @Option(names = "--verbose", description = "Show the stack trace of an error.")
    boolean isVerbose;

    @Spec
    CommandSpec spec;

    /** By default the labels choose the learner, and names choose one of several classes with its settings. */
    private String remedied(String message) {
        String words = Remedy.withOptions(message);
        return "adaptive".equals(settings.get(Settings.ALGORITHM.name()))
                ? words.replace("--set algorithm=softmax", "--label-type string, or --set algorithm=multiclass")
                        // not given: chosen by the first label
                        .replace(" --set stacked=false", "")
                : words;
    }

    @Override
    public Integer call() throws IOException {
        try (ShutdownSignal stop = new ShutdownSignal()) {
            return call(stop::isRequested);
        }
    }

    /** @param isStopped returns true from a signal on */
    int call(BooleanSupplier isStopped) throws IOException {
        Usage.atLeast(1, "--epochs", epochs, spec);
        Usage.atLeast(1, "--patience", patience, spec);
        if (patience != null && test == null) {
            throw new ParameterException(
                    spec.commandLine(), "--patience must be used with --test: it counts errors on these examples");
        }
        ExampleSource source = sourceOptions.source(file, null, spec.commandLine());
        ExampleSource testSource = test == null ? null : sourceOptions.source(test, null, spec.commandLine());
        if (testSource != null && source.isStandardInput() && testSource.isStandardInput()) {
            throw new ParameterException(spec.commandLine(), "--test must differ from FILE, got - for both");
        }
        if (sourceOptions.isDryRun) {
            SourceOptions.dryRun(source, spec.commandLine());
            return 0;
        }
        Path weights = output == null ? Path.of(weightsName(source)) : output;
        Model model = new Model();
        if (isPortfolio) {
            settings.put(Settings.PORTFOLIO.name(), "true");
        }
        if (comparator == null) {
            settings.putIfAbsent(Settings.ALGORITHM.name(), "adaptive");
        }
        try {
            model.configure(settings);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--set: " + e.getMessage());
        }
        checkWritable(weights);
        LinearWeights other = comparator == null ? null : comparator(model);
        FitReport report = new FitReport(spec.commandLine().getOut(), isJson, test != null);
        try (ExampleFeed feed = new ExampleFeed(source, model.pipeline().hasher())) {
            return fit(model, feed, testSource, weights, other, report, isStopped);
        }
    }

    private int fit(
            Model model,
            ExampleFeed feed,
            ExampleSource testSource,
            Path weights,
            LinearWeights other,
            FitReport report,
            BooleanSupplier isStopped)
            throws IOException {
        boolean isKept = epochs > 1 || order != BatchTrainer.Order.FILE || isBounds || comparator != null;
        // one loader, so that both files together fit into memory
        ExampleLoader loader = new ExampleLoader(model.pipeline().hasher());
        ExampleBuffer examples = new ExampleBuffer();
        boolean isWhole = load(feed, isKept ? Long.MAX_VALUE : keptBytes, loader, examples, isStopped);
        if (isWhole && !FitPasses.hasLabel(examples) && !isStopped.getAsBoolean()) {
            throw unlabelled(feed);
        }
        nameLabels(model, feed.twoLabels());
        // before the passes, so that errors in the file show before the training
        FitPasses.TestSet testSet = null;
        if (testSource != null) {
            testSet = new FitPasses.TestSet(test, new ExampleBuffer());
            try (ExampleFeed tests =
                    new ExampleFeed(testSource, model.pipeline().hasher())) {
                load(tests, Long.MAX_VALUE, loader, testSet.examples(), isStopped);
            }
        }
        if (isStopped.getAsBoolean()) {
            report.end("stopped before the first pass: no weights are written");
            return 0;
        }
        if (testSet != null) {
            testSet.check();
        }
        FitPasses passes = new FitPasses(model, testSet, patience, weights, report, isStopped);
        BatchTrainer trainer = train(model, examples, isWhole ? null : feed, passes, report, isStopped);
        if (!passes.end()) {
            return 0;
        }
        // no facts where a drift has reset the model, or several have predicted
        boolean isAlone = model.current().epoch() == 0 && model.voters().isEmpty();
        TrainingRun facts = !isAlone || !isWhole ? null : facts(passes, examples, trainer, other, isStopped);
        Map<Settings.Predict, Evaluation> tests = isStopped.getAsBoolean() ? null : passes.tests();
        report.voters(model);
        report.result(passes.model(), facts, tests, passes.verdict());
        if (!isWhole && isAlone && !isStopped.getAsBoolean()) {
            report.boundless(keptBytes);
        }
        report.advice(trainer.advice());
        report.weights(weights.toString(), passes.best());
        report.verdict(passes.model(), passes.verdict(), tests);
        return 0;
    }

    /** Names the two labels that the file declares, unless the user or the algorithm does without. */
    private void nameLabels(Model model, List<String> labels) {
        if (!labels.isEmpty()
                && !settings.containsKey(Settings.LABELS.name())
                && model.pipeline().settings().get(Settings.ALGORITHM).uses(Settings.LABELS)
                && sourceOptions.labelType != LabelType.INT) {
            String names = String.join(",", labels);
            model.configure(Map.of(Settings.LABELS.name(), names));
            spec.commandLine()
                    .getErr()
                    .println(file + ": two classes are declared, --set labels=" + names + " is taken");
            spec.commandLine().getErr().flush();
        }
    }

    /** Reads the weights to compare with. */
    private LinearWeights comparator(Model model) throws IOException {
        Settings own = model.pipeline().settings();
        if (!own.get(Settings.ALGORITHM).uses(Settings.COMPARATOR)
                || !FitFacts.isMarginKnown(own)
                || order == BatchTrainer.Order.RANDOM) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--comparator must be used with algorithm=perceptron, a scale other than standard and an order other"
                            + " than random: the hinge bound of others is not known");
        }
        Model found = WeightsFile.readModel(comparator);
        try {
            requireSameFeatures(own, found.pipeline().settings());
            LinearWeights u = LinearWeights.of(found, own.get(Settings.HASH_BITS));
            if (u.bias() != 0 && !own.get(Settings.BIAS)) {
                throw new IllegalArgumentException("bias must be true to compare with weights that have one");
            }
            return u;
        } catch (IllegalArgumentException e) {
            throw new CommandFailedException("--comparator " + comparator + ": " + e.getMessage(), e);
        }
    }

    private static void requireSameFeatures(Settings own, Settings found) {
        Map<String, String> needed = found.toMap();
        own.toMap().forEach((name, value) -> {
            if (Settings.isOfFeatures(name) && !value.equals(needed.get(name))) {
                throw new IllegalArgumentException(
                        name + " must be that of the weights to compare with, got another one (--set " + name + "="
                                + needed.get(name) + ")");
            }
        });
    }

    private static String weightsName(ExampleSource source) {
        return (source.isStandardInput()
                        ? "stdin"
                        : ExampleFormat.baseName(
                                String.valueOf(Path.of(source.file()).getFileName())))
                + ".weights";
    }

    /** Checks the output path before training starts. */
    private static void checkWritable(Path weights) {
        boolean isThere = Files.exists(weights);
        // a file is replaced by another one of its directory, a device is not
        boolean isReplaced = !isThere || Files.isRegularFile(weights);
        if (Files.isDirectory(weights)
                || (isThere && !Files.isWritable(weights))
                || (isReplaced && !Files.isWritable(weights.toAbsolutePath().getParent()))) {
            throw new CommandFailedException(
                    "weights must go to a file that can be written, in a directory that can be, got '" + weights
                            + "' (--output sets the file)");
        }
    }

    private CommandFailedException unlabelled(ExampleFeed feed) {
        return new CommandFailedException("examples must have labels to learn from, got none in " + file
                + (feed.labelHint() == null ? "" : " (" + feed.labelHint() + ")"));
    }

    /** Returns false if the feed has more examples than take a number of bytes. */
    private boolean load(
            ExampleFeed feed, long bytes, ExampleLoader loader, ExampleBuffer examples, BooleanSupplier isStopped)
            throws IOException {
        boolean isWhole;
        try (ProgressBar progress = ProgressBar.onTerminal(Long.MAX_VALUE)) {
            isWhole = loader.load(feed, bytes, examples, count -> {
                progress.update(count);
                return !isStopped.getAsBoolean();
            });
        }
        if (isWhole) {
            SourceOptions.reportSkipped(feed.source(), spec.commandLine());
        }
        if (examples.size() == 0 && !isStopped.getAsBoolean()) {
            throw new CommandFailedException("file must have at least one example, got none from "
                    + feed.source().file());
        }
        return isWhole;
    }

    /** @param following has the examples behind those in memory; null if these are all */
    private BatchTrainer train(
            Model model,
            ExampleBuffer examples,
            ExampleFeed following,
            FitPasses passes,
            FitReport report,
            BooleanSupplier isStopped)
            throws IOException {
        report.start();
        BatchTrainer trainer = new BatchTrainer(model, examples, order, seed);
        long total = following == null ? (long) examples.size() * epochs : Long.MAX_VALUE;
        try (ProgressBar progress = ProgressBar.onTerminal(total)) {
            passes.show(progress);
            if (following == null) {
                trainer.train(epochs, passes);
            } else {
                trainOnce(trainer, following, model, passes);
            }
        } catch (RejectedException e) {
            throw new CommandFailedException(file + ", " + remedied(e.getMessage()), e);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        int made = report.last().number();
        report.end(
                isStopped.getAsBoolean()
                        ? "stopped in pass " + made
                        : trainer.isConverged()
                                ? "pass " + made + " made no update"
                                : made < epochs
                                        ? patience + " passes made no fewer test errors (--patience)"
                                        : "maximum number of passes reached, the last with updates (--epochs raises it)");
        return trainer;
    }

    private void trainOnce(BatchTrainer trainer, ExampleFeed following, Model model, FitPasses passes) {
        boolean hasThread = Runtime.getRuntime().availableProcessors() > 1;
        try (ReadAhead ahead = new ReadAhead(following, hasThread)) {
            trainer.trainOnce(ahead, passes);
        }
        SourceOptions.reportSkipped(following.source(), spec.commandLine());
        if (model.counts().totals().labelled() == 0 && !passes.isStopped()) {
            throw unlabelled(following);
        }
    }

    /** Null if there are no facts: training stopped, or no labels. */
    private TrainingRun facts(
            FitPasses passes,
            ExampleBuffer examples,
            BatchTrainer trainer,
            LinearWeights other,
            BooleanSupplier isStopped) {
        Model model = passes.model();
        if (isStopped.getAsBoolean() || model.counts().totals().labelled() == 0) {
            return null;
        }
        if (other != null && !model.pipeline().algorithm().hasComparator()) {
            // algorithm=auto, and the labels or the kernel have chosen another one
            throw new CommandFailedException(
                    "--comparator must be used with algorithm=perceptron, got examples that make it "
                            + model.pipeline().algorithm() + " (the weights are written)");
        }
        try (ProgressBar progress = ProgressBar.onTerminal(examples.size())) {
            return FitFacts.of(model, examples, trainer, passes.pass(), order, other, done -> {
                progress.update(done);
                return !isStopped.getAsBoolean();
            });
        } catch (RejectedException e) {
            throw new CommandFailedException(file + ", " + e.getMessage(), e);
        }
    }
}
