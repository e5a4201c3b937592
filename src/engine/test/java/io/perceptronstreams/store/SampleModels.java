package io.perceptronstreams.store;

import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.evaluation.Counts.Counter;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.Model;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Models of all kinds, each of which has learned something; the same every time.
 *
 * <p>{@code models/records.hex} holds them: another kind changes that file.
 */
final class SampleModels {
    private static final int EXAMPLES = 40;

    /** More than enough for a detector to notice that every label means the contrary. */
    private static final int CONCEPT = 200;

    private static final Map<String, Map<String, String>> SETTINGS = new LinkedHashMap<>();

    static {
        SETTINGS.put("perceptron", Map.of("h", "0.3", "labels", "no,yes", "predict", "averaged", "window.ms", "7"));
        SETTINGS.put("standardizing", Map.of("scale", "standard", "eta", "0.1", "survival.start", "0"));
        SETTINGS.put("compared", Map.of("h", "1", "h.inclusive", "true", "comparator", "8"));
        SETTINGS.put("passive-aggressive", Map.of("algorithm", "pa-i", "c", "0.5", "predict", "averaged"));
        SETTINGS.put("arow", Map.of("algorithm", "arow", "r", "2"));
        SETTINGS.put("multiclass", Map.of("algorithm", "multiclass", "predict", "averaged", "classes.max", "5"));
        SETTINGS.put("kernel", Map.of("kernel", "poly(c=1,k=2) + rbf(g=0.1)", "predict", "averaged"));
        SETTINGS.put("budget", Map.of("kernel", "rbf(g=0.01)", "budget", "6", "budget.policy", "random", "seed", "4"));
        SETTINGS.put("voted", Map.of("predict", "voted", "bias", "false"));
        SETTINGS.put("sequence", Map.of("algorithm", "sequence", "predict", "averaged"));
        SETTINGS.put("structured", Map.of("algorithm", "structured", "h", "0.5"));
        SETTINGS.put("ddm", Map.of("drift", "ddm", "drift.threshold", "2", "drift.action", "reset"));
        SETTINGS.put("page-hinkley", Map.of("drift", "page-hinkley", "drift.threshold", "8", "drift.action", "none"));
        SETTINGS.put("adwin", Map.of("drift", "adwin", "drift.delta", "0.5", "drift.action", "none"));
        SETTINGS.put(
                "shadow",
                Map.of("drift", "ddm", "drift.threshold", "2", "drift.action", "shadow", "scale", "standard"));
        SETTINGS.put("frozen", Map.of("scale", "unit-norm"));
        SETTINGS.put("reset", Map.of());
        SETTINGS.put("deleted", Map.of("h", "1"));
        SETTINGS.put("small", Map.of());
        SETTINGS.put("wide", Map.of("predict", "averaged"));
        SETTINGS.put("many-classes", Map.of("algorithm", "multiclass", "bias", "false"));
        SETTINGS.put("pa-ii", Map.of("algorithm", "pa-ii"));
        SETTINGS.put("scored", Map.of("auc.window", "16", "window.ms", "15"));
        SETTINGS.put(
                "sure",
                Map.of("calibrate", "platt", "coverage", "0.9", "threshold", "cost:1:4", "alerts.max", "9/day"));
        SETTINGS.put("stacked", Map.of("algorithm", "sgd", "rate", "adagrad", "stacked", "true"));
        SETTINGS.put("tagging-shadow", Map.of("algorithm", "sequence", "drift", "ddm", "drift.action", "shadow"));
    }

    private SampleModels() {}

    /** Sets the counters of these names, as in {@code examples=12_300 margin_mistakes=3}, and the hinge loss. */
    static void set(Counts counts, String values, double hingeLoss) {
        for (String each : values.split(" ", -1)) {
            String[] pair = each.split("=", -1);
            counts.set(Counter.valueOf(pair[0].toUpperCase(Locale.ROOT)), Long.parseLong(pair[1].replace("_", "")));
        }
        counts.setHingeLoss(hingeLoss);
    }

    static List<String> names() {
        return List.copyOf(SETTINGS.keySet());
    }

    static void create(ModelStore store, String name) {
        LiveModel stored = store.create(StoreDriver.utf8(name));
        Model model = stored.model();
        model.configure(SETTINGS.get(name));
        store.changed(stored, StoreDriver.record(name, 7));
        Random random = new Random(name.length());
        int examples = model.drift().isOn() || name.equals("many-classes") ? CONCEPT : EXAMPLES;
        for (int k = 0; k < examples; k++) {
            learn(model, name, random, false, k);
        }
        for (int k = 0;
                k < CONCEPT
                        && name.endsWith("shadow")
                        && model.challengers().all().isEmpty();
                k++) {
            learn(model, name, random, true, examples + k);
        }
        // a shadow that has learned something of its own, and is not yet found better
        for (int k = 0; k < 5 && !model.challengers().all().isEmpty(); k++) {
            learn(model, name, random, true, 2 * CONCEPT + k);
        }
        long epoch = model.current().epoch();
        switch (name) {
            case "frozen" -> model.freeze(true);
            case "reset" -> model.reset(Map.of());
            case "deleted" -> model.delete();
            default -> {
                model.publications().markExample(31);
                model.publications().markStatus();
            }
        }
        if (model.current().epoch() != epoch) {
            store.removeEpoch(stored, epoch, StoreDriver.record(name, 9));
            store.changed(stored, StoreDriver.record(name, 9));
        }
        if (name.equals("reset")) {
            learn(model, name, random, false, 50);
        }
        model.publications().countRerouted();
        model.publications().markSnapshot(3);
    }

    /**
     * What it says of further examples, with the bits of all scores; it learns from them, so that everything it keeps
     * counts.
     */
    static String goOn(Model model, String name) {
        StringBuilder text = new StringBuilder();
        Random random = new Random(5);
        for (int k = 0; k < 6; k++) {
            Outcome outcome = learn(model, name, random, true, 1000 + k);
            text.append(outcome.predicted())
                    .append(' ')
                    .append(bits(outcome.score()))
                    .append(' ')
                    .append(bits(outcome.predictedScore()))
                    .append(' ')
                    .append(outcome.millionths())
                    .append(' ')
                    .append(outcome.labelSet())
                    .append(' ')
                    .append(outcome.decision())
                    .append('\n');
        }
        return text.toString();
    }

    private static String bits(double value) {
        return Long.toHexString(Double.doubleToRawLongBits(value));
    }

    private static Outcome learn(Model model, String name, Random random, boolean isTurned, long timestamp) {
        Example example = new Example();
        switch (name) {
            case "sequence" -> fillSequence(example, random, 0);
            case "tagging-shadow" -> fillSequence(example, random, isTurned ? 1 : 0);
            case "structured" -> fillCandidates(example, random);
            case "small" -> fillWords(example, random, 12);
            case "wide" -> fillWords(example, random, 1 << 18);
            case "many-classes" -> fillClass(example, random);
            default -> fillVector(example, name, random, isTurned);
        }
        return model.use(example, timestamp, null, null);
    }

    private static void fillVector(Example example, String name, Random random, boolean isTurned) {
        FeatureVector x = example.vector().resetSparse();
        double sum = 0;
        // a dense block where the model is the first, sparse ones, and one far away
        int step = name.equals("perceptron") ? 3 : 30;
        for (int index = 0; index < 128; index += 1 + random.nextInt(step)) {
            double value = random.nextGaussian();
            x.append(index, value);
            sum += value;
        }
        x.append(70_000 + random.nextInt(3), random.nextGaussian());
        x.append(Integer.MAX_VALUE, 1);
        boolean isPositive = sum > 0 ^ isTurned;
        example.setLabel(
                switch (name) {
                    case "perceptron" -> new Label.ClassName(isPositive ? "yes" : "no");
                    case "multiclass" -> new Label.ClassName("class ß" + Math.abs((int) sum) % 4);
                    default -> Label.of(isPositive ? 1 : -1);
                });
    }

    /** Thirty words of a text, as counts. */
    private static void fillWords(Example example, Random random, int words) {
        FeatureVector x = example.vector().resetSparse();
        random.ints(30, 0, words)
                .boxed()
                .collect(Collectors.groupingBy(word -> word, TreeMap::new, Collectors.counting()))
                .forEach((word, count) -> x.append(word, count));
        example.setLabel(Label.of(random.nextInt(3) == 0 ? 1 : -1));
    }

    /** Mostly one that was never seen: names fill more than a part. */
    private static void fillClass(Example example, Random random) {
        example.vector().resetSparse().append(random.nextInt(300), 1);
        example.setLabel(new Label.ClassName("class " + random.nextInt(300)));
    }

    private static void fillSequence(Example example, Random random, int turn) {
        List<String> tags = new ArrayList<>();
        for (int length = 1 + random.nextInt(4); length > 0; length--) {
            int word = random.nextInt(12);
            FeatureVector token = example.sequence().append();
            token.append(3, 1);
            token.append(100 + word, 1);
            tags.add("tag" + (word + turn) % 3);
        }
        example.setFeatures(example.sequence());
        example.setLabel(new Label.Tags(tags));
    }

    private static void fillCandidates(Example example, Random random) {
        for (String output : List.of("a", "b", "c")) {
            FeatureVector features = example.candidates().append(output);
            features.append(1, random.nextGaussian());
            features.append(300, random.nextGaussian());
        }
        example.setFeatures(example.candidates());
        example.setLabel(new Label.ClassName(List.of("a", "b", "c").get(random.nextInt(3))));
    }
}
