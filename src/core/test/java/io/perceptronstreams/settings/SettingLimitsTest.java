package io.perceptronstreams.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.algorithm.Algorithm;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The values that each setting takes and refuses. */
final class SettingLimitsTest {
    @ParameterizedTest
    @ValueSource(strings = {"svm", "PERCEPTRON"})
    void shouldRefuseAnAlgorithmThatIsNone(String value) {
        String all = Stream.of(Algorithm.values()).map(Algorithm::toString).collect(Collectors.joining(", "));

        assertThatThrownBy(() -> Settings.DEFAULTS.with(Map.of("algorithm", value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("algorithm must be one of " + all + ", got '" + value + "'");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
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
                "window.ms | 0 | window.ms must be auto or a whole number from 1 to 4611686018427387903, got '0'",
                "window.examples | 0 | window.examples must be auto or a whole number from 1 to 4611686018427387903, got '0'",
                "window.examples | Auto | window.examples must be auto or a whole number from 1 to 4611686018427387903, got 'Auto'",
                "snapshot.every | -1 | snapshot.every must be a whole number from 0 to 9223372036854775807, got '-1'",
                "blocks.max | 0 | blocks.max must be a whole number from 1 to 16777216, got '0'",
                "classes.max | 0 | classes.max must be a whole number from 1 to 10000, got '0'",
                "classes.max | 10001 | classes.max must be a whole number from 1 to 10000, got '10001'",
                "predict.scores | 0 | predict.scores must be true, false or a whole number from 1 to 10000, got '0'",
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

        assertThat(Settings.DEFAULTS.with(Map.of("labels", "a," + longest)).get(Settings.LABELS))
                .containsExactly("a", longest);
        assertThatThrownBy(() -> Settings.DEFAULTS.with(Map.of("labels", "a," + longest + "é")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("labels must be two different names of at most 256 characters");
    }

    @Test
    void shouldRefuseADefaultLabelTooLongToStore() {
        String longest = "é".repeat(256);

        assertThat(Settings.DEFAULTS.with(Map.of("label.default", longest)).get(Settings.LABEL_DEFAULT))
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

        assertThat(Settings.DEFAULTS.with(Map.of("classes", "red,green")).get(Settings.CLASSES))
                .hasSize(2);
        assertThat(full).hasSize(16384);
        assertThat(Settings.DEFAULTS.with(Map.of("classes", full)).get(Settings.CLASSES))
                .hasSize(64);
        assertThatThrownBy(() -> Settings.DEFAULTS.with(Map.of("classes", full + "é")))
                .hasMessageContaining("in all at most 16384");
        assertThatThrownBy(() -> Settings.DEFAULTS.with(Map.of("classes", many + "," + longest)))
                .hasMessageContaining("in all at most 16384");
        assertThatThrownBy(() -> Settings.DEFAULTS.with(Map.of("classes", "a,b" + longest)))
                .hasMessageContaining("of 1 to 256 characters");
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
