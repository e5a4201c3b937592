package io.perceptronstreams.learner;

import io.perceptronstreams.drift.DriftSettings;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.Utf8Slice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The settings of a model, as {@code perceptron models set} gives them.
 *
 * @param algorithm which learner; {@code auto} takes the one that fits the first label
 * @param h hinge parameter >= 0: y·u below it is a margin mistake (0: perceptron, 1: margin perceptron)
 * @param isHInclusive whether y·u = h is a margin mistake, too (Harvey 2018)
 * @param eta step > 0
 * @param predict which weights the emitted label comes from
 * @param survivalStart 1: a new weight vector's survival count includes the example that made it (Freund and Schapire 1999); 0: it does
 *     not (Collins 2002)
 * @param bias whether a feature of value 1 is appended to every example
 * @param kernel the canonical form of a {@link Kernel} expression; empty: none, which is the linear one where there are support vectors
 * @param budget how many support vectors a two-class model may have; 0: any number
 * @param budgetPolicy which of them goes when there would be more
 * @param seed of what is drawn at random
 * @param labels two names that stand for -1 and +1, or none
 * @param hashBits named features are hashed into 2^hashBits indices
 * @param scale what is done to features before anything else
 * @param windowMs length of the counting windows, in ms of event time
 * @param snapshotEvery weights are published after so many updates; 0: only when asked
 * @param blocksMax upper limit on the blocks of 128 weights that a model may touch, and on those of the statistics of
 *     {@code scale=standard}; where weights lie in {@link io.perceptronstreams.weights.SparseRows}, 256 numbers count as a block
 * @param comparator the version at which the model's weights are pinned, to be compared with from then on; none where empty, and
 *     {@link #IMPORTED} where they were imported
 * @param classes the classes of a multiclass model in the order that decides ties; none: they come as they are seen
 * @param classesMax upper limit on the classes that a multiclass model may find
 * @param isPredictScores whether predictions carry the scores of all classes
 * @param c aggressiveness C > 0 of the Passive-Aggressive learners I and II
 * @param r regularization r > 0 of AROW: the larger, the smaller its steps
 * @param drift what watches the errors of the model, and what follows from its alarms
 */
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
        int hashBits,
        Scale scale,
        long windowMs,
        long snapshotEvery,
        int blocksMax,
        String comparator,
        List<String> classes,
        int classesMax,
        boolean isPredictScores,
        double c,
        double r,
        DriftSettings drift) {

    /** Stands for a comparator that came from elsewhere. */
    public static final String IMPORTED = "imported";

    /** Maximum number of classes whose scores, or whose row of weights, fit into one record. */
    public static final int MAX_CLASSES = 10_000;

    /** How many unknown settings a message names. */
    private static final int MAX_SHOWN = 10;

    /** Which weights the emitted label comes from. */
    public enum Predict {
        LAST,
        AVERAGED,
        VOTED
    }

    /** Which support vector goes when there would be more than the budget. */
    public enum BudgetPolicy {
        /** The one that came first. */
        OLDEST,
        /** The one whose removal changes w the least: of the smallest alpha^2·K(x,x); the first of several. */
        SMALLEST,
        /** Any, with equal chances. */
        RANDOM
    }

    /** What is done to features before anything else. */
    public enum Scale {
        NONE,
        UNIT_NORM,
        STANDARD
    }

    // stands for a detector's own default
    private static final String AUTO = "auto";

    /** The settings of a model that nobody configured. */
    public static final Settings DEFAULTS = new Settings(
            Algorithm.AUTO,
            0,
            false,
            1,
            Predict.LAST,
            1,
            true,
            "",
            0,
            BudgetPolicy.OLDEST,
            0,
            List.of(),
            18,
            Scale.NONE,
            10_000,
            0,
            1 << 17,
            "",
            List.of(),
            1000,
            false,
            1,
            1,
            DriftSettings.NONE);

    /** Keeps unmodifiable copies of the names. */
    public Settings {
        labels = List.copyOf(labels);
        classes = List.copyOf(classes);
    }

    /**
     * These settings with some of them changed.
     *
     * @throws IllegalArgumentException with all faults, if a name is unknown or a value is wrong
     */
    public Settings with(Map<String, String> changes) {
        Map<String, String> all = toMap();
        Reader reader = new Reader(all);
        int unknown = 0;
        for (Map.Entry<String, String> change : new TreeMap<>(changes).entrySet()) {
            // null, which JSON can bring, is told as a wrong value below
            if (all.replace(change.getKey(), String.valueOf(change.getValue())) == null) {
                unknown++;
                if (unknown == 1) {
                    reader.faults.add("unknown setting '" + Utf8Slice.shortened(change.getKey(), 80) + "' (known: "
                            + String.join(", ", all.keySet()) + ")");
                } else if (unknown <= MAX_SHOWN) {
                    reader.faults.add("unknown setting '" + Utf8Slice.shortened(change.getKey(), 80) + "'");
                }
            }
        }
        if (unknown > MAX_SHOWN) {
            reader.faults.add((unknown - MAX_SHOWN) + " more unknown settings");
        }
        Settings changed = new Settings(
                reader.oneOf("algorithm", Algorithm.values()),
                reader.number("h", 0, true),
                reader.flag("h.inclusive"),
                reader.number("eta", 0, false),
                reader.oneOf("predict", Predict.values()),
                (int) reader.whole("survival.start", 0, 1),
                reader.flag("bias"),
                reader.kernel(),
                (int) reader.whole("budget", 0, 1 << 24),
                reader.oneOf("budget.policy", BudgetPolicy.values()),
                reader.whole("seed", 0, Long.MAX_VALUE),
                reader.labels(),
                (int) reader.whole("hash.bits", 1, FeatureHasher.MAX_BITS),
                reader.oneOf("scale", Scale.values()),
                reader.whole("window.ms", 1, Long.MAX_VALUE / 2),
                reader.whole("snapshot.every", 0, Long.MAX_VALUE),
                (int) reader.whole("blocks.max", 1, 1 << 24),
                reader.comparator(),
                reader.classes(),
                (int) reader.whole("classes.max", 1, MAX_CLASSES),
                reader.flag("predict.scores"),
                reader.number("c", 0, false),
                reader.number("r", 0, false),
                reader.drift());
        if (!reader.faults.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", reader.faults));
        }
        return changed;
    }

    /** Every setting by its name, in a fixed order; {@code DEFAULTS.with(toMap())} gives these settings again. */
    public Map<String, String> toMap() {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("algorithm", spelled(algorithm));
        map.put("h", Double.toString(h));
        map.put("h.inclusive", Boolean.toString(isHInclusive));
        map.put("eta", Double.toString(eta));
        map.put("predict", spelled(predict));
        map.put("survival.start", Integer.toString(survivalStart));
        map.put("bias", Boolean.toString(bias));
        map.put("kernel", kernel);
        map.put("budget", Integer.toString(budget));
        map.put("budget.policy", spelled(budgetPolicy));
        map.put("seed", Long.toString(seed));
        map.put("labels", String.join(",", labels));
        map.put("hash.bits", Integer.toString(hashBits));
        map.put("scale", spelled(scale));
        map.put("window.ms", Long.toString(windowMs));
        map.put("snapshot.every", Long.toString(snapshotEvery));
        map.put("blocks.max", Integer.toString(blocksMax));
        map.put("comparator", comparator);
        map.put("classes", String.join(",", classes));
        map.put("classes.max", Integer.toString(classesMax));
        map.put("predict.scores", Boolean.toString(isPredictScores));
        map.put("c", Double.toString(c));
        map.put("r", Double.toString(r));
        map.put("drift", spelled(drift.detector()));
        map.put("drift.delta", Double.isNaN(drift.delta()) ? AUTO : Double.toString(drift.delta()));
        map.put("drift.threshold", Double.isNaN(drift.threshold()) ? AUTO : Double.toString(drift.threshold()));
        map.put("drift.action", spelled(drift.action()));
        map.put("drift.window", Integer.toString(drift.window()));
        return map;
    }

    /** Whether a two-class perceptron must keep its support vectors: for a kernel, a budget, or the votes of all weight vectors. */
    boolean needsSupport() {
        return !kernel.isEmpty() || budget > 0 || predict == Predict.VOTED;
    }

    /**
     * What learners without support vectors ask for.
     *
     * @throws IllegalArgumentException if these settings need them
     */
    void requireNoSupport() {
        if (needsSupport()) {
            throw new IllegalArgumentException(
                    "kernel, budget and predict=voted need algorithm=kernel, which must be set before a"
                            + " model has seen labels (reset the model first)");
        }
    }

    /** How a user writes a constant: {@code unit-norm}. */
    public static String spelled(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Reads values by name and gathers what is wrong with them. */
    private static final class Reader {
        // names are part of every stored model and of every prediction
        private static final int MAX_NAME_LENGTH = 256;

        // settings are part of every chunk of published weights
        private static final int MAX_CLASSES_LENGTH = 16 * 1024;

        private final Map<String, String> values;
        private final List<String> faults = new ArrayList<>();

        Reader(Map<String, String> values) {
            this.values = values;
        }

        <E extends Enum<E>> E oneOf(String name, E[] constants) {
            List<String> spellings = new ArrayList<>();
            for (E constant : constants) {
                if (spelled(constant).equals(values.get(name))) {
                    return constant;
                }
                spellings.add(spelled(constant));
            }
            return fault(name, "be one of " + String.join(", ", spellings), constants[0]);
        }

        double number(String name, double low, boolean isLowAllowed) {
            try {
                double value = Double.parseDouble(values.get(name));
                if (Double.isFinite(value) && (value > low || (isLowAllowed && value == low))) {
                    return value;
                }
            } catch (NumberFormatException e) {
                // reported by fault()
            }
            return fault(name, "be a number " + (isLowAllowed ? ">= " : "> ") + low, low);
        }

        long whole(String name, long low, long high) {
            try {
                long value = Long.parseLong(values.get(name));
                if (value >= low && value <= high) {
                    return value;
                }
            } catch (NumberFormatException e) {
                // reported by fault()
            }
            return fault(name, "be a whole number from " + low + " to " + high, low);
        }

        boolean flag(String name) {
            String value = values.get(name);
            return value.equals("true") || (!value.equals("false") && fault(name, "be true or false", false));
        }

        String comparator() {
            String value = values.get("comparator");
            return value.isEmpty() || value.equals(IMPORTED) || value.matches("0|[1-9][0-9]{0,14}")
                    ? value
                    : fault("comparator", "be a version of the model, or empty for none", "");
        }

        String kernel() {
            String value = values.get("kernel");
            if (value.isBlank()) {
                return "";
            }
            try {
                // its own text, which may be longer, is read again wherever the settings are
                return Kernel.parse(Kernel.parse(value).text()).text();
            } catch (IllegalArgumentException e) {
                return fault(
                        "kernel",
                        "be an expression such as 0.5*poly(c=1,k=2) + rbf(g=0.1) (" + e.getMessage() + ")",
                        "");
            }
        }

        DriftSettings drift() {
            DriftSettings.Detector detector = oneOf("drift", DriftSettings.Detector.values());
            boolean isNone = detector == DriftSettings.Detector.NONE;
            return new DriftSettings(
                    detector,
                    ofDetector("drift.delta", isNone || detector.hasDelta(), 1),
                    ofDetector("drift.threshold", isNone || detector.hasThreshold(), Double.POSITIVE_INFINITY),
                    oneOf("drift.action", DriftSettings.Action.values()),
                    (int) whole("drift.window", 10, 1 << 20));
        }

        private double ofDetector(String name, boolean isTaken, double below) {
            String value = values.get(name);
            if (value.equals(AUTO)) {
                return Double.NaN;
            }
            if (!isTaken) {
                return fault(name, "be auto where drift=" + values.get("drift"), Double.NaN);
            }
            try {
                double number = Double.parseDouble(value);
                if (number > 0 && number < below) {
                    return number;
                }
            } catch (NumberFormatException e) {
                // reported by fault()
            }
            return fault(
                    name, "be auto or a number > 0" + (below < Double.POSITIVE_INFINITY ? " and < " + below : ""), 1.0);
        }

        List<String> labels() {
            String value = values.get("labels");
            if (value.isEmpty()) {
                return List.of();
            }
            List<String> names = List.of(value.split(",", 3));
            if (names.size() == 2
                    && names.stream().allMatch(name -> !name.isEmpty() && name.length() <= MAX_NAME_LENGTH)
                    && !names.get(0).equals(names.get(1))) {
                return names;
            }
            return fault(
                    "labels",
                    "be two different names of at most " + MAX_NAME_LENGTH
                            + " characters, the one for -1 first, as in ham,spam",
                    List.of());
        }

        List<String> classes() {
            String value = values.get("classes");
            if (value.isEmpty()) {
                return List.of();
            }
            List<String> names = value.length() <= MAX_CLASSES_LENGTH ? List.of(value.split(",", -1)) : List.of();
            if (names.size() >= 2
                    && names.size() <= MAX_CLASSES
                    && names.stream().allMatch(Classes::isName)
                    && Set.copyOf(names).size() == names.size()) {
                return names;
            }
            return fault(
                    "classes",
                    "be two or more different names of 1 to " + Classes.MAX_NAME_LENGTH + " characters, in all at most "
                            + MAX_CLASSES_LENGTH + ", as in red,green,blue",
                    List.of());
        }

        private <T> T fault(String name, String rule, T stand) {
            String value = values.get(name);
            faults.add(name + " must " + rule + ", got '" + Utf8Slice.shortened(value, 80) + "'");
            return stand;
        }
    }
}
