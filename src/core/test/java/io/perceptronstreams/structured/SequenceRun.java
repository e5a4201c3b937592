package io.perceptronstreams.structured;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.NamedWeights;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.weights.SparseRows;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/** Trains a sequence model in passes, and records all numbers that the reference results contain. */
final class SequenceRun {
    /** A sentence: the names of each word's features, and its tags. */
    record Sentence(List<List<String>> features, List<String> tags) {}

    /** One sentence as it went. */
    record Step(Label prediction, double score, boolean isUpdate) {}

    /** Wrong tags and wrong sentences. */
    record Errors(long tokens, long tokenErrors, long sentences, long sentencesWrong) {}

    final Model model = new Model();
    final List<Long> updatePositions = new ArrayList<>();
    final List<Long> updatesByEpoch = new ArrayList<>();

    /** Updates and wrong tags after each sentence. */
    final List<long[]> counts = new ArrayList<>(List.of(new long[2]));

    final List<Step> steps = new ArrayList<>();

    // Names by index; that they do not collide is checked.
    private final Map<Integer, String> names = new HashMap<>();
    private final Example example = new Example();

    SequenceRun(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("algorithm", "sequence");
        all.put("bias", "false");
        all.put("hash.bits", "30");
        model.configure(all);
    }

    void learn(List<Sentence> sentences) {
        long before = model.counts().totals().updates();
        for (Sentence sentence : sentences) {
            fill(sentence, true);
            Outcome outcome = model.process(example, 0);
            if (outcome.isUpdated()) {
                updatePositions.add(model.counts().totals().examples() - 1);
            }
            steps.add(new Step(outcome.predicted(), outcome.score(), outcome.isUpdated()));
            long[] last = counts.get(counts.size() - 1);
            counts.add(new long[] {model.counts().totals().updates(), last[1] + wrong(outcome, sentence.tags())});
        }
        updatesByEpoch.add(model.counts().totals().updates() - before);
    }

    /** What the model predicts by its last or by its averaged weights. */
    Errors errors(List<Sentence> sentences, String predict) {
        model.configure(Map.of("predict", predict));
        Outcome outcome = new Outcome();
        long tokens = 0;
        long wrongTokens = 0;
        long wrongSentences = 0;
        for (Sentence sentence : sentences) {
            fill(sentence, false);
            model.pipeline().learner().predict(example.features(), outcome);
            long wrong = wrong(outcome, sentence.tags());
            tokens += sentence.tags().size();
            wrongTokens += wrong;
            wrongSentences += wrong > 0 ? 1 : 0;
        }
        model.configure(Map.of("predict", "last"));
        return new Errors(tokens, wrongTokens, sentences.size(), wrongSentences);
    }

    private static long wrong(Outcome outcome, List<String> tags) {
        if (outcome.predicted() == null) {
            return tags.size();
        }
        List<String> predicted = ((Label.Tags) outcome.predicted()).tags();
        long wrong = 0;
        for (int i = 0; i < tags.size(); i++) {
            wrong += predicted.get(i).equals(tags.get(i)) ? 0 : 1;
        }
        return wrong;
    }

    private void fill(Sentence sentence, boolean isLearned) {
        example.sequence().clear();
        for (List<String> features : sentence.features()) {
            FeatureVector token = example.sequence().append();
            for (String name : features) {
                int index = index(name);
                String other = isLearned ? names.putIfAbsent(index, name) : names.getOrDefault(index, "");
                if (isLearned && other != null && !other.equals(name)) {
                    throw new IllegalStateException("names must not collide, got " + name + " and " + other);
                }
                // a name that was never learned has no weight, even where it shares the index of one that was
                if (isLearned || name.equals(other)) {
                    token.append(index, 1);
                }
            }
            token.sortAndMerge();
        }
        example.setFeatures(example.sequence());
        example.setLabel(new Label.Tags(sentence.tags()));
    }

    private static int index(String name) {
        byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
        return new FeatureHasher(30).index(utf8, 0, utf8.length);
    }

    int featureCount() {
        return names.size();
    }

    /** Non-zero weights by name. */
    SortedMap<String, Double> weights() {
        return byName(false);
    }

    /** C·w - a by name. */
    SortedMap<String, Double> sums() {
        return byName(true);
    }

    private SortedMap<String, Double> byName(boolean isSum) {
        SortedMap<String, Double> all = NamedWeights.none();
        SequencePerceptron learner = (SequencePerceptron) model.pipeline().learner();
        List<String> tags = learner.state().names();
        ((SparseRows) learner.blocks().get(0)).forEach((index, row) -> {
            for (int t = 0; t < SparseRows.columns(row); t++) {
                put(all, isSum, row, t, names.get(index) + "|" + (t < tags.size() ? tags.get(t) : "none"));
            }
        });
        ((SparseRows) learner.blocks().get(1)).forEach((number, row) -> {
            for (int t = 0; t < SparseRows.columns(row); t++) {
                String tag = t < tags.size() ? tags.get(t) : "none";
                String name = switch (number) {
                    case TagWeights.START -> "<s>>" + tag;
                    case TagWeights.STOP -> tag + "></s>";
                    case TagWeights.BIAS -> "bias|" + tag;
                    default -> tags.get(number - TagWeights.AFTER) + ">" + tag;
                };
                put(all, isSum, row, t, name);
            }
        });
        return all;
    }

    private void put(Map<String, Double> all, boolean isSum, double[] row, int column, String name) {
        double w = row[column];
        double survivals = model.pipeline().learner().state().numbers().get(0);
        double value = isSum ? survivals * w - row[SparseRows.columns(row) + column] : w;
        if (value != 0) {
            all.put(name, value);
        }
    }
}
