package io.perceptronstreams.model;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.evaluation.ClassMetrics;
import io.perceptronstreams.evaluation.ConfusionMatrix;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.NumberTexts;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.settings.Setting;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.state.StoredFields;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Looks for what may hold a model back, and gives each {@link Advice.Kind} of advice at most once.
 *
 * <p>Labelled examples and errors are those of the present weights. At powers of two of their number:
 *
 * <ul>
 *   <li>SCALE: an observation of sizes begins ({@link FeatureSizes}), with {@code scale=none} and a learner that does
 *       not normalise features itself; advice at its end, unless the model errs less than once in twenty examples.
 *   <li>BASELINE, at 200 and from 256 on: the model has made at least as many errors as the majority label, always
 *       predicted, would have: E >= B by its {@link ConfusionMatrix}. B must be at least 50, and 1 in 20 examples:
 *       fewer are also made by a model that is better, in its first examples.
 *   <li>RUNS, at each 64th example from 128 on, and from 4,096 on at each 1,024th: the last true label, always
 *       predicted, would have made fewer than three quarters of the errors M of the majority label so far, and S errors
 *       with M - S > 2.5·sqrt(M + S), which is no chance; and the model has made more than three quarters of S, and at
 *       least 25. Where no settings are better than those of the model, its E errors must be significantly more: E - S
 *       > 2·sqrt(E + S).
 *   <li>RARE_LABEL, from 4,096 on: count(label)/examples < 1/1000 for a label that was seen.
 *   <li>COLLISIONS: n names, of which the k indices with a weight are left, have about n(n-1)/2^(b+1) pairs with the
 *       same index of b bits; n = -2^b·ln(1 - k/2^b). Advice if there are more pairs than n/100.
 *   <li>CLASS_WEIGHTS, from 1,024 on: the setting names a class of which no label was seen.
 *   <li>NUMBER_TEXTS, from 16 to 65,536: a feature of the example, or of the names so far, has texts that stand for
 *       numbers, see {@link NumberTexts}.
 *   <li>AVERAGED: the {@link #COMPARED} examples before each power of two are predicted by the average, too. Of the
 *       examples on which one is wrong, b are those on which the last weights are and c the others; advice if b - c >
 *       3·sqrt(b + c) (McNemar 1947), unless the labels come in runs.
 * </ul>
 *
 * <p>SCALE, BASELINE, RUNS and AVERAGED have the same answers: the settings that docs/streams.md names for labels in
 * runs and for others. An answer is given once, for whichever reason comes first, and never to a model that has its
 * settings. No answer names a detector of drift: with the one of {@code algorithm=adaptive}, a model that followed made
 * more errors on seven of eight tables where it did not make the same.
 *
 * <p>Everything depends on the log alone, and changes neither weights nor predictions. Between observations and
 * comparisons there is no state except the kinds already given. Cost per labelled example: O(1); O(non-zeros) in
 * observations and comparisons; O(labels²) and, for COLLISIONS, O(weights) at powers of two. Not thread-safe.
 */
public final class Advisor {
    /** Compared examples before each power of two. */
    static final int COMPARED = 256;

    private static final long FIRST_SIZES = 64;
    private static final long LAST_SIZES = 1 << 16;
    private static final long FIRST_COMPARED = 1024;
    private static final long FIRST_BASELINE = 200;
    private static final long BASELINE = 20;
    private static final long FIRST_RUNS = 128;
    private static final long RUNS_STEP = 64;
    private static final long LAST_SMALL_STEP = 4096;
    private static final long MIN_RUNS_ERRORS = 25;
    private static final long GOOD_IN_RUNS = 10;
    private static final long MIN_BASELINE = 50;
    private static final long FIRST_CLASS_WEIGHTS = 1024;
    private static final long FIRST_RARE = 4096;
    private static final long RARE = 1000;
    private static final long FIRST_COLLISIONS = 256;
    private static final long FIRST_TEXTS = 16;
    private static final long LAST_TEXTS = 1 << 16;
    private static final int MAX_NAMED = 3;

    private static final long LAST_COLLISIONS = 1 << 20;
    private static final double COLLIDING = 0.01;
    private static final int MIN_DIFFERENT = 10;
    private static final int MAX_HASH_BITS = 30;
    private static final int MAX_LABEL = 64;
    private static final int MAX_SEEN = 5;

    /** Settings that suit most streams of two classes: docs/streams.md. */
    private static final Answer RULE =
            new Answer(256, "algorithm=sgd rate=adagrad scale=standard implicit=true stacked=true");

    /** Settings for two classes whose labels come in runs. */
    private static final Answer RULE_OF_RUNS = new Answer(512, "algorithm=pa scale=standard");

    /** Settings that suit most streams of several classes. */
    private static final Answer RULE_OF_CLASSES =
            new Answer(1024, "algorithm=softmax rate=adagrad scale=standard implicit=true");

    /**
     * Settings for several classes whose labels come in runs; the bit of another answer, which no such model is given.
     */
    private static final Answer RULE_OF_RUNS_OF_CLASSES = new Answer(256, "algorithm=multiclass-pa scale=standard");

    /** For a learner of two classes whose steps are small where labels are wrong: its algorithm may stay. */
    private static final Answer SCALED = new Answer(256, "scale=standard");

    /**
     * Settings that answer several findings.
     *
     * @param bit in the stored set of the kinds that were given; never changes
     */
    private record Answer(long bit, String settings) {}

    private final FeatureSizes sizes = new FeatureSizes();
    private final EpochCounts counts;
    private final Pipeline pipeline;
    private boolean isOn = true;
    private long given;
    private long onlyLastWrong;
    private long onlyAverageWrong;

    // Of the current example.
    private boolean isCompared;
    private ModelListener out = ModelListener.NONE;

    // Null before the first comparison.
    private Outcome averaged;

    // With predict=averaged, of the settings before it.
    private Settings last;
    private Settings average;

    Advisor(Pipeline pipeline, EpochCounts counts) {
        this.pipeline = pipeline;
        this.counts = counts;
    }

    /** Makes this the advisor of a shadow, which gives no advice. */
    void turnOff() {
        isOn = false;
    }

    /** Gives no advice that the model's advisor of the last epoch has given. */
    void follow(Advisor last) {
        given = last.given;
    }

    private boolean isOpen(Advice.Kind kind) {
        return (given & kind.bit()) == 0;
    }

    /**
     * Predicts a labelled example by the average, if it is one to compare; must be called before the model learns it.
     */
    void compare(Example example) {
        isCompared = false;
        Settings settings = pipeline.settings();
        Learner learner = pipeline.learner();
        long next = counts.ofWeights().counts().labelled() + 1;
        // the least power of two that is not below it
        long power = Long.highestOneBit(2 * next - 1);
        if (!isOn
                || power < FIRST_COMPARED
                || next <= power - COMPARED
                || !isOpen(Advice.Kind.AVERAGED)
                || settings.get(Settings.PREDICT) != Settings.Predict.LAST
                || !hasAverage()) {
            return;
        }
        try {
            learner.configure(averaged(settings));
            learner.evaluate(example.features(), example.label(), averaged);
            isCompared = true;
        } catch (RejectedException | IllegalArgumentException e) {
            // the model itself uses or rejects the example
        } finally {
            learner.configure(settings);
        }
    }

    // the same object until they change: a comparison of all settings would cost more than the prediction
    @SuppressWarnings("ReferenceEquality")
    private Settings averaged(Settings settings) {
        if (last != settings) {
            average = settings.with(Map.of("predict", "averaged"));
            averaged = new Outcome();
            last = settings;
        }
        return average;
    }

    /** Observes a labelled example after the model has learned and counted it; tells the listener the advice. */
    void observe(Example example, boolean isError, ModelListener listener) {
        if (!isOn) {
            return;
        }
        if (out != listener) {
            // no reference is written that is there, as in Model.listen
            out = listener;
        }
        if (isCompared) {
            onlyLastWrong += isError && !averaged.isError() ? 1 : 0;
            onlyAverageWrong += !isError && averaged.isError() ? 1 : 0;
            isCompared = false;
        }
        long labelled = counts.ofWeights().counts().labelled();
        if (labelled >= FIRST_RUNS
                && labelled % (labelled <= LAST_SMALL_STEP ? RUNS_STEP : RUNS_STEP * 16) == 0
                && isOpen(Advice.Kind.RUNS)) {
            adviseRuns();
        }
        if (sizes.isUnderWay()) {
            observeSizes(example);
        }
        if (labelled == FIRST_BASELINE) {
            adviseBaseline();
        } else if (Long.bitCount(labelled) == 1) {
            advise(example, labelled);
        }
    }

    private void observeSizes(Example example) {
        if (!isUnscaled() || !(example.features() instanceof FeatureVector x)) {
            sizes.clear();
        } else if (sizes.observe(x)) {
            String difference = sizes.difference(index -> named(index));
            if (difference != null && hasErrors()) {
                answer(Advice.Kind.SCALE, difference);
            }
            sizes.clear();
        }
    }

    private void advise(Example example, long labelled) {
        if (labelled >= FIRST_SIZES
                && labelled <= LAST_SIZES
                && isOpen(Advice.Kind.SCALE)
                && isUnscaled()
                && example.features() instanceof FeatureVector x) {
            sizes.begin(x);
        }
        if (labelled >= FIRST_BASELINE) {
            adviseBaseline();
        }
        if (labelled >= FIRST_RARE && isOpen(Advice.Kind.RARE_LABEL)) {
            adviseRareLabel();
        }
        if (labelled >= FIRST_CLASS_WEIGHTS && isOpen(Advice.Kind.CLASS_WEIGHTS)) {
            adviseClassWeights();
        }
        if (labelled >= FIRST_COLLISIONS && labelled <= LAST_COLLISIONS && isOpen(Advice.Kind.COLLISIONS)) {
            adviseCollisions(example);
        }
        if (labelled >= FIRST_TEXTS
                && labelled <= LAST_TEXTS
                && isOpen(Advice.Kind.NUMBER_TEXTS)
                && example.features() instanceof FeatureVector
                && example.names() != null) {
            adviseNumberTexts(example);
        }
        adviseAverage();
    }

    private void adviseNumberTexts(Example example) {
        NumberTexts texts = new NumberTexts();
        example.names()
                .forEach((bytes, offset, length) ->
                        texts.addName(new String(bytes, offset, length, StandardCharsets.UTF_8)));
        FeatureNameTable names = pipeline.names();
        for (int k = 0; k < names.size(); k++) {
            texts.addName(new String(names.name(k), StandardCharsets.UTF_8));
        }
        List<NumberTexts.Finding> findings = texts.findings();
        // whole numbers may be codes: a feature with others says more
        findings.stream()
                .min(Comparator.comparing(each -> each.form() == NumberTexts.Form.WHOLE))
                .ifPresent(first -> give(Advice.Kind.NUMBER_TEXTS, numberTexts(first, findings)));
    }

    private static String numberTexts(NumberTexts.Finding first, List<NumberTexts.Finding> findings) {
        List<String> features = findings.stream()
                .filter(each -> each.form() == first.form())
                .map(each -> "'" + shortened(each.feature()) + "'")
                .toList();
        String named = features.stream().limit(MAX_NAMED).collect(Collectors.joining(", "))
                + (features.size() > MAX_NAMED ? ", …" : "");
        return text(
                "%s sent as text, such as \"%s\", and each text is a feature of its own (%s)",
                features.size() == 1 ? "feature " + named + " is" : "features " + named + " are",
                shortened(first.text()),
                first.form().remedy());
    }

    private void adviseAverage() {
        long different = onlyLastWrong + onlyAverageWrong;
        if (different >= MIN_DIFFERENT
                && onlyLastWrong - onlyAverageWrong > 3 * Math.sqrt((double) different)
                && pipeline.settings().get(Settings.PREDICT) == Settings.Predict.LAST
                && isOpen(Advice.Kind.AVERAGED)
                // the average over the past follows labels in runs too late
                && !isInRuns(counts.metricsOfWeights())) {
            String finding = text(
                    "the weights swing: of the last %d labelled examples, the last weights alone were wrong on %d, and"
                            + " their average alone on %d",
                    COMPARED, onlyLastWrong, onlyAverageWrong);
            if (rule() == null) {
                give(new Advice(Advice.Kind.AVERAGED, finding, "predict=averaged", Advice.Way.COPY_OF_WEIGHTS));
            } else {
                answer(Advice.Kind.AVERAGED, finding);
            }
        }
        onlyLastWrong = 0;
        onlyAverageWrong = 0;
    }

    private void adviseBaseline() {
        ConfusionMatrix matrix = counts.ofWeights().confusion();
        long examples = matrix.examples();
        int majority = matrix.extreme(true);
        long baseline = majority < 0 ? 0 : examples - matrix.actual(majority);
        long errors = matrix.errors();
        if (baseline >= MIN_BASELINE
                && baseline * BASELINE >= examples
                && errors >= baseline
                && isOpen(Advice.Kind.BASELINE)) {
            answer(
                    Advice.Kind.BASELINE,
                    text(
                            "%d of %d labelled examples %s, no fewer than the %d if '%s', the most frequent"
                                    + " label, were always predicted",
                            errors, examples, predictedWrong(), baseline, label(majority)));
        }
    }

    /** Words for the errors of the present weights, which may have learned beside the ones that predicted. */
    private String predictedWrong() {
        return counts.isOfSeveralWeights()
                ? "would have been predicted wrong by the present weights"
                : "were predicted wrong";
    }

    private boolean hasErrors() {
        return counts.ofWeights().confusion().errors() * BASELINE
                >= counts.ofWeights().confusion().examples();
    }

    private void adviseRuns() {
        ClassMetrics metrics = counts.metricsOfWeights();
        long errors = metrics.comparedErrors();
        long ofLast = metrics.sameErrors();
        if (errors < MIN_RUNS_ERRORS || 4 * errors < 3 * ofLast || !isInRuns(metrics)) {
            return;
        }
        String finding = text(
                "labels come in runs: %d of %d labelled examples %s, and %d would have been if the last label were always"
                        + " predicted",
                errors, metrics.compared(), predictedWrong(), ofLast);
        if (rule() != null) {
            answer(Advice.Kind.RUNS, finding);
        } else if (errors - ofLast > 2 * Math.sqrt((double) errors + ofLast)) {
            give(
                    Advice.Kind.RUNS,
                    finding + " (where it is known in time, send it as a feature, such as \"last\":\"a\")");
        }
    }

    private static boolean isInRuns(ClassMetrics metrics) {
        long ofLast = metrics.sameErrors();
        long ofMajority = metrics.majorityErrors();
        return metrics.compared() >= FIRST_RUNS
                && 4 * ofLast < 3 * ofMajority
                && ofMajority - ofLast > 2.5 * Math.sqrt((double) ofMajority + ofLast);
    }

    /**
     * Returns the settings that suit the stream better than those of the model, as far as is known; null if none are.
     */
    private Answer rule() {
        Algorithm algorithm = pipeline.algorithm();
        if (!algorithm.isLinear()) {
            return null;
        }
        boolean isInRuns = isInRuns(counts.metricsOfWeights());
        Answer rule;
        if (algorithm.has(Algorithm.Trait.SEVERAL_CLASSES)) {
            rule = isInRuns ? RULE_OF_RUNS_OF_CLASSES : RULE_OF_CLASSES;
        } else {
            rule = isInRuns ? RULE_OF_RUNS : isSoft(algorithm) ? SCALED : RULE;
        }
        return isInUse(rule) ? null : rule;
    }

    /** Returns true for a learner of two classes whose loss is bounded, or whose steps shrink. */
    private static boolean isSoft(Algorithm algorithm) {
        return algorithm.uses(Settings.LOSS) || algorithm.uses(Settings.R) || algorithm.uses(Settings.CONFIDENCE);
    }

    /**
     * Returns true for a model that averages or makes small steps, and may be good: it goes on until a better one is
     * found.
     */
    private boolean isSteady() {
        Settings settings = pipeline.settings();
        return isSoft(pipeline.algorithm())
                || settings.get(Settings.RATE) != Settings.Rate.CONSTANT
                || settings.get(Settings.PREDICT) != Settings.Predict.LAST;
    }

    /**
     * Returns true if the errors are far more than those of always predicting the majority label, and not by chance.
     */
    private boolean isUseless() {
        ClassMetrics metrics = counts.metricsOfWeights();
        long errors = metrics.comparedErrors();
        long ofMajority = metrics.majorityErrors();
        return 4 * errors > 5 * ofMajority && errors - ofMajority > 3 * Math.sqrt((double) errors + ofMajority);
    }

    /**
     * Returns true for a model that may lose more by a new beginning than it can win: it makes fewer than three
     * quarters of the errors of either constant prediction or, where labels come in runs, errs less than once in ten
     * examples.
     */
    private boolean isGood() {
        ClassMetrics metrics = counts.metricsOfWeights();
        long errors = metrics.comparedErrors();
        return 4 * errors < 3 * Math.min(metrics.majorityErrors(), metrics.sameErrors())
                || (isInRuns(metrics) && GOOD_IN_RUNS * errors < metrics.compared());
    }

    /** Returns true if a model has what an answer names for its own sake; all else may have been chosen with care. */
    private boolean isInUse(Answer answer) {
        Map<String, String> given = pipeline.given().toMap();
        given.put(Settings.ALGORITHM.name(), pipeline.algorithm().toString());
        return (answer.equals(SCALED) && !isUnscaled())
                || pairs(answer).entrySet().stream()
                        .allMatch(each -> each.getValue().equals(given.get(each.getKey())));
    }

    private static Map<String, String> pairs(Answer answer) {
        Map<String, String> pairs = new LinkedHashMap<>();
        for (String pair : answer.settings.split(" ", -1)) {
            int end = pair.indexOf('=');
            pairs.put(pair.substring(0, end), pair.substring(end + 1));
        }
        return pairs;
    }

    /**
     * Gives advice with the settings that suit the stream better, or without any where there are none; none if they
     * were given.
     */
    private void answer(Advice.Kind kind, String finding) {
        Answer rule = rule();
        if (rule == null) {
            give(kind, finding);
        } else if ((given & rule.bit) == 0) {
            given |= rule.bit;
            boolean isReset = counts.ofWeights().counts().labelled() < Advice.IN_USE
                    && isUnscaled()
                    && (!isSteady() || isUseless())
                    && !isGood();
            give(new Advice(kind, finding, changes(rule, isReset), isReset ? Advice.Way.RESET : Advice.Way.CHALLENGER));
        }
    }

    /**
     * Settings with which the model has those of an answer, and no others of the learner that were chosen for another
     * one.
     */
    private String changes(Answer answer, boolean isReset) {
        Map<String, String> changes = pairs(answer);
        if (answer.equals(SCALED)) {
            return answer.settings;
        }
        Map<String, String> all = pipeline.changesTo(changes);
        Algorithm algorithm = Algorithm.parse(changes.get(Settings.ALGORITHM.name()));
        for (Setting<?> setting : Settings.all()) {
            boolean isUnused =
                    isReset && !algorithm.uses(setting) && !pipeline.given().isDefault(setting);
            if (all.containsKey(setting.name()) || isUnused) {
                changes.putIfAbsent(setting.name(), setting.defaultText());
            }
        }
        return changes.entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue())
                .collect(Collectors.joining(" "));
    }

    private void adviseRareLabel() {
        ConfusionMatrix matrix = counts.ofWeights().confusion();
        long examples = matrix.examples();
        int rarest = matrix.extreme(false);
        if (rarest >= 0 && matrix.actual(rarest) * RARE < examples) {
            String finding = text(
                    "label '%s' was seen %d times in %d labelled examples, less than once in a thousand (send its examples"
                            + " with a larger weight)",
                    label(rarest), matrix.actual(rarest), examples);
            give(Advice.Kind.RARE_LABEL, finding);
        }
    }

    private void adviseClassWeights() {
        Set<String> given =
                pipeline.settings().get(Settings.CLASS_WEIGHTS).given().keySet();
        if (given.isEmpty()) {
            return;
        }
        Set<String> seen = SeenClasses.of(counts.metricsOfWeights(), pipeline.learner());
        given.stream().filter(name -> !seen.contains(name)).findFirst().ifPresent(name -> {
            String finding = text(
                    "class.weights has a weight for '%s', but none of %d labels was of that class (seen: %s)",
                    shortened(name),
                    counts.ofWeights().counts().labelled(),
                    seen.stream().limit(MAX_SEEN).map(Advisor::shortened).collect(Collectors.joining(", "))
                            + (seen.size() > MAX_SEEN ? ", …" : ""));
            give(Advice.Kind.CLASS_WEIGHTS, finding);
        });
    }

    private String label(int row) {
        return shortened(
                counts.ofWeights().confusion().labels(pipeline.settings()).get(row));
    }

    private static String shortened(String label) {
        return Utf8Slice.shortened(label, MAX_LABEL);
    }

    private void adviseCollisions(Example example) {
        int bits = pipeline.settings().get(Settings.HASH_BITS);
        if (bits == MAX_HASH_BITS
                || !pipeline.algorithm().isLinear()
                || !(example.features() instanceof FeatureVector x && x.isHashed())) {
            return;
        }
        double slots = Math.scalb(1.0, bits);
        double live = LiveWeights.count(pipeline.learner());
        double names = live < slots ? -slots * StrictMath.log1p(-live / slots) : Double.POSITIVE_INFINITY;
        double pairs = names * (names - 1) / (2 * slots);
        if (pairs > COLLIDING * names) {
            int enough = bits + 1;
            while (enough < MAX_HASH_BITS && names > 2 * COLLIDING * Math.scalb(1.0, enough)) {
                enough++;
            }
            String estimate = Double.isFinite(pairs)
                    ? text("about n(n-1)/2^%d = %.0f pairs of n = %.0f names share a weight", bits + 1, pairs, names)
                    : "all of them";
            give(new Advice(
                    Advice.Kind.COLLISIONS,
                    text("%.0f of 2^%d weights are in use, %s", live, bits, estimate),
                    "hash.bits=" + enough,
                    counts.ofWeights().counts().labelled() < Advice.IN_USE
                            ? Advice.Way.RESET
                            : Advice.Way.OTHER_MODEL));
        }
    }

    private String named(int index) {
        String name = pipeline.names().nameOf(index);
        return name == null ? Integer.toString(index) : "'" + shortened(name) + "'";
    }

    /** Returns true if sizes of features decide, and scaling would change that. */
    private boolean isUnscaled() {
        boolean isNormalised = pipeline.algorithm().uses(Settings.NORMALISED)
                && pipeline.settings().get(Settings.NORMALISED);
        return pipeline.algorithm().isLinear()
                && !isNormalised
                && pipeline.settings().get(Settings.SCALE) == Settings.Scale.NONE;
    }

    private boolean hasAverage() {
        return pipeline.algorithm().isLinear() && pipeline.algorithm().has(Algorithm.Trait.AVERAGE);
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    private void give(Advice.Kind kind, String finding) {
        give(new Advice(kind, finding, null, null));
    }

    private void give(Advice advice) {
        given |= advice.kind().bit();
        out.advised(advice);
    }

    /** Writes or restores the kinds of advice given, and the comparison and observation of sizes that are under way. */
    public void exchange(StoredFields fields) {
        given = fields.unsigned(given);
        onlyLastWrong = fields.unsigned(onlyLastWrong);
        onlyAverageWrong = fields.unsigned(onlyAverageWrong);
        sizes.exchange(fields);
    }
}
