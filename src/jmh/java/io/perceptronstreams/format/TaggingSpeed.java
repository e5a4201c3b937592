package io.perceptronstreams.format;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.model.Model;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.zip.GZIPInputStream;
import opennlp.tools.ml.perceptron.PerceptronTrainer;
import opennlp.tools.postag.POSModel;
import opennlp.tools.postag.POSSample;
import opennlp.tools.postag.POSTaggerFactory;
import opennlp.tools.postag.POSTaggerME;
import opennlp.tools.util.ObjectStreamUtils;
import opennlp.tools.util.TrainingParameters;

/**
 * Our sequence learner and OpenNLP's perceptron tagger on the same words: how many tags are right, and how many words a
 * second each tags, from the words as strings to the tags as strings, on one thread. Prints a table.
 */
public final class TaggingSpeed {
    private static final int ROUNDS = 15;

    private record Sentence(List<String> words, List<String> tags) {}

    private record Tagger(String name, Function<List<String>, List<String>> tags) {}

    private TaggingSpeed() {}

    /** @param files CoNLL-U to learn from, and to test with */
    public static void main(String[] files) throws IOException {
        List<Sentence> training = read(files[0]);
        List<Sentence> test = read(files[1]);
        List<Tagger> taggers = List.of(
                openNlp(training, 10),
                openNlp(training, 100),
                ours(training, 1, "last"),
                ours(training, 1, "averaged"),
                ours(training, 5, "last"),
                ours(training, 5, "averaged"));
        double[][] speeds = new double[taggers.size()][ROUNDS];
        double[] accuracies = new double[taggers.size()];
        // by turns, so that all meet the same machine; the first half of the rounds only warms up
        for (int round = 0; round < 2 * ROUNDS; round++) {
            for (int t = 0; t < taggers.size(); t++) {
                long start = System.nanoTime();
                long words = 0;
                long right = 0;
                for (Sentence sentence : test) {
                    List<String> found = taggers.get(t).tags().apply(sentence.words());
                    words += found.size();
                    for (int k = 0; k < found.size(); k++) {
                        right += found.get(k).equals(sentence.tags().get(k)) ? 1 : 0;
                    }
                }
                speeds[t][round % ROUNDS] = 1e9 * words / (System.nanoTime() - start);
                accuracies[t] = 100.0 * right / words;
            }
        }
        System.out.println("| tagger | words right | words/s, median | least | most |");
        System.out.println("|---|---|---|---|---|");
        for (int t = 0; t < taggers.size(); t++) {
            Arrays.sort(speeds[t]);
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %.2f %% | %,.0f | %,.0f | %,.0f |%n",
                    taggers.get(t).name(),
                    accuracies[t],
                    speeds[t][ROUNDS / 2],
                    speeds[t][0],
                    speeds[t][ROUNDS - 1]);
        }
    }

    private static List<Sentence> read(String file) throws IOException {
        List<Sentence> sentences = new ArrayList<>();
        List<String> words = new ArrayList<>();
        List<String> tags = new ArrayList<>();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                file.endsWith(".gz") ? new GZIPInputStream(new FileInputStream(file)) : new FileInputStream(file),
                StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] columns = line.split("\t", -1);
                if (line.isEmpty()) {
                    sentences.add(new Sentence(List.copyOf(words), List.copyOf(tags)));
                    words.clear();
                    tags.clear();
                } else if (columns[0].matches("[0-9]+")) {
                    words.add(columns[1]);
                    tags.add(columns[3]);
                }
            }
        }
        return sentences;
    }

    private static Tagger openNlp(List<Sentence> training, int iterations) throws IOException {
        List<POSSample> samples = training.stream()
                .map(each -> new POSSample(
                        each.words().toArray(String[]::new), each.tags().toArray(String[]::new)))
                .toList();
        TrainingParameters parameters = new TrainingParameters();
        parameters.put(TrainingParameters.ALGORITHM_PARAM, PerceptronTrainer.PERCEPTRON_VALUE);
        parameters.put(TrainingParameters.ITERATIONS_PARAM, iterations);
        parameters.put(TrainingParameters.CUTOFF_PARAM, 0);
        POSModel model = POSTaggerME.train(
                "en", ObjectStreamUtils.createObjectStream(samples), parameters, new POSTaggerFactory());
        POSTaggerME tagger = new POSTaggerME(model);
        return new Tagger(
                "OpenNLP, PERCEPTRON, cutoff 0, " + iterations + " iterations",
                words -> Arrays.asList(tagger.tag(words.toArray(String[]::new))));
    }

    private static Tagger ours(List<Sentence> training, int passes, String predict) {
        Model model = new Model();
        model.configure(Map.of("algorithm", "sequence", "bias", "false", "hash.bits", "22", "predict", predict));
        Example example = new Example();
        for (int pass = 0; pass < passes; pass++) {
            for (Sentence sentence : training) {
                fill(example, sentence.words(), model.pipeline().hasher());
                example.setLabel(new Label.Tags(sentence.tags()));
                model.process(example, 0);
            }
        }
        return new Tagger(
                "`sequence`, `predict=" + predict + "`, " + passes + (passes == 1 ? " pass" : " passes"), words -> {
                    fill(example, words, model.pipeline().hasher());
                    example.setLabel(null);
                    return ((Label.Tags) model.current().evaluate(example).predicted()).tags();
                });
    }

    private static void fill(Example example, List<String> words, FeatureHasher hasher) {
        Sequence sequence = example.sequence().clear();
        for (List<String> features : WordFeatures.of(words)) {
            FeatureVector token = sequence.append();
            for (String feature : features) {
                byte[] utf8 = feature.getBytes(StandardCharsets.UTF_8);
                token.append(hasher.index(utf8, 0, utf8.length), 1);
            }
            token.sortAndMerge();
        }
        example.setFeatures(sequence);
    }
}
