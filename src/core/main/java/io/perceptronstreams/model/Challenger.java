package io.perceptronstreams.model;

import io.perceptronstreams.drift.DriftSettings;
import io.perceptronstreams.drift.Trial;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.settings.TrialSettings;
import io.perceptronstreams.settings.TrialSettings.From;
import io.perceptronstreams.state.StoredFields;
import java.util.Locale;

/**
 * Second model that learns the same examples as the champion, the model that predicts, and the {@link Trial} between
 * both.
 *
 * <p>A challenger that becomes the champion equals, to the last bit, a model of its own that has seen only these
 * examples. Not thread-safe.
 */
public final class Challenger {
    /** Name of the challenger that a drift detector begins. */
    public static final String DRIFT = "drift";

    /** Name of the former champion after a promotion. */
    public static final String PREVIOUS = "previous";

    /**
     * Options of a challenger, which do not change.
     *
     * @param isAutomatic true if the challenger becomes the champion when it is found better
     * @param isVoting true for a member of a portfolio, whose prediction has a {@link Vote}
     */
    public record Options(From from, boolean isAutomatic, boolean isVoting, Trial.Rules trial) {
        private static final Trial.Rules NO_RULES = new Trial.Rules(0, 1, Trial.Growth.LINEAR, 0.5, 0);

        /** Options to be replaced by those that are read. */
        public static final Options NONE = new Options(From.SCRATCH, false, false, NO_RULES);

        /** Options of a member that votes: nothing follows from its trial, which compares it with the vote. */
        static final Options VOTING = new Options(
                From.SCRATCH,
                false,
                true,
                new Trial.Rules(
                        0,
                        TrialSettings.ROUND.defaultValue(),
                        Trial.Growth.LINEAR,
                        TrialSettings.ALPHA.defaultValue(),
                        0));

        private static final int AUTOMATIC = 1;
        private static final int LIVE = 2;
        private static final int SQUARE = 4;
        private static final int IMPORT = 8;
        private static final int VOTES = 16;

        // A trial that was stored without this goes on as it began.
        private static final int BUNCHES = 32;

        /** Options of a shadow after a drift. */
        static Options ofDrift(Trial.Rules trial) {
            return new Options(From.SCRATCH, true, false, trial);
        }

        /** Options of the former champion: it is no beginner, and no limit was set for it. */
        Options ofFormer() {
            return new Options(
                    from,
                    isAutomatic,
                    false,
                    new Trial.Rules(0, trial.step(), trial.growth(), trial.alpha(), 0, trial.byBunches()));
        }

        /** Writes these options, or returns those that are read. */
        public Options exchange(StoredFields fields) {
            int bits = fields.bits((isAutomatic ? AUTOMATIC : 0)
                    | (isVoting ? VOTES : 0)
                    | (from == From.LIVE ? LIVE : 0)
                    | (from == From.IMPORT ? IMPORT : 0)
                    | (trial.byBunches() ? BUNCHES : 0)
                    | (trial.growth() == Trial.Growth.SQUARE ? SQUARE : 0));
            return new Options(
                    (bits & LIVE) != 0 ? From.LIVE : (bits & IMPORT) != 0 ? From.IMPORT : From.SCRATCH,
                    (bits & AUTOMATIC) != 0,
                    (bits & VOTES) != 0,
                    new Trial.Rules(
                            fields.unsigned(trial.warmup()),
                            fields.unsigned(trial.step()),
                            (bits & SQUARE) != 0 ? Trial.Growth.SQUARE : Trial.Growth.LINEAR,
                            fields.number(trial.alpha()),
                            fields.unsigned(trial.limit()),
                            (bits & BUNCHES) != 0));
        }
    }

    /** Start of a trial that an earlier version has stored. */
    public static final long UNKNOWN = -1;

    private final String name;
    private final EpochModel model;
    private final long since;
    private Options options;
    private Trial trial;
    private long trialStart;

    // Of the examples that were compared, without the warm-up of the trial.
    private long compared;
    private long onlyChampionWrong;
    private long onlyChallengerWrong;
    private long bothWrong;

    // Discounted count of the wrong labels of a member that votes.
    private double recentErrors;

    private RejectedException refused;

    // Of the last example: whether its label was wrong, and whether that is to be compared with the champion's.
    private boolean canUse = true;
    private boolean isWrong;
    private boolean isComparable;

    // Steps to score the examples of the current record.
    private long work;

    /**
     * Creates a challenger whose trial begins.
     *
     * @param since offset of the record after which it begins, or with a portfolio of the first label; -1 if unknown
     * @param labelled labelled examples of the champion so far
     */
    public Challenger(String name, EpochModel model, long since, Options options, long labelled) {
        this.name = name;
        this.model = model;
        this.since = since;
        model.advisor().turnOff();
        restart(options, labelled);
    }

    /** Returns a shadow after a drift as it was stored before there were other challengers; its trial begins. */
    public static Challenger ofDrift(EpochModel model, DriftSettings settings) {
        return new Challenger(DRIFT, model, -1, Options.ofDrift(settings.trial()), UNKNOWN);
    }

    /**
     * Starts the trial again; the model stays what it is.
     *
     * @param labelled labelled examples of the champion so far
     */
    void restart(long labelled) {
        restart(options, labelled);
    }

    /** Starts the trial again, with other options; the model stays what it is. */
    void restart(Options newOptions, long labelled) {
        options = newOptions;
        trialStart = labelled;
        trial = new Trial(options.trial());
        compared = 0;
        onlyChampionWrong = 0;
        onlyChallengerWrong = 0;
        bothWrong = 0;
    }

    /** Returns true for a name that no command gives. */
    static boolean isReserved(String name) {
        return name.equals(DRIFT) || name.equals(PREVIOUS);
    }

    public String name() {
        return name;
    }

    /** Returns true if a drift detector has begun it. */
    public boolean isOfDrift() {
        return name.equals(DRIFT);
    }

    /** The model; its blocks are stored under its own epoch. */
    public EpochModel model() {
        return model;
    }

    /** Offset of the record after which it began; -1 if unknown. */
    public long since() {
        return since;
    }

    public Options options() {
        return options;
    }

    public Trial trial() {
        return trial;
    }

    /** Labelled examples of the champion when the trial began, another number for each trial; -1 if unknown. */
    public long trialStart() {
        return trialStart;
    }

    boolean isBetter() {
        return !options.isVoting() && trial.verdict() == Trial.Verdict.BETTER;
    }

    /**
     * Returns true if the challenger is worse, and nobody is asked what follows: it is compared again then, because the
     * concept may change, or its first examples were those of a beginner.
     */
    boolean isTriedAgain() {
        return options.isAutomatic() && options.trial().limit() == 0 && trial.verdict() == Trial.Verdict.WORSE;
    }

    /** Returns true if the trial is over without a verdict, or the challenger could not use an example. */
    boolean isOver() {
        return refused != null || trial.isExpired();
    }

    /** Begins with a record, of which it may use several examples. */
    void beginRecord() {
        work = 0;
    }

    /**
     * Predicts or learns an example that the champion has used; {@link #compare} follows.
     *
     * @param example with the features as they were before the champion scaled them
     * @param isLearning false to predict and compare only
     * @param then the earlier prediction of an example whose label comes now, or null
     */
    void use(Example example, boolean isLearning, long timestamp, Waiting then) {
        boolean isSeen = then != null && then.isSeenIn(model.epoch());
        isComparable = false;
        try {
            limitWork(example);
            model.precede(example, then);
            isWrong = model.use(
                            example,
                            isLearning,
                            timestamp,
                            isSeen ? then.asSeenIn(model.epoch()) : null,
                            null,
                            false,
                            ModelListener.NONE)
                    .isError();
            model.follow(example, then);
            isComparable = example.label() != null && (then == null || isSeen);
            canUse = true;
        } catch (RejectedException e) {
            refused = e;
            canUse = false;
        }
    }

    /**
     * Replaces the label of an example in the figures of the model and, if asked to, learns the other one. The trial
     * stays what it is.
     *
     * @param example with the other label, and features as they were before the champion scaled them
     * @param then the example as it was counted
     */
    void correct(Example example, Waiting then, boolean isLearning) {
        boolean isCounted = then.isCountedIn(model.epoch());
        boolean hasLearned = model.counts().ofWeights().counts().labelled() > 0;
        if (!isCounted && !(isLearning && hasLearned)) {
            return;
        }
        try {
            limitWork(example);
            var unused = model.correct(
                    example,
                    isCounted ? then.asSeenIn(model.epoch()) : then,
                    isLearning && hasLearned,
                    isCounted,
                    isCounted);
        } catch (RejectedException e) {
            refused = e;
        }
    }

    /** Scores an example, without learning or comparing it; one that it cannot use has no vote. */
    void evaluate(Example example) {
        try {
            var unused = model.evaluate(example);
            canUse = true;
        } catch (RejectedException e) {
            canUse = false;
        }
    }

    /** Returns true if it could use the last example. */
    boolean hasUsed() {
        return canUse;
    }

    /** Returns true if its label for the last example counts in a vote. */
    boolean hasVote() {
        return options.isVoting() && canUse;
    }

    /** Discounted count of the wrong labels of a member that votes, see {@link Vote}. */
    public double recentErrors() {
        return recentErrors;
    }

    /** Begins with the errors of another member, and as many more as a beginner makes. */
    void voteAfter(double errors) {
        recentErrors = errors;
    }

    /** Counts whether the label of the last example was wrong. */
    void rememberVote() {
        if (hasVote() && isComparable) {
            recentErrors = Vote.after(recentErrors, isWrong);
        }
    }

    /** The champion's examples are limited by its own work, which may be a small part of that of a kernel. */
    private void limitWork(Example example) {
        if (work >= ExampleSession.MAX_EXAMPLES_WORK) {
            throw new RejectedException(
                    RejectReason.TOO_MUCH_WORK,
                    "the examples of a record must take at most " + ExampleSession.MAX_EXAMPLES_WORK
                            + " steps, got more (challenge with a learner that takes fewer, as a kernel with a smaller"
                            + " budget, or send fewer examples in a record)");
        }
        work += model.pipeline().learner().cost(example.features());
    }

    /** Compares its label for the last example with the one that was emitted, if it had predicted it, too. */
    void compare(boolean isChampionWrong) {
        if (!isComparable) {
            return;
        }
        if (trial.examples() >= options.trial().warmup()) {
            compared++;
            onlyChampionWrong += isChampionWrong && !isWrong ? 1 : 0;
            onlyChallengerWrong += isWrong && !isChampionWrong ? 1 : 0;
            bothWrong += isWrong && isChampionWrong ? 1 : 0;
        }
        var unused = trial.add(isChampionWrong, isWrong);
    }

    /** The verdict of the trial, or the end of the challenger. */
    Judgement judgement() {
        boolean isWaiting = isBetter() && !options.isAutomatic();
        boolean isWorse = trial.verdict() == Trial.Verdict.WORSE;
        String action = isWaiting ? "promote" : isWorse ? "withdraw" : null;
        return new Judgement(name, message(), isOver() ? null : action, isOver());
    }

    private String message() {
        String subject = "challenger '" + name + "' ";
        if (refused != null) {
            return subject + "has ended, because it could not use an example: " + refused.getMessage();
        }
        String errors = String.format(
                Locale.ROOT,
                ": %d errors, and %d of the model, on the same %d examples",
                onlyChallengerWrong + bothWrong,
                onlyChampionWrong + bothWrong,
                compared);
        return subject
                + switch (trial.verdict()) {
                    case BETTER ->
                        "is better than the model" + errors
                                + (options.isAutomatic() ? "; it becomes the model unless that is frozen" : "");
                    case WORSE -> "is worse than the model" + errors;
                    case OPEN ->
                        "has ended without a verdict after trial.limit = "
                                + options.trial().limit() + " examples" + errors;
                };
    }

    /** Number of labelled examples that were compared; those of the warm-up are not. */
    public long compared() {
        return compared;
    }

    /** Number of compared examples that only the champion got wrong. */
    public long onlyChampionWrong() {
        return onlyChampionWrong;
    }

    /** Number of compared examples that only the challenger got wrong. */
    public long onlyChallengerWrong() {
        return onlyChallengerWrong;
    }

    /** Number of compared examples that both got wrong. */
    public long bothWrong() {
        return bothWrong;
    }

    /** Writes or restores the numbers of the trial and of the comparison; options and model are stored apart. */
    public void exchange(StoredFields fields) {
        exchangeWithoutStart(fields);
        trialStart = fields.signed(trialStart);
        trial.exchangeBunches(fields);
        if (options.isVoting()) {
            recentErrors = fields.number(recentErrors);
        }
    }

    /** Writes or restores these numbers as they were stored before the start of the trial was. */
    public void exchangeWithoutStart(StoredFields fields) {
        exchangeWithoutSides(fields);
        trial.exchangeSides(fields);
    }

    /** Writes or restores these numbers as they were stored before the sides of the rounds were counted. */
    public void exchangeWithoutSides(StoredFields fields) {
        exchangeTrial(fields);
        compared = fields.unsigned(compared);
        onlyChampionWrong = fields.unsigned(onlyChampionWrong);
        onlyChallengerWrong = fields.unsigned(onlyChallengerWrong);
        bothWrong = fields.unsigned(bothWrong);
    }

    /** Writes or restores the numbers of the trial only, as they were stored of a shadow. */
    public void exchangeTrial(StoredFields fields) {
        trial.exchange(fields);
    }
}
