package io.perceptronstreams.model;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.evaluation.ConfusionMatrix;
import io.perceptronstreams.evaluation.CountingWindow;
import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.labels.Corrections;
import io.perceptronstreams.labels.LateLabels;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.learner.Decision;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.probability.Decisions;
import io.perceptronstreams.probability.ErrorEstimates;
import io.perceptronstreams.settings.AlertLimit;
import io.perceptronstreams.settings.LearnedException;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.settings.TrialSettings.From;
import io.perceptronstreams.weights.BlockVector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The life of one model on its stream: states and epochs, late labels, challengers, drift and publications.
 *
 * <p>{@link EpochModel} has what it learns and counts in the current epoch. The same sequence of examples and commands
 * gives the same bits. A rejected example changes nothing, with one exception: if its update shows that the state is
 * corrupt, the model is quarantined. Not thread-safe.
 */
public final class Model {
    // without a state that could change
    private static final EpochModel NOTHING = new EpochModel(0, Pipeline.of(Settings.DEFAULTS));

    private ModelListener listener = ModelListener.NONE;
    private final Publications publications = new Publications();
    private final LateLabels late = new LateLabels();
    private final Epochs epochs = new Epochs(ended -> listener.epochEnded(ended));
    private final Challengers challengers =
            new Challengers(epochs, () -> counts().totals().labelled());
    private final Decisions decisions = new Decisions();
    private final ErrorEstimates estimates = new ErrorEstimates();
    private final Corrections corrections = new Corrections();
    private final DriftMonitor drift = new DriftMonitor(epochs, challengers);
    private EpochModel current;
    private ModelState state;

    // True from the first label of a model with portfolio=true, which its challengers learn, too, until adapt.
    private boolean hasPortfolioBegun;

    /** Creates a new model. */
    public Model() {
        this(new EpochModel(0, Pipeline.of(Settings.DEFAULTS)));
    }

    /** Creates a live model that begins with an epoch. */
    public Model(EpochModel first) {
        enter(first, ModelState.LIVE);
    }

    /** Creates a model to be restored, which cannot be used before. */
    public static Model toRestore() {
        return new Model(NOTHING);
    }

    private void enter(EpochModel next, ModelState newState) {
        current = next;
        state = newState;
        drift.restart(next.pipeline().settings().drift());
    }

    /** Creates a model that is {@link ModelState#DELETED} until something is used for it. */
    public static Model absent() {
        Model model = new Model();
        model.state = ModelState.DELETED;
        return model;
    }

    /**
     * Restores the stored state except late labels, challengers, drift and publications; must be called on a new model.
     */
    public void restore(EpochModel stored, ModelState newState) {
        enter(stored, newState);
        epochs.restore(stored.epoch());
    }

    /**
     * Restores the largest epoch of the model and its challengers, those that have ended included.
     *
     * @throws IllegalArgumentException if it is less than the epoch of the model
     */
    void restoreLastEpoch(long last) {
        if (last < current.epoch()) {
            throw new IllegalArgumentException("lastEpoch must be at least epoch " + current.epoch() + ", got " + last);
        }
        epochs.restore(last);
    }

    /** Sets the listener to what the observers find from now on. */
    public void listen(ModelListener newListener) {
        // no reference is written that is there: the collector would read what is around it
        if (listener != newListener) {
            listener = newListener;
        }
    }

    /** Sets the offset of the record that is used next; challengers that it begins have it. */
    public void at(long offset) {
        challengers.at(offset);
    }

    /** Predicts and, if the example has a label, learns, counts and adapts: {@link #use} and {@link #adapt}. */
    public Outcome process(Example example, long timestamp) {
        Outcome outcome = use(example, timestamp, null, null);
        adapt();
        return outcome;
    }

    /**
     * Predicts and, if the example has a label, compares, learns and counts, as {@link EpochModel#use} describes.
     * {@link #adapt} must follow when the outcome is published. A deleted model becomes a new one with its first
     * example.
     */
    public Outcome use(Example example, long timestamp, Waiting then, Counts.Counter also) {
        state.requireUsable();
        boolean isFirst = example.label() != null && hasToBegin();
        if (isFirst || !challengers.all().isEmpty()) {
            challengers.remember(example.features());
            challengers.separateStatistics(current, state == ModelState.LIVE, then);
        }
        EpochModel before = current;
        boolean isVote = challengers.isVoting();
        long since = counts().since();
        Outcome outcome;
        try {
            if (state == ModelState.DELETED) {
                counts().beginAt(challengers.offset());
            }
            if (isFirst) {
                beginAsFirst(example);
            }
            current.precede(example, then);
            outcome = current.use(example, state != ModelState.FROZEN, timestamp, then, also, isVote, listener);
            current.follow(example, then);
        } catch (RejectedException e) {
            current = before;
            counts().beginAt(since);
            state = state.afterReject(e.reason());
            throw e;
        }
        if (isAfter(before)) {
            begun(before);
        }
        if (state == ModelState.DELETED) {
            state = state.revived();
        }
        hasPortfolioBegun = isFirst && pipeline().settings().get(Settings.PORTFOLIO) && beginPortfolio();
        boolean isLive = state == ModelState.LIVE;
        boolean isOwnWrong = outcome.isError();
        if (!challengers.all().isEmpty()) {
            challengers.use(example, timestamp, isLive, then);
            boolean isSeen = then == null || then.isSeenIn(current.epoch());
            if (isVote) {
                challengers.vote(current, example, then, isLive);
                current.countVote(example, timestamp, then, also, listener);
                if (isLive && example.label() != null) {
                    challengers.rememberVotes(isSeen);
                }
            }
            challengers.compare(
                    outcome.isError(), isLive, isVote || then == null || then.epoch() == current.epoch(), listener);
        }
        decide(outcome, example, timestamp, then);
        drift.observe(example, isOwnWrong, isLive, listener, pipeline());
        return outcome;
    }

    /** Decides what to do about a new prediction, and counts the decision for an example whose label is known. */
    private void decide(Outcome outcome, Example example, long timestamp, Waiting then) {
        Settings settings = pipeline().settings();
        if (!pipeline().algorithm().has(Algorithm.Trait.TWO_CLASSES) || outcome.isAbstained()) {
            return;
        }
        boolean isPositive = ConfusionMatrix.isPositive(outcome.predicted(), settings);
        if (then == null) {
            AlertLimit limit = settings.get(Settings.ALERTS_MAX);
            outcome.decide(decisions.decide(outcome, isPositive, settings.get(Settings.THRESHOLD), limit, timestamp));
        }
        if (example.label() != null && outcome.decision() != Decision.NONE) {
            decisions.count(outcome, isPositive);
        }
    }

    /**
     * Replaces the label of an example: in all figures as if the other one had come first and, with
     * {@code corrections=learn}, in the weights by an update as for a further label. Trials, advice and drift detectors
     * stay what they are. Weights that have learned no label yet, such as those after a reset, do not learn it.
     *
     * <p>Scales the example's features in place.
     *
     * @param example with the other label
     * @param then the example as it was counted
     * @return comparison of the emitted label with the other one; kind, score and margin are those of now
     * @throws RejectedException if the example or label cannot be used; then nothing has changed
     */
    public Outcome correct(Example example, Waiting then) {
        state.requireUsable();
        drift.clearAlarm();
        boolean isLive = state == ModelState.LIVE;
        Settings.Corrections asked = pipeline().settings().get(Settings.CORRECTIONS);
        boolean isLearning = asked == Settings.Corrections.LEARN;
        boolean hasLearned = pipeline().algorithm().isDecided()
                && !hasToBegin()
                && counts().ofWeights().counts().labelled() > 0;
        if (!challengers.all().isEmpty()) {
            challengers.remember(example.features());
        }
        boolean isEmitted = then.truth().counted() >= counts().since();
        Outcome outcome;
        try {
            outcome = current.correct(example, then, isLearning && isLive && hasLearned, isEmitted, isLive);
        } catch (RejectedException e) {
            state = state.afterReject(e.reason());
            throw e;
        }
        Label before = then.truth().label();
        boolean wasError = current.isWrong(then.emitted(), before);
        if (isEmitted) {
            correctDecision(outcome, wasError);
            if (then.truth().hasWaited() && then.hasProbability()) {
                estimates.corrected(then.offset(), wasError, outcome.isError());
            }
        }
        if (challengers.isVoting() && isLive && then.epoch() == current.epoch()) {
            challengers.correctSets(current, then, current.truth(example));
        }
        if (!challengers.all().isEmpty()) {
            challengers.correct(example, then, isLive, isLearning, listener);
        }
        corrections.corrected(asked == Settings.Corrections.REPAIR);
        return outcome;
    }

    private void correctDecision(Outcome outcome, boolean wasError) {
        if (pipeline().algorithm().has(Algorithm.Trait.TWO_CLASSES) && outcome.decision() != Decision.NONE) {
            decisions.correct(
                    outcome,
                    ConfusionMatrix.isPositive(outcome.predicted(), pipeline().settings()),
                    wasError);
        }
    }

    /**
     * Predicts and compares, as {@link EpochModel#evaluate}, or by the vote of a portfolio.
     *
     * <p>Scales the example's features in place.
     *
     * @return the outcome, valid until the next call
     * @throws RejectedException if the example cannot be used
     */
    public Outcome evaluate(Example example) {
        if (!challengers.isVoting()) {
            return current.evaluate(example);
        }
        challengers.remember(example.features());
        Outcome outcome = current.evaluate(example);
        challengers.voteWithoutLearning(current, example);
        return outcome;
    }

    /**
     * Returns this model or, where a portfolio votes, a copy of the member that has made the fewest errors of late, the
     * first of equals, which predicts alone. Cost: O(blocks) for a copy.
     */
    public Model leading() {
        if (!challengers.isVoting()) {
            return this;
        }
        Challenger leader = challengers.leader();
        EpochModel best = leader == null ? current : leader.model();
        Model leading = new Model(best.copy(0));
        Pipeline own = leading.pipeline();
        Settings given =
                own.given().withThoseOfModel(pipeline().given(), pipeline().algorithm(), own.algorithm());
        own.adopt(given, leading.current().version());
        return leading;
    }

    /**
     * A model whose label counts in a vote.
     *
     * @param errors wrong labels of its own, of all that it has predicted
     * @param share of its weight among all, at the next example
     * @param isLeading true for the one that {@link #leading} copies
     */
    public record Voter(String name, long errors, long labelled, double share, boolean isLeading) {}

    /** The members of a portfolio that votes, the model itself first; empty if the model predicts alone. */
    public List<Voter> voters() {
        if (!challengers.isVoting()) {
            return List.of();
        }
        Challenger leader = challengers.leader();
        String own = Portfolio.member(pipeline());
        List<Voter> voters = new ArrayList<>();
        voters.add(voter(own == null ? "model" : own, current, challengers.championShare(), leader == null));
        for (Challenger each : challengers.all()) {
            if (each.options().isVoting()) {
                voters.add(voter(each.name(), each.model(), challengers.share(each), each.equals(leader)));
            }
        }
        return voters;
    }

    private static Voter voter(String name, EpochModel model, double share, boolean isLeading) {
        Counts own = model.counts().ofWeights().counts();
        return new Voter(name, own.errors(), own.labelled(), share, isLeading);
    }

    /**
     * Returns true if the settings of a learner are chosen, or a portfolio begins, with the next label; those that came
     * while the model was frozen have decided nothing.
     */
    private boolean hasToBegin() {
        Settings settings = pipeline().settings();
        boolean hasPortfolio = settings.get(Settings.PORTFOLIO);
        return (hasPortfolio
                        || (!pipeline().algorithm().isDecided()
                                && Algorithm.of(settings).isAdaptive()))
                && current.version() == 0
                && state != ModelState.FROZEN
                && !(hasPortfolio && challengers.hasAny(Portfolio.NAMES));
    }

    /**
     * Continues with the settings with which a portfolio, or an adaptive model, begins, unless the model has its own.
     *
     * <p>In a new epoch if anything was counted, such as examples: those that wait for their labels are in no
     * statistics of scale=standard, and must not be scaled as if they were.
     *
     * @throws RejectedException if settings of the model do not fit them, which no command can know before the first
     *     label
     */
    private void beginAsFirst(Example example) {
        Map<String, String> first = Portfolio.first(pipeline(), example);
        if (first.isEmpty()) {
            return;
        }
        boolean hasPortfolio = pipeline().settings().get(Settings.PORTFOLIO);
        String beginner = hasPortfolio ? "portfolio=true" : "algorithm=adaptive";
        String instead = hasPortfolio ? "portfolio=false" : "algorithm=auto";
        Pipeline next;
        try {
            next = Pipeline.afterReset(pipeline().given(), first);
        } catch (IllegalArgumentException e) {
            throw new RejectedException(
                    RejectReason.INVALID_LABEL,
                    "the first label must be one with which " + beginner + " can begin, but " + e.getMessage()
                            + " (set these to their defaults, or " + instead + ", and replay the dead letters)");
        }
        next.decide(pipeline().negative());
        boolean isNothing = counts().totals().isEmpty() && counts().ofWeights().isEmpty();
        long epoch = isNothing ? current.epoch() : epochs.last() + 1;
        EpochModel begun = new EpochModel(epoch, next);
        begun.followAdvice(current);
        begun.followEmitted(current);
        current = begun;
    }

    // an object, not its contents
    @SuppressWarnings("ReferenceEquality")
    private boolean isAfter(EpochModel before) {
        return current != before;
    }

    /** Ends the model that was replaced by one with the settings of a portfolio, which has used its first label. */
    private void begun(EpochModel before) {
        enter(current, state);
        if (before.epoch() == current.epoch()) {
            return;
        }
        var unused = epochs.next();
        publications.beginEpoch();
        epochs.end(before.epoch());
        CountingWindow.Closed closed = before.counts().closeWindow();
        if (closed != null) {
            listener.windowClosed(closed, false);
        }
    }

    /**
     * Adapts the model to a drift, begins its portfolio, or replaces it by a better challenger, as its last example has
     * shown.
     *
     * @return {@link StatusCause#DRIFT} after a reset of the weights in a new epoch, {@link StatusCause#TAKEOVER} by
     *     the shadow or {@link StatusCause#PROMOTED} by another challenger, {@link StatusCause#CHALLENGED} after the
     *     beginning of a portfolio, or null
     */
    public StatusCause adapt() {
        Challenger shadow = challengers.find(Challenger.DRIFT);
        if (shadow != null && shadow.isBetter()) {
            takeOver(shadow, ModelState.LIVE);
            return StatusCause.TAKEOVER;
        }
        if (state != ModelState.LIVE) {
            return null;
        }
        if (drift.isResetDue()) {
            Pipeline next = Pipeline.afterReset(pipeline().given(), Map.of());
            // the labels of the stream remain what they are
            next.decide(pipeline().negative());
            // trials compare settings, and resets by the detector are part of those of this model
            EpochModel again = new EpochModel(epochs.next(), next);
            again.followCalibration(current);
            goOn(again, ModelState.LIVE, false);
            return StatusCause.DRIFT;
        }
        if (hasPortfolioBegun) {
            hasPortfolioBegun = false;
            shareStatistics();
            return StatusCause.CHALLENGED;
        }
        Challenger better = challengers.successor();
        if (better == null) {
            return null;
        }
        promote(better);
        return StatusCause.PROMOTED;
    }

    /** Replaces the champion by the shadow of a drift; it is not kept, because it has learned the old concept. */
    private void takeOver(Challenger shadow, ModelState next) {
        goOn(successor(shadow, pipeline().given()), next, true);
    }

    /** Begins as many challengers of the portfolio as there is room for; returns false if there are none. */
    private boolean beginPortfolio() {
        if (!pipeline().algorithm().hasClasses()) {
            return false;
        }
        List<Challenge> all = Portfolio.challenges(pipeline(), Map.of(Settings.PORTFOLIO.name(), "true"));
        int count = 0;
        for (Challenge each : all.subList(0, Math.min(all.size(), challengers.room(List.of())))) {
            Pipeline member;
            try {
                member = Pipeline.ofChallenger(pipeline(), each.changes());
            } catch (IllegalArgumentException e) {
                // its settings do not fit those of the model; the others begin
                continue;
            }
            counts().separateEmitted();
            var unused = challengers.beginVoter(each.name(), new EpochModel(epochs.next(), member), true);
            count++;
        }
        return count > 0;
    }

    /**
     * Lets champion and challengers have statistics of features in common that are the same; also those that were
     * restored.
     */
    public void shareStatistics() {
        challengers.shareStatistics(current);
    }

    /**
     * Returns the epochs under which a set of blocks is stored.
     *
     * @param model the current one or a challenger
     * @return all that have the blocks in common for the first of them, none for the others, otherwise the epoch of the
     *     model
     */
    public List<Long> epochsOf(EpochModel model, int vector) {
        if (challengers.all().isEmpty()) {
            return List.of(model.epoch());
        }
        List<EpochModel> all = new ArrayList<>(List.of(current));
        challengers.all().forEach(each -> all.add(each.model()));
        List<EpochModel> same = all.stream()
                .filter(each -> each.epoch() == model.epoch()
                        || (vector == Pipeline.STATISTICS && each.pipeline().sharesStatistics(model.pipeline())))
                .toList();
        return same.get(0).epoch() == model.epoch()
                ? same.stream().map(EpochModel::epoch).toList()
                : List.of();
    }

    /** Removes a challenger, and returns its model with the settings of the champion; its epoch continues. */
    private EpochModel successor(Challenger challenger, Settings settings) {
        EpochModel successor = challenger.model();
        var unused = challengers.remove(challenger.name());
        successor.pipeline().adopt(settings, successor.version());
        return new EpochModel(successor.epoch(), successor);
    }

    /**
     * Begins a challenger, or those of a portfolio; those of the same names end.
     *
     * @param command settings of the command CHALLENGE
     * @return the challenger if it has weights that were not learned by it, otherwise null
     * @throws IllegalArgumentException if one cannot begin; then nothing has changed
     */
    public Challenger challenge(Map<String, String> command) {
        List<Challenge> all =
                Portfolio.isAsked(command) ? Portfolio.challenges(pipeline(), command) : List.of(Challenge.of(command));
        if (all.stream().anyMatch(each -> each.options().from() == From.IMPORT)) {
            throw new IllegalArgumentException(
                    "from must be scratch or live in a command, got import (perceptron challengers begin MODEL NAME"
                            + " --from FILE sends the weights)");
        }
        challengers.requireRoom(all.stream().map(Challenge::name).toList());
        List<EpochModel> models = new ArrayList<>();
        for (Challenge each : all) {
            long epoch = epochs.last() + 1 + models.size();
            models.add(
                    each.isCopy()
                            ? copy(epoch, each.changes())
                            : new EpochModel(epoch, Pipeline.ofChallenger(pipeline(), each.changes())));
        }
        Challenger copy = null;
        for (int k = 0; k < models.size(); k++) {
            Challenge each = all.get(k);
            epochs.restore(models.get(k).epoch());
            challengers.end(each.name());
            if (each.options().isVoting()) {
                counts().separateEmitted();
            }
            Challenger begun = each.options().isVoting()
                    ? challengers.beginVoter(each.name(), models.get(k), false)
                    : challengers.begin(each.name(), models.get(k), each.options());
            copy = each.isCopy() ? begun : copy;
        }
        if (copy == null) {
            shareStatistics();
        }
        return copy;
    }

    /**
     * Begins a challenger with imported weights; one of the same name ends.
     *
     * @param command settings of the command CHALLENGE
     * @param imported must not be used afterwards
     * @throws IllegalArgumentException if it cannot begin; then nothing has changed
     */
    public Challenger challenge(Map<String, String> command, Model imported) {
        Challenge challenge = Challenge.ofImport(command);
        challengers.requireRoom(List.of(challenge.name()));
        EpochModel begun = imported.current;
        Settings own = begun.pipeline().given();
        own.requireFeaturesOf(pipeline().given());
        Algorithm algorithm = begun.pipeline().algorithm();
        Settings adopted = own.withThoseOfModel(pipeline().given(), algorithm, algorithm);
        begun.pipeline().adopt(Pipeline.ofChallenger(adopted), begun.version());
        challengers.end(challenge.name());
        return challengers.begin(challenge.name(), new EpochModel(epochs.next(), begun), challenge.options());
    }

    /** Copies the champion as a challenger with other settings. */
    private EpochModel copy(long epoch, Map<String, String> changes) {
        if (state == ModelState.QUARANTINED) {
            throw new IllegalArgumentException("from must be scratch for a quarantined model, got live");
        }
        pipeline().given().with(changes).requireFeaturesOf(pipeline().given());
        EpochModel copy = current.copy(epoch);
        copy.pipeline().adopt(Pipeline.ofChallenger(pipeline().given()), copy.version());
        try {
            copy.configure(changes);
        } catch (LearnedException e) {
            // its remedy would discard what the champion has learned
            throw e.withRemedy("leave out from=live: a challenger from scratch copies nothing that was learned");
        }
        return copy;
    }

    /**
     * Ends a challenger.
     *
     * @param command settings of the command WITHDRAW
     * @throws IllegalArgumentException if there is none of the name
     */
    public void withdraw(Map<String, String> command) {
        challengers.end(named(command).name());
    }

    /**
     * Makes a challenger the champion. The old champion goes on as the challenger {@link Challenger#PREVIOUS}, unless
     * it is quarantined or a shadow takes over; all trials start again. A frozen model stays frozen.
     *
     * @param command settings of the command PROMOTE
     * @throws IllegalArgumentException if there is none of the name
     */
    public void promote(Map<String, String> command) {
        promote(named(command));
    }

    private Challenger named(Map<String, String> command) {
        String name = Challenge.name(command);
        Challenger named = challengers.find(name);
        if (named == null) {
            throw new IllegalArgumentException("challenger must exist, got '" + Utf8Slice.shortened(name, 80)
                    + "' (there " + (challengers.all().isEmpty() ? "are none" : "are " + names()) + ")");
        }
        return named;
    }

    private String names() {
        return challengers.all().stream().map(Challenger::name).collect(Collectors.joining(", "));
    }

    private void promote(Challenger challenger) {
        boolean isQuarantined = state == ModelState.QUARANTINED;
        if (challenger.isOfDrift()) {
            takeOver(challenger, isQuarantined ? ModelState.LIVE : state);
            return;
        }
        EpochModel old = current;
        boolean isOfPortfolio = pipeline().settings().get(Settings.PORTFOLIO) || challengers.hasAny(Portfolio.NAMES);
        Algorithm algorithm = pipeline().algorithm();
        Settings given = pipeline().given();
        Pipeline next = challenger.model().pipeline();
        Settings adopted = next.given().withThoseOfModel(given, algorithm, next.algorithm());
        String comparator = next.given().get(Settings.COMPARATOR);
        // a former champion has one, which belongs to its weights
        EpochModel promoted =
                successor(challenger, comparator.isEmpty() ? adopted : adopted.with(Settings.COMPARATOR, comparator));
        challengers.endVote();
        endPrevious(isOfPortfolio);
        if (isQuarantined) {
            goOn(promoted, ModelState.LIVE, true);
            return;
        }
        promoted.followEmitted(current);
        replace(promoted, state, true);
        old.pipeline().challenge();
        var unused = challengers.begin(
                Challenger.PREVIOUS,
                new EpochModel(old.epoch(), old),
                challenger.options().ofFormer());
    }

    /** Ends the former champion; a member of a portfolio goes on under the name of the member. */
    private void endPrevious(boolean isOfPortfolio) {
        Challenger previous = challengers.find(Challenger.PREVIOUS);
        String member = previous == null || !isOfPortfolio
                ? null
                : Portfolio.member(previous.model().pipeline());
        if (member == null || challengers.find(member) != null) {
            challengers.end(Challenger.PREVIOUS);
        } else {
            challengers.rename(previous, member);
        }
    }

    /**
     * Changes settings; a deleted model becomes a new one.
     *
     * @throws IllegalArgumentException if a setting is unknown, wrong, or cannot change any more; then none is changed
     */
    public void configure(Map<String, String> changes) {
        Settings before = pipeline().given();
        current.configure(changes);
        drift.configure(pipeline());
        challengers.endOthersThan(pipeline().given());
        challengers.follow(before, pipeline().given());
        if (before.get(Settings.PORTFOLIO) && !pipeline().given().get(Settings.PORTFOLIO)) {
            challengers.endVote();
        }
        if (state == ModelState.DELETED) {
            counts().beginAt(challengers.offset());
        }
        state = state.revived();
    }

    /** Sets the settings of a model that is new or {@link ModelState#DELETED}, and stays so. */
    public void startWith(Settings defaults) {
        if (!defaults.equals(pipeline().given())) {
            EpochModel next = new EpochModel(current.epoch(), Pipeline.of(defaults));
            next.follow(current, true);
            next.counts().beginAt(counts().since());
            enter(next, state);
        }
    }

    /**
     * Changes settings, forgets weights and counts, and begins a new epoch; automatic challengers end.
     *
     * @throws IllegalArgumentException if a setting is unknown or wrong; then nothing is changed
     */
    public void reset(Map<String, String> changes) {
        Pipeline next = Pipeline.afterReset(pipeline().given(), changes);
        challengers.endAutomatic();
        challengers.follow(pipeline().given(), next.given());
        beginAgain(new EpochModel(epochs.next(), next), ModelState.LIVE);
    }

    /** Begins a new epoch, in which everything is counted from 0. */
    private void beginAgain(EpochModel next, ModelState newState) {
        next.counts().beginAt(challengers.offset());
        decisions.clear();
        estimates.beginAgain();
        corrections.clear();
        begin(next, newState, true);
    }

    /** Goes on with other weights; what was emitted counts on. */
    private void goOn(EpochModel next, ModelState newState, boolean isNewTrial) {
        if (state == ModelState.DELETED) {
            counts().beginAt(challengers.offset());
        }
        next.followEmitted(current);
        corrections.repaired();
        begin(next, newState, isNewTrial);
    }

    private void begin(EpochModel next, ModelState newState, boolean isNewTrial) {
        long ended = current.epoch();
        replace(next, newState, isNewTrial);
        epochs.end(ended);
    }

    /**
     * Continues with another model; the epoch of the present one goes on.
     *
     * @param isNewTrial false if the trials of the challengers go on
     */
    private void replace(EpochModel next, ModelState newState, boolean isNewTrial) {
        CountingWindow.Closed closed = current.counts().closeWindow();
        next.follow(current, newState != ModelState.DELETED);
        enter(next, newState);
        if (isNewTrial) {
            challengers.restart(next.pipeline().given());
        }
        publications.beginEpoch();
        if (closed != null) {
            listener.windowClosed(closed, false);
        }
    }

    /**
     * Takes over weights, their counts, and settings of another model, which must not be used afterwards, in a new
     * epoch. What this model has emitted counts on.
     */
    public void replaceWith(Model other) {
        challengers.endVote();
        goOn(new EpochModel(epochs.next(), other.current), ModelState.LIVE, true);
    }

    /** Deletes the model: forgets everything except the epoch, which it increases. */
    public void delete() {
        late.clear();
        estimates.clear();
        challengers.clear();
        publications.forgetExamples();
        beginAgain(new EpochModel(epochs.next(), Pipeline.of(Settings.DEFAULTS)), ModelState.DELETED);
    }

    /**
     * Stops or resumes learning.
     *
     * @throws IllegalArgumentException if the model is quarantined
     */
    public void freeze(boolean isFrozen) {
        state = state.frozen(isFrozen);
    }

    /** Rejects examples until a reset, an import or a delete: a part of the model's state was lost. */
    public void quarantine() {
        state = ModelState.QUARANTINED;
    }

    public Publications publications() {
        return publications;
    }

    /** Estimated errors of predictions whose labels are out. */
    public ErrorEstimates estimates() {
        return estimates;
    }

    /** @throws RejectedException if the model is quarantined */
    void requireUsable() {
        state.requireUsable();
    }

    /** Labels that were corrected, and sources that disagree. */
    public Corrections corrections() {
        return corrections;
    }

    /** Predictions of the last example as they were counted, besides the emitted one. */
    public List<Waiting.Emitted> counted() {
        return challengers.counted(current, state == ModelState.LIVE);
    }

    /** Decisions for predictions of two classes, and what they have cost. */
    public Decisions decisions() {
        return decisions;
    }

    /**
     * Describes the last example, which had no label and now waits for it; the next one may come before that.
     *
     * @param value its bytes
     * @param version number of updates at its prediction
     */
    public Waiting waiting(Example example, byte[] value, InputRecord record, long version) {
        Waiting last = current.waiting(example, value, record, version, emittedByChallengers());
        current.await(last);
        challengers.all().forEach(each -> each.model().await(last));
        return last;
    }

    /** Examples that wait for labels, labels that wait for examples, and the last ids. */
    public LateLabels late() {
        return late;
    }

    public DriftMonitor drift() {
        return drift;
    }

    /** Largest epoch so far of the model and its challengers. */
    public long lastEpoch() {
        return epochs.last();
    }

    /** The models that learn the same examples. */
    public Challengers challengers() {
        return challengers;
    }

    /** Predictions of the last example by the challengers that have learned it. */
    public List<Waiting.Emitted> emittedByChallengers() {
        return challengers.emitted(current, state == ModelState.LIVE);
    }

    public ModelState state() {
        return state;
    }

    /** The model in its current epoch, whose number is increased by every reset, delete, import and takeover. */
    public EpochModel current() {
        return current;
    }

    /** The way of an example in this epoch: settings, learner, names of features. */
    public Pipeline pipeline() {
        return current.pipeline();
    }

    /** Counts of what was emitted, of the present weights, and of the open window. */
    public EpochCounts counts() {
        return current.counts();
    }

    /**
     * Reads from each object that the next example reads; changes nothing.
     *
     * <p>An example of one of many models waits for some 50 objects that are not in the processor's cache, one after
     * the other, because each is found by the one before it. Those of another model do not depend on them: called for
     * several models in a row, this waits for theirs at once.
     *
     * @return a number without a meaning, which the caller must use: otherwise the compiler might read nothing
     */
    public long readAhead() {
        EpochCounts counts = current.counts();
        Pipeline pipeline = current.pipeline();
        long read = late.pending() + publications.statusTime() + challengers.offset() + (drift.isOn() ? 1 : 0);
        read += current.version()
                + counts.window().start()
                + counts.window().counts().examples();
        ConfusionMatrix confusion = counts.confusion();
        read += confusion.examples() + (confusion.size() == 0 ? 0 : confusion.actual(0) + confusion.count(0, 0));
        read += counts.classes().scores().size() + pipeline.names().size();
        read += (long) pipeline.learner().weightNorm();
        if (pipeline.vectors() > 0 && pipeline.vector(0) instanceof BlockVector weights) {
            read += weights.readAhead();
        }
        return read;
    }

    /** Estimated heap of the model, in bytes. */
    public long heapBytes() {
        return current.heapBytes()
                + late.heapBytes()
                + challengers.heapBytes(current)
                + publications.heapBytes()
                + decisions.heapBytes()
                + corrections.heapBytes()
                + estimates.heapBytes();
    }
}
