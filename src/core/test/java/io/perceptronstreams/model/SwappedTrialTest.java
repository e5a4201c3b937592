package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.perceptronstreams.drift.Trial;
import io.perceptronstreams.drift.Trial.Growth;
import io.perceptronstreams.drift.Trial.Rules;
import io.perceptronstreams.drift.Trial.Verdict;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.learner.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The promise of the trial on the errors of real models, whose disagreements depend on each other: of two models that
 * change sides at random, neither is better. Skipped without the shared data.
 */
class SwappedTrialTest {
    private static final Path DATA =
            Path.of(System.getProperty("shared.dir", "../shared")).resolve("data");
    private static final List<Map<String, String>> MODELS = List.of(
            Map.of("predict", "last"),
            Map.of("predict", "averaged"),
            Map.of("algorithm", "pa-i", "c", "0.01"),
            Map.of("algorithm", "arow"),
            Map.of("algorithm", "scw"),
            Map.of("algorithm", "sgd", "loss", "logistic"));

    /** Wrong predictions of each model, each made before its example is learned. */
    private static List<boolean[]> errors(String stream) throws IOException {
        Path file = DATA.resolve(stream).resolve(stream + ".train.libsvm.gz");
        assumeTrue(Files.exists(file), "no " + file + " (-Dshared.dir sets the folder)");
        List<Sample> samples = Sample.read(file);
        List<boolean[]> errors = new ArrayList<>();
        for (Map<String, String> settings : MODELS) {
            Model model = new Model();
            model.configure(settings);
            model.configure(Map.of("scale", "standard"));
            boolean[] isWrong = new boolean[samples.size()];
            for (int k = 0; k < isWrong.length; k++) {
                isWrong[k] = model.process(samples.get(k).example(), k).isError();
            }
            errors.add(isWrong);
        }
        return errors;
    }

    @SeededTest
    void shouldPromoteOneInAHundredModelsThatChangeSides(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        List<List<boolean[]>> streams = List.of(errors("weather-stream"), errors("a9a"));
        for (int step : new int[] {10, 20}) {
            int trials = 0;
            int promotions = 0;
            for (List<boolean[]> errors : streams) {
                for (int a = 0; a < errors.size(); a++) {
                    for (int b = 0; b < a; b++) {
                        for (int k = 0; k < 50; k++) {
                            trials++;
                            promotions += isPromoted(errors.get(a), errors.get(b), step, random) ? 1 : 0;
                        }
                    }
                }
            }
            assertThat(promotions / (double) trials)
                    .as("%d promotions, rounds of %d·k examples", promotions, step)
                    .isLessThanOrEqualTo(0.01);
        }
    }

    /** The models change sides, or do not, every 200 examples. */
    private static boolean isPromoted(boolean[] one, boolean[] other, int step, SplittableRandom random) {
        Trial trial = new Trial(new Rules(0, step, Growth.LINEAR, 0.01, 0, true));
        boolean isSwapped = false;
        for (int k = 0; k < one.length; k++) {
            isSwapped = k % 200 == 0 ? random.nextBoolean() : isSwapped;
            if (trial.add(isSwapped ? other[k] : one[k], isSwapped ? one[k] : other[k]) != Verdict.OPEN) {
                break;
            }
        }
        return trial.verdict() == Verdict.BETTER;
    }
}
