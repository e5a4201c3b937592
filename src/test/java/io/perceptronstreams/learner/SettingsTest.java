package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.drift.DriftSettings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SettingsTest {
    private static final Map<String, String> EVERY_ONE_CHANGED = Map.ofEntries(
            Map.entry("algorithm", "perceptron"),
            Map.entry("h", "0.1"),
            Map.entry("h.inclusive", "true"),
            Map.entry("eta", "1.0E-5"),
            Map.entry("predict", "averaged"),
            Map.entry("survival.start", "0"),
            Map.entry("bias", "false"),
            Map.entry("kernel", "0.5*poly(c=1,k=2) + rbf(g=0.1)"),
            Map.entry("budget", "100"),
            Map.entry("budget.policy", "random"),
            Map.entry("seed", "7"),
            Map.entry("labels", "ham,spam"),
            Map.entry("negative.label", "0"),
            Map.entry("hash.bits", "30"),
            Map.entry("scale", "unit-norm"),
            Map.entry("window.ms", "1"),
            Map.entry("snapshot.every", "9223372036854775807"),
            Map.entry("blocks.max", "16777216"),
            Map.entry("names.max", "500"),
            Map.entry("comparator", "17"),
            Map.entry("classes", "red,green,blue"),
            Map.entry("classes.max", "10000"),
            Map.entry("predict.scores", "true"),
            Map.entry("c", "0.5"),
            Map.entry("r", "2.0"),
            Map.entry("alpha", "0.5"),
            Map.entry("drift", "page-hinkley"),
            Map.entry("drift.delta", "0.01"),
            Map.entry("drift.threshold", "7.5"),
            Map.entry("drift.action", "shadow"),
            Map.entry("drift.window", "50"),
            Map.entry("await.labels.ms", "86400000"),
            Map.entry("await.examples.ms", "0"),
            Map.entry("await.labels.max", "1048576"),
            Map.entry("label.default", "ham"),
            Map.entry("dedupe.last", "1000"),
            Map.entry("h.positive", "2.0"),
            Map.entry("h.negative", "0.0"),
            Map.entry("class.weights", "spam:5.0"),
            Map.entry("threshold", "-0.5"),
            Map.entry("crosses", "hour*item*user,item**"),
            Map.entry("crosses.max", "780"),
            Map.entry("namespaces.ignore", "raw,_"),
            Map.entry("namespaces.keep", ""),
            Map.entry("loss", "squared-hinge"),
            Map.entry("rate", "adagrad"),
            Map.entry("normalised", "true"),
            Map.entry("implicit", "true"),
            Map.entry("average.halflife", "1000.5"),
            Map.entry("confidence", "0.9"),
            Map.entry("auc.window", "500"),
            Map.entry("explain", "7"));

    @Test
    void shouldHaveTheDocumentedDefaults() {
        assertThat(Settings.DEFAULTS.toMap())
                .isEqualTo(Map.ofEntries(
                        Map.entry("algorithm", "auto"),
                        Map.entry("h", "0.0"),
                        Map.entry("h.inclusive", "false"),
                        Map.entry("eta", "1.0"),
                        Map.entry("predict", "last"),
                        Map.entry("survival.start", "1"),
                        Map.entry("bias", "true"),
                        Map.entry("kernel", ""),
                        Map.entry("budget", "0"),
                        Map.entry("budget.policy", "oldest"),
                        Map.entry("seed", "0"),
                        Map.entry("labels", ""),
                        Map.entry("negative.label", "auto"),
                        Map.entry("hash.bits", "18"),
                        Map.entry("scale", "none"),
                        Map.entry("window.ms", "10000"),
                        Map.entry("snapshot.every", "0"),
                        Map.entry("blocks.max", "131072"),
                        Map.entry("names.max", "10000"),
                        Map.entry("comparator", ""),
                        Map.entry("classes", ""),
                        Map.entry("classes.max", "1000"),
                        Map.entry("predict.scores", "false"),
                        Map.entry("c", "1.0"),
                        Map.entry("r", "1.0"),
                        Map.entry("alpha", "0.9"),
                        Map.entry("drift", "none"),
                        Map.entry("drift.delta", "auto"),
                        Map.entry("drift.threshold", "auto"),
                        Map.entry("drift.action", "none"),
                        Map.entry("drift.window", "100"),
                        Map.entry("await.labels.ms", "0"),
                        Map.entry("await.examples.ms", "120000"),
                        Map.entry("await.labels.max", "100000"),
                        Map.entry("label.default", ""),
                        Map.entry("dedupe.last", "0"),
                        Map.entry("h.positive", "auto"),
                        Map.entry("h.negative", "auto"),
                        Map.entry("class.weights", ""),
                        Map.entry("threshold", "0.0"),
                        Map.entry("crosses", ""),
                        Map.entry("crosses.max", "100000"),
                        Map.entry("namespaces.ignore", ""),
                        Map.entry("namespaces.keep", ""),
                        Map.entry("loss", "sigmoid"),
                        Map.entry("rate", "constant"),
                        Map.entry("normalised", "false"),
                        Map.entry("implicit", "false"),
                        Map.entry("average.halflife", "0.0"),
                        Map.entry("confidence", "0.75"),
                        Map.entry("auc.window", "0"),
                        Map.entry("explain", "0")));
    }

    @Test
    void shouldTakeEverySetting() {
        assertThat(Settings.DEFAULTS.with(EVERY_ONE_CHANGED))
                .isEqualTo(new Settings(
                        Algorithm.PERCEPTRON,
                        0.1,
                        true,
                        1e-5,
                        Settings.Predict.AVERAGED,
                        0,
                        false,
                        "0.5*poly(c=1,k=2) + rbf(g=0.1)",
                        100,
                        Settings.BudgetPolicy.RANDOM,
                        7,
                        List.of("ham", "spam"),
                        NegativeLabel.ZERO,
                        30,
                        Settings.Scale.UNIT_NORM,
                        1,
                        Long.MAX_VALUE,
                        1 << 24,
                        500,
                        "17",
                        List.of("red", "green", "blue"),
                        10_000,
                        true,
                        0.5,
                        2,
                        0.5,
                        new DriftSettings(
                                DriftSettings.Detector.PAGE_HINKLEY, 0.01, 7.5, DriftSettings.Action.SHADOW, 50),
                        new LabelSettings(86_400_000, 0, 1 << 20, "ham", 1000),
                        new UnequalClasses(2, 0, new UnequalClasses.Weights(Map.of("spam", 5.0), false), -0.5),
                        new FeatureSettings("hour*item*user,item**", 780, List.of("raw", "_"), List.of()),
                        new UpdateSettings(Loss.SQUARED_HINGE, UpdateSettings.Rate.ADAGRAD, true, true, 1000.5, 0.9),
                        new ReportSettings(500, 7)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ddm | drift.delta | 0.1 | drift.delta must be auto where drift=ddm, got '0.1'",
                "adwin | drift.threshold | 3 | drift.threshold must be auto where drift=adwin, got '3'",
            })
    void shouldRefuseAParameterThatTheDetectorDoesNotHave(String drift, String name, String value, String message) {
        assertThatThrownBy(() -> Settings.DEFAULTS.with(Map.of("drift", drift, name, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void shouldKeepTheParametersOfADetectorThatIsTurnedOff() {
        Settings off = Settings.DEFAULTS.with(EVERY_ONE_CHANGED).with(Map.of("drift", "none"));

        assertThat(off.with(Map.of("drift", "page-hinkley"))).isEqualTo(Settings.DEFAULTS.with(EVERY_ONE_CHANGED));
    }

    @Test
    void shouldBeTheSameAfterTheWayThroughAMap() {
        Settings changed = Settings.DEFAULTS.with(EVERY_ONE_CHANGED);

        assertThat(changed.toMap()).isEqualTo(EVERY_ONE_CHANGED);
        assertThat(Settings.DEFAULTS.with(changed.toMap())).isEqualTo(changed);
        assertThat(changed.with(Settings.DEFAULTS.toMap())).isEqualTo(Settings.DEFAULTS);
    }

    @Test
    void shouldKeepWhatIsNotChanged() {
        Settings changed = Settings.DEFAULTS.with(EVERY_ONE_CHANGED).with(Map.of("h", "3"));

        assertThat(changed.h()).isEqualTo(3);
        assertThat(changed.with(Map.of("h", "0.1"))).isEqualTo(Settings.DEFAULTS.with(EVERY_ONE_CHANGED));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "algorithm | svm | algorithm must be one of auto, perceptron, multiclass, multiclass-pa, pa, pa-i, pa-ii, arow, alma, pdm, sgd, scw, kernel, structured, sequence, got 'svm'",
                "algorithm | PERCEPTRON | algorithm must be one of auto, perceptron, multiclass, multiclass-pa, pa, pa-i, pa-ii, arow, alma, pdm, sgd, scw, kernel, structured, sequence, got 'PERCEPTRON'",
                "h | -0.1 | h must be a number >= 0.0, got '-0.1'",
                "h | NaN | h must be a number >= 0.0, got 'NaN'",
                "h | Infinity | h must be a number >= 0.0, got 'Infinity'",
                "h | 1e999 | h must be a number >= 0.0, got '1e999'",
                "h | one | h must be a number >= 0.0, got 'one'",
                "h | '' | h must be a number >= 0.0, got ''",
                "h.inclusive | yes | h.inclusive must be true or false, got 'yes'",
                "eta | 0 | eta must be a number > 0.0, got '0'",
                "eta | -1 | eta must be a number > 0.0, got '-1'",
                "predict | first | predict must be one of last, averaged, voted, got 'first'",
                "survival.start | 2 | survival.start must be a whole number from 0 to 1, got '2'",
                "survival.start | 0.5 | survival.start must be a whole number from 0 to 1, got '0.5'",
                "bias | 1 | bias must be true or false, got '1'",
                "kernel | poly(c=1,k=0) | kernel must be an expression such as 0.5*poly(c=1,k=2) + rbf(g=0.1)"
                        + " (column 12: expected a whole number from 1 to 64, got '0)'), got 'poly(c=1,k=0)'",
                "budget | -1 | budget must be a whole number from 0 to 16777216, got '-1'",
                "budget.policy | newest | budget.policy must be one of oldest, smallest, random, got 'newest'",
                "seed | -1 | seed must be a whole number from 0 to 9223372036854775807, got '-1'",
                "hash.bits | 0 | hash.bits must be a whole number from 1 to 30, got '0'",
                "hash.bits | 31 | hash.bits must be a whole number from 1 to 30, got '31'",
                "scale | unit_norm | scale must be one of none, unit-norm, unit-norm-bias, standard, got 'unit_norm'",
                "window.ms | 0 | window.ms must be a whole number from 1 to 4611686018427387903, got '0'",
                "snapshot.every | -1 | snapshot.every must be a whole number from 0 to 9223372036854775807, got '-1'",
                "blocks.max | 0 | blocks.max must be a whole number from 1 to 16777216, got '0'",
                "classes.max | 0 | classes.max must be a whole number from 1 to 10000, got '0'",
                "classes.max | 10001 | classes.max must be a whole number from 1 to 10000, got '10001'",
                "predict.scores | 1 | predict.scores must be true or false, got '1'",
                "c | 0 | c must be a number > 0.0, got '0'",
                "alpha | 0 | alpha must be a number > 0 and <= 1.0, got '0'",
                "alpha | 1.1 | alpha must be a number > 0 and <= 1.0, got '1.1'",
                "r | -1 | r must be a number > 0.0, got '-1'",
                "loss | absolute | loss must be one of perceptron, hinge, squared-hinge, logistic, sigmoid, got 'absolute'",
                "rate | slow | rate must be one of constant, inverse-sqrt, adagrad, got 'slow'",
                "normalised | 1 | normalised must be true or false, got '1'",
                "implicit | yes | implicit must be true or false, got 'yes'",
                "average.halflife | 0.5 | average.halflife must be 0 or a number >= 1.0, got '0.5'",
                "average.halflife | Infinity | average.halflife must be 0 or a number >= 1.0, got 'Infinity'",
                "confidence | 0.5 | confidence must be a number > 0.5 and < 1.0, got '0.5'",
                "confidence | 1 | confidence must be a number > 0.5 and < 1.0, got '1'",
                "h.positive | -0.1 | h.positive must be auto or a number >= 0, got '-0.1'",
                "h.positive | Infinity | h.positive must be auto or a number >= 0, got 'Infinity'",
                "drift | kswin | drift must be one of none, ddm, page-hinkley, adwin, got 'kswin'",
                "drift.delta | 0 | drift.delta must be auto or a number > 0 and < 1.0, got '0'",
                "drift.delta | 1 | drift.delta must be auto or a number > 0 and < 1.0, got '1'",
                "drift.threshold | 0 | drift.threshold must be auto or a number > 0, got '0'",
                "drift.threshold | Infinity | drift.threshold must be auto or a number > 0, got 'Infinity'",
                "drift.threshold | much | drift.threshold must be auto or a number > 0, got 'much'",
                "drift.action | alert | drift.action must be one of none, reset, shadow, got 'alert'",
                "drift.window | 9 | drift.window must be a whole number from 10 to 1048576, got '9'",
            })
    void shouldRefuse(String name, String value, String message) {
        assertThatThrownBy(() -> Settings.DEFAULTS.with(Map.of(name, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource({"alpha, 1.0", "average.halflife, 1.0", "h.positive, 0.0", "survival.start, 1", "hash.bits, 1"})
    void shouldTakeTheLimitItself(String name, String value) {
        assertThat(Settings.DEFAULTS.with(Map.of(name, value)).toMap()).containsEntry(name, value);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"ham", "ham,", ",spam", "ham,ham", "ham,spam,eggs", ","})
    void shouldRefuseLabelsThatAreNotTwoNames(String labels) {
        assertThatThrownBy(() -> Settings.DEFAULTS.with(Map.of("labels", labels)))
                .hasMessage("labels must be two different names of at most 256 characters, the one for -1 first,"
                        + " as in ham,spam, got '" + labels + "'");
    }

    // A name of 64 KiB once was taken, and could not be stored: the task died at its next commit.
    @Test
    void shouldRefuseNamesTooLongToStore() {
        String longest = "é".repeat(256);

        assertThat(Settings.DEFAULTS.with(Map.of("labels", "a," + longest)).labels())
                .containsExactly("a", longest);
        assertThatThrownBy(() -> Settings.DEFAULTS.with(Map.of("labels", "a," + longest + "é")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("labels must be two different names of at most 256 characters");
    }

    @Test
    void shouldRefuseADefaultLabelTooLongToStore() {
        String longest = "é".repeat(256);

        assertThat(Settings.DEFAULTS
                        .with(Map.of("label.default", longest))
                        .late()
                        .labelDefault())
                .isEqualTo(longest);
        assertThatThrownBy(() -> Settings.DEFAULTS.with(Map.of("label.default", longest + "é")))
                .hasMessageStartingWith("label.default must be empty, or a label of at most 256 characters");
    }

    @ParameterizedTest
    @ValueSource(strings = {"red", "red,", "red,red", "red,green,red", ",", "red,gr\neen"})
    void shouldRefuseClassesThatAreNotDifferentNames(String classes) {
        assertThatThrownBy(() -> Settings.DEFAULTS.with(Map.of("classes", classes)))
                .hasMessage("classes must be two or more different names of 1 to 256 characters, in all at most 16384,"
                        + " as in red,green,blue, got '" + classes + "'");
    }

    @Test
    void shouldRefuseClassesTooLongToStore() {
        String longest = "é".repeat(256);
        String many = IntStream.range(0, 63)
                .mapToObj(k -> k + 10 + longest.substring(2))
                .collect(Collectors.joining(","));
        String full = many + "," + longest.substring(63);

        assertThat(Settings.DEFAULTS.with(Map.of("classes", "red,green")).classes())
                .hasSize(2);
        assertThat(full).hasSize(16384);
        assertThat(Settings.DEFAULTS.with(Map.of("classes", full)).classes()).hasSize(64);
        assertThatThrownBy(() -> Settings.DEFAULTS.with(Map.of("classes", full + "é")))
                .hasMessageContaining("in all at most 16384");
        assertThatThrownBy(() -> Settings.DEFAULTS.with(Map.of("classes", many + "," + longest)))
                .hasMessageContaining("in all at most 16384");
        assertThatThrownBy(() -> Settings.DEFAULTS.with(Map.of("classes", "a,b" + longest)))
                .hasMessageContaining("of 1 to 256 characters");
    }

    @Test
    void shouldTellAllFaultsAtOnce() {
        assertThatThrownBy(() -> Settings.DEFAULTS.with(Map.of("eta", "0", "bias", "no", "epochs", "3")))
                .hasMessage("unknown setting 'epochs' (known: algorithm, h, h.inclusive, eta, predict, survival.start,"
                        + " bias, kernel, budget, budget.policy, seed, labels, negative.label, hash.bits, scale, window.ms, snapshot.every, blocks.max, names.max, comparator, classes,"
                        + " classes.max, predict.scores, c, r, alpha, drift, drift.delta, drift.threshold, drift.action, drift.window, await.labels.ms, await.examples.ms, await.labels.max, label.default, dedupe.last, h.positive, h.negative, class.weights, threshold, crosses, crosses.max, namespaces.ignore, namespaces.keep, loss, rate, normalised, implicit, average.halflife, confidence, auc.window, explain);"
                        + " eta must be a number > 0.0, got '0'; bias must be true or false, got 'no'");
    }

    @Test
    void shouldNameTheFirstOfManyUnknownSettings() {
        Map<String, String> changes =
                IntStream.range(10, 30).boxed().collect(Collectors.toMap(k -> "zzzz" + k, k -> ""));

        assertThatThrownBy(() -> Settings.DEFAULTS.with(changes))
                .hasMessageStartingWith("unknown setting 'zzzz10' (known: ")
                .hasMessageContaining("; unknown setting 'zzzz11'; ")
                .hasMessageEndingWith("unknown setting 'zzzz19'; 10 more unknown settings");
    }

    @ParameterizedTest
    @CsvSource({
        "hh, h",
        "hash.bit, hash.bits",
        "hsah.bits, hash.bits",
        "Hash-Bits, hash.bits",
        "window, window.ms",
        "awaitLabelsMax, await.labels.max",
        "hash, hash.bits",
        "survival, survival.start"
    })
    void shouldSuggestTheKnownNameOfAMisspeltOne(String written, String meant) {
        assertThatThrownBy(() -> Settings.DEFAULTS.with(Map.of(written, "1")))
                .hasMessage("unknown setting '" + written + "' (did you mean " + meant + "?)");
    }

    // any name of one letter is one letter from h
    @ParameterizedTest
    @ValueSource(strings = {"q", "ab", "epochs"})
    void shouldListTheKnownNamesWhereNoneIsSimilar(String written) {
        assertThatThrownBy(() -> Settings.DEFAULTS.with(Map.of(written, "1")))
                .hasMessageStartingWith("unknown setting '" + written + "' (known: algorithm, h, ");
    }

    // A JSON null in a command once ended in a NullPointerException.
    @Test
    void shouldRefuseNullLikeAnyOtherWrongValue() {
        Settings.DEFAULTS.toMap().keySet().forEach(name -> {
            Map<String, String> changes = new HashMap<>();
            changes.put(name, null);

            assertThatThrownBy(() -> Settings.DEFAULTS.with(changes))
                    .as(name)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("got 'null'");
        });
    }

    @Test
    void shouldTakeNoLabelsToMeanInts() {
        assertThat(Settings.DEFAULTS
                        .with(Map.of("labels", "a,b"))
                        .with(Map.of("labels", ""))
                        .labels())
                .isEmpty();
    }

    // The canonical text is what is stored: 1e14 becomes 100000000000000, and 4,031 characters become 4,797.
    @Test
    void shouldRefuseAKernelWhoseCanonicalTextIsTooLongToBeReadAgain() {
        String kernel = "+normalise(normalise(normalise(normalise(poly(c=1e14,k=64)))))"
                .repeat(64)
                .substring(1);
        assertThat(kernel).hasSizeLessThan(4096);
        assertThatThrownBy(() -> Settings.DEFAULTS.with(Map.of("kernel", kernel)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 4096 characters");
    }
}
