package io.perceptronstreams.format;

import static io.perceptronstreams.format.Texts.assertRefused;
import static io.perceptronstreams.format.Texts.features;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class VwReaderTest {
    @Test
    void shouldReadLabelImportanceTagAndNamespaces() throws IOException {
        List<GenericRecord> examples = read("-1 2.5 'house_7 |a price:.23 sqft |b:2.0 age:0.5 old | plain:-1\n");

        assertThat(examples).singleElement().satisfies(example -> {
            assertThat(example.get("label")).isEqualTo(-1);
            assertThat(example.get("weight")).isEqualTo(2.5);
            assertThat(example.get("id")).isEqualTo("house_7");
            assertThat(features(example, "values"))
                    .isEqualTo(Map.of("a^price", 0.23, "a^sqft", 1.0, "b^age", 1.0, "b^old", 2.0, "plain", -1.0));
        });
    }

    @Test
    void shouldReadUnlabelledLines() throws IOException {
        List<GenericRecord> examples = read("| a\n\n 'tag | a\n1 | a\n");

        assertThat(examples).extracting(example -> example.get("label")).containsExactly(null, null, 1);
        assertThat(examples).extracting(example -> example.get("id")).containsExactly("f:1", "tag", "f:4");
    }

    /** Vowpal Wabbit predicts and does not learn them; the file was refused. */
    @Test
    void shouldLeaveOutTheLabelOfImportance0() throws IOException {
        assertThat(read("1 0 a|x b\n-1 0.0 |x b\n1 0.5 |x b\n"))
                .extracting(example -> example.get("label"), example -> example.get("weight"))
                .containsExactly(tuple(null, 1.0), tuple(null, 1.0), tuple(1, 0.5));
    }

    @Test
    void shouldTakeWhatTouchesTheBarAsTag() throws IOException {
        assertThat(read("1 1.0 zebra|a x")).singleElement().satisfies(example -> {
            assertThat(example.get("id")).isEqualTo("zebra");
            assertThat(features(example, "values")).isEqualTo(Map.of("a^x", 1.0));
        });
    }

    @Test
    void shouldAddFeaturesOfOneName() throws IOException {
        assertThat(features(read("1 |a x:1 x:0.5 |a x").get(0), "values")).isEqualTo(Map.of("a^x", 2.5));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '!',
            value = {
                "1 a b~ line must have a '|' before the features, got none",
                "1 x |a b~ importance must be a finite number >= 0, got 'x'",
                "1 -2 |a b~ importance must be a finite number >= 0, got '-2'",
                "2:0.7:0.25 |a b~ label must be a number or a name, got '2:0.7:0.25' (one class per example is read: contextual…",
                "1:0.5 |a b~ label must be a number or a name, got '1:0.5' (one class per example is read: contextual…",
                "shared |a b~ label must be a number or a name, got 'shared' (one class per example is read: contextual…",
                "1,3 |a b~ label must be a number or a name, got '1,3' (one class per example is read: contextual…",
                "1 1 0.5 |a b~ '|' must follow label, importance and 'tag, got '0.5' (initial predictions are not supported)",
                "1 'tag 2 |a b~ tag must be the last before '|', got ''tag' earlier",
                "0.5 |a b~ label must be a whole number, got '0.5' (numbers as labels: this program classifies, it does not predict numbers; --label-type string takes labels as names)",
                "1 |a b:x~ value must be a finite number, got 'x' (b)",
                "1 |a b:~ value must be a finite number, got '' (b)",
                "1 |a :1~ feature must have a name, got ':1'",
                "1 |:2 b~ namespace must have a name, got ':2'",
                "1 |a:x b~ scale must be a finite number, got 'x' (a)"
            })
    void shouldRefuseABadLineWithItsNumber(String line, String message) {
        assertRefused(ExampleFormat.VW, "1 | a\n" + line + "\n", "f.vw:2: " + message);
    }

    private static List<GenericRecord> read(String text) throws IOException {
        return Texts.read(ExampleFormat.VW, text);
    }
}
