package io.perceptronstreams.cli;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.ExampleBuffer;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.fit.ExampleLoader;
import io.perceptronstreams.format.ExampleFormat;
import io.perceptronstreams.format.ExampleSource;
import io.perceptronstreams.format.LabelType;
import io.perceptronstreams.model.Model;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Digits with polynomial kernels, in the way of Freund and Schapire 1999, section 5: one model for each digit that
 * tells it from all others, and the digit whose model has the largest score (of several, the least); prints a table for
 * one pass and k = 1 to 4.
 */
public final class DigitKernels {
    private static final int DIGITS = 10;

    private DigitKernels() {}

    /**
     * @param files one with examples to learn from, and one to test with, both in libsvm's format with labels 0 to 9
     */
    public static void main(String[] files) throws IOException {
        ExampleBuffer training = load(files[0]);
        ExampleBuffer test = load(files[1]);
        System.out.println("| k | mistakes of all models | test errors: last | averaged | voted |");
        System.out.println("|---|---|---|---|---|");
        for (int k = 1; k <= 4; k++) {
            Model[] models = new Model[DIGITS];
            long mistakes = 0;
            for (int digit = 0; digit < DIGITS; digit++) {
                models[digit] = learn(training, digit, k);
                mistakes += models[digit].current().version();
            }
            System.out.printf(
                    Locale.ROOT,
                    "| %d | %,d | %.2f %% | %.2f %% | %.2f %% |%n",
                    k,
                    mistakes,
                    errors(models, test, "last"),
                    errors(models, test, "averaged"),
                    errors(models, test, "voted"));
        }
    }

    private static ExampleBuffer load(String file) throws IOException {
        ExampleSource source = new ExampleSource(file, ExampleFormat.LIBSVM, LabelType.INT, null, null, null);
        return new ExampleLoader(new FeatureHasher(18)).load(source, count -> true);
    }

    private static Model learn(ExampleBuffer training, int digit, int k) {
        Model model = new Model();
        model.configure(
                Map.of("kernel", "poly(c=1,k=" + k + ")", "bias", "false", "predict", "voted", "survival.start", "1"));
        Example example = new Example();
        for (int position = 0; position < training.size(); position++) {
            training.fill(position, example);
            example.setLabel(Label.of(isDigit(example, digit) ? 1 : -1));
            model.process(example, 0);
        }
        return model;
    }

    private static double errors(Model[] models, ExampleBuffer test, String predict) {
        List.of(models).forEach(model -> model.configure(Map.of("predict", predict)));
        Example example = new Example();
        int errors = 0;
        for (int position = 0; position < test.size(); position++) {
            test.fill(position, example);
            int best = 0;
            double most = Double.NEGATIVE_INFINITY;
            boolean isRight = false;
            for (int digit = 0; digit < DIGITS; digit++) {
                test.fill(position, example);
                boolean isThis = isDigit(example, digit);
                example.setLabel(null);
                double score = models[digit].current().evaluate(example).predictedScore();
                if (score > most) {
                    most = score;
                    best = digit;
                }
                isRight = best == digit ? isThis : isRight;
            }
            errors += isRight ? 0 : 1;
        }
        return 100.0 * errors / test.size();
    }

    private static boolean isDigit(Example example, int digit) {
        return example.label().toString().equals(Integer.toString(digit));
    }
}
