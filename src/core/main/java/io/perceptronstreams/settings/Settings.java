package io.perceptronstreams.settings;

import static io.perceptronstreams.settings.SettingType.alertLimit;
import static io.perceptronstreams.settings.SettingType.classWeights;
import static io.perceptronstreams.settings.SettingType.classes;
import static io.perceptronstreams.settings.SettingType.comparator;
import static io.perceptronstreams.settings.SettingType.count;
import static io.perceptronstreams.settings.SettingType.crosses;
import static io.perceptronstreams.settings.SettingType.flag;
import static io.perceptronstreams.settings.SettingType.flagOrCount;
import static io.perceptronstreams.settings.SettingType.kernel;
import static io.perceptronstreams.settings.SettingType.label;
import static io.perceptronstreams.settings.SettingType.labelSources;
import static io.perceptronstreams.settings.SettingType.labels;
import static io.perceptronstreams.settings.SettingType.namespaces;
import static io.perceptronstreams.settings.SettingType.negativeLabel;
import static io.perceptronstreams.settings.SettingType.number;
import static io.perceptronstreams.settings.SettingType.orAuto;
import static io.perceptronstreams.settings.SettingType.threshold;
import static io.perceptronstreams.settings.SettingType.whole;
import static io.perceptronstreams.settings.SettingType.zeroOrNumber;

import io.perceptronstreams.drift.DriftSettings;
import io.perceptronstreams.example.Crosses;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureRules;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.SimilarName;
import io.perceptronstreams.example.Utf8Slice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Settings of a model, as set by {@code perceptron models set}: their definitions, and a value for each.
 *
 * <p>{@link LearnerKind} says which settings a learner uses.
 */
public final class Settings {
    /** Value of the setting {@code comparator} for weights that were imported. */
    public static final String IMPORTED = "imported";

    /** Maximum number of classes; their scores, or a row of weights, fit into one record. */
    public static final int MAX_CLASSES = 10_000;

    /** Maximum number of unknown settings in a message. */
    private static final int MAX_SHOWN = 10;

    /** Number of last ids that are kept to tell the reason of a refused label, where dedupe.last is 0. */
    private static final int LABEL_IDS = 10_000;

    // Measured, with the settings of one to three names that differ from their defaults.
    private static final long OWN_BYTES = 600;

    /** Weights that give the emitted label. */
    public enum Predict {
        LAST,
        AVERAGED,
        VOTED
    }

    /** Support vectors that are removed above the budget. */
    public enum BudgetPolicy {
        /** The oldest one. */
        OLDEST,
        /** The one whose removal changes w least: smallest alpha^2·K(x,x); the oldest on a tie. */
        SMALLEST,
        /** A random one, with equal probabilities. */
        RANDOM
    }

    /** Scaling of the features. */
    public enum Scale {
        NONE,
        UNIT_NORM,
        UNIT_NORM_BIAS,
        STANDARD
    }

    /** How scores become probabilities. */
    public enum Calibrate {
        NONE,
        /** By a logistic function that is learned (Platt 1999). */
        PLATT
    }

    /** What a label does that corrects the one that an example has had. */
    public enum Corrections {
        /** Figures are corrected, and the weights learn the label as a further one. */
        LEARN,
        /** Figures are corrected; the weights stay. */
        COUNT,
        /** Figures are corrected, and what the weights lack is counted until they are replaced. */
        REPAIR
    }

    /** Matrix of which arow keeps the diagonal after each update. */
    public enum Diagonal {
        /** Inverse of the covariance. */
        INVERSE,
        COVARIANCE
    }

    /** How the steps of sgd shrink; k is the number of the update. */
    public enum Rate {
        /** eta. */
        CONSTANT,
        /** eta/sqrt(k) (Zinkevich 2003). */
        INVERSE_SQRT,
        /** eta/sqrt(G), where G sums the squared gradients of a feature (Duchi, Hazan and Singer 2011). */
        ADAGRAD
    }

    /** Maximum of {@link #AUC_WINDOW}: the scores are part of the header of a model. */
    public static final int MAX_AUC_WINDOW = 2_000;

    /** Maximum of {@link #EXPLAIN}. */
    public static final int MAX_EXPLAIN = 100;

    // in the order of toMap
    private static final Map<String, Setting<?>> DEFINED = new LinkedHashMap<>();

    public static final Setting<LearnerKind> ALGORITHM = define(
                    "algorithm",
                    SettingType.<LearnerKind>oneOf(LearnerKind.all(), LearnerKind::toString),
                    LearnerKind.all().get(0))
            .means("the learner; auto takes the one for the first label: an int makes it perceptron, a string"
                    + " multiclass, candidates structured, tags sequence; adaptive does so, too, but where no other setting of a"
                    + " learner is given it makes them sgd and softmax with rate=adagrad scale=standard implicit=true, sgd with stacked=true and softmax"
                    + " with eta=0.3, too, and a model without a detector drift=adwin drift.action=reset: what measured best on tables of which nothing is"
                    + " known, see docs/streams.md");
    public static final Setting<Double> H = define("h", number(">= 0.0"), 0.0)
            .means("hinge: y·score below it is a margin mistake; 0 is the perceptron, 1 the margin perceptron");
    public static final Setting<Boolean> H_INCLUSIVE =
            define("h.inclusive", flag(), false).means("whether y·score = h is a margin mistake, too");
    public static final Setting<Double> ETA =
            define("eta", number("> 0.0"), 1.0).means("step of an update");
    public static final Setting<Predict> PREDICT = define("predict", Predict.LAST)
            .means("weights that give the emitted label: the last ones, their average (which is always kept), or the"
                    + " votes of all weight vectors (perceptron and kernel only)");
    public static final Setting<Integer> SURVIVAL_START = define("survival.start", count(0, 1), 1)
            .means("1 if the survival count of a weight vector includes the example that made it (Freund and Schapire"
                    + " 1999), 0 if not (Collins 2002)");
    public static final Setting<Boolean> BIAS = define("bias", flag(), true)
            .fixed(Setting.Fixed.ONCE_LEARNED)
            .means(
                    "whether to append a feature of value 1 to every example, or to every token of a sequence; fixed once the"
                            + " model has learned");
    public static final Setting<String> KERNEL_EXPRESSION =
            define("kernel", kernel(), "").means("kernel of a two-class model; empty: the linear one");
    public static final Setting<Integer> BUDGET =
            define("budget", count(0, 1 << 24), 0).means("maximum number of support vectors; 0: no limit");
    public static final Setting<BudgetPolicy> BUDGET_POLICY = define("budget.policy", BudgetPolicy.OLDEST)
            .means("which support vector is removed above the budget: the oldest, the one with the smallest"
                    + " alpha²·K(x,x), or a random one");
    public static final Setting<Long> SEED =
            define("seed", whole(0, Long.MAX_VALUE), 0L).means("seed of the random draws of budget.policy=random");
    public static final Setting<List<String>> LABELS =
            define("labels", labels(), List.of()).means("names for -1 and +1; without them the labels are the ints");
    public static final Setting<NegativeLabel> NEGATIVE_LABEL = define(
                    "negative.label", negativeLabel(), NegativeLabel.AUTO)
            .means("the int label beside +1 where labels is empty; auto: the first label that is -1 or 0 decides, and"
                    + " is then shown as auto:-1 or auto:0");
    public static final Setting<Integer> HASH_BITS = define("hash.bits", count(1, FeatureHasher.MAX_BITS), 18)
            .fixed(Setting.Fixed.ONCE_SEEN)
            .means("named features are hashed into 2^bits indices; fixed once the model has seen examples");
    public static final Setting<Scale> SCALE = define("scale", Scale.NONE)
            .fixed(Setting.Fixed.ONCE_LEARNED)
            .means("scaling of the features: none, to length 1, to length 1 with the bias, or by mean and deviation"
                    + " of each so far; fixed once the model has learned");
    public static final Setting<Long> WINDOW_MS = define("window.ms", orAuto(whole(1, Long.MAX_VALUE / 2), 0L), 0L)
            .ofModel()
            .means(
                    "length of the counting windows, in ms of event time; auto: 10000 or, where those have fewer than 100"
                            + " examples, as many times 10000 as it takes to have 100; a number in window.examples alone decides");
    public static final Setting<Long> WINDOW_EXAMPLES = define(
                    "window.examples", orAuto(whole(1, Long.MAX_VALUE / 2), 0L), 0L)
            .ofModel()
            .means("number of examples, or of labels, after which a counting window ends before window.ms has passed;"
                    + " auto: a twentieth of the model's examples so far, at least 10");
    public static final Setting<Long> SNAPSHOT_EVERY = define("snapshot.every", whole(0, Long.MAX_VALUE), 0L)
            .ofModel()
            .means("number of updates after which the weights are published; 0: only on request");
    public static final Setting<Integer> BLOCKS_MAX = define("blocks.max", count(1, 1 << 24), 1 << 17)
            .means("maximum number of blocks of 128 weights that a model may touch, and of those of the statistics of"
                    + " scale=standard; with several classes 256 numbers of the rows count as a block");
    public static final Setting<Integer> NAMES_MAX = define("names.max", count(0, 1 << 20), 10_000)
            .ofModel()
            .means("maximum number of feature names that a model keeps to show them beside its weights: those from"
                    + " which it learned first; 0: none");
    public static final Setting<String> COMPARATOR = define("comparator", comparator(IMPORTED), "")
            .ofModel()
            .means("version whose weights are pinned; the later updates are compared with their hinge loss");
    public static final Setting<List<String>> CLASSES = define("classes", classes(), List.of())
            .means("the classes or tags in the order that decides ties; empty: in their order of appearance");
    public static final Setting<Integer> CLASSES_MAX = define("classes.max", count(1, MAX_CLASSES), 1000)
            .means("maximum number of classes or tags that a model may find");
    public static final Setting<Integer> PREDICT_SCORES = define("predict.scores", flagOrCount(MAX_CLASSES), 0)
            .ofModel()
            .means("whether predictions contain the scores of all classes, of both labels with two classes; a number:"
                    + " how many of the largest scores they contain, the largest first");
    public static final Setting<Double> C = define("c", number("> 0.0"), 1.0)
            .means("aggressiveness C of pa-i, pa-ii, multiclass-pa and scw; factor of the steps of alma");
    public static final Setting<Double> R =
            define("r", number("> 0.0"), 1.0).means("regularization of arow: the larger, the smaller the steps");
    public static final Setting<Double> ALPHA = define("alpha", number("> 0 and <= 1.0"), 0.9)
            .means("share of the largest margin that may be missing: the aim is (1 - alpha) times that margin");
    public static final Setting<DriftSettings.Detector> DRIFT = define("drift", DriftSettings.NONE.detector())
            .ofModel()
            .means("detector that watches the errors, see docs/metrics.md#drift");
    public static final Setting<Double> DRIFT_DELTA = define(
                    "drift.delta", orAuto(number("> 0 and < 1.0"), Double.NaN), DriftSettings.NONE.delta())
            .ofModel()
            .means("confidence of adwin and tolerance of page-hinkley; auto: the default of the detector");
    public static final Setting<Double> DRIFT_THRESHOLD = define(
                    "drift.threshold", orAuto(number("> 0"), Double.NaN), DriftSettings.NONE.threshold())
            .ofModel()
            .means("threshold of ddm and page-hinkley; auto: the default of the detector");
    public static final Setting<DriftSettings.Action> DRIFT_ACTION = define("drift.action", DriftSettings.NONE.action())
            .ofModel()
            .means("what follows an alarm: nothing more, a reset, or a shadow, a new model that takes over if it is"
                    + " better");
    public static final Setting<Integer> DRIFT_WINDOW = define(
                    "drift.window", count(10, 1 << 20), DriftSettings.NONE.window())
            .ofModel()
            .means(
                    "labelled examples: half as many before a shadow is compared with the model, ten times as many until it is dropped");
    public static final Setting<Long> AWAIT_LABELS_MS = define("await.labels.ms", whole(0, Long.MAX_VALUE / 4), 0L)
            .ofModel()
            .means("how long an example without a label waits for its Label, in ms of the model's stream time, see"
                    + " docs/labels.md; 0: not at all");
    public static final Setting<Long> AWAIT_EXAMPLES_MS = define(
                    "await.examples.ms", whole(0, Long.MAX_VALUE / 4), 120_000L)
            .ofModel()
            .means("how long a Label waits for its example where await.labels.ms is not 0; 0: not at all");
    public static final Setting<Integer> AWAIT_LABELS_MAX = define("await.labels.max", count(1, 1 << 20), 100_000)
            .ofModel()
            .means("maximum number of examples and Labels of a model that wait for each other");
    public static final Setting<String> LABEL_DEFAULT = define("label.default", label(), "")
            .ofModel()
            .means("label of an example whose Label has not come within await.labels.ms; empty: it is not learned");
    public static final Setting<Integer> DEDUPE_LAST = define("dedupe.last", count(0, 1 << 20), 0)
            .ofModel()
            .means("number of last examples of the model whose ids must not come again; 0: no check");
    public static final Setting<Double> H_POSITIVE = define(
                    "h.positive", orAuto(number(">= 0"), Double.NaN), Double.NaN)
            .means("hinge of the examples of the class +1, see docs/streams.md#rare-classes; auto: h");
    public static final Setting<Double> H_NEGATIVE = define(
                    "h.negative", orAuto(number(">= 0"), Double.NaN), Double.NaN)
            .means("hinge of the examples of the class -1; auto: h");
    public static final Setting<ClassFactors> CLASS_WEIGHTS = define("class.weights", classWeights(), ClassFactors.NONE)
            .means("factors of the weights of examples by their class, as in spam:5,ham:1; balanced: inverse to the"
                    + " frequencies of the classes so far; empty: none");
    public static final Setting<Threshold> THRESHOLD = define("threshold", threshold(), Threshold.ZERO)
            .means(
                    "the lowest score for which +1 is emitted, or cost:FP:FN: predictions then have the decision that costs"
                            + " least by their probability, where a false alarm costs FP and a miss FN, see docs/decide.md; changes"
                            + " no update");
    public static final Setting<AlertLimit> ALERTS_MAX = define("alerts.max", alertLimit(), AlertLimit.NONE)
            .ofModel()
            .means("maximum number of decisions for +1 in an hour or a day of event time, as in 200/day, see"
                    + " docs/decide.md: those above it are withheld; empty: no limit");
    public static final Setting<String> CROSSES = define("crosses", crosses(), "")
            .fixed(Setting.Fixed.ONCE_SEEN)
            .means("products of features, by the namespaces of their names, see docs/settings.md#crosses; fixed once"
                    + " the model has seen examples");
    public static final Setting<Integer> CROSSES_MAX = define("crosses.max", count(1, 1 << 20), 100_000)
            .ofModel()
            .means("maximum number of features that crosses make of an example; one with more is rejected");
    public static final Setting<List<String>> NAMESPACES_IGNORE = define("namespaces.ignore", namespaces(), List.of())
            .fixed(Setting.Fixed.ONCE_SEEN)
            .means("namespaces whose features are not used, nor crossed; fixed once the model has seen examples");
    public static final Setting<List<String>> NAMESPACES_KEEP = define("namespaces.keep", namespaces(), List.of())
            .fixed(Setting.Fixed.ONCE_SEEN)
            .means("the only namespaces whose features are used; empty: all; fixed once the model has seen examples");
    public static final Setting<Loss> LOSS = define("loss", Loss.SIGMOID)
            .means("loss whose gradient sgd follows; sigmoid is bounded: examples that are wrong with confidence move"
                    + " little");
    public static final Setting<Rate> RATE = define("rate", Rate.CONSTANT)
            .means(
                    "steps of sgd and softmax: eta, eta by the root of the number of updates, or eta by the root of the sum of the"
                            + " squared gradients of each feature");
    public static final Setting<Boolean> NORMALISED = define("normalised", flag(), false)
            .means("whether the steps of sgd are divided by the scale of each feature, so that scale=none suits any"
                    + " units");
    public static final Setting<Boolean> IMPLICIT = define("implicit", flag(), false)
            .means(
                    "whether sgd or softmax shortens a step to the one that the gradient after it would make, so that none goes"
                            + " too far, however many features an example has; not with loss=perceptron");
    public static final Setting<Boolean> STACKED = define("stacked", flag(), false)
            .means("whether a second stage of sgd predicts: it learns how much the score, the label before and the more"
                    + " frequent label so far are worth, see docs/algorithms.md; not with loss=perceptron");
    public static final Setting<Boolean> AGGRESSIVE = define("aggressive", flag(), false)
            .means("whether romma makes an update wherever y times the score is below 1, not only on mistakes");
    public static final Setting<Double> AVERAGE_HALF_LIFE = define("average.halflife", zeroOrNumber(">= 1.0"), 0.0)
            .means("number of labelled examples in which the average of predict=averaged forgets half of its past,"
                    + " for streams that change; 0: it never forgets");
    public static final Setting<Double> CONFIDENCE = define("confidence", number("> 0.5 and < 1.0"), 0.75)
            .means("probability with which scw wants a score to have the right sign");
    public static final Setting<Diagonal> DIAGONAL = define("diagonal", Diagonal.INVERSE)
            .means(
                    "matrix of which arow keeps the diagonal: with that of the covariance, variances shrink less where examples"
                            + " have many features");
    public static final Setting<Integer> AUC_WINDOW = define("auc.window", count(0, MAX_AUC_WINDOW), 0)
            .ofModel()
            .means("number of last labelled examples whose scores give the area under the ROC curve, see"
                    + " docs/metrics.md; 0: none");
    public static final Setting<Integer> EXPLAIN = define("explain", count(0, MAX_EXPLAIN), 0)
            .ofModel()
            .means("number of features in a Mistake that pulled hardest, with a kernel of examples, see"
                    + " docs/bad-model.md; 0: none");

    public static final Setting<Boolean> PORTFOLIO = define("portfolio", flag(), false)
            .ofModel()
            .means(
                    "whether a model of which nothing is known finds its settings itself: learners with other settings begin"
                            + " with its first label, and all predict by a vote that follows their errors, see"
                            + " docs/challengers.md");

    public static final Setting<Calibrate> CALIBRATE = define("calibrate", Calibrate.NONE)
            .means("how the score of a prediction becomes the probability that its label is right, see docs/decide.md:"
                    + " platt learns it from the labels of two or more classes; none: predictions have no probability");
    public static final Setting<Double> COVERAGE = define("coverage", zeroOrNumber(">= 0.5 and < 1.0"), 0.0)
            .means("share of the predictions whose set of labels has the true one in the long run, see docs/decide.md;"
                    + " a set that has not one label is unsure; 0: predictions have no set of labels");

    public static final Setting<Double> ESTIMATE_ALERT = define("estimate.alert", zeroOrNumber("> 0 and < 1.0"), 0.0)
            .ofModel()
            .means("by how much the expected error of predictions whose labels are out may leave the range of the known"
                    + " errors before an alert says so, see docs/decide.md; 0: no alert");

    public static final Setting<LabelSources> LABELS_SOURCES = define(
                    "labels.sources", labelSources(), LabelSources.NONE)
            .ofModel()
            .means("sources that labels may name, the strongest first, as in review>chargeback>user, see"
                    + " docs/labels.md: the label of the strongest source so far is the truth, and corrects weaker ones;"
                    + " empty: the first label counts");
    public static final Setting<Corrections> CORRECTIONS = define("corrections", Corrections.LEARN)
            .ofModel()
            .means("what follows a label that corrects an earlier one, besides figures as if it had come first: learn"
                    + " it as a further label, count only, or repair, which also counts what the weights lack until"
                    + " what-if --replace");
    public static final Setting<Long> CORRECTIONS_MS = define("corrections.ms", whole(0, Long.MAX_VALUE / 4), 0L)
            .ofModel()
            .means("how long after its label, or label.default, an example can be corrected, in ms of the model's"
                    + " stream time; 0: await.labels.ms with labels.sources, otherwise not at all");

    /** Those that most models need, in the order in which a user meets them; the others are advanced. */
    public static final List<Setting<?>> MOST_NEEDED =
            List.of(ALGORITHM, LABELS, CLASSES, SCALE, PREDICT, DRIFT, PORTFOLIO, AWAIT_LABELS_MS);

    /** A setting without its description. */
    private record Definition<T>(
            String name, SettingType<T> type, T defaultValue, Setting.Fixed fixed, boolean isOfModel) {
        /** Returns the definition of a setting that must stay the same from some event on. */
        Definition<T> fixed(Setting.Fixed from) {
            return new Definition<>(name, type, defaultValue, from, isOfModel);
        }

        /**
         * Returns the definition of a setting that belongs to the model and not to its learner: a challenger has none
         * of its own.
         */
        Definition<T> ofModel() {
            return new Definition<>(name, type, defaultValue, fixed, true);
        }

        Setting<T> means(String description) {
            Setting<T> setting = new Setting<>(DEFINED.size(), name, type, defaultValue, fixed, isOfModel, description);
            DEFINED.put(name, setting);
            return setting;
        }
    }

    private static <T> Definition<T> define(String name, SettingType<T> type, T defaultValue) {
        return new Definition<>(name, type, defaultValue, Setting.Fixed.NEVER, false);
    }

    private static <E extends Enum<E>> Definition<E> define(String name, E defaultValue) {
        return define(name, SettingType.oneOf(defaultValue.getDeclaringClass()), defaultValue);
    }

    /** All definitions in their order. */
    public static Collection<Setting<?>> all() {
        return Collections.unmodifiableCollection(DEFINED.values());
    }

    /** All definitions but those that most models need, in their order. */
    public static List<Setting<?>> advanced() {
        return all().stream().filter(each -> !MOST_NEEDED.contains(each)).toList();
    }

    /** Returns true for the name of a setting that decides which features an example has. */
    public static boolean isOfFeatures(String name) {
        Setting<?> setting = DEFINED.get(name);
        return setting != null && (setting.isFixed() || setting.equals(CROSSES_MAX));
    }

    /** Default settings. */
    public static final Settings DEFAULTS =
            new Settings(DEFINED.values().stream().map(Setting::defaultValue).toArray());

    // by place of the setting; never changed
    private final Object[] values;

    private Settings(Object[] values) {
        this.values = values;
    }

    /** The value of a setting. Cost: O(1); learners keep those that they need for each example. */
    @SuppressWarnings("unchecked") // a key puts only values of its type
    public <T> T get(Setting<T> setting) {
        return (T) values[setting.place()];
    }

    /** Returns these settings with another valid value. */
    public <T> Settings with(Setting<T> setting, T value) {
        // most models of a store have no settings of their own: they share one object
        return setting.equals(NEGATIVE_LABEL) && isShared()
                ? Shared.BY_NEGATIVE_LABEL.get((NegativeLabel) value)
                : changed(setting, value);
    }

    /** Returns these settings with what labels have decided, unless they have an own negative label. */
    public Settings with(NegativeLabel decided) {
        boolean isOpen = decided != NegativeLabel.AUTO && get(NEGATIVE_LABEL) == NegativeLabel.AUTO;
        return isOpen ? with(NEGATIVE_LABEL, decided) : this;
    }

    /** Returns the settings after an example with a label; the same object unless it decides the negative label. */
    public Settings after(Label y, LearnerKind learner) {
        boolean isOpen =
                get(NEGATIVE_LABEL) == NegativeLabel.AUTO && get(LABELS).isEmpty();
        return isOpen && learner.uses(NEGATIVE_LABEL) ? with(NegativeLabel.of(y)) : this;
    }

    private Settings changed(Setting<?> setting, Object value) {
        Object[] changed = values.clone();
        changed[setting.place()] = value;
        return new Settings(changed);
    }

    /**
     * Returns these settings with {@code changes}.
     *
     * @throws IllegalArgumentException with all faults, if a name is unknown or a value is wrong
     */
    public Settings with(Map<String, String> changes) {
        List<String> faults = new ArrayList<>();
        int unknown = 0;
        for (String name : new TreeSet<>(changes.keySet())) {
            if (!DEFINED.containsKey(name)) {
                unknown++;
                if (unknown <= MAX_SHOWN) {
                    faults.add(unknown(name, DEFINED.keySet(), unknown == 1));
                }
            }
        }
        if (unknown > MAX_SHOWN) {
            faults.add((unknown - MAX_SHOWN) + " more unknown settings");
        }
        Settings changed = new Settings(values.clone());
        for (Setting<?> setting : DEFINED.values()) {
            if (changes.containsKey(setting.name())) {
                try {
                    // null, which JSON allows, is reported as a wrong value
                    changed.values[setting.place()] = setting.parse(String.valueOf(changes.get(setting.name())));
                } catch (IllegalArgumentException e) {
                    faults.add(e.getMessage());
                }
            }
        }
        changed.addFaults(changes, faults);
        throwIfAny(faults);
        return changed;
    }

    /** Adds the faults of valid values that contradict each other. */
    private void addFaults(Map<String, String> changes, List<String> faults) {
        requireOfDetector(DRIFT_DELTA, get(DRIFT).hasDelta(), changes, faults);
        requireOfDetector(DRIFT_THRESHOLD, get(DRIFT).hasThreshold(), changes, faults);
        List<String> ignored = get(NAMESPACES_IGNORE);
        List<String> kept = get(NAMESPACES_KEEP);
        if (!ignored.isEmpty() && !kept.isEmpty()) {
            faults.add("namespaces.ignore must be empty where namespaces.keep is not, got '" + String.join(",", ignored)
                    + "' and '" + String.join(",", kept) + "'");
        } else if (!get(CROSSES).isEmpty()) {
            for (String name : Crosses.parse(get(CROSSES)).names()) {
                if (ignored.contains(name) || !(kept.isEmpty() || kept.contains(name))) {
                    faults.add("crosses must be of namespaces that are used, got '" + name + "', which "
                            + (kept.isEmpty() ? "namespaces.ignore has" : "namespaces.keep lacks"));
                }
            }
        }
        // its steps would end at a margin of 0, which is a mistake, and the first ones nowhere
        if (get(IMPLICIT) && get(LOSS) == Loss.PERCEPTRON) {
            faults.add("implicit must be false with loss=perceptron, got true (loss=hinge has such steps)");
        }
        if (get(STACKED) && get(LOSS) == Loss.PERCEPTRON) {
            faults.add("stacked must be false with loss=perceptron, whose scores grow with eta and have no unit, got"
                    + " true (loss=sigmoid has one)");
        }
    }

    /** A detector without this parameter accepts only auto; without a detector the value is kept for later. */
    private void requireOfDetector(
            Setting<Double> setting, boolean isTaken, Map<String, String> changes, List<String> faults) {
        if (!isTaken && get(DRIFT) != DriftSettings.Detector.NONE && !isDefault(setting)) {
            faults.add(setting.name() + " must be auto where drift=" + text(DRIFT) + ", got '"
                    + Utf8Slice.shortened(String.valueOf(changes.getOrDefault(setting.name(), text(setting))), 80)
                    + "'");
        }
    }

    public boolean isDefault(Setting<?> setting) {
        return get(setting).equals(setting.defaultValue());
    }

    /**
     * Returns these settings with those of {@code model} that belong to a model and not to its learner. Where only the
     * learner of these settings uses one, it stays; if that does not, it has its default.
     *
     * @param ofModel learner of {@code model}
     * @param own learner of these settings
     */
    public Settings withThoseOfModel(Settings model, LearnerKind ofModel, LearnerKind own) {
        Settings changed = new Settings(values.clone());
        for (Setting<?> setting : DEFINED.values()) {
            if (setting.isOfModel()) {
                Object used = (ofModel.uses(setting) ? model : this).values[setting.place()];
                changed.values[setting.place()] = own.uses(setting) ? used : setting.defaultValue();
            }
        }
        return changed;
    }

    /** Returns true for the name of a setting that belongs to the model and not to its learner. */
    public static boolean isOfModel(String name) {
        Setting<?> setting = DEFINED.get(name);
        return setting != null && setting.isOfModel();
    }

    /** Text of the value of a setting. */
    <T> String text(Setting<T> setting) {
        return setting.text(get(setting));
    }

    private static String unknown(String name, Set<String> known, boolean isFirst) {
        String remedy = SimilarName.of(name, known)
                .map(similar -> " (did you mean " + similar + "?)")
                .orElse(isFirst ? " (known: " + String.join(", ", known) + ")" : "");
        return "unknown setting '" + Utf8Slice.shortened(name, 80) + "'" + remedy;
    }

    /** Estimated heap of these settings, in bytes; 0 for the object that all models without own settings share. */
    public long heapBytes() {
        return isShared() ? 0 : OWN_BYTES;
    }

    @SuppressWarnings("ReferenceEquality") // which object it is, not what it says
    private boolean isShared() {
        return this == Shared.BY_NEGATIVE_LABEL.get(get(NEGATIVE_LABEL));
    }

    /** Default settings with each negative label; a class of its own, because it needs {@link #DEFAULTS}. */
    private static final class Shared {
        private static final Map<NegativeLabel, Settings> BY_NEGATIVE_LABEL = new EnumMap<>(NegativeLabel.class);

        static {
            for (NegativeLabel each : NegativeLabel.values()) {
                BY_NEGATIVE_LABEL.put(each, DEFAULTS.changed(NEGATIVE_LABEL, each));
            }
            BY_NEGATIVE_LABEL.put(DEFAULTS.get(NEGATIVE_LABEL), DEFAULTS);
        }
    }

    private static void throwIfAny(List<String> faults) {
        if (!faults.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", faults));
        }
    }

    /** Returns the hasher for the features of a model with these settings. */
    public FeatureHasher hasher() {
        return new FeatureHasher(
                get(HASH_BITS),
                FeatureRules.of(get(CROSSES), get(CROSSES_MAX), get(NAMESPACES_IGNORE), get(NAMESPACES_KEEP)));
    }

    /** Returns every setting by name, in a fixed order; {@code DEFAULTS.with(toMap())} equals these settings. */
    public Map<String, String> toMap() {
        Map<String, String> map = new LinkedHashMap<>();
        for (Setting<?> setting : DEFINED.values()) {
            map.put(setting.name(), text(setting));
        }
        return map;
    }

    /**
     * Checks that a learner uses all settings that differ from their defaults and from {@code present}.
     *
     * @throws IllegalArgumentException with all faults
     */
    public void requireUsedBy(LearnerKind learner, Settings present) {
        List<String> faults = new ArrayList<>();
        for (Setting<?> setting : DEFINED.values()) {
            if (!isDefault(setting) && !learner.uses(setting) && !get(setting).equals(present.get(setting))) {
                faults.add(unused(setting, setting.defaultText(), text(setting), learner));
            }
        }
        if (get(PREDICT) == Predict.VOTED && !learner.uses(KERNEL_EXPRESSION) && learner.uses(PREDICT)) {
            faults.add("predict must be last or averaged with algorithm=" + learner
                    + ", got 'voted' (used by perceptron, kernel)");
        }
        if (get(COVERAGE) > 0 && get(CALIBRATE) == Calibrate.NONE) {
            faults.add("coverage must be 0 with calibrate=none, got " + get(COVERAGE)
                    + " (set calibrate=platt coverage=" + get(COVERAGE)
                    + "; a set of labels is made from their probabilities)");
        }
        if (get(THRESHOLD).isByCost() && get(CALIBRATE) == Calibrate.NONE) {
            faults.add("threshold must be a score with calibrate=none, got " + get(THRESHOLD)
                    + " (set calibrate=platt threshold=" + get(THRESHOLD)
                    + "; a decision by cost needs a probability)");
        }
        throwIfAny(faults);
    }

    /** Returns true if the features of an example are the same with other settings, except for their maximum number. */
    public boolean hasSameFeatures(Settings other) {
        for (Setting<?> setting : DEFINED.values()) {
            if (setting.isFixed() && !get(setting).equals(other.get(setting))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Checks that weights may go on with these settings: features that are hashed or crossed in another way have other
     * weights, and features of another size other scores.
     *
     * @param present settings so far
     * @param hasLearned false if the model has seen examples, but no label, and has no weights
     * @param next learner of a new model with these settings
     * @throws LearnedException with all faults
     */
    public void requireFeaturesLearned(Settings present, boolean hasLearned, LearnerKind next) {
        List<String> faults = new ArrayList<>();
        boolean isOfExamples = false;
        for (Setting<?> setting : DEFINED.values()) {
            if (setting.fixed() == Setting.Fixed.NEVER
                    || (setting.fixed() == Setting.Fixed.ONCE_LEARNED && !hasLearned)
                    || get(setting).equals(present.get(setting))) {
                continue;
            }
            String text = text(setting);
            String stays = present.text(setting);
            faults.add(setting.name() + " must stay " + (stays.isEmpty() ? "empty" : stays) + " once a model has "
                    + (setting.isFixed() ? "seen examples" : "learned") + ", got " + (text.isEmpty() ? "none" : text));
            isOfExamples |= setting.isFixed();
        }
        if (!faults.isEmpty()) {
            throw new LearnedException(String.join("; ", faults), remedy(present, isOfExamples, next));
        }
    }

    /**
     * Commands that give a model of other settings these, although it has learned; for the end of a message.
     *
     * @param isOfExamples true if no challenger can have them, because it has the features of its model
     * @param next learner of a new model with these settings; what it does not use has its default
     */
    public String remedy(Settings present, boolean isOfExamples, LearnerKind next) {
        Settings usable = new Settings(values.clone());
        for (Setting<?> setting : DEFINED.values()) {
            if (!next.uses(setting)) {
                usable.values[setting.place()] = setting.defaultValue();
            }
        }
        return "to discard what it has learned, reset with " + usable.differences(present, false)
                + (isOfExamples
                        ? "; to keep it, copy with " + usable.differences(present, false)
                        : "; to keep it until they are better, challenge with " + usable.differences(present, true)
                                + " " + TrialSettings.PROMOTE.name() + "="
                                + Settings.spelled(TrialSettings.Promotion.AUTO));
    }

    /** The settings that differ from others, as {@code name=value}, separated by blanks. */
    private String differences(Settings others, boolean isForChallenger) {
        return DEFINED.values().stream()
                .filter(each -> !get(each).equals(others.get(each)) && !(isForChallenger && each.isOfModel()))
                .map(each -> each.name() + "=" + text(each))
                .collect(Collectors.joining(" "));
    }

    /**
     * Checks that the features of an example are those of the champion, except for their maximum number.
     *
     * @throws IllegalArgumentException with all faults
     */
    public void requireFeaturesOf(Settings champion) {
        List<String> faults = new ArrayList<>();
        for (Setting<?> setting : DEFINED.values()) {
            String text = text(setting);
            String fixed = champion.text(setting);
            if (setting.isFixed() && !text.equals(fixed)) {
                faults.add(setting.name() + " must be " + (fixed.isEmpty() ? "empty" : fixed)
                        + ", as for the model that is challenged, got " + (text.isEmpty() ? "none" : text)
                        + " (leave out " + setting.name() + "=" + text + ", or begin a model of another name)");
            }
        }
        throwIfAny(faults);
    }

    private static String unused(Setting<?> setting, String allowed, String got, LearnerKind learner) {
        return setting.name() + " must be " + (allowed.isEmpty() ? "empty" : allowed) + " with algorithm=" + learner
                + ", got '" + Utf8Slice.shortened(got, 80) + "' (used by " + setting.users()
                + (allowed.isEmpty() ? "; " + setting.name() + "= empties it" : "") + ")";
    }

    /** Hinge of the examples of a class, -1 or +1. */
    public double hinge(int sign) {
        double own = get(sign > 0 ? H_POSITIVE : H_NEGATIVE);
        return Double.isNaN(own) ? get(H) : own;
    }

    /** The largest hinge of all classes. */
    public double largestHinge() {
        return Math.max(hinge(-1), hinge(1));
    }

    /** Returns true if all examples of weight 1 have the same step and the same hinge. */
    public boolean hasEqualClasses() {
        return hinge(-1) == hinge(1) && get(CLASS_WEIGHTS).isNone();
    }

    /** Returns true if a two-class perceptron must keep its support vectors: it has a kernel, a budget, or votes. */
    public boolean needsSupport() {
        return !get(KERNEL_EXPRESSION).isEmpty() || get(BUDGET) > 0 || get(PREDICT) == Predict.VOTED;
    }

    /** Returns true unless a kernel other than the linear one scores in a space of its own. */
    public boolean hasFeatureWeights() {
        return get(KERNEL_EXPRESSION).isEmpty() || get(KERNEL_EXPRESSION).equals("linear");
    }

    /** Spelling of a constant for users: {@code unit-norm}. */
    public static String spelled(Enum<?> constant) {
        return SettingType.spelled(constant);
    }

    /** The settings of the drift detector. */
    public DriftSettings drift() {
        DriftSettings drift = new DriftSettings(
                get(DRIFT), get(DRIFT_DELTA), get(DRIFT_THRESHOLD), get(DRIFT_ACTION), get(DRIFT_WINDOW));
        // one object for the models without a detector, which are most of many
        return drift.equals(DriftSettings.NONE) ? DriftSettings.NONE : drift;
    }

    /** Returns true if the model keeps examples or ids until their labels come. */
    public boolean hasLateLabels() {
        return get(AWAIT_LABELS_MS) > 0 || get(DEDUPE_LAST) > 0 || get(CORRECTIONS_MS) > 0;
    }

    /** How long an example can be corrected after its label, in ms of the model's stream time; 0: not at all. */
    public long correctionsMs() {
        long given = get(CORRECTIONS_MS);
        return given > 0 || get(LABELS_SOURCES).isNone() ? given : get(AWAIT_LABELS_MS);
    }

    /** Returns true if an example can be corrected after a label that is no default. */
    public boolean hasSources() {
        return !get(LABELS_SOURCES).isNone() && correctionsMs() > 0;
    }

    /** Number of last ids that the model keeps. */
    public int lastIds() {
        return get(DEDUPE_LAST) > 0 ? get(DEDUPE_LAST) : get(AWAIT_LABELS_MS) > 0 || hasSources() ? LABEL_IDS : 0;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Settings settings && Arrays.equals(values, settings.values);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(values);
    }

    /** The settings that differ from their defaults. */
    @Override
    public String toString() {
        Map<String, String> differing = toMap();
        differing.entrySet().removeAll(DEFAULTS.toMap().entrySet());
        return differing.toString();
    }
}
