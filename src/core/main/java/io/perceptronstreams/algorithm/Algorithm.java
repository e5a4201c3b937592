package io.perceptronstreams.algorithm;

import static io.perceptronstreams.algorithm.Algorithm.Trait.AVERAGE;
import static io.perceptronstreams.algorithm.Algorithm.Trait.DUAL;
import static io.perceptronstreams.algorithm.Algorithm.Trait.DYNAMIC_MARGIN;
import static io.perceptronstreams.algorithm.Algorithm.Trait.HINGE;
import static io.perceptronstreams.algorithm.Algorithm.Trait.SEVERAL_CLASSES;
import static io.perceptronstreams.algorithm.Algorithm.Trait.STATE_OF_SETTINGS;
import static io.perceptronstreams.algorithm.Algorithm.Trait.TAGS;
import static io.perceptronstreams.algorithm.Algorithm.Trait.TWO_CLASSES;
import static io.perceptronstreams.settings.Settings.AGGRESSIVE;
import static io.perceptronstreams.settings.Settings.ALERTS_MAX;
import static io.perceptronstreams.settings.Settings.ALGORITHM;
import static io.perceptronstreams.settings.Settings.ALPHA;
import static io.perceptronstreams.settings.Settings.AUC_WINDOW;
import static io.perceptronstreams.settings.Settings.AVERAGE_HALF_LIFE;
import static io.perceptronstreams.settings.Settings.BIAS;
import static io.perceptronstreams.settings.Settings.BUDGET;
import static io.perceptronstreams.settings.Settings.BUDGET_POLICY;
import static io.perceptronstreams.settings.Settings.C;
import static io.perceptronstreams.settings.Settings.CALIBRATE;
import static io.perceptronstreams.settings.Settings.CLASSES;
import static io.perceptronstreams.settings.Settings.CLASSES_MAX;
import static io.perceptronstreams.settings.Settings.CLASS_WEIGHTS;
import static io.perceptronstreams.settings.Settings.COMPARATOR;
import static io.perceptronstreams.settings.Settings.CONFIDENCE;
import static io.perceptronstreams.settings.Settings.COVERAGE;
import static io.perceptronstreams.settings.Settings.CROSSES;
import static io.perceptronstreams.settings.Settings.CROSSES_MAX;
import static io.perceptronstreams.settings.Settings.DIAGONAL;
import static io.perceptronstreams.settings.Settings.ESTIMATE_ALERT;
import static io.perceptronstreams.settings.Settings.ETA;
import static io.perceptronstreams.settings.Settings.H;
import static io.perceptronstreams.settings.Settings.H_INCLUSIVE;
import static io.perceptronstreams.settings.Settings.H_NEGATIVE;
import static io.perceptronstreams.settings.Settings.H_POSITIVE;
import static io.perceptronstreams.settings.Settings.IMPLICIT;
import static io.perceptronstreams.settings.Settings.KERNEL_EXPRESSION;
import static io.perceptronstreams.settings.Settings.LABELS;
import static io.perceptronstreams.settings.Settings.LABEL_DEFAULT;
import static io.perceptronstreams.settings.Settings.LOSS;
import static io.perceptronstreams.settings.Settings.NAMESPACES_IGNORE;
import static io.perceptronstreams.settings.Settings.NAMESPACES_KEEP;
import static io.perceptronstreams.settings.Settings.NEGATIVE_LABEL;
import static io.perceptronstreams.settings.Settings.NORMALISED;
import static io.perceptronstreams.settings.Settings.PREDICT;
import static io.perceptronstreams.settings.Settings.PREDICT_SCORES;
import static io.perceptronstreams.settings.Settings.R;
import static io.perceptronstreams.settings.Settings.RATE;
import static io.perceptronstreams.settings.Settings.SEED;
import static io.perceptronstreams.settings.Settings.STACKED;
import static io.perceptronstreams.settings.Settings.SURVIVAL_START;
import static io.perceptronstreams.settings.Settings.THRESHOLD;

import io.perceptronstreams.example.Candidates;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.kernel.KernelPerceptron;
import io.perceptronstreams.learner.Alma;
import io.perceptronstreams.learner.Arow;
import io.perceptronstreams.learner.DynamicMargin;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.PassiveAggressive;
import io.perceptronstreams.learner.Perceptron;
import io.perceptronstreams.learner.Romma;
import io.perceptronstreams.learner.Scw;
import io.perceptronstreams.learner.Sgd;
import io.perceptronstreams.multiclass.MulticlassPassiveAggressive;
import io.perceptronstreams.multiclass.MulticlassPerceptron;
import io.perceptronstreams.multiclass.Softmax;
import io.perceptronstreams.settings.LearnerKind;
import io.perceptronstreams.settings.Setting;
import io.perceptronstreams.settings.SettingType;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.structured.SequencePerceptron;
import io.perceptronstreams.structured.StructuredPerceptron;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Learning algorithms, each with its learner, its traits and the settings that it uses besides those of its traits.
 *
 * <p>No other class compares with the constants: it asks for a trait or for a setting.
 */
@SuppressWarnings("ImmutableEnumChecker") // method references, and unmodifiable sets
public enum Algorithm implements LearnerKind {
    /** Chosen by the first label; uses all settings, and has no trait. */
    AUTO(0, NoLearner::new, List::of),
    /**
     * Chosen by the first label as {@code AUTO}, but with the settings that measured best where no other setting of a
     * learner is given.
     */
    ADAPTIVE(17, NoLearner::new, List::of),
    /** Two classes. */
    PERCEPTRON(
            1,
            Perceptron::new,
            () -> List.of(H_POSITIVE, H_NEGATIVE, KERNEL_EXPRESSION, BUDGET, COMPARATOR, CLASS_WEIGHTS),
            TWO_CLASSES,
            HINGE,
            AVERAGE),
    /** Any number of classes. */
    MULTICLASS(2, MulticlassPerceptron::new, () -> List.of(CLASS_WEIGHTS), SEVERAL_CLASSES, HINGE, AVERAGE),
    /** Any number of classes; each update gives the true class a lead of 1, with a maximum step. */
    MULTICLASS_PA(14, MulticlassPassiveAggressive::new, () -> List.of(C, CLASS_WEIGHTS), SEVERAL_CLASSES, AVERAGE),
    /** Any number of classes; gradient steps on a logistic loss over all of them. */
    SOFTMAX(
            16,
            Softmax::new,
            () -> List.of(ETA, RATE, IMPLICIT, CLASS_WEIGHTS),
            SEVERAL_CLASSES,
            AVERAGE,
            STATE_OF_SETTINGS),
    /** Two classes; each update gives the example a margin of 1. */
    PA(3, settings -> new Perceptron(settings, PassiveAggressive.PA), List::of, TWO_CLASSES, AVERAGE),
    /** PA with a maximum step. */
    PA_I(
            4,
            settings -> new Perceptron(settings, PassiveAggressive.PA_I),
            () -> List.of(C, CLASS_WEIGHTS),
            TWO_CLASSES,
            AVERAGE),
    /** PA with smaller steps. */
    PA_II(
            5,
            settings -> new Perceptron(settings, PassiveAggressive.PA_II),
            () -> List.of(C, CLASS_WEIGHTS),
            TWO_CLASSES,
            AVERAGE),
    /** Two classes; a step size per feature. */
    AROW(6, Arow::new, () -> List.of(R, DIAGONAL, CLASS_WEIGHTS), TWO_CLASSES),
    /** Two classes; approximately the largest margin. */
    ALMA(10, Alma::new, () -> List.of(C, ALPHA, CLASS_WEIGHTS), TWO_CLASSES),
    /** Two classes; the shortest vector that meets one example and one constraint for all earlier ones. */
    ROMMA(15, Romma::new, () -> List.of(AGGRESSIVE), TWO_CLASSES),
    /** Two classes; the largest margin but for a share, by a margin that follows the weights. */
    PDM(
            13,
            settings -> new Perceptron(settings, new DynamicMargin()),
            () -> List.of(ALPHA, CLASS_WEIGHTS),
            TWO_CLASSES,
            AVERAGE,
            DYNAMIC_MARGIN),
    /** Two classes; gradient steps on a loss. */
    SGD(
            11,
            Sgd::new,
            () -> List.of(ETA, LOSS, RATE, NORMALISED, IMPLICIT, STACKED, CLASS_WEIGHTS),
            TWO_CLASSES,
            AVERAGE,
            STATE_OF_SETTINGS),
    /** Two classes; a variance per feature, and a margin with a probability. */
    SCW(12, Scw::new, () -> List.of(C, CONFIDENCE, CLASS_WEIGHTS), TWO_CLASSES),
    /** Two classes, with kernels or votes. */
    KERNEL(
            7,
            KernelPerceptron::new,
            () -> List.of(
                    H_POSITIVE,
                    H_NEGATIVE,
                    KERNEL_EXPRESSION,
                    BUDGET,
                    BUDGET_POLICY,
                    SEED,
                    // the averages of counts of weight vectors, not of sums
                    PREDICT,
                    SURVIVAL_START,
                    CLASS_WEIGHTS),
            TWO_CLASSES,
            DUAL,
            HINGE),
    /** The best of listed candidates. */
    STRUCTURED(8, StructuredPerceptron::new, () -> List.of(LABEL_DEFAULT), HINGE, AVERAGE),
    /** The best sequence of tags. */
    SEQUENCE(9, SequencePerceptron::new, () -> List.of(BIAS, CLASSES, CLASSES_MAX), HINGE, AVERAGE, TAGS);

    /** Properties of learners; some have settings, which every learner with the trait uses. */
    public enum Trait {
        /** One of two classes, by the sign of a score of a vector of features. */
        TWO_CLASSES(() -> vectors(LABELS, NEGATIVE_LABEL, THRESHOLD, ALERTS_MAX, AUC_WINDOW)),
        /** One of any number of classes, by a weight vector for each. */
        SEVERAL_CLASSES(() -> vectors(CLASSES, CLASSES_MAX)),
        /** A tag for each token. */
        TAGS(List::of),
        /** Weights that are a sum of examples, by a kernel. */
        DUAL(List::of),
        /** Steps of eta at margins below h: the learner has the perceptron's bound of mistakes. */
        HINGE(() -> List.of(H, H_INCLUSIVE, ETA)),
        /** An average of all weights so far beside the last ones. */
        AVERAGE(() -> List.of(PREDICT, SURVIVAL_START, AVERAGE_HALF_LIFE)),
        /** A margin that follows the norm of the weights: the learner has the bound of pdm. */
        DYNAMIC_MARGIN(List::of),
        /** The numbers kept for each feature depend on the settings. */
        STATE_OF_SETTINGS(List::of);

        // not the settings themselves, whose definitions need the algorithms
        private final Supplier<List<Setting<?>>> settings;

        Trait(Supplier<List<Setting<?>>> settings) {
            this.settings = settings;
        }

        /** Settings of learners of vectors, and others. */
        private static List<Setting<?>> vectors(Setting<?>... others) {
            List<Setting<?>> all = new ArrayList<>(List.of(
                    BIAS,
                    PREDICT_SCORES,
                    LABEL_DEFAULT,
                    CROSSES,
                    CROSSES_MAX,
                    NAMESPACES_IGNORE,
                    NAMESPACES_KEEP,
                    CALIBRATE,
                    COVERAGE,
                    ESTIMATE_ALERT));
            all.addAll(List.of(others));
            return all;
        }
    }

    /** Algorithms by setting; a class of its own, because it needs the definitions of the settings. */
    private static final class Users {
        private static final Set<Algorithm> ALL = EnumSet.allOf(Algorithm.class);
        private static final Map<Setting<?>, Set<Algorithm>> OF = new HashMap<>();

        static {
            for (Algorithm algorithm : values()) {
                algorithm.settings.get().forEach(setting -> add(setting, algorithm));
                algorithm.traits.forEach(trait -> trait.settings.get().forEach(setting -> add(setting, algorithm)));
            }
        }

        private static void add(Setting<?> setting, Algorithm algorithm) {
            OF.computeIfAbsent(setting, key -> EnumSet.of(AUTO, ADAPTIVE)).add(algorithm);
        }
    }

    private final int number;
    private final Function<Settings, Learner> learner;
    private final Supplier<List<Setting<?>>> settings;
    private final Set<Trait> traits;

    /**
     * Declares an algorithm.
     *
     * @param number in stored headers; never changes
     */
    Algorithm(int number, Function<Settings, Learner> learner, Supplier<List<Setting<?>>> settings, Trait... traits) {
        this.number = number;
        this.learner = learner;
        this.settings = settings;
        // asked for several times per example: a test of a bit
        this.traits = EnumSet.noneOf(Trait.class);
        this.traits.addAll(List.of(traits));
    }

    /** Returns the algorithm for a first label and its features. */
    public static Algorithm fitting(Settings settings, Features x, Label y) {
        if (x instanceof Sequence) {
            return SEQUENCE;
        }
        if (x instanceof Candidates) {
            return STRUCTURED;
        }
        boolean isNamed = y instanceof Label.ClassName || !settings.get(CLASSES).isEmpty();
        return isNamed && settings.get(LABELS).isEmpty() ? MULTICLASS : PERCEPTRON;
    }

    /**
     * Returns the learner that the first label of a vector makes, without weights; null where the settings name no
     * label.
     */
    static Learner beginner(Settings settings) {
        if (settings.get(LABELS).isEmpty() && settings.get(CLASSES).isEmpty()) {
            return null;
        }
        Algorithm algorithm = (settings.get(LABELS).isEmpty() ? MULTICLASS : PERCEPTRON).refined(settings);
        try {
            settings.requireUsedBy(algorithm, Settings.DEFAULTS);
            return algorithm.create(settings);
        } catch (IllegalArgumentException e) {
            // the first label will be refused with this message
            return null;
        }
    }

    /** All algorithms, for the settings. */
    public static final class All implements LearnerKind.Source {
        @Override
        public List<Algorithm> kinds() {
            return List.of(values());
        }
    }

    /** Returns the algorithm of settings. */
    public static Algorithm of(Settings settings) {
        return (Algorithm) settings.get(ALGORITHM);
    }

    /**
     * Returns the algorithm with a spelling.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Algorithm parse(String spelling) {
        return (Algorithm) ALGORITHM.parse(spelling);
    }

    /** Number in stored headers; never changes. */
    public int number() {
        return number;
    }

    /**
     * Creates a new learner.
     *
     * @throws IllegalArgumentException if it does not support these settings; {@link Settings#requireUsedBy} finds
     *     those that it would ignore
     */
    public Learner create(Settings settings) {
        return learner.apply(settings);
    }

    /** Returns true if the learner has this trait. */
    public boolean has(Trait trait) {
        return traits.contains(trait);
    }

    @Override
    public boolean uses(Setting<?> setting) {
        // all of them if none names it
        return Users.OF.getOrDefault(setting, Users.ALL).contains(this);
    }

    @Override
    public boolean isDecided() {
        return this != AUTO && this != ADAPTIVE;
    }

    /** Returns true if the first label also chooses settings of the learner, where none is given. */
    public boolean isAdaptive() {
        return this == ADAPTIVE;
    }

    /** Returns true if each example has one of a few labels. */
    public boolean hasClasses() {
        return has(TWO_CLASSES) || has(SEVERAL_CLASSES);
    }

    /** Returns true if the learner has one weight per feature and class. */
    public boolean isLinear() {
        return hasClasses() && !has(DUAL);
    }

    /** Returns true if the learner compares its weights with others, and has the bound of the perceptron in them. */
    public boolean hasComparator() {
        return isDecided() && uses(COMPARATOR);
    }

    /** Returns the algorithm for more than two classes whose updates are most similar. */
    Algorithm ofSeveralClasses() {
        if (this == SGD) {
            return SOFTMAX;
        }
        return this == PA || this == PA_I || this == PA_II ? MULTICLASS_PA : MULTICLASS;
    }

    /** Returns {@code KERNEL}, the dual form, for a perceptron with a kernel, a budget or votes; otherwise this. */
    public Algorithm refined(Settings settings) {
        return this == PERCEPTRON && settings.needsSupport() ? KERNEL : this;
    }

    /** Returns true if a model with this setting may keep that learner. */
    public boolean allows(Algorithm learner) {
        return this == learner || !isDecided() || (this == PERCEPTRON && learner == KERNEL);
    }

    /** Spelling for users: {@code pa-ii}. */
    @Override
    public String toString() {
        return SettingType.spelled(this);
    }
}
