package io.perceptronstreams.model;

import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.learner.WeightSummary;
import io.perceptronstreams.settings.Settings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Trains a model in passes, and records all numbers that the reference results contain. */
final class GoldenRun {
    /** One example as it went; the weights are those after it. */
    record Step(double u, int prediction, boolean isMistake, boolean isUpdate, WeightSummary weights) {}

    /** Errors and scores of exactly 0 of the final model on a set of examples. */
    record Errors(long n, long wrong, long zeroScores, double smallestMargin) {}

    final Model model = new Model();
    final List<Long> updatePositions = new ArrayList<>();
    final List<Long> updatesByEpoch = new ArrayList<>();
    final List<Step> steps = new ArrayList<>();
    final List<long[]> firstEpoch = new ArrayList<>();
    long ties;

    private final boolean keepsSteps;

    GoldenRun(Map<String, String> settings, boolean keepsSteps) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("window.ms", "1000000000");
        model.configure(all);
        this.keepsSteps = keepsSteps;
    }

    /** Learns in passes until {@code epochs} are done or, if so asked, one made no update. */
    GoldenRun train(List<Sample> samples, int epochs, boolean untilClean) {
        Example example = new Example();
        firstEpoch.add(new long[3]);
        for (int epoch = 0; epoch < epochs; epoch++) {
            long before = model.counts().totals().updates();
            for (Sample sample : samples) {
                learn(sample, example);
                if (epoch == 0) {
                    Counts totals = model.counts().totals();
                    firstEpoch.add(new long[] {totals.updates(), totals.mistakes(), totals.errors()});
                }
            }
            updatesByEpoch.add(model.counts().totals().updates() - before);
            if (untilClean && model.counts().totals().updates() == before) {
                break;
            }
        }
        return this;
    }

    private void learn(Sample sample, Example example) {
        sample.fill(example);
        Outcome outcome = model.process(example, model.counts().totals().examples());
        if (outcome.isUpdated()) {
            updatePositions.add(model.counts().totals().examples() - 1);
        }
        if (outcome.margin() == model.pipeline().settings().get(Settings.H)) {
            ties++;
        }
        if (keepsSteps) {
            steps.add(new Step(
                    outcome.score(),
                    outcome.predicted().equals(Label.PLUS_ONE) ? 1 : -1,
                    outcome.kind() == Outcome.Kind.MISTAKE,
                    outcome.isUpdated(),
                    WeightSummary.ofWeights(model.pipeline().learner())));
        }
    }

    /** What the frozen model does on {@code samples}; it can learn on afterwards. */
    Errors errors(List<Sample> samples) {
        model.freeze(true);
        Example example = new Example();
        long wrong = 0;
        long zeros = 0;
        double smallestMargin = Double.POSITIVE_INFINITY;
        for (Sample sample : samples) {
            sample.fill(example);
            Outcome outcome = model.process(example, model.counts().totals().examples());
            wrong += outcome.isError() ? 1 : 0;
            zeros += outcome.predictedScore() == 0 ? 1 : 0;
            smallestMargin = Math.min(smallestMargin, outcome.margin());
        }
        model.freeze(false);
        return new Errors(samples.size(), wrong, zeros, smallestMargin);
    }

    String updatePositionsSha256() {
        StringBuilder lines = new StringBuilder();
        updatePositions.forEach(position -> lines.append(position).append('\n'));
        return WeightSummary.sha256(lines.toString());
    }
}
