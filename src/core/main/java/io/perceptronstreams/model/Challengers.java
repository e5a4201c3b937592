package io.perceptronstreams.model;

import io.perceptronstreams.drift.Trial;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.probability.Calibration;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.state.StoredBits;
import io.perceptronstreams.state.StoredFields;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Challengers of a model in the order of their start.
 *
 * <p>All learn the decoded example of the champion, whose features each of them scales in its own way. An example that
 * the champion rejects is shown to none; a challenger that cannot use an example ends. Not thread-safe.
 */
public final class Challengers {
    /** Maximum number, without the one that a drift detector begins. */
    public static final int MAX = 4;

    private static final double[] NOTHING = {};

    private final Epochs epochs;
    private final LongSupplier labelled;

    // Never changed: replaced by another list. A loop over an empty one would allocate an iterator for every example.
    private List<Challenger> all = List.of();

    // Values of the example as they were decoded.
    private double[] raw = NOTHING;
    private double rawBias;

    // Offset of the current record; -1 if unknown.
    private long offset = -1;

    // Null until there is a vote. The label of the champion itself, and the discounted count of its wrong ones.
    private Vote vote;
    private Label ownLabel;
    private Waiting.Forecast ownForecast;
    private boolean isOwnWrong;
    private double championErrors;

    // Makes the probability of the vote; null without.
    private Calibration sure;

    /** @param labelled number of labelled examples of the model */
    Challengers(Epochs epochs, LongSupplier labelled) {
        this.epochs = epochs;
        this.labelled = labelled;
    }

    /** Offset of the current record; -1 if unknown. */
    long offset() {
        return offset;
    }

    /** Notes the offset of the next record, which may begin a challenger, or of the next example of the same one. */
    void at(long newOffset) {
        if (newOffset != offset) {
            offset = newOffset;
            for (Challenger each : all) {
                each.beginRecord();
            }
        }
    }

    /** The challengers; the list never changes. */
    public List<Challenger> all() {
        return all;
    }

    /** Returns the challenger of a name, or null. */
    public Challenger find(String name) {
        if (all.isEmpty()) {
            return null;
        }
        for (Challenger each : all) {
            if (each.name().equals(name)) {
                return each;
            }
        }
        return null;
    }

    /**
     * Checks that challengers may begin.
     *
     * @param names of the challengers; those of the same names are replaced
     * @throws IllegalArgumentException if there would be more than {@link #MAX}
     */
    void requireRoom(List<String> names) {
        int tooMany = names.size() - room(names);
        if (tooMany > 0) {
            String count = tooMany == 1 ? "one" : Integer.toString(tooMany);
            throw new IllegalArgumentException("a model must have at most " + MAX + " challengers, got " + count
                    + " more, '"
                    + String.join("', '", names) + "' (withdraw " + count + " of "
                    + String.join(", ", all.stream().map(Challenger::name).toList()) + ")");
        }
    }

    /** Maximum number of challengers that may begin, if those of these names end. */
    int room(List<String> names) {
        long others = all.stream()
                .filter(each -> !each.isOfDrift() && !names.contains(each.name()))
                .count();
        return MAX - (int) others;
    }

    /** Begins a challenger. */
    Challenger begin(String name, EpochModel model, Challenger.Options options) {
        Challenger begun = new Challenger(name, model, offset, options, labelled.getAsLong());
        restore(begun);
        return begun;
    }

    /** Begins a challenger in the next epoch. */
    Challenger begin(String name, Pipeline pipeline, Challenger.Options options) {
        return begin(name, new EpochModel(epochs.next(), pipeline), options);
    }

    /** Starts the trial of a challenger again, with other options. */
    void restart(Challenger challenger, Challenger.Options options) {
        challenger.restart(options, labelled.getAsLong());
    }

    /** Starts all trials again, because another model predicts now; ends challengers with other features. */
    void restart(Settings champion) {
        for (Challenger each : all) {
            each.restart(labelled.getAsLong());
        }
        endOthersThan(champion);
    }

    /**
     * Ends those that may become the champion by themselves, and those that vote: after a reset they would bring back
     * what it discards.
     */
    void endAutomatic() {
        for (Challenger each : all) {
            if (each.options().isAutomatic()) {
                end(each.name());
            }
        }
        endVote();
    }

    /** Ends the members that vote: the champion predicts alone. */
    void endVote() {
        for (Challenger each : all) {
            if (each.options().isVoting()) {
                end(each.name());
            }
        }
    }

    /** Returns true if the predictions are those of a {@link Vote} by the champion and some of these. */
    boolean isVoting() {
        for (int k = 0; k < all.size(); k++) {
            if (all.get(k).options().isVoting()) {
                return true;
            }
        }
        return false;
    }

    /** Share of the champion's weight in the vote; null without a vote. */
    public Double championShare() {
        return isVoting() ? (Double) (weight(championErrors) / weights()) : null;
    }

    /** Share of a challenger's weight in the vote; null if it does not vote. */
    public Double share(Challenger challenger) {
        return challenger.options().isVoting() ? (Double) (weight(challenger.recentErrors()) / weights()) : null;
    }

    private double weights() {
        double sum = weight(championErrors);
        for (Challenger each : all) {
            sum += each.options().isVoting() ? weight(each.recentErrors()) : 0;
        }
        return sum;
    }

    /** Weight of a voter with these errors. */
    private double weight(double errors) {
        return Vote.weight(errors, leastErrors());
    }

    /** The voter that has made the fewest errors of late; null if that is the champion. */
    Challenger leader() {
        Challenger leader = null;
        double least = championErrors;
        for (Challenger each : all) {
            if (each.options().isVoting() && each.recentErrors() < least) {
                leader = each;
                least = each.recentErrors();
            }
        }
        return leader;
    }

    private double leastErrors() {
        double least = championErrors;
        for (Challenger each : all) {
            least = each.options().isVoting() ? Math.min(least, each.recentErrors()) : least;
        }
        return least;
    }

    /** Writes or restores the champion's part in a vote. */
    public void exchangeVote(StoredFields fields) {
        championErrors = fields.number(championErrors);
    }

    /** Writes or restores what makes the probability of the vote. */
    public void exchangeSureness(StoredFields fields) {
        if (fields.flag(sure != null)) {
            sure = sure == null ? new Calibration() : sure;
            sure.exchange(fields);
        }
    }

    /** Writes or restores the same in few bits. */
    public void exchangeSureness(StoredBits bits) {
        if (bits.flag(sure != null)) {
            sure = sure == null ? new Calibration() : sure;
            sure.exchange(bits);
        }
    }

    /** Begins a member that votes: as one of equals with the others, or later, with the errors of a beginner. */
    Challenger beginVoter(String name, EpochModel model, boolean isFirst) {
        if (!isVoting()) {
            championErrors = 0;
            sure = null;
        }
        Challenger begun = begin(name, model, Challenger.Options.VOTING);
        begun.voteAfter(isFirst ? 0 : championErrors + Vote.BEGINNER);
        return begun;
    }

    /** Ends the challengers whose examples have other features than with these settings. */
    void endOthersThan(Settings champion) {
        for (Challenger each : all) {
            if (!each.model().pipeline().settings().hasSameFeatures(champion)) {
                end(each.name());
            }
        }
    }

    /** Returns true if there is a challenger of one of these names. */
    boolean hasAny(List<String> names) {
        return all.stream().anyMatch(each -> names.contains(each.name()));
    }

    /** Continues a challenger under another name, with a new trial. */
    void rename(Challenger challenger, String name) {
        List<Challenger> renamed = new ArrayList<>(all);
        renamed.set(
                all.indexOf(challenger),
                new Challenger(
                        name, challenger.model(), challenger.since(), challenger.options(), labelled.getAsLong()));
        all = List.copyOf(renamed);
    }

    /**
     * Applies changed settings of labels and sizes to the challengers that had those of the champion and can use them:
     * a promotion must not take them back.
     */
    void follow(Settings before, Settings after) {
        for (Challenger each : all) {
            EpochModel model = each.model();
            Map<String, String> changes = Portfolio.changesToFollow(before, after, model.pipeline());
            if (!changes.isEmpty() && !each.isOfDrift()) {
                try {
                    model.configure(changes);
                } catch (IllegalArgumentException e) {
                    // it has other classes, or has learned what the champion has not: it goes on as it is
                }
            }
        }
    }

    /** Ends all. */
    void clear() {
        for (Challenger each : all) {
            end(each.name());
        }
    }

    /** Returns the first challenger that is found better and becomes the champion by itself, or null. */
    Challenger successor() {
        if (all.isEmpty()) {
            return null;
        }
        for (Challenger each : all) {
            if (each.options().isAutomatic() && each.isBetter() && !each.isOfDrift()) {
                return each;
            }
        }
        return null;
    }

    /** Adds a stored challenger, without its blocks. */
    public void restore(Challenger stored) {
        List<Challenger> longer = new ArrayList<>(all);
        longer.add(stored);
        all = List.copyOf(longer);
    }

    /** Ends the challenger of a name, and its epoch; does nothing if there is none. */
    void end(String name) {
        Challenger ended = remove(name);
        if (ended != null) {
            epochs.end(ended.model().epoch());
        }
    }

    /** Removes the challenger of a name, whose epoch goes on; returns null if there is none. */
    public Challenger remove(String name) {
        Challenger removed = find(name);
        if (removed != null) {
            List<Challenger> shorter = new ArrayList<>(all);
            shorter.remove(removed);
            all = List.copyOf(shorter);
        }
        return removed;
    }

    /**
     * Lets models that have the same statistics of features have them in common, the champion included: a portfolio
     * learns the same examples with the same scaling. Cost: O(touched blocks) of a model for each pair.
     */
    void shareStatistics(EpochModel champion) {
        for (int k = 0; k < all.size(); k++) {
            Pipeline each = all.get(k).model().pipeline();
            each.shareStatistics(champion.pipeline());
            for (int earlier = 0; earlier < k; earlier++) {
                each.shareStatistics(all.get(earlier).model().pipeline());
            }
        }
    }

    /**
     * Ends what models have in common, unless the statistics of all change in the same way by the next example.
     *
     * @param isLive false if the champion is frozen: its challengers learn without it
     * @param then the earlier prediction of the example, or null
     */
    void separateStatistics(EpochModel champion, boolean isLive, Waiting then) {
        boolean isSame = isLive;
        for (int k = 0; then != null && k < all.size(); k++) {
            isSame &= then.isSeenIn(all.get(k).model().epoch()) == then.isSeenIn(champion.epoch());
        }
        if (!isSame) {
            champion.pipeline().separateStatistics();
            for (Challenger each : all) {
                each.model().pipeline().separateStatistics();
            }
        }
    }

    /** Returns true if the champion or an earlier challenger has the statistics of a challenger, too. */
    private boolean isShared(int number, EpochModel champion) {
        Pipeline pipeline = all.get(number).model().pipeline();
        boolean isShared = pipeline.sharesStatistics(champion.pipeline());
        for (int earlier = 0; earlier < number; earlier++) {
            isShared |= pipeline.sharesStatistics(all.get(earlier).model().pipeline());
        }
        return isShared;
    }

    /** Keeps the values of an example, the bias included, before the champion scales them in place. */
    void remember(Features x) {
        if (x instanceof FeatureVector vector) {
            if (raw.length < vector.size()) {
                // not as many as the decoder has, which has room for the largest example of all models
                raw = new double[Math.max(vector.size(), 2 * raw.length)];
            }
            System.arraycopy(vector.values(), 0, raw, 0, vector.size());
            rawBias = vector.bias();
        }
    }

    private void restore(Features x) {
        if (x instanceof FeatureVector vector) {
            System.arraycopy(raw, 0, vector.values(), 0, vector.size());
            vector.setBias(rawBias);
        }
    }

    /**
     * Lets the challengers use an example that the champion has used; {@link #compare} follows.
     *
     * @param isLive false if the champion is frozen: then the shadow of a drift waits, and the former champion and
     *     those that vote do not learn
     * @param then the earlier prediction of an example whose label comes now, or null
     */
    void use(Example example, long timestamp, boolean isLive, Waiting then) {
        for (Challenger each : all) {
            if (isShown(each, isLive)) {
                restore(example.features());
                if (offset < 0) {
                    each.beginRecord();
                }
                // what predicts, or did, stays what it was while the champion is frozen
                boolean isPredicting = each.options().isVoting() || each.name().equals(Challenger.PREVIOUS);
                each.use(example, isLive || !isPredicting, timestamp, then);
            }
        }
    }

    /**
     * Replaces the prediction of the champion by that of the vote; its own label is kept for {@link #emitted}.
     *
     * @param champion has used or evaluated the example, as its challengers have
     * @param then the earlier prediction of an example whose label comes now, or null
     * @param isLearning false if nothing is to change
     */
    void vote(EpochModel champion, Example example, Waiting then, boolean isLearning) {
        vote = vote == null ? new Vote() : vote;
        vote.clear();
        Outcome own = champion.outcome();
        ownLabel = own.predicted();
        double least = leastErrors();
        Outcome known = own;
        vote.add(ownLabel, Vote.weight(championErrors, least));
        for (Challenger each : all) {
            if (each.hasVote()) {
                Outcome others = each.model().outcome();
                vote.add(others.predicted(), Vote.weight(each.recentErrors(), least));
                known = known.isAbstained() ? others : known;
            }
        }
        isOwnWrong = own.isError();
        ownForecast = Waiting.Forecast.of(own);
        boolean isSure = champion.pipeline().settings().get(Settings.CALIBRATE) != Settings.Calibrate.NONE;
        Calibration used = !isSure ? null : sure == null ? new Calibration() : sure;
        sure = isLearning ? used : sure;
        champion.emit(vote, example, then, known, used, label -> pooled(label, champion, least), isLearning);
    }

    /** Mean of the probabilities of a label by those that vote, by their weights. */
    private double pooled(Label label, EpochModel champion, double least) {
        double weight = Vote.weight(championErrors, least);
        double sum = weight * champion.probability(label);
        double weights = weight;
        for (Challenger each : all) {
            if (each.hasVote()) {
                weight = Vote.weight(each.recentErrors(), least);
                sum += weight * each.model().probability(label);
                weights += weight;
            }
        }
        return sum / weights;
    }

    /**
     * Lets the members that vote score an example, and replaces the prediction of the champion, which has evaluated it.
     */
    void voteWithoutLearning(EpochModel champion, Example example) {
        for (Challenger each : all) {
            if (each.options().isVoting()) {
                restore(example.features());
                each.evaluate(example);
            }
        }
        vote(champion, example, null, false);
    }

    /** Counts whether the label of each voter for the last example was wrong. */
    void rememberVotes(boolean isChampionComparable) {
        if (isChampionComparable) {
            championErrors = Vote.after(championErrors, isOwnWrong);
        }
        for (Challenger each : all) {
            each.rememberVote();
        }
    }

    /**
     * Compares the challengers with what was emitted; tells the listener verdicts and ends, but not of the shadow of a
     * drift.
     *
     * @param isComparable false if the champion had not predicted the example
     */
    void compare(boolean isEmittedWrong, boolean isLive, boolean isComparable, ModelListener out) {
        for (Challenger each : all) {
            if (isShown(each, isLive)) {
                Trial.Verdict before = each.trial().verdict();
                if (isComparable) {
                    each.compare(isEmittedWrong);
                }
                if (!each.isOfDrift()) {
                    report(each, before, out);
                }
            }
        }
    }

    private void report(Challenger challenger, Trial.Verdict before, ModelListener out) {
        if (challenger.isTriedAgain() && !challenger.isOver()) {
            challenger.restart(labelled.getAsLong());
            return;
        }
        boolean isOver = challenger.isOver();
        if (isOver) {
            end(challenger.name());
        }
        if (isOver || challenger.trial().verdict() != before) {
            out.judged(challenger.judgement());
        }
    }

    private static boolean isShown(Challenger challenger, boolean isLive) {
        return isLive || !challenger.isOfDrift();
    }

    /**
     * Replaces the label of an example in the figures of the challengers; those that cannot use the other label end.
     *
     * @param isLive false if the champion is frozen
     * @param isLearning true if those that learn while it is have to learn the other label
     */
    void correct(Example example, Waiting then, boolean isLive, boolean isLearning, ModelListener out) {
        for (Challenger each : all) {
            restore(example.features());
            if (offset < 0) {
                each.beginRecord();
            }
            boolean isPredicting = each.options().isVoting() || each.name().equals(Challenger.PREVIOUS);
            boolean isShown = isShown(each, isLive);
            each.correct(example, then, isLearning && isShown && (isLive || !isPredicting));
            // at once, for what it could not use is not stored
            if (each.isOver()) {
                end(each.name());
                if (!each.isOfDrift()) {
                    out.judged(each.judgement());
                }
            }
        }
    }

    /** Lets the sets of a vote move as if another label had come first. */
    void correctSets(EpochModel champion, Waiting then, Label truth) {
        champion.correctSets(sure, then, truth);
    }

    /** Predictions of the last example as challengers, and the champion if another one was emitted, have counted it. */
    List<Waiting.Emitted> counted(EpochModel champion, boolean isLive) {
        if (all.isEmpty() && champion.counted() == null) {
            return List.of();
        }
        List<Waiting.Emitted> counted = new ArrayList<>();
        if (champion.counted() != null) {
            counted.add(champion.counted());
        }
        for (Challenger each : all) {
            if (isShown(each, isLive) && each.hasUsed()) {
                counted.add(each.model().emitted());
            }
        }
        return counted;
    }

    /**
     * Predictions of the last example by the challengers that it was shown to, and by the champion itself if there was
     * a vote.
     *
     * @param isLive as for {@link #use}
     */
    List<Waiting.Emitted> emitted(EpochModel champion, boolean isLive) {
        if (all.isEmpty()) {
            return List.of();
        }
        List<Waiting.Emitted> emitted = new ArrayList<>();
        if (isVoting()) {
            emitted.add(new Waiting.Emitted(champion.epoch(), ownLabel, ownForecast));
        }
        for (Challenger each : all) {
            if (isShown(each, isLive)) {
                emitted.add(each.model().emitted());
            }
        }
        return emitted;
    }

    /** Estimated heap besides that of the champion, in bytes. */
    long heapBytes(EpochModel champion) {
        long bytes = (long) Double.BYTES * raw.length;
        for (int k = 0; k < all.size(); k++) {
            EpochModel each = all.get(k).model();
            bytes += each.heapBytes() - (isShared(k, champion) ? each.pipeline().statisticsHeapBytes() : 0);
        }
        return bytes;
    }
}
