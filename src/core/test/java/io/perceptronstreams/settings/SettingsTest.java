package io.perceptronstreams.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.drift.DriftSettings;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SettingsTest {
    private static final Map<String, String> EVERY_ONE_CHANGED = OtherValues.with(Map.ofEntries(
            Map.entry("algorithm", "perceptron"),
            Map.entry("h", "0.1"),
            Map.entry("eta", "1.0E-5"),
            Map.entry("kernel", "0.5*poly(c=1,k=2) + rbf(g=0.1)"),
            Map.entry("budget", "100"),
            Map.entry("labels", "ham,spam"),
            Map.entry("negative.label", "0"),
            Map.entry("window.examples", "250"),
            Map.entry("snapshot.every", "9223372036854775807"),
            Map.entry("comparator", "17"),
            Map.entry("classes", "red,green,blue"),
            Map.entry("predict.scores", "10000"),
            Map.entry("drift", "page-hinkley"),
            Map.entry("drift.delta", "0.01"),
            Map.entry("drift.threshold", "7.5"),
            Map.entry("drift.action", "shadow"),
            Map.entry("drift.window", "50"),
            Map.entry("label.default", "ham"),
            Map.entry("h.positive", "2.0"),
            Map.entry("h.negative", "0.0"),
            Map.entry("class.weights", "spam:5.0"),
            Map.entry("alerts.max", "200/day"),
            Map.entry("labels.sources", "review>charge-back>user"),
            Map.entry("crosses", "hour*item*user,item**"),
            Map.entry("namespaces.ignore", "raw,_"),
            Map.entry("namespaces.keep", ""),
            Map.entry("loss", "squared-hinge"),
            Map.entry("average.halflife", "1000.5"),
            Map.entry("confidence", "0.9")));

    @Test
    void shouldTakeEverySetting() {
        // one of each type; the way through a map holds the others
        Settings changed = Settings.DEFAULTS.with(EVERY_ONE_CHANGED);

        assertThat(Algorithm.of(changed)).isEqualTo(Algorithm.PERCEPTRON);
        assertThat(changed.get(Settings.H)).isEqualTo(0.1);
        assertThat(changed.get(Settings.H_INCLUSIVE)).isTrue();
        assertThat(changed.get(Settings.KERNEL_EXPRESSION)).isEqualTo("0.5*poly(c=1,k=2) + rbf(g=0.1)");
        assertThat(changed.get(Settings.BUDGET)).isEqualTo(100);
        assertThat(changed.get(Settings.LABELS)).containsExactly("ham", "spam");
        assertThat(changed.get(Settings.NEGATIVE_LABEL)).isEqualTo(NegativeLabel.ZERO);
        assertThat(changed.get(Settings.WINDOW_EXAMPLES)).isEqualTo(250);
        assertThat(changed.get(Settings.SNAPSHOT_EVERY)).isEqualTo(Long.MAX_VALUE);
        assertThat(changed.get(Settings.CLASSES)).containsExactly("red", "green", "blue");
        assertThat(changed.get(Settings.PREDICT_SCORES)).isEqualTo(10_000);
        assertThat(changed.drift())
                .isEqualTo(new DriftSettings(
                        DriftSettings.Detector.PAGE_HINKLEY, 0.01, 7.5, DriftSettings.Action.SHADOW, 50));
        assertThat(changed.get(Settings.H_NEGATIVE)).isEqualTo(0);
        assertThat(changed.get(Settings.CLASS_WEIGHTS)).isEqualTo(new ClassFactors(Map.of("spam", 5.0), false));
        assertThat(changed.get(Settings.LABELS_SOURCES).names()).containsExactly("review", "charge-back", "user");
        assertThat(changed.get(Settings.NAMESPACES_IGNORE)).containsExactly("raw", "_");
        assertThat(changed.get(Settings.AVERAGE_HALF_LIFE)).isEqualTo(1000.5);
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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a>",
                ">",
                "a>b>a",
                "a,b",
                "a b",
                "default",
                "null",
                "x2345678901234567890123456789012345678901",
                "a>b>c>d>e>f>g>h>i"
            })
    void shouldRefuseSourcesThatCannotBe(String sources) {
        assertThatThrownBy(() -> Settings.DEFAULTS.with(Map.of("labels.sources", sources)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("labels.sources must be at most 8 different names separated by >, the strongest first, each"
                        + " of 1 to 40 of the characters A-Z a-z 0-9 . _ -, or empty, got '" + sources + "'");
    }

    @Test
    void shouldOrderSourcesByStrength() {
        Settings changed = Settings.DEFAULTS.with(Map.of("labels.sources", " review > user ", "await.labels.ms", "7"));
        assertThat(changed.get(Settings.LABELS_SOURCES).strength("review")).isEqualTo(3);
        assertThat(changed.get(Settings.LABELS_SOURCES).strength("user")).isEqualTo(2);
        assertThat(changed.get(Settings.LABELS_SOURCES).strength("other")).isEqualTo(LabelSources.UNNAMED);
        assertThat(changed.get(Settings.LABELS_SOURCES).strength(null)).isEqualTo(LabelSources.UNNAMED);
        assertThat(changed.correctionsMs()).isEqualTo(7);
        assertThat(changed.with(Map.of("corrections.ms", "9")).correctionsMs()).isEqualTo(9);
        assertThat(Settings.DEFAULTS.with(Map.of("await.labels.ms", "7")).correctionsMs())
                .isZero();
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

        assertThat(changed.get(Settings.H)).isEqualTo(3);
        assertThat(changed.with(Map.of("h", "0.1"))).isEqualTo(Settings.DEFAULTS.with(EVERY_ONE_CHANGED));
    }

    @Test
    void shouldTellAllFaultsAtOnce() {
        assertThatThrownBy(() -> Settings.DEFAULTS.with(Map.of("eta", "0", "bias", "no", "epochs", "3")))
                .hasMessage("unknown setting 'epochs' (known: "
                        + String.join(", ", Settings.DEFAULTS.toMap().keySet()) + ");"
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
                        .get(Settings.LABELS))
                .isEmpty();
    }
}
