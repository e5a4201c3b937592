package io.perceptronstreams.fit;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.ProgressBar;
import io.perceptronstreams.client.Verdict;
import io.perceptronstreams.client.WeightsFile;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.ExampleBuffer;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.model.BatchTrainer;
import io.perceptronstreams.model.Evaluation;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.settings.Settings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** Counts test errors after each pass of {@code fit}, writes the weights of the best pass, and stops early. */
public final class FitPasses implements BatchTrainer.Watcher {
    private final Model model;
    private final TestSet testSet;
    private final Integer patience;
    private final Path weights;
    private final FitReport report;
    private final BooleanSupplier isStopped;

    private ProgressBar progress;
    private BatchTrainer.Pass last;
    private long processed;
    private BatchTrainer.Pass best;
    private Model bestModel;
    private Model leading;
    private long fewestErrors;
    private Map<Settings.Predict, Evaluation> tests;
    private Verdict verdict;
    private Verdict ofLast;

    /** The examples to count errors on, and the file that they are from. */
    public record TestSet(String file, ExampleBuffer examples) {
        /**
         * Checks that there is something to count.
         *
         * @throws CommandFailedException if no example has a label
         */
        public void check() {
            if (!hasLabel(examples)) {
                throw new CommandFailedException("examples to test with must have labels, got none in " + file);
            }
        }
    }

    public static boolean hasLabel(ExampleBuffer examples) {
        Example example = new Example();
        for (int position = 0; position < examples.size(); position++) {
            examples.fill(position, example);
            if (example.label() != null) {
                return true;
            }
        }
        return false;
    }

    /**
     * Creates a watcher.
     *
     * @param testSet null to test nothing
     * @param patience number of passes without fewer errors after which training stops; null for all passes
     */
    public FitPasses(
            Model model, TestSet testSet, Integer patience, Path weights, FitReport report, BooleanSupplier isStopped) {
        this.model = model;
        this.leading = model;
        this.testSet = testSet;
        this.patience = patience;
        this.weights = weights;
        this.report = report;
        this.isStopped = isStopped;
    }

    /** Shows the progress of the passes. */
    public void show(ProgressBar bar) {
        progress = bar;
    }

    @Override
    public boolean keepGoing(long done) {
        progress.update(done);
        return !isStopped.getAsBoolean();
    }

    @Override
    public void passed(BatchTrainer.Pass pass) {
        progress.clear();
        last = pass;
        processed += pass.examples();
        Verdict all = Verdict.of(EventEncoder.metrics(model.counts().metrics()));
        ofLast = all == null ? null : all.since(verdict);
        verdict = all;
        if (testSet == null) {
            report.pass(pass, null);
            return;
        }
        leading = model.leading();
        Map<Settings.Predict, Evaluation> each = test();
        if (each == null) {
            report.pass(pass, null);
            return;
        }
        long errors =
                each.get(leading.pipeline().settings().get(Settings.PREDICT)).errors();
        report.pass(pass, errors);
        if (patience == null) {
            tests = each;
        } else if (best == null || errors < fewestErrors) {
            best = pass;
            fewestErrors = errors;
            tests = each;
            try {
                WeightsFile.write(leading, weights);
                bestModel = WeightsFile.copy(leading);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    public boolean isStopped() {
        return isStopped.getAsBoolean();
    }

    @Override
    public boolean isWanted() {
        return !isStopped() && (patience == null || last.number() - best() < patience);
    }

    /** Returns null if it was stopped. */
    private Map<Settings.Predict, Evaluation> test() {
        try {
            return Evaluation.ofEach(leading, testSet.examples(), count -> !isStopped.getAsBoolean());
        } catch (RejectedException e) {
            throw new CommandFailedException(testSet.file() + ", " + e.getMessage(), e);
        }
    }

    /**
     * Writes the weights, unless an earlier pass has the best ones.
     *
     * @return false if there are none, because training was stopped before the first example
     */
    public boolean end() throws IOException {
        if (best == null && processed > 0) {
            leading = model.leading();
            WeightsFile.write(leading, weights);
        }
        return processed > 0;
    }

    /** Number of the pass whose weights were written; 0 if they are the last ones. */
    public int best() {
        return best == null ? 0 : best.number();
    }

    /** The pass whose weights were written. */
    public BatchTrainer.Pass pass() {
        return best == null ? last : best;
    }

    /** The model whose weights were written: of a portfolio the best member. */
    public Model model() {
        return best == null ? leading : bestModel;
    }

    /** The verdict of the last pass, before each example was learned from; null without labels of classes. */
    public Verdict verdict() {
        return ofLast;
    }

    /** The evaluations with the written weights; null without test examples. */
    public Map<Settings.Predict, Evaluation> tests() {
        return tests;
    }
}
