package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.ExampleBuffer;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The data of {@code src/test/python/reference.py}: two sets from files, the others from integer arithmetic. */
final class ReferenceStreams {
    /** The generator of Park and Miller (1988). */
    private static final class Numbers {
        private long state;

        Numbers(long seed) {
            state = seed;
        }

        int below(int n) {
            state = state * 16807 % 2147483647;
            return (int) (state % n);
        }
    }

    private ReferenceStreams() {}

    /** Returns the data of a name; what a model does to an example does not change it. */
    static ExampleBuffer named(String name) {
        return switch (name) {
            case "wdbc" -> wdbc();
            case "digits" -> digits();
            case "two-classes" -> vectors(1, 400, 2, 12);
            case "four-classes" -> vectors(2, 400, 4, 12);
            case "separable" -> vectors(5, 150, 2, 0);
            case "long" -> vectors(7, 3000, 2, 12);
            case "table" -> table();
            case "candidates" -> candidates();
            case "sentences" -> sentences();
            default -> throw new IllegalArgumentException(name);
        };
    }

    private static ExampleBuffer wdbc() {
        ExampleBuffer examples = new ExampleBuffer();
        Example example = new Example();
        List<String> lines = lines("src/app/main/resources/demo/wdbc.csv");
        for (String line : lines.subList(1, lines.size())) {
            String[] fields = line.split(",", -1);
            example.vector().resetDense();
            for (int k = 1; k <= 30; k++) {
                example.vector().append(Double.parseDouble(fields[k]));
            }
            example.setLabel(Label.of(Integer.parseInt(fields[31])));
            examples.add(example);
        }
        return examples;
    }

    /** A line has the digit, a space, and the 64 pixels from 0 to g, which is 16. */
    private static ExampleBuffer digits() {
        ExampleBuffer examples = new ExampleBuffer();
        Example example = new Example();
        for (String line : lines("src/test/resources/reference/digits.txt")) {
            example.vector().resetSparse();
            for (int k = 0; k < 64; k++) {
                append(example.vector(), k, Character.digit(line.charAt(2 + k), 17));
            }
            example.setLabel(new Label.ClassName(line.substring(0, 1)));
            examples.add(example);
        }
        return examples;
    }

    private static ExampleBuffer vectors(int seed, int count, int classes, int noise) {
        Numbers numbers = new Numbers(seed);
        int[][] hidden = new int[classes][12];
        for (int[] vector : hidden) {
            for (int i = 0; i < 12; i++) {
                vector[i] = numbers.below(11) - 5;
            }
        }
        ExampleBuffer examples = new ExampleBuffer();
        Example example = new Example();
        while (examples.size() < count) {
            example.vector().resetSparse();
            int[] scores = new int[classes];
            for (int i = 0; i < 12; i++) {
                int value = Math.max(0, numbers.below(9) - 4) * (1 - 2 * numbers.below(2));
                append(example.vector(), 100 * i, value);
                for (int c = 0; c < classes; c++) {
                    scores[c] += hidden[c][i] * value;
                }
            }
            example.setWeight(1 + numbers.below(3));
            int best = best(scores, classes);
            if (noise > 0 && numbers.below(noise) == 0) {
                best = numbers.below(classes);
            }
            example.setLabel(classes == 2 ? Label.of(2 * best - 1) : new Label.ClassName(Integer.toString(best)));
            if (noise > 0 || Math.abs(scores[0] - scores[1]) >= 8) {
                examples.add(example);
            }
        }
        return examples;
    }

    private static ExampleBuffer table() {
        Numbers numbers = new Numbers(6);
        ExampleBuffer examples = new ExampleBuffer();
        Example example = new Example();
        for (int n = 0; n < 400; n++) {
            FeatureVector x = example.vector().resetSparse();
            int income = 16000;
            for (int i = 0; i < 4; i++) {
                income += numbers.below(12001);
            }
            int age = 18 + numbers.below(60);
            int built = 1990 + numbers.below(30);
            int debts = 5 + numbers.below(20);
            int job = numbers.below(5);
            int city = numbers.below(3);
            int score = Math.floorDiv(income - 40000, 100)
                    + Math.floorDiv(80 * (built - 2004), 10)
                    + 150 * (job - 2)
                    - 120 * city
                    + 120;
            append(x, 0, numbers.below(5) > 0 ? income : 0);
            append(x, 1, numbers.below(10) > 0 ? age : 0);
            append(x, 2, numbers.below(20) > 8 ? built : 0);
            if (numbers.below(4) == 0) {
                x.append(3, debts);
                score -= 10 * debts;
            }
            x.append(4, 7);
            x.append(10 + job, 1);
            x.append(20 + city, 1);
            for (int word = 0; word < 8; word++) {
                if (numbers.below(4) == 0) {
                    int count = 1 + numbers.below(3);
                    x.append(30 + word, count);
                    score += 25 * (word - 3) * count;
                }
            }
            example.setLabel(Label.of(score + numbers.below(201) - 100 > 0 ? 1 : -1));
            example.setWeight(1 + numbers.below(2));
            examples.add(example);
        }
        return examples;
    }

    private static ExampleBuffer candidates() {
        Numbers numbers = new Numbers(3);
        int[] hidden = new int[8];
        for (int i = 0; i < 8; i++) {
            hidden[i] = numbers.below(9) - 4;
        }
        ExampleBuffer examples = new ExampleBuffer();
        Example example = new Example();
        for (int n = 0; n < 400; n++) {
            int count = 2 + numbers.below(5);
            int[] scores = new int[count];
            example.candidates().clear();
            for (int k = 0; k < count; k++) {
                FeatureVector joint = example.candidates().append(output(k));
                for (int i = 0; i < 8; i++) {
                    int value = numbers.below(5) - 2;
                    append(joint, 50 * i, value);
                    scores[k] += hidden[i] * value;
                }
            }
            int right = numbers.below(8) == 0 ? numbers.below(count) : best(scores, count);
            example.setFeatures(example.candidates());
            example.setLabel(new Label.ClassName(output(right)));
            example.setWeight(1 + numbers.below(2));
            examples.add(example);
        }
        return examples;
    }

    private static String output(int number) {
        return "abcdef".substring(number, number + 1);
    }

    private static ExampleBuffer sentences() {
        Numbers numbers = new Numbers(4);
        ExampleBuffer examples = new ExampleBuffer();
        Example example = new Example();
        for (int n = 0; n < 300; n++) {
            example.sequence().clear();
            List<String> tags = new ArrayList<>();
            int length = 1 + numbers.below(5);
            int lastWord = 0;
            int lastTag = 0;
            for (int i = 0; i < length; i++) {
                int word = numbers.below(12);
                int tag = word < 8 || i == 0 ? word / 2 % 4 : (lastTag + 1) % 4;
                tag = numbers.below(10) == 0 ? numbers.below(4) : tag;
                tags.add("ABCD".substring(tag, tag + 1));
                FeatureVector token = example.sequence().append();
                append(token, word, 1);
                append(token, 20 + lastWord, i == 0 ? 0 : 1);
                lastWord = word;
                lastTag = tag;
            }
            example.setFeatures(example.sequence());
            example.setLabel(new Label.Tags(tags));
            example.setWeight(1 + numbers.below(2));
            examples.add(example);
        }
        return examples;
    }

    private static void append(FeatureVector x, int index, int value) {
        if (value != 0) {
            x.append(index, value);
        }
    }

    /** The first of the highest. */
    private static int best(int[] scores, int count) {
        int best = 0;
        for (int k = 1; k < count; k++) {
            best = scores[k] > scores[best] ? k : best;
        }
        return best;
    }

    private static List<String> lines(String file) {
        try {
            return Files.readAllLines(Path.of(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
