package io.perceptronstreams.cli;

import static io.perceptronstreams.cli.FitRun.WDBC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code fit} prints of the theorems. */
final class FitTheoryTest {
    @RegisterExtension
    final FitRun run = new FitRun();

    @Test
    void shouldProveThatNothingSeparatesExclusiveOr() throws IOException {
        Path file = run.file("xor.libsvm", "-1\n+1 1:1\n+1 2:1\n-1 1:1 2:1\n");
        assertThat(run.fit(file + " --epochs 8 --set algorithm=perceptron").replaceAll("\\s+", " "))
                .contains("no separator no hyperplane separates the examples, and the passes repeat without end: pass ")
                .contains("computed exactly: 1 of example 1, 1 of example 2, 1 of example 3, 1 of example 4");
        assertThat(run.fit(file + " --epochs 8 --order shuffled --set algorithm=perceptron"))
                .contains("no separator         does not apply: no pass was found");
    }

    // the numbers alone do not add up to 0
    @Test
    void shouldNameTheWeightsInTheProof() throws IOException {
        Path weighted = run.file(
                "weighted.jsonl", "{\"features\":[1],\"label\":1,\"weight\":2}\n{\"features\":[1],\"label\":-1}\n");
        assertThat(run.fit(weighted + " --epochs 8 --set bias=false --set algorithm=perceptron")
                        .replaceAll("\\s+", " "))
                .contains(
                        "the updates in between, times the weights of the examples if they have any, computed exactly: "
                                + "1 of example 1, 2 of example 2");
    }

    @Test
    void shouldShowTheBoundsForUnitVectorsWithABias() throws IOException {
        String banknote =
                "src/app/main/resources/demo/wdbc.csv --label-column diagnosis --id-column id --json --epochs 1 ";
        run.fit(banknote + "--set h=1 --set scale=unit-norm-bias");
        JsonNode theory = run.objects().get(1).get("theory");
        assertThat(theory.get("radius").asDouble()).isCloseTo(1, within(1e-12));
        run.fit(banknote + "--set h=1 --set scale=unit-norm");
        assertThat(run.objects().get(1).get("theory").get("radius").asDouble()).isCloseTo(Math.sqrt(2), within(1e-12));

        Path file = run.file("t.libsvm", "+1 1:3 2:1\n-1 1:1 2:2\n+1 1:4\n-1 2:3\n-1 1:-1\n");
        assertThat(run.fit(file + " --epochs 500 --set h=1 --set scale=unit-norm-bias")
                        .replaceAll("\\s+", " "))
                .contains("<= 3/gamma^2 <=")
                .contains("margin(w) >= gamma/3");
        assertThat(run.fit(file + " --epochs 50000 --set algorithm=pdm --set alpha=0.2 --set scale=unit-norm-bias")
                        .replaceAll("\\s+", " "))
                .contains("dynamic margin M = ")
                .contains("margin(w) >= (1 - alpha)|w|/M = ");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 2})
    void shouldUseTheGivenWeightsIfTheyBoundTheUpdatesBest(long seed) throws IOException {
        // (1, -1, 0, …) has a margin of 1 or -1 on each example, beside 20 features of noise
        Random random = new Random(seed);
        StringBuilder lines = new StringBuilder();
        double squaredRadius = 0;
        int wrong = 0;
        for (int k = 0; k < 100; k++) {
            int y = random.nextBoolean() ? 1 : -1;
            boolean isWrong = random.nextInt(20) == 0;
            wrong += isWrong ? 1 : 0;
            lines.append(y > 0 ? "+1" : "-1").append(y > 0 ^ isWrong ? " 1:1" : " 2:1");
            double squared = 1;
            for (int i = 3; i <= 22; i++) {
                double x = random.nextGaussian() / 4;
                squared += x * x;
                lines.append(' ').append(i).append(':').append(x);
            }
            squaredRadius = Math.max(squaredRadius, squared);
            lines.append('\n');
        }
        Path file = run.file("t.libsvm", lines);
        Path sample = run.file("u.libsvm", "+1 1:1\n-1 2:1\n");
        run.fit(sample + " --epochs 1 --set bias=false --set algorithm=perceptron");
        Path u = Files.move(run.path("w"), run.path("u.weights"));

        run.fit(file + " --epochs 1 --set bias=false --json --comparator " + u);
        JsonNode bound = hingeBound();
        // the loss changes its slope only at c = 1
        double least = Math.min(100, bound(squaredRadius * 2, 2 * wrong));
        assertThat(bound.get("text").asText()).contains("times the given weights");
        assertThat(bound.get("value").asDouble()).as("seed %d", seed).isCloseTo(least, within(1e-9));

        run.fit(file + " --epochs 1 --set bias=false --json --set algorithm=perceptron");
        assertThat(hingeBound().get("value").asDouble()).isGreaterThan(least);
    }

    /** L + X/2 + sqrt(L·X + X²/4). */
    private static double bound(double x, double loss) {
        return loss + x / 2 + Math.sqrt(loss * x + x * x / 4);
    }

    private JsonNode hingeBound() throws IOException {
        for (JsonNode theorem : run.result().at("/theory/theorems")) {
            if (theorem.get("name").asText().equals("hinge bound")) {
                return theorem;
            }
        }
        throw new AssertionError(run.output());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--set algorithm=pa-i | --comparator must be used with algorithm=perceptron",
                "--set scale=standard | a scale other than standard",
                "--order random | an order other than random",
                "--set hash.bits=5 | hash.bits must be that of the weights to compare with, got another one (--set hash.bits=18)",
                "--set bias=false | bias must be true to compare with weights that have one"
            })
    void shouldRefuseWeightsThatCannotBeCompared(String options, String message) throws IOException {
        Path file = run.file("t.libsvm", "+1 1:1\n");
        run.fit(file + " --epochs 1 --set algorithm=perceptron");
        Path u = Files.move(run.path("w"), run.path("u.weights"));
        assertThat(run.run("fit " + file + " --comparator " + u + " --output " + run.path("w") + " " + options))
                .isNotZero();
        assertThat(run.errors()).contains(message);
    }

    @ParameterizedTest
    @CsvSource({"'l,x\na,1\nb,-1\nc,0\n', bias=true", "'l,x\n+1,1\n-1,-1\n', kernel=rbf(g=0.5)"})
    void shouldRefuseToCompareWhatTheExamplesMakeAnotherLearner(String lines, String set) throws IOException {
        Path sample = run.file("u.libsvm", "+1 1:1\n-1 2:1\n");
        run.fit(sample + " --epochs 1 --set algorithm=perceptron");
        Path u = Files.move(run.path("w"), run.path("u.weights"));
        Path file = run.file("t.csv", lines);
        assertThat(run.refusal(file + " --label-column l --comparator " + u + " --set " + set))
                .contains("--comparator must be used with algorithm=perceptron, got examples that make it");
        assertThat(run.path("w")).exists();
    }

    @ParameterizedTest
    @ValueSource(strings = {"kernel=rbf(g=0.5)", "algorithm=multiclass"})
    void shouldRefuseWeightsThatAreNotOfFeatures(String set) throws IOException {
        Path file = run.file("t.libsvm", "+1 1:1\n-1 2:1\n");
        run.fit(file + " --epochs 1 --set " + set);
        Path u = Files.move(run.path("w"), run.path("u.weights"));
        assertThat(run.refusal(file + " --comparator " + u))
                .containsPattern("weights to compare with must be those of (features|two classes), got ");
    }

    @Test
    void shouldRefuseAFileThatIsNotOneSnapshot() throws IOException {
        Path file = run.file("t.libsvm", "+1 1:1\n-1 2:1\n");
        run.fit(file + " --epochs 1 --set algorithm=perceptron");
        String snapshot = Files.readString(run.path("w"));
        for (String content : List.of("", snapshot + snapshot, "{}")) {
            Path u = run.file("u.weights", content);
            assertThat(run.refusal(file + " --comparator " + u))
                    .contains("u.weights must hold")
                    .doesNotContain("\tat ");
        }
        assertThat(run.refusal(file + " --comparator " + run.path("none")))
                .contains("weights must be in a file that exists");
    }

    @ParameterizedTest
    @CsvSource({
        "0, bias=false",
        "1, bias=false h=1",
        "2, bias=false kernel=linear",
        "3, 'algorithm=multiclass classes=-1,1 bias=false'"
    })
    void shouldSayWhatTheTheoremsSayOfASeparableFile(long seed, String set) throws IOException {
        // unit vectors, separated by (0.6, -0.8, 0) with a margin of at least 0.1
        double gamma = 0.1;
        Random random = new Random(seed);
        StringBuilder lines = new StringBuilder();
        for (int k = 0; k < 200; ) {
            double[] x = random.doubles(3, -1, 1).toArray();
            double length = Math.sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
            double u = (0.6 * x[0] - 0.8 * x[1]) / length;
            if (Math.abs(u) >= gamma) {
                lines.append(u > 0 ? "+1" : "-1");
                for (int i = 0; i < 3; i++) {
                    lines.append(' ').append(i + 1).append(':').append(x[i] / length);
                }
                lines.append('\n');
                k++;
            }
        }
        Path file = run.file("separable.libsvm", lines);
        run.fit(file + " --json --epochs 1000 --set " + set.replace(" ", " --set ")
                + (set.contains("algorithm") ? "" : " --set algorithm=perceptron"));

        JsonNode theory = run.result().get("theory");
        // Kesler's vectors of two classes: the margin of (u, -u) / sqrt(2) is 2u / sqrt(2)
        boolean isKesler = set.contains("multiclass");
        double best = isKesler ? Math.sqrt(2) * gamma : gamma;
        double radius = isKesler ? Math.sqrt(2) : 1;
        assertThat(theory.get("radius").asDouble()).as("seed %d", seed).isCloseTo(radius, within(1e-12));
        double margin = theory.get("gammaLowerBound").asDouble();
        assertThat(margin).isPositive().isEqualTo(theory.get("margin").asDouble());
        assertThat(theory.get("gammaUpperBound").asDouble()).isGreaterThan(Math.max(best, margin));
        long updates = theory.get("updates").asLong();
        String name = set.contains("h=1") ? "margin perceptron" : "mistake bound";
        double numerator = set.contains("h=1") ? 3 : radius * radius;
        assertThat((double) updates).isLessThanOrEqualTo(numerator / (best * best));
        assertThat(theorem(theory, name).get("value").asDouble())
                .isCloseTo(numerator / (margin * margin), within(1e-6))
                .isGreaterThanOrEqualTo((double) updates);
        if (name.equals("margin perceptron")) {
            assertThat(margin).isGreaterThanOrEqualTo(best / 3);
        }
        for (JsonNode each : theory.get("theorems")) {
            assertThat(each.get("value").isNull())
                    .isEqualTo(each.get("text").asText().startsWith("does not apply: "));
        }
    }

    @Test
    void shouldSayWhyATheoremDoesNotApply() throws IOException {
        assertThat(run.fit(WDBC + " --epochs 2 --set algorithm=pa-i"))
                .contains("pa-i: M = ")
                .contains("mistake bound        does not apply: the learner's updates are not the perceptron's")
                .contains("VC dimension         P + 1 = 31");
        assertThat(run.fit(WDBC + " --epochs 2 --order random --set algorithm=perceptron"))
                .contains("hinge bound          does not apply: the hinge loss of a u to compare with");
        assertThat(run.fit(WDBC + " --epochs 2 --set algorithm=arow"))
                .contains("does not apply: w is no sum of steps times examples, so its length");
        assertThat(run.fit(WDBC + " --epochs 2 --set algorithm=multiclass"))
                .contains("mistake bound        does not apply: w is no sum of steps times examples");
    }

    @Test
    void shouldTakeTheWeightThatAllExamplesHaveForAStep() throws IOException {
        String lines = """
                {"label":1,"features":[1,1,0],"weight":2}
                {"label":-1,"features":[1,0,0],"weight":2}
                {"label":-1,"features":[0,1,0],"weight":%s}
                """;
        Path equal = run.file("equal.jsonl", String.format(lines, "2"));
        run.fit(equal + " --json --epochs 100 --set algorithm=perceptron");
        JsonNode theory = run.objects().get(run.objects().size() - 1).get("theory");
        assertThat(theorem(theory, "mistake bound").get("value").asDouble())
                .isGreaterThanOrEqualTo(theory.get("updates").asDouble());
        assertThat(theory.get("gammaUpperBound").asDouble())
                .isCloseTo(
                        theory.get("weightNorm").asDouble()
                                / (2 * theory.get("updates").asDouble()),
                        within(1e-12));

        Path different = run.file("different.jsonl", String.format(lines, "3"));
        run.fit(different + " --json --epochs 100 --set algorithm=perceptron");
        theory = run.objects().get(run.objects().size() - 1).get("theory");
        assertThat(theorem(theory, "mistake bound").get("text").asText()).contains("different weights");
    }

    @Test
    void shouldSayNothingOfAnOutputWithoutRivals() throws IOException {
        String lines = """
                {"label":"a","features":{"candidates":[{"output":"a","features":{"x":1}}]}}
                {"label":"a","features":{"candidates":[{"output":"b","features":{"z":1}},{"output":"a","features":{"y":1}}]}}
                """;
        run.fit(run.file("candidates.jsonl", lines) + " --json --epochs 100");

        JsonNode theory = run.objects().get(run.objects().size() - 1).get("theory");
        // one update by f(x,a) - f(x,b), which has length sqrt(2)
        assertThat(theory.get("updates").asInt()).isEqualTo(1);
        assertThat(theory.get("margin").asDouble()).isCloseTo(Math.sqrt(2), within(1e-12));
        // u = w/2 has the margin 1 on the only difference: R^2|u|^2 = 2/2
        assertThat(theorem(theory, "hinge bound").get("value").asDouble()).isCloseTo(1, within(1e-9));
    }

    private static JsonNode theorem(JsonNode theory, String name) {
        for (JsonNode each : theory.get("theorems")) {
            if (each.get("name").asText().equals(name)) {
                return each;
            }
        }
        throw new AssertionError("no theorem of the name " + name);
    }
}
