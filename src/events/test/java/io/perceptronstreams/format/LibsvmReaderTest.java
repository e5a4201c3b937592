package io.perceptronstreams.format;

import static io.perceptronstreams.format.ExampleFormat.LIBSVM;
import static io.perceptronstreams.format.Texts.assertRefused;
import static io.perceptronstreams.format.Texts.features;
import static io.perceptronstreams.format.Texts.labels;
import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.SeededTest;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LibsvmReaderTest {
    @Test
    void shouldSendIndicesAsTheyAre() throws IOException {
        List<GenericRecord> examples = read("+1 0:0.5 3:-2e-1\n-1 1:1 2147483647:7\n");

        assertThat(examples).hasSize(2);
        assertThat(examples.get(0).get("label")).isEqualTo(1);
        assertThat(features(examples.get(0), "indices")).isEqualTo(List.of(0, 3));
        assertThat(features(examples.get(0), "values")).isEqualTo(List.of(0.5, -0.2));
        assertThat(examples.get(0).get("weight")).isEqualTo(1.0);
        assertThat(features(examples.get(1), "indices")).isEqualTo(List.of(1, 2147483647));
    }

    @Test
    void shouldSkipCommentsQueryIdsBlankLinesAndCarriageReturns() throws IOException {
        List<GenericRecord> examples = read("# all of it\r\n\r\n-1 qid:7 2:1\t5:3 # why 6:x\r\n  \n+1");

        assertThat(examples).extracting(example -> example.get("label")).containsExactly(-1, 1);
        assertThat(features(examples.get(0), "indices")).isEqualTo(List.of(2, 5));
        assertThat(features(examples.get(1), "indices")).isEqualTo(List.of());
    }

    @Test
    void shouldEndALineAtACommentWithoutABlank() throws IOException {
        List<GenericRecord> examples = read("-1 2:1#5:3\n+1#1:1\n\t#+1 1:1\n1 3:0.12345678901234567#\n1 qid:#7:7\n");

        assertThat(examples).extracting(example -> example.get("label")).containsExactly(-1, 1, 1, 1);
        assertThat(examples)
                .extracting(example -> features(example, "values"))
                .containsExactly(List.of(1.0), List.of(), List.of(0.12345678901234566), List.of());
        assertRefused(LIBSVM, "1 7#:1\n", "f.libsvm:1: feature must be index:value, got '7'");
        assertRefused(LIBSVM, "1 7:#1\n", "f.libsvm:1: value must be a number, got '' (index 7)");
    }

    // each list of labels became a class of its own
    @Test
    void shouldRefuseSeveralLabelsOfAnExample() throws IOException {
        assertRefused(
                LIBSVM,
                "1,3 1:0.5\n2 2:1\n",
                "f.libsvm:1: label must be one label, got '1,3' (of several labels each needs a model, whose label is whether"
                        + " an example has it; --label-type string takes the list as the name of a class)");
        assertThat(read("a,b 1:0.5\n"))
                .extracting(example -> example.get("label").toString())
                .containsExactly("a,b");
    }

    @SeededTest
    void shouldReadWhatSplittingReads(long seed) throws IOException {
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder();
        List<List<Object>> expected = new ArrayList<>();
        for (int line = 0; line < 300; line++) {
            List<String> tokens = new ArrayList<>(List.of(random.nextBoolean() ? "+1" : "-1"));
            for (int k = 1; k <= random.nextInt(30); k++) {
                double value =
                        random.nextGaussian() * Math.pow(10, random.nextInt(5) == 0 ? random.nextInt(600) - 300 : 0);
                String digits = switch (random.nextInt(4)) {
                    case 0 -> Double.toString(value);
                    case 1 ->
                        new BigDecimal(value)
                                .round(new MathContext(1 + random.nextInt(25)))
                                .toPlainString();
                    case 2 -> String.format(Locale.ROOT, "%+.3e", value);
                    default -> Integer.toString(random.nextInt());
                };
                tokens.add((100 * k + random.nextInt(100)) + ":" + digits);
            }
            List<Object> values = new ArrayList<>();
            for (String token : tokens.subList(1, tokens.size())) {
                values.add(Double.valueOf(token.split(":", -1)[1]));
            }
            expected.add(values);
            text.append(String.join(random.nextBoolean() ? " " : "\t ", tokens))
                    .append(random.nextInt(4) == 0 ? " # 1:1" : "")
                    .append('\n');
        }

        assertThat(read(text.toString()))
                .as("seed %d", seed)
                .extracting(example -> features(example, "values"))
                .isEqualTo(expected);
    }

    @Test
    void shouldNameExamplesByFileAndLine() throws IOException {
        assertThat(read("+1 1:1\n\n-1 1:1\n"))
                .extracting(example -> example.get("id"))
                .containsExactly("f:1", "f:3");
    }

    @Test
    void shouldTakeNamesAndWholeNumbersInAnyNotationAsLabels() throws IOException {
        assertThat(labels(LIBSVM, LabelType.AUTO, "spam 1:1\n1 1:1\n")).containsExactly("spam", "1");
        assertThat(labels(LIBSVM, LabelType.STRING, "+1 1:1\n7 1:1\n")).containsExactly("+1", "7");
        assertThat(labels(LIBSVM, LabelType.AUTO, "-1.0 1:1\n+1 1:1\n1e0 1:1\n"))
                .containsExactly(-1, 1, 1);
    }

    @Test
    void shouldReadLinesLongerThanItsBuffer() throws IOException {
        StringBuilder line = new StringBuilder("1");
        for (int i = 0; i < 30_000; i++) {
            line.append(' ').append(i).append(":0.25");
        }

        List<GenericRecord> examples = read(line + "\n" + line + "\n-1 1:1");

        assertThat(examples).hasSize(3);
        assertThat((List<?>) features(examples.get(1), "indices"))
                .hasSize(30_000)
                .last()
                .isEqualTo(29_999);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '!',
            value = {
                "+1 1:x~ value must be a number, got 'x' (index 1)",
                "+1 1:~ value must be a number, got '' (index 1)",
                "+1 1:0x1p3~ value must be a number, got '0x1p3' (index 1)",
                "+1 1:NaN~ value must be a number, got 'NaN' (index 1; leave a missing value out)",
                "+1 1:inf~ value must be a number, got 'inf' (index 1)",
                "+1 1:1e999~ value must be a finite number, got '1e999' (index 1)",
                "+1 2:1 2:1~ indices must ascend, got 2 after 2",
                "+1 2:1 1:1~ indices must ascend, got 1 after 2 (perl -lane 'print join q( ), shift @F, sort {$a <=> $b} @F' FILE sorts them)",
                "+1 -1:1~ index must be a whole number from 0 to 2147483647, got '-1'",
                "+1 2147483648:1~ index must be a whole number from 0 to 2147483647, got '2147483648'",
                "+1 99999999999999999999:1~ index must be a whole number from 0 to 2147483647, got '99999999999999999999'",
                "+1 :1~ index must be a whole number from 0 to 2147483647, got ''",
                "+1 a:1~ index must be a whole number from 0 to 2147483647, got 'a'",
                "+1 7~ feature must be index:value, got '7'",
                "1:1 2:1~ line must start with a label, got '1:1'",
                "ham 1:1~ label must be a whole number, got 'ham' (the labels before it were; --label-type string takes labels as names)",
                "0.5 1:1~ label must be a whole number, got '0.5' (numbers as labels: this program classifies, it does not predict numbers; --label-type string takes labels as names)"
            })
    void shouldRefuseABadLineWithItsNumber(String line, String message) {
        assertRefused(LIBSVM, "-1 1:1\n\n" + line + "\n", "f.libsvm:3: " + message);
    }

    @Test
    void shouldRefuseAFractionAsTheFirstLabel() {
        assertRefused(
                LIBSVM,
                "0.5 1:1\n",
                "f.libsvm:1: label must be a whole number or a name, got '0.5' (numbers as labels: this program"
                        + " classifies, it does not predict numbers; --label-type string takes it as a name)");
    }

    private static List<GenericRecord> read(String text) throws IOException {
        return Texts.read(LIBSVM, text);
    }
}
