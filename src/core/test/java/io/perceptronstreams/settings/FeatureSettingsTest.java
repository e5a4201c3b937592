package io.perceptronstreams.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Crosses and namespaces of {@link Settings}. */
final class FeatureSettingsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "crosses | user | column 1: expected two or more factors as in user*item, got 'user'",
                "crosses | user*item, hour | column 12: expected two or more factors as in user*item, got 'hour'",
                "crosses | user*,item | column 6: expected a namespace, or * for any, got ',item'",
                "crosses | a*b c | column 5: expected *, a comma or the end, got 'c'",
                "crosses | a^*b | column 2: expected *, got '^*b'",
                "crosses | a*b*c*d*e*f*g | column 13: expected at most 6 factors, got 'g'",
                "crosses | item*user,user*item | expected different crosses, got 'item*user' twice",
                "crosses | ** | column 3: expected a namespace, or * for any, got the end",
                "namespaces.keep | a,,b | column 3: expected a namespace, got ',b'",
                "namespaces.ignore | a,b,a | column 5: expected another namespace than before, got 'a'",
                "namespaces.keep | a*b | column 2: expected a comma or the end, got '*b'",
            })
    void shouldShowTheFaultOfCrossesAndNamespaces(String name, String value, String fault) {
        assertThatThrownBy(() -> Settings.DEFAULTS.with(Map.of(name, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(name + " must be namespaces ")
                .hasMessageEndingWith(" (" + fault + "), got '" + value + "'");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "crosses= | namespaces.ignore=a | namespaces.keep=b | namespaces.ignore must be empty where namespaces.keep is not, got 'a' and 'b'",
                "crosses=a*b | namespaces.ignore=b | namespaces.keep= | crosses must be of namespaces that are used, got 'b', which namespaces.ignore has",
                "crosses=a*b | namespaces.ignore= | namespaces.keep=b,c | crosses must be of namespaces that are used, got 'a', which namespaces.keep lacks",
            })
    void shouldRefuseNamespacesThatContradictEachOther(String first, String second, String third, String message) {
        Map<String, String> changes = new HashMap<>();
        for (String each : List.of(first, second, third)) {
            changes.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
        }
        assertThatThrownBy(() -> Settings.DEFAULTS.with(changes)).hasMessage(message);
    }

    @Test
    void shouldKeepTheCanonicalTextOfCrosses() {
        Settings settings = Settings.DEFAULTS.with(
                Map.of("crosses", " user * item ,item*item, * * user*\titem", "namespaces.keep", "user, item"));
        assertThat(settings.get(Settings.CROSSES)).isEqualTo("item*item,item*user,item*user**");
        assertThat(settings.get(Settings.NAMESPACES_KEEP)).containsExactly("user", "item");
        assertThat(settings.with(settings.toMap())).isEqualTo(settings);
    }
}
