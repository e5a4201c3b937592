package io.perceptronstreams.learner;

import io.perceptronstreams.drift.DriftSettings;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.SimilarName;
import io.perceptronstreams.example.Utf8Slice;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Settings of a model, as set by {@code perceptron models set}; {@link SettingsDef} defines them. */
public record Settings(
        Algorithm algorithm,
        double h,
        boolean isHInclusive,
        double eta,
        Predict predict,
        int survivalStart,
        boolean bias,
        String kernel,
        int budget,
        BudgetPolicy budgetPolicy,
        long seed,
        List<String> labels,
        NegativeLabel negativeLabel,
        int hashBits,
        Scale scale,
        long windowMs,
        long windowExamples,
        long snapshotEvery,
        int blocksMax,
        int namesMax,
        String comparator,
        List<String> classes,
        int classesMax,
        int predictScores,
        double c,
        double r,
        double alpha,
        DriftSettings drift,
        LabelSettings late,
        UnequalClasses unequal,
        FeatureSettings features,
        UpdateSettings updates,
        ReportSettings reports) {

    /** Value of {@link #comparator} for weights that were imported. */
    public static final String IMPORTED = "imported";

    /** Maximum number of classes; their scores, or a row of weights, fit into one record. */
    public static final int MAX_CLASSES = 10_000;

    /** Maximum number of unknown settings in a message. */
    private static final int MAX_SHOWN = 10;

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

    /** Default settings. */
    public static final Settings DEFAULTS = of(new Values(Map.of()));

    /** Keeps unmodifiable copies of the names. */
    public Settings {
        labels = List.copyOf(labels);
        classes = List.copyOf(classes);
    }

    private static Settings of(Values values) {
        return new Settings(
                values.get(SettingsDef.ALGORITHM),
                values.get(SettingsDef.H),
                values.get(SettingsDef.H_INCLUSIVE),
                values.get(SettingsDef.ETA),
                values.get(SettingsDef.PREDICT),
                values.get(SettingsDef.SURVIVAL_START),
                values.get(SettingsDef.BIAS),
                values.get(SettingsDef.KERNEL_EXPRESSION),
                values.get(SettingsDef.BUDGET),
                values.get(SettingsDef.BUDGET_POLICY),
                values.get(SettingsDef.SEED),
                values.get(SettingsDef.LABELS),
                values.get(SettingsDef.NEGATIVE_LABEL),
                values.get(SettingsDef.HASH_BITS),
                values.get(SettingsDef.SCALE),
                values.get(SettingsDef.WINDOW_MS),
                values.get(SettingsDef.WINDOW_EXAMPLES),
                values.get(SettingsDef.SNAPSHOT_EVERY),
                values.get(SettingsDef.BLOCKS_MAX),
                values.get(SettingsDef.NAMES_MAX),
                values.get(SettingsDef.COMPARATOR),
                values.get(SettingsDef.CLASSES),
                values.get(SettingsDef.CLASSES_MAX),
                values.get(SettingsDef.PREDICT_SCORES),
                values.get(SettingsDef.C),
                values.get(SettingsDef.R),
                values.get(SettingsDef.ALPHA),
                new DriftSettings(
                        values.get(SettingsDef.DRIFT),
                        values.get(SettingsDef.DRIFT_DELTA),
                        values.get(SettingsDef.DRIFT_THRESHOLD),
                        values.get(SettingsDef.DRIFT_ACTION),
                        values.get(SettingsDef.DRIFT_WINDOW)),
                new LabelSettings(
                        values.get(SettingsDef.AWAIT_LABELS_MS),
                        values.get(SettingsDef.AWAIT_EXAMPLES_MS),
                        values.get(SettingsDef.AWAIT_LABELS_MAX),
                        values.get(SettingsDef.LABEL_DEFAULT),
                        values.get(SettingsDef.DEDUPE_LAST)),
                new UnequalClasses(
                        values.get(SettingsDef.H_POSITIVE),
                        values.get(SettingsDef.H_NEGATIVE),
                        values.get(SettingsDef.CLASS_WEIGHTS),
                        values.get(SettingsDef.THRESHOLD)),
                new FeatureSettings(
                        values.get(SettingsDef.CROSSES),
                        values.get(SettingsDef.CROSSES_MAX),
                        values.get(SettingsDef.NAMESPACES_IGNORE),
                        values.get(SettingsDef.NAMESPACES_KEEP)),
                new UpdateSettings(
                        values.get(UpdateSettings.LOSS),
                        values.get(UpdateSettings.RATE),
                        values.get(UpdateSettings.NORMALISED),
                        values.get(UpdateSettings.IMPLICIT),
                        values.get(UpdateSettings.AVERAGE_HALF_LIFE),
                        values.get(UpdateSettings.CONFIDENCE)),
                new ReportSettings(values.get(SettingsDef.AUC_WINDOW), values.get(SettingsDef.EXPLAIN)));
    }

    /**
     * Returns these settings with {@code changes}.
     *
     * @throws IllegalArgumentException with all faults, if a name is unknown or a value is wrong
     */
    public Settings with(Map<String, String> changes) {
        Map<String, String> all = toMap();
        Values values = new Values(all);
        int unknown = 0;
        for (Map.Entry<String, String> change : new TreeMap<>(changes).entrySet()) {
            // null, which JSON allows, is reported as a wrong value
            if (all.replace(change.getKey(), String.valueOf(change.getValue())) == null) {
                unknown++;
                if (unknown <= MAX_SHOWN) {
                    values.faults.add(unknown(change.getKey(), all.keySet(), unknown == 1));
                }
            }
        }
        if (unknown > MAX_SHOWN) {
            values.faults.add((unknown - MAX_SHOWN) + " more unknown settings");
        }
        Settings changed = of(values);
        values.requireOfDetector(
                SettingsDef.DRIFT_DELTA, changed.drift.detector().hasDelta());
        values.requireOfDetector(
                SettingsDef.DRIFT_THRESHOLD, changed.drift.detector().hasThreshold());
        values.faults.addAll(changed.features.faults());
        values.faults.addAll(changed.updates.faults());
        throwIfAny(values.faults);
        return changed;
    }

    private static String unknown(String name, Set<String> known, boolean isFirst) {
        String remedy = SimilarName.of(name, known)
                .map(similar -> " (did you mean " + similar + "?)")
                .orElse(isFirst ? " (known: " + String.join(", ", known) + ")" : "");
        return "unknown setting '" + Utf8Slice.shortened(name, 80) + "'" + remedy;
    }

    /** Returns these settings with another {@link #negativeLabel}. */
    public Settings with(NegativeLabel changed) {
        if (changed == negativeLabel) {
            return this;
        }
        // most models of a store have no other settings: they share one object
        return equals(Defaults.WITH.get(negativeLabel))
                ? Defaults.WITH.get(changed)
                : with(Map.of(SettingsDef.NEGATIVE_LABEL.name(), changed.toString()));
    }

    /** Estimated heap of these settings, in bytes; 0 for the object that all models without own settings share. */
    @SuppressWarnings("ReferenceEquality") // which object it is, not what it says
    public long heapBytes() {
        return this == Defaults.WITH.get(negativeLabel) ? 0 : OWN_BYTES;
    }

    /** Default settings with each {@link #negativeLabel}; a class of its own, because it needs {@link #DEFAULTS}. */
    private static final class Defaults {
        private static final Map<NegativeLabel, Settings> WITH = new EnumMap<>(NegativeLabel.class);

        static {
            for (NegativeLabel each : NegativeLabel.values()) {
                WITH.put(each, DEFAULTS.with(Map.of(SettingsDef.NEGATIVE_LABEL.name(), each.toString())));
            }
            WITH.put(DEFAULTS.negativeLabel(), DEFAULTS);
        }
    }

    private static void throwIfAny(List<String> faults) {
        if (!faults.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", faults));
        }
    }

    /** Returns the hasher for the features of a model with these settings. */
    public FeatureHasher hasher() {
        return new FeatureHasher(hashBits, features.rules());
    }

    /** Returns every setting by name, in a fixed order; {@code DEFAULTS.with(toMap())} equals these settings. */
    public Map<String, String> toMap() {
        Map<String, String> map = new LinkedHashMap<>();
        for (Setting<?> setting : SettingsDef.all()) {
            map.put(setting.name(), setting.text(this));
        }
        return map;
    }

    /**
     * Checks that a learner uses all settings that differ from their defaults and from {@code present}.
     *
     * @throws IllegalArgumentException with all faults
     */
    public void requireUsedBy(Algorithm learner, Settings present) {
        List<String> faults = new ArrayList<>();
        for (Setting<?> setting : SettingsDef.all()) {
            String text = setting.text(this);
            boolean isDefault = text.equals(setting.defaultText());
            if (!isDefault && !learner.uses(setting) && !text.equals(setting.text(present))) {
                faults.add(unused(setting, setting.defaultText(), text, learner));
            }
        }
        if (predict == Predict.VOTED
                && !learner.uses(SettingsDef.KERNEL_EXPRESSION)
                && learner.uses(SettingsDef.PREDICT)) {
            faults.add("predict must be last or averaged with algorithm=" + learner
                    + ", got 'voted' (used by perceptron, kernel)");
        }
        throwIfAny(faults);
    }

    /**
     * Checks that the features of an example are the same with other settings, except that they may have another {@link
     * FeatureSettings#crossesMax}.
     *
     * @throws IllegalArgumentException with all faults
     */
    public void requireSameFeatures(Settings present) {
        List<String> faults = new ArrayList<>();
        for (Setting<?> setting : SettingsDef.FIXED) {
            String text = setting.text(this);
            String fixed = setting.text(present);
            if (!text.equals(fixed)) {
                faults.add(setting.name() + " must stay " + (fixed.isEmpty() ? "empty" : fixed)
                        + " once a model has seen examples, got " + (text.isEmpty() ? "none" : text)
                        + " (to discard what it has learned, reset with " + setting.name() + "=" + text + ")");
            }
        }
        throwIfAny(faults);
    }

    private static String unused(Setting<?> setting, String allowed, String got, Algorithm learner) {
        return setting.name() + " must be " + (allowed.isEmpty() ? "empty" : allowed) + " with algorithm=" + learner
                + ", got '" + Utf8Slice.shortened(got, 80) + "' (used by " + setting.users()
                + (allowed.isEmpty() ? "; " + setting.name() + "= empties it" : "") + ")";
    }

    /** Hinge of the examples of a class, -1 or +1. */
    double hinge(int sign) {
        return unequal.hinge(sign, h);
    }

    /** The largest hinge of all classes. */
    public double largestHinge() {
        return Math.max(hinge(-1), hinge(1));
    }

    /** Returns true if all examples of weight 1 have the same step and the same hinge. */
    public boolean hasEqualClasses() {
        return hinge(-1) == hinge(1) && unequal.weights().isNone();
    }

    /** Returns true if a two-class perceptron must keep its support vectors: it has a kernel, a budget, or votes. */
    boolean needsSupport() {
        return !kernel.isEmpty() || budget > 0 || predict == Predict.VOTED;
    }

    /** Returns true unless a kernel other than the linear one scores in a space of its own. */
    public boolean hasFeatureWeights() {
        return kernel.isEmpty() || kernel.equals("linear");
    }

    /** Spelling of a constant for users: {@code unit-norm}. */
    public static String spelled(Enum<?> constant) {
        return SettingType.spelled(constant);
    }

    /** Parses values by name, with the default for a missing name, and collects the faults. */
    private static final class Values {
        private final Map<String, String> texts;
        private final List<String> faults = new ArrayList<>();

        Values(Map<String, String> texts) {
            this.texts = texts;
        }

        <T> T get(Setting<T> setting) {
            String text = texts.get(setting.name());
            try {
                return text == null ? setting.defaultValue() : setting.parse(text);
            } catch (IllegalArgumentException e) {
                faults.add(e.getMessage());
                return setting.defaultValue();
            }
        }

        /** A detector without this parameter accepts only auto; without a detector the value is kept for later. */
        void requireOfDetector(Setting<Double> setting, boolean isTaken) {
            String detector = texts.get(SettingsDef.DRIFT.name());
            String text = texts.get(setting.name());
            if (!isTaken && !detector.equals(SettingsDef.DRIFT.defaultText()) && !text.equals(setting.defaultText())) {
                faults.add(setting.name() + " must be auto where drift=" + detector + ", got '"
                        + Utf8Slice.shortened(text, 80) + "'");
            }
        }
    }
}
