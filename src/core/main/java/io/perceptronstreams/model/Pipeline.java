package io.perceptronstreams.model;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.algorithm.ClassNames;
import io.perceptronstreams.algorithm.LabelRules;
import io.perceptronstreams.drift.DriftSettings;
import io.perceptronstreams.evaluation.ConfusionMatrix;
import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.learner.ComparatorWeights;
import io.perceptronstreams.learner.HasComparator;
import io.perceptronstreams.learner.HasEvidence;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.LearnerState;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.settings.ClassFactors;
import io.perceptronstreams.settings.ComparatorSetting;
import io.perceptronstreams.settings.LearnedException;
import io.perceptronstreams.settings.NegativeLabel;
import io.perceptronstreams.settings.Setting;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Features to outcome, in one epoch of a model: its settings, hasher, scaling and learner, and the names of the
 * features that it has learned from.
 *
 * <p>The settings decide the learner or, with {@code algorithm=auto}, the first label does. Not thread-safe.
 */
public final class Pipeline {
    /*
     * The ten steps of one example. EpochModel calls them in this order; 2 to 8 are here.
     *
     *  1. The challengers keep the features, because step 2 scales them in place.
     *  2. scale: x becomes what the learner sees. The statistics of scale=standard include x, but are not stored yet.
     *     The example of a late label is in them already: rescale.
     *  3. The first label of all decides: the learner, the classes, the negative label.
     *  4. weight: weight of the example times weight of its class, by the counts before it.
     *  5. Learner: predicts with the weights before the update; the outcome has the score and the predicted label.
     *  6. Learner: compares the prediction with the label, and updates the weights if its rule demands it.
     *  7. The statistics of scale=standard take in x. Until here a rejected example has changed nothing; from here on
     *     none is rejected.
     *  8. The names of features that have a weight now are added.
     *  9. Observers get the outcome: counts, advisor, challengers, drift monitor. They change no weight, and report to
     *     the listener of the model what they find.
     * 10. Model.adapt, after the outcome was published: a drift resets the model, or a challenger replaces it.
     */

    /** Number of the set of blocks with the statistics of scale=standard; learners number their sets from 0. */
    public static final int STATISTICS = -1;

    /** Settings of examples, labels and sizes: another learner of the same examples has them, too. */
    static final Set<Setting<?>> KEPT = Set.of(
            Settings.BIAS,
            Settings.LABELS,
            Settings.NEGATIVE_LABEL,
            Settings.BLOCKS_MAX,
            Settings.CLASSES,
            Settings.CLASSES_MAX,
            Settings.CLASS_WEIGHTS,
            Settings.CALIBRATE,
            Settings.COVERAGE);

    private final Standardizer standardizer = new Standardizer();
    private FeatureNameTable names;
    // as set, with the negative label that a label has decided: the settings of the learner
    private Settings settings;
    private NegativeLabel negative = NegativeLabel.AUTO;
    private FeatureHasher hasher;
    private Algorithm algorithm;
    private Learner learner;

    private Pipeline(Settings settings, Algorithm algorithm, Learner learner) {
        this.settings = settings;
        this.algorithm = algorithm;
        this.learner = learner;
        this.hasher = settings.hasher();
        this.names = new FeatureNameTable(settings.get(Settings.NAMES_MAX));
    }

    /** Creates a pipeline that has learned nothing. */
    static Pipeline of(Settings settings) {
        Algorithm algorithm = Algorithm.of(settings).refined(settings);
        return new Pipeline(settings, algorithm, newLearner(algorithm, settings, 0));
    }

    /** Creates a pipeline with a stored learner, still without its blocks. */
    static Pipeline restored(Settings given, NegativeLabel negative, Algorithm algorithm, LearnerState state) {
        Settings settings = given.with(negative);
        Learner learner = algorithm.create(settings);
        learner.restore(state);
        Pipeline restored = new Pipeline(settings, algorithm, learner);
        restored.negative = negative;
        return restored;
    }

    private static Learner newLearner(Algorithm algorithm, Settings settings, long updates) {
        Learner learner = algorithm.create(settings);
        pin(learner, ComparatorSetting.updatesUntil(settings, updates));
        return learner;
    }

    private static void pin(Learner learner, long updates) {
        if (learner instanceof HasComparator comparing) {
            comparing.pin(updates);
        }
    }

    /**
     * Checks that a model may have these settings with that learner, as if each setting had been configured.
     *
     * @throws IllegalArgumentException if it may not, now or after a reset
     */
    static void check(Settings settings, Algorithm algorithm) {
        if (!Algorithm.of(settings).allows(algorithm)) {
            throw new IllegalArgumentException(
                    "algorithm must be that of the settings, " + Algorithm.of(settings) + ", got " + algorithm);
        }
        Settings afterReset = afterReset(settings);
        afterReset.requireUsedBy(algorithm, Settings.DEFAULTS);
        newLearner(algorithm, afterReset, 0);
        of(afterReset);
    }

    /** Returns the settings after a reset: without a comparator if its weights were imported. */
    static Settings afterReset(Settings settings) {
        return ComparatorSetting.isImported(settings) ? withoutComparator(settings) : settings;
    }

    /**
     * Returns a pipeline that has learned nothing, with changed settings.
     *
     * @throws IllegalArgumentException if a setting is unknown or wrong
     */
    static Pipeline afterReset(Settings settings, Map<String, String> changes) {
        Settings kept = afterReset(settings);
        if (!changes.isEmpty()) {
            Pipeline changed = of(kept);
            changed.configure(kept.with(changes), new Counts());
            kept = changed.given();
        }
        return of(kept);
    }

    /**
     * Returns a pipeline that has learned nothing, with the settings of a challenger, and with what labels have
     * decided.
     *
     * @param changes settings that differ from those of the champion
     * @throws IllegalArgumentException if one is unknown or wrong, or the features would not be the champion's
     */
    static Pipeline ofChallenger(Pipeline champion, Map<String, String> changes) {
        Settings given = ofChallenger(champion.given()).with(Map.of("algorithm", champion.algorithm.toString()));
        Settings changed = given.with(changes);
        changed.requireFeaturesOf(given);
        Algorithm wanted = Algorithm.of(changed).refined(changed);
        Pipeline checked = of(given);
        checked.configure(changed.withThoseOfModel(changed, wanted, wanted), new Counts());
        Pipeline challenger = of(checked.given());
        if (challenger.given().get(Settings.NEGATIVE_LABEL) == NegativeLabel.AUTO) {
            challenger.decide(champion.negative);
        }
        return challenger;
    }

    /** The settings of a challenger that are those of its champion: without detector, comparator and evidence. */
    static Settings ofChallenger(Settings champion) {
        return withoutComparator(champion)
                .with(Settings.DRIFT, DriftSettings.Detector.NONE)
                .with(Settings.EXPLAIN, 0);
    }

    /**
     * Continues as a challenger that may be the champion again: with its comparator and its evidence, without a
     * detector.
     */
    void challenge() {
        adopt(given().with(Settings.DRIFT, DriftSettings.Detector.NONE), 0);
    }

    private static Settings withoutComparator(Settings settings) {
        return settings.with(Settings.COMPARATOR, "");
    }

    /**
     * Scales features in place, before {@link #learn} or {@link #compare}.
     *
     * @param isLearned false if the statistics are not to change
     * @throws RejectedException if they cannot be scaled, or their statistics would have no room
     */
    void scale(Features x, boolean isLearned) {
        switch (settings.get(Settings.SCALE)) {
            case NONE -> {}
            case UNIT_NORM -> vector(x).scaleToUnitNorm();
            case UNIT_NORM_BIAS -> {
                FeatureVector vector = vector(x);
                if (settings.get(Settings.BIAS)) {
                    vector.scaleToUnitNormWithBias();
                } else {
                    vector.scaleToUnitNorm();
                }
            }
            case STANDARD -> {
                standardizer.scale(vector(x));
                if (isLearned) {
                    requireRoom(vector(x));
                }
            }
        }
    }

    /** Scales features in place that are part of the statistics already. */
    void rescale(Features x) {
        if (isStandardized()) {
            standardizer.rescale(vector(x));
        } else {
            scale(x, false);
        }
    }

    /** Takes over the statistics of another pipeline if they are the same and it will keep the same examples. */
    void shareStatistics(Pipeline other) {
        if (isStandardized() && other.isStandardized() && hasRoomOf(other.settings)) {
            standardizer.share(other.standardizer);
        }
    }

    private boolean hasRoomOf(Settings other) {
        return settings.get(Settings.BLOCKS_MAX).equals(other.get(Settings.BLOCKS_MAX));
    }

    /** Returns true if both have one object of statistics. */
    boolean sharesStatistics(Pipeline other) {
        return standardizer.shares(other.standardizer);
    }

    /**
     * Continues with statistics of its own, because the next example changes those of other pipelines in another way.
     */
    void separateStatistics() {
        standardizer.separate();
    }

    private boolean isStandardized() {
        return settings.get(Settings.SCALE) == Settings.Scale.STANDARD;
    }

    private FeatureVector vector(Features x) {
        if (x instanceof FeatureVector vector) {
            return vector;
        }
        throw new RejectedException(
                RejectReason.UNSUPPORTED_FEATURES,
                "features must be dense, sparse or named where scale=" + Settings.spelled(settings.get(Settings.SCALE))
                        + ", got " + (x instanceof Sequence ? "a Sequence" : "Candidates") + " (set scale=none)");
    }

    /** Checks the room for statistics: unlabelled examples change them, too, and could otherwise fill the memory. */
    private void requireRoom(FeatureVector x) {
        BlockVector statistics = standardizer.statistics();
        // one more for the count of examples
        long room = settings.get(Settings.BLOCKS_MAX) + 1L;
        if (statistics.maxCount() + x.size() < room) {
            return; // room for a block each: no need to count
        }
        int newBlocks = standardizer.newBlocks(x);
        if (newBlocks > 0 && statistics.count() + newBlocks > room) {
            throw new RejectedException(
                    RejectReason.MODEL_FULL,
                    "a model must not standardize more than blocks.max = " + settings.get(Settings.BLOCKS_MAX)
                            + " blocks of 128 features (raise blocks.max, or hash names into fewer bits)");
        }
    }

    /**
     * Predicts and, if the example has a label, compares and learns.
     *
     * @param example with scaled features
     * @param isNew false if its features are part of the statistics already
     * @param totals counts of the epoch before the example
     * @param confusion labels of the epoch before the example
     * @throws RejectedException if the example cannot be used; then nothing has changed
     */
    void learn(Example example, boolean isNew, Counts totals, ConfusionMatrix confusion, Outcome outcome) {
        long updates = totals.updates();
        if (example.label() == null) {
            learner.predict(example.features(), outcome);
        } else {
            learnLabel(example, totals, confusion, outcome);
        }
        if (isNew && isStandardized()) {
            standardizer.keep(vector(example.features()));
        }
        if (outcome.isUpdated() && names.hasRoom() && example.names() != null) {
            names.learn(example, hasher, algorithm.has(Algorithm.Trait.DUAL) ? null : vector(0), updates);
        }
    }

    private void learnLabel(Example example, Counts totals, ConfusionMatrix confusion, Outcome outcome) {
        if (algorithm.isDecided()) {
            Settings decided = settings.after(example.label(), algorithm);
            if (decided.get(Settings.NEGATIVE_LABEL) == settings.get(Settings.NEGATIVE_LABEL)) {
                learn(learner, example, settings, confusion, outcome);
            } else {
                decide(decided, () -> learn(learner, example, decided, confusion, outcome));
            }
            return;
        }
        Algorithm fitting =
                Algorithm.fitting(settings, example.features(), example.label()).refined(settings);
        Settings decided = settings.after(example.label(), fitting);
        Learner candidate;
        try {
            settings.requireUsedBy(fitting, Settings.DEFAULTS);
            candidate = newLearner(fitting, decided, totals.updates());
        } catch (IllegalArgumentException e) {
            throw new RejectedException(
                    RejectReason.INVALID_LABEL,
                    "the first label makes this a model of algorithm=" + fitting + ", but " + e.getMessage());
        }
        learn(candidate, example, decided, confusion, outcome);
        learner = candidate;
        algorithm = fitting;
        keep(decided);
    }

    private void keep(Settings decided) {
        NegativeLabel after = decided.get(Settings.NEGATIVE_LABEL);
        if (after != settings.get(Settings.NEGATIVE_LABEL)) {
            negative = after;
            settings = decided;
        }
    }

    private static void learn(
            Learner learner, Example example, Settings settings, ConfusionMatrix confusion, Outcome outcome) {
        double weight = weight(learner, example, settings, confusion);
        outcome.ask(settings.get(Settings.EXPLAIN), example.id());
        learner.learn(example.features(), example.label(), weight, outcome);
        if (!outcome.evidence().isEmpty() && outcome.isUpdated() && learner instanceof HasEvidence explaining) {
            explaining.explainUpdate(example.features(), example.label(), outcome);
        }
    }

    /** Returns the product of the weights of an example and of its class. */
    private static double weight(Learner learner, Example example, Settings settings, ConfusionMatrix confusion) {
        ClassFactors factors = settings.get(Settings.CLASS_WEIGHTS);
        if (factors.isNone()) {
            return example.weight();
        }
        String name = learner.className(example.label());
        double factor = factors.isBalanced()
                ? confusion.balance(name, settings)
                : factors.given().getOrDefault(name, 1.0);
        double weight = example.weight() * factor;
        if (weight > 0 && weight < Double.POSITIVE_INFINITY) {
            return weight;
        }
        throw new RejectedException(
                RejectReason.INVALID_WEIGHT,
                "the product of the weights of example and class must be a positive finite number, got " + weight);
    }

    /** Runs {@code use} with the settings that a label decides, and keeps them unless the example is rejected. */
    private void decide(Settings decided, Runnable use) {
        learner.configure(decided);
        try {
            use.run();
        } catch (RejectedException e) {
            learner.configure(settings);
            throw e;
        }
        keep(decided);
    }

    /** Takes over the negative label that labels of the stream have decided earlier. */
    void decide(NegativeLabel decided) {
        negative = decided;
        settings = settings.with(negative);
        learner.configure(settings);
    }

    /** Predicts and, if the example has a label, compares; a label may decide which labels the model has. */
    void compare(Example example, Outcome outcome) {
        if (example.label() == null) {
            learner.predict(example.features(), outcome);
            return;
        }
        Settings decided = settings.after(example.label(), algorithm);
        decide(decided, () -> {
            outcome.ask(decided.get(Settings.EXPLAIN), example.id());
            learner.evaluate(example.features(), example.label(), outcome);
            if (learner instanceof HasEvidence explaining) {
                explaining.explainIfAsked(example.features(), example.label(), outcome);
            }
        });
    }

    /** Predicts and, if the example has a label, compares; changes nothing. Scales the example's features in place. */
    void evaluate(Example example, Outcome outcome) {
        Features x = example.features();
        scale(x, false);
        if (example.label() == null) {
            learner.predict(x, outcome);
        } else {
            learner.evaluate(x, example.label(), outcome);
        }
    }

    /**
     * Explains the label of an example or, without one, the predicted label, which it then has; changes nothing else.
     * Scales the example's features in place.
     *
     * @param parts maximum number of parts of the evidence
     * @param outcome prediction and its evidence, which is empty if there is nothing to explain yet
     */
    void explain(Example example, int parts, Outcome outcome) {
        Features x = example.features();
        scale(x, false);
        outcome.clearEvidence();
        learner.predict(x, outcome);
        if (example.label() == null && !outcome.isAbstained()) {
            example.setLabel(outcome.predicted());
        }
        if (example.label() != null && algorithm.isDecided() && learner instanceof HasEvidence explaining) {
            explainLabel(example, parts, outcome, explaining);
        }
    }

    private void explainLabel(Example example, int parts, Outcome outcome, HasEvidence explaining) {
        learner.configure(settings.after(example.label(), algorithm));
        try {
            learner.evaluate(example.features(), example.label(), outcome);
            explaining.explain(example.features(), example.label(), parts, outcome);
        } finally {
            learner.configure(settings);
        }
    }

    /**
     * Applies changed settings.
     *
     * @param totals counts of the epoch
     * @throws IllegalArgumentException if one cannot change any more; then none is changed
     */
    void configure(Settings changed, Counts totals) {
        boolean hasLabels = totals.labelled() > 0 || hasWeights();
        if (totals.examples() > 0 || hasLabels) {
            changed.requireFeaturesLearned(
                    given(), hasLabels, Algorithm.of(changed).refined(changed));
        }
        configure(changed, hasLabels, totals.updates());
        if (changed.get(Settings.NEGATIVE_LABEL) != NegativeLabel.AUTO) {
            negative = NegativeLabel.AUTO;
        }
        use(changed.with(negative));
    }

    /** Returns true if the learner has a state of its own; an imported one may have it without counted labels. */
    private boolean hasWeights() {
        return learner.weightNorm() > 0 || learner.blocks().stream().anyMatch(blocks -> blocks.count() > 0);
    }

    /** @param hasLabels true if the model has seen labels, or has weights */
    private void configure(Settings changed, boolean hasLabels, long updates) {
        boolean hasLearned = algorithm.isDecided() && hasLabels;
        Algorithm wanted = hasLearned && Algorithm.of(changed).allows(algorithm)
                ? algorithm
                : Algorithm.of(changed).refined(changed);
        Settings decided = changed.with(negative);
        ClassNames.requireWeighted(decided, settings, wanted);
        boolean isOtherComparator = !changed.get(Settings.COMPARATOR).equals(settings.get(Settings.COMPARATOR));
        if (isOtherComparator) {
            ComparatorSetting.check(changed.get(Settings.COMPARATOR), updates);
        }
        boolean isRemade = !hasLabels && wanted.has(Algorithm.Trait.STATE_OF_SETTINGS);
        if (wanted != algorithm || isRemade) {
            if (hasLearned) {
                throw new LearnedException(
                        "algorithm must stay " + algorithm + " once a model has seen labels, got " + wanted,
                        changed.remedy(given(), false, Algorithm.of(changed)));
            }
            changed.requireUsedBy(wanted, Settings.DEFAULTS);
            learner = newLearner(wanted, decided, updates);
            algorithm = wanted;
            return;
        }
        if (hasLearned) {
            LabelRules.requireUnnamed(settings, changed, algorithm);
        }
        changed.requireUsedBy(algorithm, settings);
        learner.configure(decided);
        if (isOtherComparator) {
            try {
                pin(learner, ComparatorSetting.updatesUntil(changed, updates));
            } catch (IllegalArgumentException e) {
                learner.configure(settings);
                throw e;
            }
        }
    }

    /**
     * Continues with other settings, as those of the model that this replaces, without a comparator that belonged to
     * the last epoch or has no room. The comparator that this pipeline has already stays.
     *
     * @param updates number of updates of this pipeline
     */
    void adopt(Settings given, long updates) {
        Settings model = given.with(negative);
        if (model.get(Settings.COMPARATOR).equals(settings.get(Settings.COMPARATOR))) {
            learner.configure(model);
            use(model);
            return;
        }
        long until = ComparatorSetting.updatesUntil(model, updates);
        Settings kept = until < 0 ? withoutComparator(model) : model;
        learner.configure(kept);
        try {
            pin(learner, ComparatorSetting.updatesUntil(kept, updates));
        } catch (IllegalArgumentException e) {
            kept = withoutComparator(model);
            learner.configure(kept);
            pin(learner, -1);
        }
        use(kept);
    }

    /**
     * Compares the learner with other weights from now on; sets {@link Settings#COMPARATOR} to {@link
     * Settings#IMPORTED}.
     *
     * @param weights in one lane; copied
     * @throws IllegalArgumentException if the learner does not support it, or there is no room; then nothing has
     *     changed
     */
    public void compareWith(BlockVector weights, double bias) {
        if (!algorithm.hasComparator() || !(learner instanceof HasComparator comparing)) {
            throw new IllegalArgumentException("algorithm must be perceptron to compare a model with weights, got "
                    + algorithm
                    + (algorithm.isDecided() ? "" : " before the first label (set algorithm=perceptron)"));
        }
        comparing.pin(weights, bias);
        use(settings.with(Settings.COMPARATOR, Settings.IMPORTED));
    }

    private void use(Settings changed) {
        if (changed.get(Settings.SCALE) != settings.get(Settings.SCALE) || !hasRoomOf(changed)) {
            separateStatistics();
        }
        settings = changed;
        hasher = settings.hasher();
        names.limit(settings.get(Settings.NAMES_MAX), hasher);
    }

    /**
     * Returns the changes that make this a pipeline of another learner, with the defaults of all settings of a learner
     * that are not named; empty if it is one already. Settings of examples, labels and sizes stay as far as that
     * learner uses them.
     */
    Map<String, String> changesTo(Map<String, String> other) {
        Settings wanted = Settings.DEFAULTS.with(other);
        Map<String, String> texts = wanted.toMap();
        Map<String, String> own = given().toMap();
        own.put(Settings.ALGORITHM.name(), algorithm.toString());
        Map<String, String> changes = new HashMap<>();
        for (Setting<?> setting : Settings.all()) {
            boolean isUnused = KEPT.contains(setting) && !Algorithm.of(wanted).uses(setting);
            if (setting.equals(Settings.THRESHOLD)
                    && given().get(Settings.THRESHOLD).isByCost()) {
                continue; // costs belong to the examples, not to a learner
            }
            String text = texts.get(setting.name());
            if ((isOfLearner(setting) || isUnused) && !text.equals(own.get(setting.name()))) {
                changes.put(setting.name(), text);
            }
        }
        return changes;
    }

    /** Returns true for a setting that another learner of the same examples need not have. */
    static boolean isOfLearner(Setting<?> setting) {
        String name = setting.name();
        return !Settings.isOfModel(name) && !Settings.isOfFeatures(name) && !KEPT.contains(setting);
    }

    /** The settings in use: those that were set, with the negative label that labels have decided. */
    public Settings settings() {
        return settings;
    }

    /** The settings that the user has set. */
    public Settings given() {
        return negative == NegativeLabel.AUTO ? settings : settings.with(Settings.NEGATIVE_LABEL, NegativeLabel.AUTO);
    }

    /** The negative label that labels have decided; {@link NegativeLabel#AUTO} for none. */
    public NegativeLabel negative() {
        return negative;
    }

    /** The settings by name as events show them: with {@link #negative}. */
    public Map<String, String> shown() {
        Map<String, String> texts = given().toMap();
        if (negative != NegativeLabel.AUTO) {
            texts.put(Settings.NEGATIVE_LABEL.name(), negative.decision());
        }
        return texts;
    }

    /** Hashes feature names into the model's {@code hash.bits}. */
    public FeatureHasher hasher() {
        return hasher;
    }

    /** The names of features from which the model has learned. */
    public FeatureNameTable names() {
        return names;
    }

    /** Takes over the names of features of the same model. */
    public void take(FeatureNameTable itsNames) {
        names = itsNames;
    }

    /** The learner's algorithm; {@link Algorithm#AUTO} until a first label decides. */
    public Algorithm algorithm() {
        return algorithm;
    }

    public Learner learner() {
        return learner;
    }

    /** The pinned weights, or null. */
    public ComparatorWeights comparator() {
        return learner instanceof HasComparator comparing ? comparing.pinned() : null;
    }

    /** Number of the learner's sets of blocks, without {@link #STATISTICS}. */
    public int vectors() {
        return learner.blocks().size();
    }

    /** A set of blocks: one of the learner's, or {@link #STATISTICS}. */
    public Blocks vector(int number) {
        if (number == STATISTICS) {
            return standardizer.statistics();
        }
        if (number < 0 || number >= vectors()) {
            throw new IllegalArgumentException("a model with algorithm=" + algorithm + " must have vectors below "
                    + vectors() + ", got " + number);
        }
        return learner.blocks().get(number);
    }

    /** Estimated heap of the statistics, in bytes: a part of {@link #heapBytes}. */
    long statisticsHeapBytes() {
        return standardizer.heapBytes();
    }

    /** Estimated heap, in bytes. */
    long heapBytes() {
        long bytes = standardizer.heapBytes() + names.heapBytes() + learner.heapBytes();
        for (Blocks blocks : learner.blocks()) {
            bytes += blocks.heapBytes();
        }
        return bytes;
    }
}
