package io.perceptronstreams.structured;

import io.perceptronstreams.example.Candidates;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.learner.BlockLimits;
import io.perceptronstreams.learner.Evidence;
import io.perceptronstreams.learner.HasEvidence;
import io.perceptronstreams.learner.NormCheck;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.StateFields;
import io.perceptronstreams.learner.Survivals;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.Blocks;
import java.util.Arrays;
import java.util.List;

/**
 * Structured perceptron over tag sequences: predicts y* = argmax of theta·f(x, y) over all sequences of known tags by
 * {@link Viterbi}; on a mistake (any tag differs) adds eta·weight·(f(x, y) - f(x, y*)) to theta (Collins 2002).
 *
 * <p>f(x, y) counts each feature of a token with its tag, and each pair of neighbouring tags, start and end of the
 * sequence included. One sequence is one example. With {@code bias} each token has an additional feature of value 1.
 *
 * <p>The margin is theta·f(x, y) - theta·f(x, y'), where y' is the best sequence but y; it is 0 if there is no other
 * one. With h > 0, or {@code h.inclusive}, a margin mistake is a right prediction whose margin is below h (or equal):
 * it adds eta·weight·(f(x, y) - f(x, y')). Without, y' of a right prediction is not searched, and its margin is 0. The
 * hinge loss is max(0, h - margin), for h = 0 the structured perceptron loss.
 *
 * <p>Mistakes: at most (R/gamma)^2 if some unit vector scores every y by gamma above all other sequences, with R the
 * largest |f(x, y) - f(x, y')| of an update, as {@link #radius} returns it (Collins 2002, theorem 1).
 *
 * <p>Cost: O(features · T + n · T^2) per call for n tokens and T known tags, with a second search where a margin is
 * computed, and O(features of the tokens with a wrong tag) per update. Examples with too large n·T or n·T^2 are
 * rejected. The tables belong to the thread ({@link SequenceScratch}). State: emissions (vector 0) and transitions
 * (vector 1), see {@link TagWeights}, the numbers of {@link #exchange}, and the tags.
 */
public final class SequencePerceptron implements HasEvidence {
    /*
     * A tag becomes known when it is first learned from; without known tags there is no prediction, and the first
     * sequence is a mistake that adds f(x, y) alone. Unknown tags have the weight 0; if the label's score exceeds that
     * of y* because of them, the margin is still 0.
     */
    /** Maximum tokens · tags: limits the memory that one record can use. */
    private static final int MAX_CELLS = 1 << 21;

    /** Maximum tokens · tags^2: steps of a search; {@code predict=averaged} takes two searches. */
    private static final long MAX_STEPS = 1 << 27;

    private final TagWeights weights = new TagWeights();
    private final TagSet tags = new TagSet();
    private Settings settings;
    private boolean hasBias;

    private final Survivals survivals = new Survivals();
    private final NormCheck norm = new NormCheck();
    private final List<Blocks> blocks = List.of(weights.emissions(), weights.transitions());

    public SequencePerceptron(Settings settings) {
        configure(settings);
    }

    @Override
    public void configure(Settings settings) {
        tags.known().configure(settings, hasLearned());
        this.settings = settings;
        hasBias = settings.get(Settings.BIAS);
        survivals.configure(settings);
    }

    @Override
    public long cost(Features x) {
        long known = Math.max(1, tags.known().size());
        long tokens = x instanceof Sequence sequence ? sequence.size() : 0;
        return x.count() * known + tokens * known * known;
    }

    private boolean hasLearned() {
        boolean hasSeenTags = settings != null
                && settings.get(Settings.CLASSES).isEmpty()
                && tags.known().size() > 0;
        return hasSeenTags || survivals.sum() > 0 || norm.squaredRadius() > 0;
    }

    @Override
    public void predict(Features features, Outcome outcome) {
        predict(sequence(features), outcome, SequenceScratch.ofThread());
    }

    /**
     * Writes the best sequence and the scores by the weights that learn into the scratch.
     *
     * @return the emitted sequence: the best one by the weights that predict, or null if no tag is known
     */
    private int[] predict(Sequence x, Outcome outcome, SequenceScratch scratch) {
        int n = x.size();
        int count = tags.known().size();
        outcome.predictNothing();
        if (count == 0) {
            return null;
        }
        requireBounded(n, count);
        int[] best = scratch.best(n);
        weights.score(x, count, hasBias, scratch.scores);
        outcome.score = decode(n, count, scratch.viterbi, scratch.scores, best);
        if (settings.get(Settings.PREDICT) == Settings.Predict.LAST) {
            outcome.predictedScore = outcome.score;
            outcome.predicted = named(best, n);
            return best;
        }
        int[] averagedBest = scratch.averagedBest(n);
        weights.scoreAveraged(x, count, hasBias, survivals.sum(), scratch.scores, scratch.averagedScores);
        double score = decode(n, count, scratch.viterbi, scratch.averagedScores, averagedBest);
        outcome.predictedScore = survivals.sum() == 0 ? score : score / survivals.sum();
        outcome.predicted = named(averagedBest, n);
        return averagedBest;
    }

    private static void requireBounded(int n, int count) {
        if (count > TagSet.MAX_TAGS) {
            throw unsupported("a sequence model must know at most " + TagSet.MAX_TAGS + " tags to be used, got " + count
                    + " (reset the model and use fewer tags)");
        }
        if ((long) n * count > MAX_CELLS) {
            throw unsupported("a sequence must have at most " + MAX_CELLS + " tokens times known tags, got " + n
                    + " times " + count + " (cut it)");
        }
        if ((long) n * count * count > MAX_STEPS) {
            throw unsupported("a sequence must have at most " + MAX_STEPS + " tokens times known tags squared, got " + n
                    + " times " + count + " squared (cut it)");
        }
    }

    private static double decode(int n, int count, Viterbi viterbi, TagScores by, int[] path) {
        viterbi.decode(n, count, by, path);
        if (!Double.isFinite(viterbi.score())) {
            throw overflow();
        }
        return viterbi.score();
    }

    private Label named(int[] path, int n) {
        String[] names = new String[n];
        long characters = 0;
        for (int i = 0; i < n; i++) {
            names[i] = tags.known().labels().get(path[i]).name();
            characters += names[i].length();
        }
        requireRoom(characters, "the predicted tags");
        return new Label.Tags(Arrays.asList(names));
    }

    private static void requireRoom(long characters, String what) {
        if (characters > Label.Tags.MAX_CHARACTERS) {
            throw unsupported(what + " of a sequence must have at most " + Label.Tags.MAX_CHARACTERS
                    + " characters together, got " + characters + " (cut it)");
        }
    }

    @Override
    public void evaluate(Features features, Label y, Outcome outcome) {
        Sequence x = sequence(features);
        evaluate(x, read(x, y), outcome, SequenceScratch.ofThread());
    }

    private int[] read(Sequence x, Label y) {
        int[] right = tags.read(y, x.size());
        long characters = 0;
        for (String tag : ((Label.Tags) y).tags()) {
            characters += tag.length();
        }
        requireRoom(characters, "the tags");
        return right;
    }

    /** Returns the best sequence besides the right one, or null if there is none or it is not needed. */
    private int[] evaluate(Sequence x, int[] right, Outcome outcome, SequenceScratch scratch) {
        int n = x.size();
        int count = tags.known().size();
        int[] predicted = predict(x, outcome, scratch);
        if (outcome.isAbstained()) {
            outcome.error = true;
            outcome.kind = Outcome.Kind.MISTAKE;
            return null;
        }
        outcome.error = !Arrays.equals(predicted, 0, n, right, 0, n);
        int[] best = scratch.best(n);
        double h = settings.get(Settings.H);
        if (!Arrays.equals(best, 0, n, right, 0, n)) {
            double margin = Viterbi.score(n, count, scratch.scores, right) - outcome.score;
            outcome.margin = Math.min(0, margin) + 0.0;
            outcome.hingeLoss = h - outcome.margin;
            outcome.kind = Outcome.Kind.MISTAKE;
            return best;
        }
        if (count == 1 || (h == 0 && !settings.get(Settings.H_INCLUSIVE))) {
            return null;
        }
        int[] rival = scratch.rival(n);
        scratch.viterbi.decodeOther(n, count, scratch.scores, right, rival);
        outcome.margin = outcome.score - scratch.viterbi.score();
        if (!Double.isFinite(outcome.margin)) {
            throw overflow();
        }
        outcome.hingeLoss = Math.max(0, h - outcome.margin);
        outcome.kind = outcome.margin < h || (settings.get(Settings.H_INCLUSIVE) && outcome.margin == h)
                ? Outcome.Kind.MARGIN_MISTAKE
                : Outcome.Kind.CORRECT;
        return rival;
    }

    private static RejectedException overflow() {
        return new RejectedException(
                RejectReason.SCORE_OVERFLOW, "the score of a sequence must be finite, got an overflow (cut it)");
    }

    @Override
    public void learn(Features features, Label y, double weight, Outcome outcome) {
        Sequence x = sequence(features);
        int[] right = read(x, y);
        SequenceScratch scratch = SequenceScratch.ofThread();
        int[] rival = evaluate(x, right, outcome, scratch);
        explainIfAsked(features, y, outcome);
        if (outcome.kind == Outcome.Kind.CORRECT) {
            survive(1);
        } else {
            subtract(x, right, rival, scratch);
            tags.requireRoom();
            update(settings.get(Settings.ETA) * weight, scratch.emitted, scratch.moved);
            tags.learn();
            if (rival == null) {
                // no known tags: the update is not a difference, so steps bound no margin
                norm.loseSteps();
            }
            survive(settings.get(Settings.SURVIVAL_START));
            outcome.updated = true;
        }
    }

    /** Writes f(x, right) - f(x, rival) into the scratch, sorted; {@code rival} may be null. */
    private void subtract(Sequence x, int[] right, int[] rival, SequenceScratch scratch) {
        scratch.emitted.clear();
        scratch.moved.clear();
        add(x, right, rival, 1, scratch);
        if (rival != null) {
            add(x, rival, right, -1, scratch);
        }
        scratch.emitted.sort();
        scratch.moved.sort();
    }

    @Override
    public void explain(Features features, Label y, Outcome outcome, Evidence evidence) {
        int count = tags.known().size();
        boolean isRight = outcome.kind == Outcome.Kind.CORRECT;
        if (!outcome.isAbstained() && !(isRight && count == 1)) {
            Sequence x = sequence(features);
            SequenceScratch scratch = SequenceScratch.ofThread();
            int n = x.size();
            int[] right = read(x, y);
            int[] rival = outcome.kind == Outcome.Kind.MISTAKE ? scratch.best(n) : scratch.rival(n);
            if (isRight) {
                scratch.viterbi.decodeOther(n, count, scratch.scores, right, rival);
                outcome.margin = outcome.score - scratch.viterbi.score();
            }
            subtract(x, right, rival, scratch);
            weights.explain(scratch.emitted, scratch.moved, tags.known(), evidence);
        }
        evidence.end(outcome.margin);
    }

    private void survive(int count) {
        if (survivals.add(count)) {
            weights.emissions().multiplyAverages(Survivals.SHRINKAGE);
            weights.transitions().multiplyAverages(Survivals.SHRINKAGE);
        }
    }

    /** Adds sign·f(x, path) to the difference, except entries that are the same in {@code other}, which may be null. */
    private void add(Sequence x, int[] path, int[] other, double sign, SequenceScratch scratch) {
        FeatureDifference emitted = scratch.emitted;
        FeatureDifference moved = scratch.moved;
        int n = x.size();
        for (int i = 0; i < n; i++) {
            boolean isSame = other != null && other[i] == path[i];
            if (!isSame) {
                FeatureVector token = x.token(i);
                for (int k = 0; k < token.size(); k++) {
                    emitted.add(token.index(k), path[i], sign * token.values()[k]);
                }
                if (hasBias) {
                    moved.add(TagWeights.BIAS, path[i], sign);
                }
            }
            if (i > 0 && !(isSame && other[i - 1] == path[i - 1])) {
                moved.add(TagWeights.AFTER + path[i - 1], path[i], sign);
            }
        }
        if (other == null || other[0] != path[0]) {
            moved.add(TagWeights.START, path[0], sign);
        }
        if (other == null || other[n - 1] != path[n - 1]) {
            moved.add(TagWeights.STOP, path[n - 1], sign);
        }
    }

    private void update(double step, FeatureDifference emitted, FeatureDifference moved) {
        double squaredLength = emitted.squaredNorm() + moved.squaredNorm();
        double margin = TagWeights.dot(weights.emissions(), emitted) + TagWeights.dot(weights.transitions(), moved);
        double growth = TagWeights.growth(weights.emissions(), emitted, step, survivals.sum())
                + TagWeights.growth(weights.transitions(), moved, step, survivals.sum());
        norm.check(step, margin, squaredLength, growth);
        requireRoomForWeights(emitted, moved);
        TagWeights.addScaled(weights.emissions(), emitted, step, survivals.sum());
        TagWeights.addScaled(weights.transitions(), moved, step, survivals.sum());
        norm.enter(step, margin, squaredLength, growth);
        norm.observe(squaredLength);
    }

    private void requireRoomForWeights(FeatureDifference emitted, FeatureDifference moved) {
        long added = TagWeights.newNumbers(weights.emissions(), emitted)
                + TagWeights.newNumbers(weights.transitions(), moved);
        long numbers = weights.emissions().numbers() + weights.transitions().numbers() + added;
        // a block is 128 weights and as many sums for their averages
        if (added > 0 && numbers > 256L * settings.get(Settings.BLOCKS_MAX)) {
            throw new RejectedException(
                    RejectReason.MODEL_FULL,
                    "a model must not have more weights than fit into blocks.max = " + settings.get(Settings.BLOCKS_MAX)
                            + " blocks of 128 (raise blocks.max, or hash names into fewer bits)");
        }
    }

    private static Sequence sequence(Features features) {
        if (!(features instanceof Sequence sequence)) {
            throw unsupported("features must be a Sequence for a sequence model, got "
                    + (features instanceof Candidates ? "Candidates" : "a vector")
                    + " (send tokens, or set another algorithm)");
        }
        if (sequence.size() == 0) {
            throw unsupported("a sequence must have at least one token, got none");
        }
        return sequence;
    }

    private static RejectedException unsupported(String message) {
        return new RejectedException(RejectReason.UNSUPPORTED_FEATURES, message);
    }

    @Override
    public String name() {
        return "a sequence perceptron";
    }

    @Override
    public void exchange(StateFields fields) {
        survivals.exchangeSum(fields);
        norm.exchangeSquares(fields);
        norm.exchangeSums(fields);
        survivals.exchangeUnit(fields, 0);
        tags.known().exchange(fields, settings);
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

    /** A row has the columns of known tags; transitions have a row for each previous tag. */
    @Override
    public void checkBlock(int vector, int number, int length) {
        int count = tags.known().size();
        BlockLimits.requireRow(number, length, vector == 0 ? Long.MAX_VALUE : TagWeights.AFTER + (long) count, count);
    }

    @Override
    public long heapBytes() {
        return tags.known().heapBytes();
    }

    /**
     * Visits a vector for each tag, in their order and with their names, with the weights of its features and the bias;
     * then one for each pair of tags with a weight, named {@code <s>>first}, {@code last></s>} or {@code before>after},
     * with index 0.
     */
    @Override
    public void forEachWeight(WeightVisitor visitor) {
        weights.forEach(tags.known().names(), survivals.sum(), visitor);
    }
}
