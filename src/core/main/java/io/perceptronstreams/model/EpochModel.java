package io.perceptronstreams.model;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.algorithm.LabelRules;
import io.perceptronstreams.evaluation.ConfusionMatrix;
import io.perceptronstreams.evaluation.Correction;
import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.evaluation.Totals;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.learner.LearnerState;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.probability.Calibration;
import io.perceptronstreams.settings.NegativeLabel;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.state.StoredBits;
import io.perceptronstreams.state.StoredFields;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * A model in one epoch: pipeline, counts, advisor, and the outcome of the last example.
 *
 * <p>A {@link Model} has one at a time, and each {@link Challenger} has another one, which learns the same examples.
 * Depends on the examples and settings alone. Not thread-safe.
 */
public final class EpochModel {
    // Heap of the objects of a two-class model without weights, and of its entry in a store; measured.
    private static final long FIXED_BYTES = 2050;

    private final long epoch;
    private final Pipeline pipeline;
    private final EpochCounts counts;
    private final Advisor advisor;
    private final Outcome outcome = new Outcome();

    // What is learned about probabilities; null without them.
    private Calibration calibration;

    // The last prediction as the weights have counted it, where another one was emitted; otherwise null.
    private Waiting.Emitted counted;

    // Null without a second stage.
    private LabelBefore before;

    private boolean hasLearnedSet;

    // What has made the last probability: another one if a prediction is evaluated after a change of the settings,
    // which
    // must not change what is stored.
    private Calibration forecaster;

    /** Creates a model without counts, whose blocks are stored under {@code epoch}. */
    EpochModel(long epoch, Pipeline pipeline) {
        this.epoch = epoch;
        this.pipeline = pipeline;
        counts = new EpochCounts(pipeline, epoch);
        advisor = new Advisor(pipeline, counts);
    }

    /** Continues another model in this epoch, which must not be used afterwards; but not its counting window. */
    EpochModel(long epoch, EpochModel other) {
        this(epoch, other.pipeline);
        if (epoch != other.epoch) {
            forgetStored();
        }
        counts.take(other.counts);
        calibration = other.calibration;
        before = other.before;
    }

    /** Forgets the copies of another epoch, which are removed with it. */
    private void forgetStored() {
        pipeline.separateStatistics();
        for (int vector = Pipeline.STATISTICS; vector < pipeline.vectors(); vector++) {
            if (pipeline.vector(vector) instanceof BlockVector entries) {
                entries.forgetStored();
            }
        }
    }

    /**
     * Takes the place of another model.
     *
     * @param isSameModel true if what was advised stays advised
     */
    void follow(EpochModel last, boolean isSameModel) {
        counts.follow(last.counts);
        if (isSameModel) {
            followLabels(last);
            followAdvice(last);
        }
    }

    /** Continues with what the last model has emitted. */
    void followEmitted(EpochModel last) {
        counts.followEmitted(last.counts);
    }

    /** Gives no advice that another model has given. */
    void followAdvice(EpochModel last) {
        advisor.follow(last.advisor);
    }

    /**
     * Returns a copy in another epoch: weights, counts, names and settings, without a counting window. Cost: O(blocks).
     */
    EpochModel copy(long newEpoch) {
        EpochModel copy = restored(
                newEpoch,
                pipeline.given(),
                pipeline.negative(),
                pipeline.algorithm(),
                pipeline.learner().state());
        for (int vector = Pipeline.STATISTICS; vector < pipeline.vectors(); vector++) {
            Blocks to = copy.pipeline.vector(vector);
            pipeline.vector(vector).forEach((number, block) -> to.restore(number, block.clone()));
        }
        copy.pipeline.learner().checkBlocks();
        for (int number = 0; number < pipeline.names().size(); number++) {
            copy.pipeline.names().append(pipeline.names().name(number), copy.pipeline.hasher());
        }
        // what is stored of the counts is what they are
        StoredFields out = new StoredFields();
        counts.exchange(out, pipeline.settings(), 0, true);
        exchangeCalibration(out);
        exchangeLabelBefore(out);
        StoredFields in = new StoredFields(out.toBytes());
        copy.counts.exchange(in, pipeline.settings(), 0, true);
        copy.exchangeCalibration(in);
        copy.exchangeLabelBefore(in);
        return new EpochModel(newEpoch, copy);
    }

    /** Restores a stored model without its counts and blocks. */
    public static EpochModel restored(
            long epoch, Settings given, NegativeLabel negative, Algorithm algorithm, LearnerState learner) {
        return new EpochModel(epoch, Pipeline.restored(given, negative, algorithm, learner));
    }

    /** Writes or restores what probabilities are made from, and how often they came true. */
    public void exchangeCalibration(StoredFields fields) {
        if (fields.flag(calibration != null)) {
            calibration = calibration == null ? new Calibration() : calibration;
            calibration.exchange(fields);
        }
        counts.exchangeReliability(fields);
    }

    /** Writes or restores the same in few bits, with what else is counted of probabilities and sets. */
    public void exchangeForecasts(StoredFields fields) {
        StoredBits bits = new StoredBits(fields);
        if (bits.flag(calibration != null)) {
            calibration = calibration == null ? new Calibration() : calibration;
            calibration.exchange(bits);
        }
        counts.exchangeForecasts(bits);
        bits.end();
    }

    /** Writes or restores the label before of a model with a second stage; nothing of others. */
    public void exchangeLabelBefore(StoredFields fields) {
        if (isStacked()) {
            before().exchange(fields);
        }
    }

    private boolean isStacked() {
        return pipeline.settings().get(Settings.STACKED);
    }

    private LabelBefore before() {
        before = before == null ? new LabelBefore() : before;
        return before;
    }

    /** Begins with the last label of another model, unless this one has learned the same examples. */
    private void followLabels(EpochModel last) {
        if (isStacked() && before == null && last.before != null) {
            before = last.before.copy();
        }
    }

    /**
     * Sets the label before an example: that of the last one, or that which its earlier prediction had. {@link #use}
     * and {@link #follow(Example, Waiting)} must come next.
     *
     * @param then the earlier prediction of the example, also one by another model; or null
     */
    void precede(Example example, Waiting then) {
        if (!isStacked() || !(example.features() instanceof FeatureVector x)) {
            return;
        }
        if (then == null) {
            x.setLabelBefore(before().sign());
        } else {
            Waiting.Forecast made = then.isSeenIn(epoch) ? then.asSeenIn(epoch).forecast() : null;
            x.setLabelBefore(made == null ? 0 : made.labelBefore());
        }
    }

    /** Makes the label of the example that was used the label before the next one. */
    void follow(Example example, Waiting then) {
        if (!isStacked()) {
            return;
        }
        int sign = example.label() == null ? 0 : isTruePositive(example) ? 1 : -1;
        if (then == null) {
            before().follow(sign);
        } else {
            before().came(sign, then);
        }
    }

    /** Keeps in mind that the last example waits for its label. */
    void await(Waiting last) {
        if (isStacked()) {
            before().await(last);
        }
    }

    /** The numbers from which probabilities and sets of labels are made; empty without. */
    public List<Double> calibrationNumbers() {
        return calibration == null ? List.of() : calibration.numbers();
    }

    /**
     * Restores {@link #calibrationNumbers}.
     *
     * @throws IllegalArgumentException if they are not valid
     */
    void calibrate(List<Double> numbers) {
        calibration = numbers.isEmpty() ? null : Calibration.of(numbers);
    }

    /**
     * Goes on with what another model has learned about its probabilities: the labels of the stream are the same, and
     * sets that began again with each reset would not have the coverage over all of them.
     */
    void followCalibration(EpochModel last) {
        calibration = last.calibration;
    }

    private void learnForecast(Example example, Waiting then) {
        calibration.learn(outcome, example.label(), outcome.isError());
        Waiting.Forecast earlier = then == null || !then.isSeenIn(epoch)
                ? null
                : then.asSeenIn(epoch).forecast();
        if (then == null) {
            learnSet(calibration, outcome.labelSet(), outcome.isCovered(), outcome.knownSize(), example.label());
        } else {
            learnEarlierSet(calibration, earlier, example);
        }
    }

    private void learnEarlierSet(Calibration sure, Waiting.Forecast earlier, Example example) {
        List<Label> set = earlier == null ? null : earlier.set();
        boolean isCovered = set != null && covers(set, example);
        learnSet(sure, set, isCovered, set == null ? 0 : earlier.known(), example.label());
    }

    private void learnSet(Calibration sure, List<Label> set, boolean isCovered, int known, Label label) {
        double coverage = pipeline.settings().get(Settings.COVERAGE);
        hasLearnedSet = set != null && coverage > 0;
        if (hasLearnedSet && isKnown(label, known)) {
            sure.moveSets(Calibration.setStep(isCovered, coverage));
        }
    }

    /**
     * Returns true if the last label was one for the sets of labels: those of the vote, where there is one. Of a class
     * that the model did not know at the prediction it has moved nothing.
     */
    public boolean hasLearnedSet() {
        return hasLearnedSet;
    }

    /** Returns true if a label is among the first that the model has known, so that a set of these could have it. */
    private boolean isKnown(Label label, int known) {
        if (pipeline.algorithm().has(Algorithm.Trait.TWO_CLASSES)) {
            return true;
        }
        // an int may stand for a name
        String name = label.toString();
        for (int k = 0; k < Math.min(known, outcome.choiceSize()); k++) {
            if (outcome.choice(k).toString().equals(name)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Moves sets of labels as if another label of an example had come first.
     *
     * @param sets of these weights, or of a vote with them; null for none
     * @param then the example as it was counted, by the prediction of these sets
     */
    void correctSets(Calibration sets, Waiting then, Label truth) {
        Waiting.Forecast made = then.forecast();
        boolean hasSet = made != null && made.set() != null;
        if (sets != null
                && hasSet
                && then.truth().isLearned()
                && pipeline.settings().get(Settings.COVERAGE) > 0) {
            sets.moveSets(step(made, truth) - step(made, then.truth().label()));
        }
    }

    private double step(Waiting.Forecast made, Label truth) {
        double coverage = pipeline.settings().get(Settings.COVERAGE);
        return isKnown(truth, made.known()) ? Calibration.setStep(covers(made.set(), truth), coverage) : 0;
    }

    private void cover(Example example) {
        if (outcome.labelSet() != null) {
            outcome.cover(covers(outcome.labelSet(), example));
        }
    }

    /** Returns true if a set has the label of the example, with which the outcome was compared. */
    private boolean covers(List<Label> set, Example example) {
        Settings settings = pipeline.settings();
        boolean isTwo = pipeline.algorithm().has(Algorithm.Trait.TWO_CLASSES);
        boolean isPositive = isTwo && ConfusionMatrix.isPositive(outcome.predicted(), settings) != outcome.isError();
        // an int may stand for a name
        String name = isTwo ? "" : example.label().toString();
        for (Label each : set) {
            if (isTwo
                    ? ConfusionMatrix.isPositive(each, settings) == isPositive
                    : each.toString().equals(name)) {
                return true;
            }
        }
        return false;
    }

    /** Takes over how sure a prediction was when it was emitted, and compares it with the label. */
    private void emittedEarlier(Label emitted, Waiting.Forecast forecast, Example example) {
        outcome.emittedEarlier(emitted, isWrong(emitted, example, outcome));
        takeOver(forecast, example);
    }

    private void takeOver(Waiting.Forecast forecast, Example example) {
        if (forecast == null) {
            outcome.clearForecast();
        } else {
            forecast.copyTo(outcome);
            cover(example);
        }
    }

    /** Says how sure the last prediction is, as the settings ask now. */
    private void forecast() {
        boolean isAsked = pipeline.settings().get(Settings.CALIBRATE) != Settings.Calibrate.NONE;
        forecaster = !isAsked ? null : calibration == null ? new Calibration() : calibration;
        if (forecaster != null) {
            forecaster.forecast(outcome, pipeline.settings().get(Settings.COVERAGE));
        }
    }

    /**
     * Predicts and, if the example has a label, compares, learns and counts.
     *
     * <p>Scales the example's features in place. If the example ends a counting window by its time, it counts in the
     * next one.
     *
     * <p>Of an example that was predicted earlier the current weights decide about mistake and update, and the label
     * that was emitted then about the error. It counts already, unless the counts have begun again.
     *
     * @param isLearning false to change neither weights nor statistics
     * @param timestamp event time in ms
     * @param then the earlier prediction of the example, or null
     * @param also counter of a label that comes after its example, or null
     * @param isVoter true if the label that is emitted is that of a vote, which {@link #countVote} counts
     * @param out receives windows and advice; {@link ModelListener#NONE} lets no window end by its number of examples
     * @return the outcome, valid until the next call
     * @throws RejectedException if the example or label cannot be used
     */
    Outcome use(
            Example example,
            boolean isLearning,
            long timestamp,
            Waiting then,
            Counts.Counter also,
            boolean isVoter,
            ModelListener out) {
        outcome.clearEvidence();
        counted = null;
        hasLearnedSet = false;
        boolean isNew = then == null || !then.isSeenIn(epoch);
        if (isNew) {
            pipeline.scale(example.features(), isLearning);
        } else {
            pipeline.rescale(example.features());
        }
        try {
            if (isLearning) {
                if (example.label() != null && !isVoter) {
                    advisor.compare(example);
                }
                Totals own = counts.ofWeights();
                pipeline.learn(example, isNew, own.counts(), own.confusion(), outcome);
            } else {
                pipeline.compare(example, outcome);
            }
        } catch (RejectedException e) {
            throw example.features() instanceof FeatureVector
                    ? LabelRules.withRemedy(e, example.label(), seenLabels(), pipeline.given(), pipeline.algorithm())
                    : e;
        }
        boolean isWrongNow = outcome.isError();
        forecast();
        calibration = forecaster;
        if (outcome.hasProbability() && example.label() != null) {
            cover(example);
            if (isLearning) {
                learnForecast(example, then);
            }
        }
        if (isVoter) {
            countOwn(example, isNew, then);
        } else {
            count(example, isNew, timestamp, then, also, out);
        }
        // members answer what advice asks
        if (isLearning && example.label() != null && !isVoter) {
            advisor.observe(example, isWrongNow, out);
        }
        return outcome;
    }

    private void count(
            Example example, boolean isNew, long timestamp, Waiting then, Counts.Counter also, ModelListener out) {
        boolean isOfSeveral = counts.isOfSeveralWeights();
        boolean isNewEmitted = then == null || counts.isNew(then, isNew);
        if (then == null) {
            if (isOfSeveral) {
                counts.addOfWeights(example, isNew, outcome);
            }
            counts.add(example, isNewEmitted, outcome, also, timestamp, out);
            return;
        }
        Label emitted = then.emittedOr(outcome.predicted());
        if (isOfSeveral) {
            countOwn(example, isNew, then);
        }
        emittedEarlier(emitted, then.forecast(), example);
        counts.add(example, isNewEmitted, outcome, also, timestamp, out);
    }

    /** Counts the label of these weights, which was not emitted. */
    private void countOwn(Example example, boolean isNew, Waiting then) {
        if (then != null && then.isSeenIn(epoch)) {
            Waiting own = then.asSeenIn(epoch);
            emittedEarlier(own.emittedOr(outcome.predicted()), own.forecast(), example);
        }
        counts.addOfWeights(example, isNew, outcome);
        counted = emitted();
    }

    /** The last prediction as the weights have counted it, where another one was emitted; otherwise null. */
    Waiting.Emitted counted() {
        return counted;
    }

    /** The label with which the last outcome was compared, as predictions name it. */
    Label truth(Example example) {
        return pipeline.algorithm().has(Algorithm.Trait.TWO_CLASSES) ? ofTwo(isTruePositive(example)) : example.label();
    }

    /** Returns true if the label with which the last outcome of two classes was compared is the positive one. */
    private boolean isTruePositive(Example example) {
        return outcome.isAbstained()
                ? isPositive(example.label())
                : ConfusionMatrix.isPositive(outcome.predicted(), pipeline.settings()) != outcome.isError();
    }

    /**
     * A label as predictions name it.
     *
     * @throws RejectedException if the model cannot have it
     */
    public Label named(Label given) {
        return pipeline.algorithm().has(Algorithm.Trait.TWO_CLASSES) ? ofTwo(isPositive(given)) : given;
    }

    private Label ofTwo(boolean isPositive) {
        Settings settings = pipeline.settings();
        if (!settings.get(Settings.LABELS).isEmpty()) {
            return new Label.ClassName(settings.get(Settings.LABELS).get(isPositive ? 1 : 0));
        }
        return isPositive
                ? Label.PLUS_ONE
                : settings.get(Settings.NEGATIVE_LABEL).label();
    }

    private boolean isPositive(Label given) {
        String positive = ConfusionMatrix.twoLabels(pipeline.settings()).get(1);
        return pipeline.learner().className(given).equals(positive);
    }

    /**
     * Returns true if a label is the one that an example has.
     *
     * @param truth result of {@link #truth} for the example
     * @throws RejectedException if the model cannot have the label
     */
    public boolean isSame(Label truth, Label given) {
        if (pipeline.algorithm().has(Algorithm.Trait.TWO_CLASSES)) {
            return ConfusionMatrix.isPositive(truth, pipeline.settings()) == isPositive(given);
        }
        // an int may stand for a name
        return pipeline.algorithm().has(Algorithm.Trait.TAGS)
                ? truth.equals(given)
                : truth.toString().equals(given.toString());
    }

    /**
     * Replaces the label of an example in all figures and, if asked to, learns the other one as a further label.
     *
     * <p>Scales the example's features in place.
     *
     * @param example with the other label
     * @param then the example as it was counted
     * @param isLearning false to change figures only
     * @param isEmitted true if it is counted in what this model has emitted
     * @param isFollowing true if the sets of labels move as if the other label had come first
     * @return comparison of the emitted label with the other one; kind, score and margin are those of now
     * @throws RejectedException if the example or label cannot be used; then nothing has changed
     */
    Outcome correct(Example example, Waiting then, boolean isLearning, boolean isEmitted, boolean isFollowing) {
        outcome.clearEvidence();
        pipeline.rescale(example.features());
        precede(example, then);
        try {
            if (isLearning) {
                Totals own = counts.ofWeights();
                pipeline.learn(example, false, own.counts(), own.confusion(), outcome);
            } else {
                pipeline.compare(example, outcome);
            }
        } catch (RejectedException e) {
            throw example.features() instanceof FeatureVector
                    ? LabelRules.withRemedy(e, example.label(), seenLabels(), pipeline.given(), pipeline.algorithm())
                    : e;
        }
        Label truth = truth(example);
        if (isLearning) {
            forecast();
            calibration = forecaster;
            if (outcome.hasProbability()) {
                calibration.learn(outcome, example.label(), outcome.isError());
            }
            counts.addLearned(outcome);
        }
        if (counts.isOfSeveralWeights() && then.isCountedIn(epoch)) {
            counts.correctOfWeights(correction(example, then.asSeenIn(epoch), truth, isFollowing));
        }
        boolean isOwn = then.epoch() == epoch && !counts.isOfSeveralWeights();
        Correction made = correction(example, then, truth, isFollowing && isOwn);
        if (isEmitted) {
            counts.correct(made);
        }
        return outcome;
    }

    /** Compares an example as it was counted with both labels; the outcome is then that comparison with the other. */
    private Correction correction(Example example, Waiting then, Label truth, boolean isFollowing) {
        Label before = then.truth().label();
        Waiting.Forecast sure = then.forecast();
        List<Label> set = sure == null ? null : sure.set();
        boolean wasCovered = set != null && covers(set, before);
        boolean isCovered = set != null && covers(set, truth);
        if (isFollowing) {
            correctSets(calibration, then, truth);
        }
        outcome.emittedEarlier(then.emitted(), isWrong(then.emitted(), truth));
        takeOver(sure, example);
        return new Correction(
                then.emitted(),
                sure == null ? -1 : sure.millionths(),
                set != null,
                before,
                isWrong(then.emitted(), before),
                wasCovered,
                truth,
                outcome.isError(),
                isCovered,
                then.truth().number());
    }

    /** Returns true if a predicted label is another one than a true label, both as predictions name them. */
    public boolean isWrong(Label emitted, Label truth) {
        return emitted == null || !isSameNamed(emitted, truth);
    }

    private boolean isSameNamed(Label one, Label other) {
        Settings settings = pipeline.settings();
        if (pipeline.algorithm().has(Algorithm.Trait.TWO_CLASSES)) {
            return ConfusionMatrix.isPositive(one, settings) == ConfusionMatrix.isPositive(other, settings);
        }
        return pipeline.algorithm().has(Algorithm.Trait.TAGS)
                ? one.equals(other)
                : one.toString().equals(other.toString());
    }

    /** Returns true if a set has a true label, both as predictions name them. */
    private boolean covers(List<Label> set, Label truth) {
        return set.stream().anyMatch(each -> isSameNamed(each, truth));
    }

    /** Returns true if a label that was emitted earlier, or by others, is wrong, by an outcome of now. */
    private boolean isWrong(Label emitted, Example example, Outcome now) {
        return ConfusionMatrix.isWrong(emitted, example.label(), now, pipeline.algorithm(), pipeline.settings());
    }

    /** Outcome of the last example. */
    Outcome outcome() {
        return outcome;
    }

    /**
     * Makes the label of a vote, or the one that it has emitted earlier, that of the outcome.
     *
     * @param then the earlier prediction of the example, or null
     * @param known outcome of a voter that has a label, if there is one
     * @param sure makes the probability of the vote; null for none
     * @param pooled mean of the probabilities of a label by all voters
     * @param isLearning false if nothing is to change
     */
    void emit(
            Vote vote,
            Example example,
            Waiting then,
            Outcome known,
            Calibration sure,
            ToDoubleFunction<Label> pooled,
            boolean isLearning) {
        Label winner = vote.winner();
        Label emitted = then == null ? winner : then.emittedOr(winner);
        boolean isLabelled = example.label() != null;
        boolean isWrong = isLabelled && (known.isAbstained() || isWrong(emitted, example, known));
        int scores = outcome.scoreCount();
        double lead = vote.lead(winner);
        boolean isTwo = pipeline.algorithm().has(Algorithm.Trait.TWO_CLASSES);
        boolean isNegative = isTwo && winner != null && !ConfusionMatrix.isPositive(winner, pipeline.settings());
        double score = !isTwo ? vote.share(winner) : isNegative ? -lead : lead;
        double margin = !isLabelled ? 0 : !isWrong ? lead : isTwo ? -lead : vote.lead(example.label());
        outcome.vote(emitted, score, margin, isWrong);
        if (scores > 0) {
            outcome.addScores(vote.labels(), vote.shares(), scores);
        }
        if (sure != null) {
            sure.forecastVote(outcome, pipeline.settings().get(Settings.COVERAGE), pooled);
            if (isLabelled && isLearning && outcome.hasProbability()) {
                learnVote(sure, example, then);
            }
        }
        if (then != null) {
            takeOver(then.forecast(), example);
        } else if (isLabelled) {
            cover(example);
        }
    }

    /** Learns how sure the next vote may be. */
    private void learnVote(Calibration sure, Example example, Waiting then) {
        sure.learnVote(outcome.isError());
        boolean isSame = then == null || then.epoch() == epoch;
        Waiting.Forecast emitted = then == null ? Waiting.Forecast.of(outcome) : then.forecast();
        learnEarlierSet(sure, isSame ? emitted : null, example);
    }

    /** Probability of a label by the last prediction of these weights, from 0 to 1; 0 without probabilities. */
    double probability(Label label) {
        return forecaster == null ? 0 : forecaster.probability(outcome, label);
    }

    /**
     * Counts what a vote has emitted for the last example.
     *
     * @param then the earlier prediction of the example, or null
     */
    void countVote(Example example, long timestamp, Waiting then, Counts.Counter also, ModelListener out) {
        boolean isNew = then == null || counts.isNew(then, !then.isSeenIn(epoch));
        counts.add(example, isNew, outcome, also, timestamp, out);
    }

    private List<String> seenLabels() {
        return counts.ofWeights().confusion().seenLabels(pipeline.settings());
    }

    /**
     * Predicts and compares; changes neither weights nor statistics nor counts.
     *
     * <p>Scales the example's features in place.
     *
     * @return the outcome, valid until the next call
     * @throws RejectedException if the example cannot be used
     */
    public Outcome evaluate(Example example) {
        precede(example, null);
        return evaluateApart(example);
    }

    /** The same for an example that does not follow those of the model: no label is known to come before it. */
    public Outcome evaluateApart(Example example) {
        pipeline.evaluate(example, outcome);
        forecast();
        return outcome;
    }

    /**
     * Explains the label of an example or, without one, the predicted label, by its evidence; changes neither weights
     * nor statistics nor counts.
     *
     * <p>Scales the example's features in place; an example without a label gets the predicted one.
     *
     * @param parts maximum number of parts
     * @return prediction and evidence, which is empty if the model has learned nothing or its learner has none
     * @throws RejectedException if the example cannot be used
     */
    public Outcome explain(Example example, int parts) {
        Outcome explained = new Outcome();
        precede(example, null);
        pipeline.explain(example, parts, explained);
        return explained;
    }

    /** Margin of the label of an example with scaled features by the present weights; NaN if it overflows. */
    public double margin(Example example) {
        Outcome present = new Outcome();
        try {
            pipeline.learner().evaluate(example.features(), example.label(), present);
            return present.margin();
        } catch (RejectedException e) {
            return Double.NaN;
        }
    }

    /**
     * Changes settings.
     *
     * @throws IllegalArgumentException if a setting is unknown, wrong, or cannot change any more; then none is changed
     */
    void configure(Map<String, String> changes) {
        Settings changed = pipeline.given().with(changes);
        if (!pipeline.algorithm().has(Algorithm.Trait.SEVERAL_CLASSES)) {
            LabelRules.requireSpelled(pipeline.settings(), changed, seenLabels());
        }
        pipeline.configure(changed, counts.ofWeights().counts());
    }

    /**
     * Describes the last example, for a label that may come later.
     *
     * @param value its bytes
     * @param version number of updates at its prediction
     * @param challengers predictions of the challengers that have predicted it, too
     */
    public Waiting waiting(
            Example example, byte[] value, InputRecord record, long version, List<Waiting.Emitted> challengers) {
        return new Waiting(
                example.id().keptIn(value),
                value,
                record.offset(),
                Math.max(record.part(), 0),
                record.timestamp(),
                record.timestamp() + pipeline.settings().get(Settings.AWAIT_LABELS_MS),
                epoch,
                version,
                outcome.predicted(),
                Waiting.Forecast.of(outcome),
                challengers);
    }

    /** Prediction of the last example, as a challenger. */
    Waiting.Emitted emitted() {
        return new Waiting.Emitted(epoch, outcome.predicted(), Waiting.Forecast.of(outcome));
    }

    /** The number under which the blocks are stored. */
    public long epoch() {
        return epoch;
    }

    /** Number of updates. */
    public long version() {
        return counts.ofWeights().counts().updates();
    }

    public Pipeline pipeline() {
        return pipeline;
    }

    public EpochCounts counts() {
        return counts;
    }

    public Advisor advisor() {
        return advisor;
    }

    /** Estimated heap, in bytes. */
    public long heapBytes() {
        return FIXED_BYTES
                + pipeline.settings().heapBytes()
                + counts.heapBytes()
                + pipeline.heapBytes()
                + (calibration == null ? 0 : Calibration.HEAP_BYTES);
    }
}
