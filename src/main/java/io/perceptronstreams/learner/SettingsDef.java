package io.perceptronstreams.learner;

import static io.perceptronstreams.learner.Algorithm.AUTO;

import io.perceptronstreams.drift.DriftSettings;
import io.perceptronstreams.example.FeatureHasher;
import java.util.ArrayList;
import java.util.List;

/** Definitions of a model's settings, in the order of {@link Settings#toMap}. */
public final class SettingsDef {

    private static final List<Setting<?>> DEFINED = new ArrayList<>();

    static final Setting<Algorithm> ALGORITHM = define(new Setting<>(
            "algorithm",
            SettingType.oneOf(Algorithm.class),
            AUTO,
            Settings::algorithm,
            "the learner; auto takes the one for the first label: an int makes it perceptron, a string multiclass,"
                    + " candidates structured, tags sequence"));
    static final Setting<Double> H = define(new Setting<>(
            "h",
            SettingType.number(0, true),
            0.0,
            Settings::h,
            "hinge: y·score below it is a margin mistake; 0 is the perceptron, 1 the margin perceptron"));
    static final Setting<Boolean> H_INCLUSIVE = define(new Setting<>(
            "h.inclusive",
            SettingType.flag(),
            false,
            Settings::isHInclusive,
            "whether y·score = h is a margin mistake, too"));
    static final Setting<Double> ETA =
            define(new Setting<>("eta", SettingType.number(0, false), 1.0, Settings::eta, "step of an update"));
    static final Setting<Settings.Predict> PREDICT = define(new Setting<>(
            "predict",
            SettingType.oneOf(Settings.Predict.class),
            Settings.Predict.LAST,
            Settings::predict,
            "weights that give the emitted label: the last ones, their average (which is always kept), or the votes of all"
                    + " weight vectors (perceptron and kernel only)"));
    static final Setting<Integer> SURVIVAL_START = define(new Setting<>(
            "survival.start",
            SettingType.count(0, 1),
            1,
            Settings::survivalStart,
            "1 if the survival count of a weight vector includes the example that made it (Freund and Schapire 1999), 0 if"
                    + " not (Collins 2002)"));
    static final Setting<Boolean> BIAS = define(new Setting<>(
            "bias",
            SettingType.flag(),
            true,
            Settings::bias,
            "whether to append a feature of value 1 to every example, or to every token of a sequence"));
    static final Setting<String> KERNEL_EXPRESSION = define(new Setting<>(
            "kernel",
            SettingType.kernel(),
            "",
            Settings::kernel,
            "kernel of a two-class model; empty: the linear one"));
    static final Setting<Integer> BUDGET = define(new Setting<>(
            "budget",
            SettingType.count(0, 1 << 24),
            0,
            Settings::budget,
            "maximum number of support vectors; 0: no limit"));
    static final Setting<Settings.BudgetPolicy> BUDGET_POLICY = define(new Setting<>(
            "budget.policy",
            SettingType.oneOf(Settings.BudgetPolicy.class),
            Settings.BudgetPolicy.OLDEST,
            Settings::budgetPolicy,
            "which support vector is removed above the budget: the oldest, the one with the smallest alpha²·K(x,x), or a"
                    + " random one"));
    static final Setting<Long> SEED = define(new Setting<>(
            "seed",
            SettingType.whole(0, Long.MAX_VALUE),
            0L,
            Settings::seed,
            "seed of the random draws of budget.policy=random"));
    static final Setting<List<String>> LABELS = define(new Setting<>(
            "labels",
            SettingType.labels(),
            List.of(),
            Settings::labels,
            "names for -1 and +1; without them the labels are the ints"));
    static final Setting<NegativeLabel> NEGATIVE_LABEL = define(new Setting<>(
            "negative.label",
            SettingType.negativeLabel(),
            NegativeLabel.AUTO,
            Settings::negativeLabel,
            "the int label beside +1 where labels is empty; auto: the first label that is -1 or 0 decides, and 0 is then"
                    + " shown as auto:0 (auto:1: all labels so far were 1; auto:-1: -1, before a drift reset the"
                    + " model)"));
    static final Setting<Integer> HASH_BITS = define(new Setting<>(
            "hash.bits",
            SettingType.count(1, FeatureHasher.MAX_BITS),
            18,
            Settings::hashBits,
            "named features are hashed into 2^bits indices; fixed once the model has seen examples"));
    static final Setting<Settings.Scale> SCALE = define(
            new Setting<>(
                    "scale",
                    SettingType.oneOf(Settings.Scale.class),
                    Settings.Scale.NONE,
                    Settings::scale,
                    "scaling of the features: none, to length 1, to length 1 with the bias, or by mean and deviation of each so far"));
    static final Setting<Long> WINDOW_MS = define(new Setting<>(
            "window.ms",
            SettingType.whole(1, Long.MAX_VALUE / 2),
            10_000L,
            Settings::windowMs,
            "length of the counting windows, in ms of event time"));
    static final Setting<Long> WINDOW_EXAMPLES = define(new Setting<>(
            "window.examples",
            SettingType.autoOrWhole(Long.MAX_VALUE / 2),
            0L,
            Settings::windowExamples,
            "number of examples, or of labels, after which a counting window ends before window.ms has passed; auto: a"
                    + " twentieth of the model's examples so far, at least 10"));
    static final Setting<Long> SNAPSHOT_EVERY = define(new Setting<>(
            "snapshot.every",
            SettingType.whole(0, Long.MAX_VALUE),
            0L,
            Settings::snapshotEvery,
            "number of updates after which the weights are published; 0: only on request"));
    static final Setting<Integer> BLOCKS_MAX = define(new Setting<>(
            "blocks.max",
            SettingType.count(1, 1 << 24),
            1 << 17,
            Settings::blocksMax,
            "maximum number of blocks of 128 weights that a model may touch, and of those of the statistics of"
                    + " scale=standard; with several classes 256 numbers of the rows count as a block"));
    static final Setting<Integer> NAMES_MAX = define(new Setting<>(
            "names.max",
            SettingType.count(0, 1 << 20),
            10_000,
            Settings::namesMax,
            "maximum number of feature names that a model keeps to show them beside its weights: those from which it"
                    + " learned first; 0: none"));
    public static final Setting<String> COMPARATOR = define(new Setting<>(
            "comparator",
            SettingType.comparator(),
            "",
            Settings::comparator,
            "version whose weights are pinned; the later updates are compared with their hinge loss"));
    static final Setting<List<String>> CLASSES = define(new Setting<>(
            "classes",
            SettingType.classes(),
            List.of(),
            Settings::classes,
            "the classes or tags in the order that decides ties; empty: in their order of appearance"));
    static final Setting<Integer> CLASSES_MAX = define(new Setting<>(
            "classes.max",
            SettingType.count(1, Settings.MAX_CLASSES),
            1000,
            Settings::classesMax,
            "maximum number of classes or tags that a model may find"));
    static final Setting<Integer> PREDICT_SCORES = define(
            new Setting<>(
                    "predict.scores",
                    SettingType.flagOrCount(Settings.MAX_CLASSES),
                    0,
                    Settings::predictScores,
                    "whether predictions contain the scores of all classes, of both labels with two classes; a number: how many of the largest scores they contain, the largest first"));
    static final Setting<Double> C = define(new Setting<>(
            "c",
            SettingType.number(0, false),
            1.0,
            Settings::c,
            "aggressiveness C of pa-i, pa-ii, multiclass-pa and scw; factor of the steps of alma"));
    static final Setting<Double> R = define(new Setting<>(
            "r",
            SettingType.number(0, false),
            1.0,
            Settings::r,
            "regularization of arow: the larger, the smaller the steps"));
    static final Setting<Double> ALPHA = define(new Setting<>(
            "alpha",
            SettingType.fraction(1),
            0.9,
            Settings::alpha,
            "share of the largest margin that may be missing: the aim is (1 - alpha) times that margin"));
    static final Setting<DriftSettings.Detector> DRIFT = define(new Setting<>(
            "drift",
            SettingType.oneOf(DriftSettings.Detector.class),
            DriftSettings.NONE.detector(),
            settings -> settings.drift().detector(),
            "detector that watches the errors, see docs/drift.md"));
    static final Setting<Double> DRIFT_DELTA = define(new Setting<>(
            "drift.delta",
            SettingType.autoOrNumber(1),
            DriftSettings.NONE.delta(),
            settings -> settings.drift().delta(),
            "confidence of adwin and tolerance of page-hinkley; auto: the default of the detector"));
    static final Setting<Double> DRIFT_THRESHOLD = define(new Setting<>(
            "drift.threshold",
            SettingType.autoOrNumber(Double.POSITIVE_INFINITY),
            DriftSettings.NONE.threshold(),
            settings -> settings.drift().threshold(),
            "threshold of ddm and page-hinkley; auto: the default of the detector"));
    static final Setting<DriftSettings.Action> DRIFT_ACTION = define(new Setting<>(
            "drift.action",
            SettingType.oneOf(DriftSettings.Action.class),
            DriftSettings.NONE.action(),
            settings -> settings.drift().action(),
            "what follows an alarm: nothing more, a reset, or a shadow, a new model that takes over if it is better"));
    static final Setting<Integer> DRIFT_WINDOW = define(new Setting<>(
            "drift.window",
            SettingType.count(10, 1 << 20),
            DriftSettings.NONE.window(),
            settings -> settings.drift().window(),
            "examples over which model and shadow are compared"));

    static final Setting<Long> AWAIT_LABELS_MS = define(new Setting<>(
            "await.labels.ms",
            SettingType.whole(0, Long.MAX_VALUE / 4),
            0L,
            settings -> settings.late().awaitLabelsMs(),
            "how long an example without a label waits for its Label, in ms of the model's stream time, see"
                    + " docs/labels.md; 0: not at all"));
    static final Setting<Long> AWAIT_EXAMPLES_MS = define(new Setting<>(
            "await.examples.ms",
            SettingType.whole(0, Long.MAX_VALUE / 4),
            120_000L,
            settings -> settings.late().awaitExamplesMs(),
            "how long a Label waits for its example where await.labels.ms is not 0; 0: not at all"));
    static final Setting<Integer> AWAIT_LABELS_MAX = define(new Setting<>(
            "await.labels.max",
            SettingType.count(1, 1 << 20),
            100_000,
            settings -> settings.late().awaitLabelsMax(),
            "maximum number of examples and Labels of a model that wait for each other"));
    static final Setting<String> LABEL_DEFAULT = define(new Setting<>(
            "label.default",
            SettingType.label(),
            "",
            settings -> settings.late().labelDefault(),
            "label of an example whose Label has not come within await.labels.ms; empty: it is not learned"));
    static final Setting<Integer> DEDUPE_LAST = define(new Setting<>(
            "dedupe.last",
            SettingType.count(0, 1 << 20),
            0,
            settings -> settings.late().dedupeLast(),
            "number of last examples of the model whose ids must not come again; 0: no check"));

    static final Setting<Double> H_POSITIVE = define(new Setting<>(
            "h.positive",
            SettingType.autoOrNotNegative(),
            Double.NaN,
            settings -> settings.unequal().hPositive(),
            "hinge of the examples of the class +1, see docs/imbalance.md; auto: h"));
    static final Setting<Double> H_NEGATIVE = define(new Setting<>(
            "h.negative",
            SettingType.autoOrNotNegative(),
            Double.NaN,
            settings -> settings.unequal().hNegative(),
            "hinge of the examples of the class -1; auto: h"));
    static final Setting<UnequalClasses.Weights> CLASS_WEIGHTS = define(new Setting<>(
            "class.weights",
            SettingType.classWeights(),
            UnequalClasses.Weights.NONE,
            settings -> settings.unequal().weights(),
            "factors of the weights of examples by their class, as in spam:5,ham:1; balanced: inverse to the frequencies"
                    + " of the classes so far; empty: none"));
    static final Setting<Double> THRESHOLD = define(new Setting<>(
            "threshold",
            SettingType.finite(),
            0.0,
            settings -> settings.unequal().threshold(),
            "the lowest score for which +1 is emitted; changes no update"));
    static final Setting<String> CROSSES = define(new Setting<>(
            "crosses",
            SettingType.crosses(),
            "",
            settings -> settings.features().crosses(),
            "products of features, by the namespaces of their names, see docs/crosses.md; fixed once the model has seen"
                    + " examples"));
    static final Setting<Integer> CROSSES_MAX = define(new Setting<>(
            "crosses.max",
            SettingType.count(1, 1 << 20),
            100_000,
            settings -> settings.features().crossesMax(),
            "maximum number of features that crosses make of an example; one with more is rejected"));
    static final Setting<List<String>> NAMESPACES_IGNORE = define(new Setting<>(
            "namespaces.ignore",
            SettingType.namespaces(),
            List.of(),
            settings -> settings.features().ignored(),
            "namespaces whose features are not used, nor crossed; fixed once the model has seen examples"));
    static final Setting<List<String>> NAMESPACES_KEEP = define(new Setting<>(
            "namespaces.keep",
            SettingType.namespaces(),
            List.of(),
            settings -> settings.features().kept(),
            "the only namespaces whose features are used; empty: all; fixed once the model has seen examples"));

    static {
        DEFINED.addAll(UpdateSettings.DEFINED);
    }

    static final Setting<Integer> AUC_WINDOW = define(
            new Setting<>(
                    "auc.window",
                    SettingType.count(0, ReportSettings.MAX_AUC_WINDOW),
                    0,
                    settings -> settings.reports().aucWindow(),
                    "number of last labelled examples whose scores give the area under the ROC curve, see docs/metrics.md; 0: none"));
    static final Setting<Integer> EXPLAIN = define(
            new Setting<>(
                    "explain",
                    SettingType.count(0, ReportSettings.MAX_EXPLAIN),
                    0,
                    settings -> settings.reports().explain(),
                    "number of features in a Mistake that pulled hardest, with a kernel of examples, see docs/explain.md; 0: none"));

    /** Settings that decide which features an example has. */
    static final List<Setting<?>> FIXED = List.of(HASH_BITS, CROSSES, NAMESPACES_IGNORE, NAMESPACES_KEEP);

    private static final List<Setting<?>> ALL = List.copyOf(DEFINED);

    private SettingsDef() {}

    private static <T> Setting<T> define(Setting<T> setting) {
        DEFINED.add(setting);
        return setting;
    }

    /** Returns true for the name of a setting that decides which features an example has. */
    public static boolean isOfFeatures(String name) {
        return name.equals(CROSSES_MAX.name())
                || FIXED.stream().anyMatch(setting -> setting.name().equals(name));
    }

    /** All definitions in their order. */
    public static List<Setting<?>> all() {
        return ALL;
    }
}
