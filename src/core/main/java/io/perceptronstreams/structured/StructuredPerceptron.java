package io.perceptronstreams.structured;

import io.perceptronstreams.example.Candidates;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.learner.Evidence;
import io.perceptronstreams.learner.HasEvidence;
import io.perceptronstreams.learner.NormCheck;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Perceptron;
import io.perceptronstreams.learner.StateFields;
import io.perceptronstreams.learner.Survivals;
import io.perceptronstreams.learner.TwoClassLabels;
import io.perceptronstreams.learner.Weights;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.Blocks;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Structured perceptron over listed candidates: predicts y* = argmax of theta·f(x, y), the first listed on a tie; on a
 * mistake (y* is not y) adds eta·weight·(f(x, y) - f(x, y*)) to theta (Collins 2002).
 *
 * <p>A margin mistake is theta·f(x, y) - theta·f(x, y') < h ({@code <=} with {@code h.inclusive}) for the best other
 * candidate y': adds eta·weight·(f(x, y) - f(x, y')). The margin is that difference, 0 if there is no other candidate.
 * The setting {@code bias} has no effect, because a bias would cancel. Averaged as {@link Perceptron} is.
 *
 * <p>Mistakes: at most (R/gamma)^2 if some unit vector scores every y by gamma above all other candidates, with R the
 * largest |f(x, y) - f(x, y')| of an update, as {@link #radius} returns it (Collins 2002, theorem 1).
 *
 * <p>The label is the output of one candidate; an int names the output that it spells. Outputs must be unique. Cost:
 * O(non-zeros of all candidates) per call. State: theta and the average in blocks (vector 0), and the numbers of {@link
 * #exchange}.
 */
public final class StructuredPerceptron implements HasEvidence {
    /** Maximum length of an output, which is part of every prediction and mistake. */
    private static final int MAX_OUTPUT_LENGTH = 256;

    private final Weights weights = new Weights();
    private final FeatureVector difference = new FeatureVector();
    private final Set<String> outputs = new HashSet<>();
    private Settings settings;

    private final Survivals survivals = new Survivals();
    private final NormCheck norm = new NormCheck();
    private final List<Blocks> blocks = List.of(weights.blocks());

    // Scores of the last scored example's candidates, valid up to their number.
    private double[] scores = new double[16];

    public StructuredPerceptron(Settings settings) {
        configure(settings);
    }

    @Override
    public void configure(Settings settings) {
        this.settings = settings;
        survivals.configure(settings);
    }

    @Override
    public void predict(Features features, Outcome outcome) {
        predict(candidates(features), outcome);
    }

    /** Returns the position of the candidate with the highest score under the weights that learn. */
    private int predict(Candidates x, Outcome outcome) {
        if (scores.length < x.size()) {
            scores = new double[Math.max(x.size(), 2 * scores.length)];
        }
        boolean isAveraged = settings.get(Settings.PREDICT) == Settings.Predict.AVERAGED;
        double highestEmitted = Double.NEGATIVE_INFINITY;
        int emitted = 0;
        for (int k = 0; k < x.size(); k++) {
            FeatureVector f = x.features(k);
            scores[k] = weights.dot(f);
            double score = isAveraged ? survivals.sum() * scores[k] - weights.dotAverage(f) : scores[k];
            if (!Double.isFinite(scores[k]) || !Double.isFinite(score) || !Double.isFinite(f.squaredNorm())) {
                throw overflow("score and norm of a candidate");
            }
            if (score > highestEmitted) {
                highestEmitted = score;
                emitted = k;
            }
        }
        int best = best(x.size(), -1);
        outcome.predictNothing();
        outcome.predicted = new Label.ClassName(x.output(emitted));
        outcome.predictedScore = isAveraged && survivals.sum() > 0 ? highestEmitted / survivals.sum() : highestEmitted;
        outcome.score = scores[best];
        return best;
    }

    /** The first of the highest scores except that of {@code other}, or -1 if there is none. */
    private int best(int size, int other) {
        int best = -1;
        for (int k = 0; k < size; k++) {
            if (k != other && (best < 0 || scores[k] > scores[best])) {
                best = k;
            }
        }
        return best;
    }

    private void check(Candidates x) {
        if (x.size() == 0) {
            throw unsupported("an example must have at least one candidate, got none");
        }
        outputs.clear();
        for (int k = 0; k < x.size(); k++) {
            String output = x.output(k);
            if (output.length() > MAX_OUTPUT_LENGTH) {
                throw unsupported("an output must have at most " + MAX_OUTPUT_LENGTH + " characters, got "
                        + output.length() + " (candidate " + k + ")");
            }
            if (!outputs.add(output)) {
                throw unsupported("outputs of candidates must differ, got '" + output + "' twice");
            }
        }
    }

    @Override
    public void evaluate(Features features, Label y, Outcome outcome) {
        Candidates x = candidates(features);
        evaluate(x, position(x, y), outcome);
    }

    /** Returns the position of the best candidate besides the right one, or -1 if there is none. */
    private int evaluate(Candidates x, int right, Outcome outcome) {
        int best = predict(x, outcome);
        int rival = best(x.size(), right);
        double h = settings.get(Settings.H);
        outcome.error = !((Label.ClassName) outcome.predicted).name().equals(x.output(right));
        if (rival < 0) {
            return rival;
        }
        double margin = scores[right] - scores[rival];
        if (!Double.isFinite(margin)) {
            throw overflow("the difference of two scores");
        }
        outcome.margin = margin;
        outcome.hingeLoss = Math.max(0, h - margin);
        outcome.kind = best != right
                ? Outcome.Kind.MISTAKE
                : margin < h || (settings.get(Settings.H_INCLUSIVE) && margin == h)
                        ? Outcome.Kind.MARGIN_MISTAKE
                        : Outcome.Kind.CORRECT;
        return rival;
    }

    @Override
    public void learn(Features features, Label y, double weight, Outcome outcome) {
        Candidates x = candidates(features);
        int right = position(x, y);
        int rival = evaluate(x, right, outcome);
        explainIfAsked(features, y, outcome);
        if (outcome.kind == Outcome.Kind.CORRECT) {
            survive(1);
        } else {
            subtract(x.features(right), x.features(rival));
            update(settings.get(Settings.ETA) * weight);
            survive(settings.get(Settings.SURVIVAL_START));
            outcome.updated = true;
        }
    }

    @Override
    public void explain(Features features, Label y, Outcome outcome, Evidence evidence) {
        Candidates x = candidates(features);
        int right = position(x, y);
        int rival = best(x.size(), right);
        if (rival < 0) {
            evidence.end(outcome.margin);
            return;
        }
        subtract(x.features(right), x.features(rival));
        for (int k = 0; k < difference.size(); k++) {
            int index = difference.index(k);
            evidence.add(index, difference.values()[k], weights.blocks().read(index, 0));
        }
        evidence.end(outcome.margin);
    }

    private void survive(int count) {
        if (survivals.add(count)) {
            weights.multiplyAverage(Survivals.SHRINKAGE);
        }
    }

    /** Adds step·{@link #difference} to theta. */
    private void update(double step) {
        double squaredLength = difference.squaredNorm();
        if (!Double.isFinite(squaredLength)) {
            throw overflow("the norm of the difference of two candidates");
        }
        // of the difference itself: the difference of two large scores may be mere rounding
        double margin = weights.dot(difference);
        double growth = weights.growth(difference, step, survivals.sum());
        norm.check(step, margin, squaredLength, growth);
        weights.requireRoom(difference, settings.get(Settings.BLOCKS_MAX));
        weights.addScaled(difference, step, survivals.sum());
        norm.enter(step, margin, squaredLength, growth);
        norm.observe(squaredLength);
    }

    /** Sets {@link #difference} to the right minus the wrong vector, without zeros. */
    private void subtract(FeatureVector right, FeatureVector wrong) {
        difference.resetSparse();
        int r = 0;
        int w = 0;
        while (r < right.size() || w < wrong.size()) {
            int ofRight = r < right.size() ? right.index(r) : Integer.MAX_VALUE;
            int ofWrong = w < wrong.size() ? wrong.index(w) : Integer.MAX_VALUE;
            int index = Math.min(ofRight, ofWrong);
            double value = 0;
            if (r < right.size() && ofRight == index) {
                value += right.values()[r++];
            }
            if (w < wrong.size() && ofWrong == index) {
                value -= wrong.values()[w++];
            }
            if (value != 0) {
                difference.append(index, value);
            }
        }
    }

    private Candidates candidates(Features features) {
        if (features instanceof Candidates candidates) {
            check(candidates);
            return candidates;
        }
        throw unsupported("features must be Candidates for a structured model, got "
                + (features instanceof Sequence ? "a Sequence" : "a vector")
                + " (send candidates, or set another algorithm)");
    }

    /** The position of the candidate that the label names. */
    private static int position(Candidates x, Label y) {
        if (!(y instanceof Label.Tags)) {
            String name = y.toString();
            for (int k = 0; k < x.size(); k++) {
                if (x.output(k).equals(name)) {
                    return k;
                }
            }
        }
        throw new RejectedException(
                RejectReason.INVALID_LABEL,
                "label must be the output of one of the " + x.size() + " candidates, got " + TwoClassLabels.describe(y)
                        + " (list the right output among the candidates, too)");
    }

    private static RejectedException unsupported(String message) {
        return new RejectedException(RejectReason.UNSUPPORTED_FEATURES, message);
    }

    private static RejectedException overflow(String what) {
        return new RejectedException(
                RejectReason.SCORE_OVERFLOW, what + " must be finite, got an overflow (scale the features down)");
    }

    @Override
    public String name() {
        return "a structured perceptron";
    }

    @Override
    public void exchange(StateFields fields) {
        survivals.exchangeSum(fields);
        norm.exchangeSquares(fields);
        norm.exchangeSums(fields);
        survivals.exchangeUnit(fields, 0);
    }

    @Override
    public List<Blocks> blocks() {
        return blocks;
    }

    /** R is the largest |f(x, y) - f(x, y')| of an update. */
    @Override
    public NormCheck norm() {
        return norm;
    }

    @Override
    public void forEachWeight(WeightVisitor visitor) {
        visitor.vector("", 0, 0);
        weights.forEach(survivals.sum(), visitor);
    }
}
