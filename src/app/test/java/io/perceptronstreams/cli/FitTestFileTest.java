package io.perceptronstreams.cli;

import static io.perceptronstreams.cli.FitRun.WDBC;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code fit --test FILE}: errors on other examples. */
final class FitTestFileTest {
    @RegisterExtension
    final FitRun run = new FitRun();

    @Test
    void shouldWriteTheSameWeightsWhetherTheyAreTestedOrNot() throws IOException {
        String fit = WDBC + " --set scale=standard --set predict=averaged --epochs 2";
        run.fit(fit);
        String untested = Files.readString(run.path("w"));
        run.fit(fit + " --test src/app/main/resources/demo/wdbc.csv");

        assertThat(run.path("w")).hasContent(untested);
    }

    @Test
    void shouldWriteTheWeightsOfThePassWithTheFewestTestErrors() throws IOException {
        Path test = run.file("test.csv", wdbc(3));
        String csv = " --label-column diagnosis --id-column id --set scale=unit-norm --order shuffled --json";
        String fit = "src/app/main/resources/demo/wdbc.csv" + csv;
        run.fit(fit + " --epochs 40 --patience 3 --test " + test);
        String weights = Files.readString(run.path("w"));
        List<JsonNode> objects = run.objects();
        JsonNode result = objects.remove(objects.size() - 1);
        List<Integer> errors = new ArrayList<>();
        objects.forEach(pass -> errors.add(pass.get("testErrors").asInt()));
        int fewest = errors.indexOf(Collections.min(errors));
        assertThat(errors).hasSize(fewest + 4).hasSizeLessThan(40);
        assertThat(result.at("/testErrors/last").asInt()).isEqualTo(Collections.min(errors));

        run.fit(fit + " --epochs " + (fewest + 1));
        assertThat(run.path("w")).hasContent(weights);
        // the theory was once of the last weights
        assertThat(result.get("theory")).isEqualTo(run.result().get("theory"));
        run.fit(fit + " --epochs " + errors.size());
        assertThat(result.get("theory")).isNotEqualTo(run.result().get("theory"));
        assertThat(Files.readString(run.path("w"))).isNotEqualTo(weights);
    }

    @Test
    void shouldPrintTheResultOfTheWrittenWeights() throws IOException {
        String fit = WDBC + " --patience 1 --test " + run.file("test.csv", wdbc(3));
        for (String settings : List.of("", " --set algorithm=pa", " --set kernel=poly(c=1,k=2)", " --set budget=9")) {
            run.fit(fit + settings);

            long version = (Long) run.weights().get("updates");
            assertThat(run.output())
                    .contains(String.format(Locale.ROOT, ": M = %,d updates, ", version))
                    .contains("weights of pass ");
        }
    }

    /** The header and every n-th line. */
    private static String wdbc(int n) throws IOException {
        List<String> lines = Files.readAllLines(Path.of("src/app/main/resources/demo/wdbc.csv"));
        StringBuilder some = new StringBuilder(lines.get(0)).append('\n');
        for (int line = 1; line < lines.size(); line += n) {
            some.append(lines.get(line)).append('\n');
        }
        return some.toString();
    }

    @Test
    void shouldRefusePatienceWithoutATest() {
        assertThat(run.failure(2, "fit " + WDBC + " --patience 3")).contains("--patience must be used with --test");
        assertThat(run.failure(2, "fit " + WDBC + " --patience 0 --test x"))
                .contains("--patience must be at least 1, got 0");
    }

    @Test
    void shouldCountLabelsItHasNeverSeenAsErrors() throws IOException {
        Path train = run.file("train.libsvm", "+1 1:1\n-1 2:1\n");
        Path test = run.file("test.libsvm", "+1 1:1\n7 2:1\n-1 2:1\n");
        run.fit(train + " --json --test " + test);

        assertThat(run.result().get("testErrors")).hasToString("{\"last\":1,\"averaged\":1}");
    }

    /** Scores 3, 1, -1, 1, -2 after +1 1:1 and -1 2:1 with w = (1, -1): see the features. */
    @Test
    void shouldPrintMetricsOfTheTest() throws IOException {
        Path train = run.file("train.libsvm", "-1 2:1\n+1 1:1\n-1 2:1\n");
        Path test = run.file("test.libsvm", "+1 1:3\n+1 1:1\n+1 2:1\n-1 1:1\n-1 2:2\n7 2:1\n");
        String fit = train + " --set bias=false --test " + test;
        run.fit(fit + " --json");
        JsonNode metrics = run.result().at("/testMetrics/last");
        // three of +1, two of -1, one of no class; wrong: the third, the fourth, the last
        assertThat(metrics.at("/classes/0"))
                .hasToString(
                        "{\"label\":\"-1\",\"examples\":2,\"predicted\":3,\"correct\":1,\"precision\":0.3333333333333333,"
                                + "\"recall\":0.5,\"f1\":0.4}");
        assertThat(metrics.at("/classes/1"))
                .hasToString(
                        "{\"label\":\"1\",\"examples\":3,\"predicted\":3,\"correct\":2,\"precision\":0.6666666666666666,"
                                + "\"recall\":0.6666666666666666,\"f1\":0.6666666666666666}");
        assertThat(metrics.get("comparedErrors").asInt()).isEqualTo(3);
        // the first, then -1, -1 and 7 after +1
        assertThat(metrics.get("majorityErrors").asInt()).isEqualTo(4);
        // the first, the first -1, and 7
        assertThat(metrics.get("sameErrors").asInt()).isEqualTo(3);
        // of the pairs of 3, 1, -1 with 1, -2: 3 > 1, 3 > -2, 1 = 1, 1 > -2, -1 < 1, -1 > -2
        assertThat(metrics.get("auc").asDouble()).isEqualTo(4.5 / 6);
        assertThat(metrics.at("/confusion/counts")).hasToString("[1,1,0,1,2,0,1,0,0]");

        assertThat(run.fit(fit))
                .contains(
                        "balanced accuracy 0.5833, macro F1 0.5333 (of the 2 classes above), kappa ", ", AUC 0.7500\n")
                .contains("baselines: majority so far 4 errors (66.67 %), kappa against it 0.2500; same as last label 3"
                        + " errors (50.00 %), kappa against it 0.0000\n")
                .contains("label        -1       1 (other)\n", "1             1       2       0\n");
    }

    /** With given classes, all tags of a sentence with an unknown one were once counted as wrong. */
    @ParameterizedTest
    @ValueSource(strings = {"", " --set classes=NOUN,VERB"})
    void shouldCompareSentencesTagByTag(String classes) throws IOException {
        Path train = sentence("train", "NOUN", "VERB");
        Path test = run.file("test.conllu", Files.readString(sentence("new", "NOUN", "NEW")) + Files.readString(train));
        run.fit(train + " --json --epochs 20 --set bias=false" + classes + " --test " + test);

        JsonNode last = run.result();
        assertThat(last.get("testErrors").get("last").asInt()).isEqualTo(1);
        assertThat(last.get("testTagErrors").get("last").asInt()).isEqualTo(1);
        assertThat(last.get("testTags").asInt()).isEqualTo(4);
    }

    /** File with a sentence that has the word dog once for each tag. */
    private Path sentence(String name, String... tags) throws IOException {
        StringBuilder conllu = new StringBuilder();
        for (int k = 0; k < tags.length; k++) {
            conllu.append(k + 1).append("\tdog\t_\t").append(tags[k]).append("\t_\t_\t_\t_\t_\t_\n");
        }
        return run.file(name + ".conllu", conllu.append('\n'));
    }

    @Test
    void shouldKnowTheMarginOfSequencesThatWereLearnedWithH() throws IOException {
        Path train = run.file(
                "train.conllu",
                Files.readString(sentence("two", "NOUN", "VERB")) + Files.readString(sentence("one", "NOUN")));
        String options = train + " --json --epochs 50 --set classes=NOUN,VERB";

        run.fit(options);
        assertThat(run.result().at("/theory/margin").isNull()).isTrue();

        run.fit(options + " --set h=2");
        JsonNode theory = run.result().get("theory");
        // the last pass has found no lead below h
        assertThat(theory.get("margin").asDouble() * theory.get("weightNorm").asDouble())
                .isGreaterThanOrEqualTo(2);
        assertThat(theory.get("margin").asDouble())
                .isBetween(
                        theory.get("gammaLowerBound").asDouble(),
                        theory.get("gammaUpperBound").asDouble());
    }

    /** The message once began with "--test, example 2". */
    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "csv ~ label,x\\n1,1 ~ 1,1e300 ~ 4",
                "jsonl ~ {\"label\":1,\"features\":{\"x\":1}} ~ {\"label\":1,\"features\":{\"x\":1e300}} ~ 3",
                "libsvm ~ 1 1:1 ~ 1 1:1e300 ~ 3",
                "vw ~ 1 | x:1 ~ 1 | x:1e300 ~ 3"
            })
    void shouldNameFileAndLineOfATestExampleThatCannotBeUsed(String format, String text, String large, int line)
            throws IOException {
        String first = text.replace("\\n", "\n") + "\n";
        Path train = run.file("train." + format, first);
        Path test = run.file("test." + format, first + "\n" + large + "\n");

        assertThat(run.refusal(train + " --set eta=1e20 --test " + test))
                .startsWith("perceptron: " + test + ", example 2 (line " + line + "): ");
    }

    @Test
    void shouldNameTheTestFileWithoutLabels() throws IOException {
        Path train = run.file("train.csv", "label,x\n1,1\n");
        Path test = run.file("test.csv", "label,x\n,1\n");

        assertThat(run.refusal(train + " --test " + test))
                .contains("examples to test with must have labels, got none in " + test);
        // before the first pass
        assertThat(run.output()).isEmpty();
    }
}
