package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Files that users of other programs have, with the result of a separate perceptron in Python; skipped without them.
 *
 * <p>The folder is {@code ../shared}, or {@code -Dshared.dir}.
 */
final class SharedCasesTest {
    private static final Path CASES =
            Path.of(System.getProperty("shared.dir", "../shared")).resolve("cases");

    @RegisterExtension
    final FitRun run = new FitRun();

    @BeforeEach
    void start() {
        assumeTrue(Files.isDirectory(CASES), () -> "skipped: there is no " + CASES + " (set -Dshared.dir=FOLDER)");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            csv-missing-words/pump-empty-first.csv --label-column leak | 30 | 29 | bias -6, bar -48.5, flow -6.1
            csv-missing-words/pump-null-first.csv --label-column leak  | 30 | 29 | bias -6, bar -48.5, flow -6.1
            csv-missing-words/pump-nan-four.csv --label-column leak    | 31 | 30 | bias -5, bar -45.8, flow -2.9
            csv-missing-words/pump-none-later.csv --label-column leak  | 30 | 29 | bias -6, bar -48.8, flow -3.4
            csv-decimal-comma/pump-comma.csv --label-column leak       | 26 | 25 | bias -4, bar -36.9, flow 5.6
            csv-decimal-comma/pay-thousands.csv --label-column paid    | 27 | 26 | bias -9, age -494, pay 1482
            csv-delimiters/pump-semicolon.csv --label-column leak      | 26 | 25 | bias -4, bar -36.9, flow 5.6
            csv-delimiters/pump-tabs.tsv --format csv --label-column leak | 26 | 25 | bias -4, bar -36.9, flow 5.6
            json-number-texts/sensor-texts.jsonl --numbers a,b         | 73 | 73 | bias -3, a 4.45, b 4.217
            csv-codes/parcels.csv --label-column late | 4 | 2 | \
            zip=01067 1, zip=01069 -1, zip=01099 1, zip=D-01067 -1
            csv-json-booleans/doors.csv --label-column alarm           |  5 |  4 | bias -1, open 2, wind -0.1
            json-null-feature/trips-absent.jsonl                       | 12 | 11 | bias 4, age -68, fare 38.77
            json-null-feature/trips-null.jsonl                         | 12 | 11 | bias 4, age -68, fare 38.77
            json-null-optional/trips-null-fields.jsonl                 | 12 | 11 | bias 4, age -68, fare 38.77
            json-number-texts/sensor-numbers.jsonl                     | 73 | 73 | bias -3, a 4.45, b 4.217
            int-classes/three.libsvm --label-type string |  3 |  3 | 0/bias -1, 0/1 3.89, 0/2 1.99, \
            1/bias 1, 1/1 -1.52, 1/2 1.31, 2/bias 1, 2/1 0.09, 2/2 -1.99
            int-classes/three.libsvm --set algorithm=multiclass | 3 | 3 | 0/bias -1, 0/1 3.89, 0/2 1.99, \
            1/bias 1, 1/1 -1.52, 1/2 1.31, 2/bias 1, 2/1 0.09, 2/2 -1.99
            separator-blank/persons.csv --separator blanks --label-column PHENOTYPE --ignore FID,IID --set labels=1,2 \
            | 2 | 1 | SEX -1, rs1_G -1, rs2_C 1
            tsv-quotes/inch.csv --quote none  | 2 | 1 | part="5" pipe" 1, part="7" pipe" -1
            tsv-quotes/parts.csv --quote none | 6 | 6 | size 3, part="x -1, part=bolt 1, part=nut -1, part=y" 1, \
            part=pin -1, part=rod 1
            arff-sparse/visits.arff | 2 | 1 | pages 1, secs -4
            arff-sparse/visits-written-out.csv --label-column class --set labels=no,yes | 2 | 1 | pages 1, secs -4
            arff/weather.arff | 3 | 3 | bias 1, temp 5, sky=clear -1, sky=rain 2
            csv-amounts/signed-plain.csv                     |  1 |  1 | bias -1, amount 428.5
            csv-amounts/signed-minus.csv --numbers amount    |  1 |  1 | bias -1, amount 428.5
            csv-amounts/signed-parens.csv --numbers amount   |  1 |  1 | bias -1, amount 428.5
            csv-amounts/signed-trailing.csv --numbers amount |  1 |  1 | bias -1, amount 428.5
            csv-amounts/plain.csv                            | 26 | 26 | bias -10, amount 496.8
            csv-amounts/dollar.csv --numbers amount          | 26 | 26 | bias -10, amount 496.8
            csv-amounts/unit.csv --numbers amount            | 26 | 26 | bias -10, amount 496.8
            index-base/sign.libsvm | 2 | 2 | 1 2
            vw-zero-importance/mails.vw | 3 | 1 | bias 2, w^offer 3, w^now 1, w^meeting -1, w^today 1
            """)
    void shouldLearn(String arguments, long updates, long errors, String weights) throws IOException {
        run.fit(CASES + "/" + arguments + " --epochs 1");

        run.assertLearned(updates, errors, weights);
    }

    /** Files that must not be learned: the message names the place, the rule and the remedy. */
    @ParameterizedTest
    @CsvSource(delimiter = '~', quoteCharacter = '!', textBlock = """
            json-nan/trips-nan.jsonl ~ trips-nan.jsonl:1: value must be one JSON object, got: NaN as feature fare, which JSON does not have
            vw-bandit/ads.vw ~ ads.vw:1: label must be a number or a name, got '2:0.7:0.25' (one class per example
            vw-bandit/ads-multi-line.vw ~ ads-multi-line.vw:1: label must be a number or a name, got 'shared' (one class per
            csv-quote-not-doubled/agents.csv ~ agents.csv:3: quotation marks must enclose whole cells, got '"a "b",c","102"' (double each quotation mark within a cell)
            tsv-quotes/notes.tsv ~ notes.tsv:2: quotation marks must enclose cells, got a cell of lines 2 to 6, each of which is a row of 2 cells itself (--quote none takes
            tsv-quotes/parts.csv ~ parts.csv:2: quotation marks must enclose cells, got a cell of lines 2 to 5, each of which is a row of 3 cells itself (--quote none takes
            tsv-quotes/inch.csv ~ inch.csv:2: quotation marks must enclose whole cells, got '"5" pipe",1' (--quote none takes quotation marks as text)
            tshark-comma-in-a-cell/packets.csv --label-column ip.proto ~ packets.csv:2: rows must have 5 cells as the header has, got 6 in all of the first 4 rows; the separator may stand in cells, which then need quotation marks
            separator-blank/persons.csv --label-column PHENOTYPE ~ persons.csv:1: names of columns must have commas, semicolons, tabs or | between, got 'FID IID PAT MAT SEX PHENOTYPE rs1_G rs2_C' (--separator ' ' reads 8 columns)
            csv-first-line-of-numbers/matrix.csv --label-column 1 ~ matrix.csv:1: first line must have the names of the columns, got the cells of a row: 1, 2.5, 3 (--header none
            jsonl-microseconds/journal.jsonl --epochs 1 ~ journal.jsonl:1: timestamp must be in ms since 1970, before the year 2200, got 1769860800000000, a time after 2199 (in microseconds? then divide it by 1000: 2026-01-31T12:00:00Z)
            json-of-many-lines/cpu.json --dry-run ~ cpu.json:1: value must be one JSON object, got: Unexpected end-of-input
            json-wrappers/connect.json --format jsonl ~ connect.json:1: fields must be of [id, label, features, weight, timestamp], got 'schema' (Kafka Connect
            """)
    void shouldRefuse(String arguments, String message) {
        assertThat(run.refusal(CASES + "/" + arguments)).startsWith("perceptron: " + message);
        assertThat(run.errors().lines()).hasSize(1);
    }

    @Test
    void shouldNameTheSettingThatAcceptsAThirdClass() {
        Path file = CASES.resolve("int-classes/three.libsvm");

        assertThat(run.refusal(file.toString()))
                .isEqualTo("perceptron: " + file
                        + ", example 3 (line 3): label must be the int 0 or 1, got 2 (for more than"
                        + " two labels --label-type string, or --set algorithm=multiclass)\n");
    }

    /** A text with times in microseconds, which are 2026-01-31T12:00:00Z and a quarter of a second later. */
    @Test
    void shouldReadMicrosecondsOfATable() {
        String file = CASES + "/jsonl-microseconds/journal.csv";

        run.output("fit " + file + " --time t --dry-run");
        assertThat(run.output()).contains("event times").contains("2 examples, 2 of them with a label;");
        run.output("fit " + file + " --time t --time-format us --dry-run");
    }

    /** Two examples in one array; the message of the parser named an unexpected end of input. */
    @Test
    void shouldReadAnArrayOfExamples() {
        assertThat(run.fit(CASES + "/json-array-file/trips.json --epochs 1 --json"))
                .contains("\"examples\":2");
    }

    /** Seven rows, of which four had become a part of one cell. */
    @Test
    void shouldReadQuotationMarksAsText() {
        run.output("fit " + CASES + "/tsv-quotes/notes.tsv --quote none --dry-run");

        assertThat(run.output()).contains("labels: ham 4, spam 3\n7 examples, 7 of them with a label;");
    }

    @Test
    void shouldSkipARowWhoseQuotationMarksAreNotDoubled() {
        run.output("fit " + CASES + "/csv-quote-not-doubled/agents.csv --dry-run --on-error skip");

        assertThat(run.output()).contains("3 examples, 3 of them with a label;");
        assertThat(run.errors()).startsWith("skipped: agents.csv:3: ").endsWith("agents.csv\n");
    }

    @Test
    void shouldSayThatNoWordHasATag() {
        String file = CASES + "/conllu-upos-all-blank/xpos-only.conllu";

        assertThat(run.refusal(file))
                .isEqualTo("perceptron: examples must have labels to learn from, got none in " + file
                        + " (UPOS, column 4, is _ for all words; --tag xpos takes column 5)\n");
        run.fit(file + " --tag xpos --epochs 1");
    }

    /** The first label is 2; only a 1 before it had this remedy. */
    @Test
    void shouldNameTheSettingForLabelsOf1And2() {
        assertThat(run.refusal(
                        CASES + "/separator-blank/persons.csv --separator blanks --label-column PHENOTYPE --epochs 1"))
                .contains(
                        "label must be the int -1, 0 or 1, got 2 (if the labels are 1 and 2 --set labels=1,2; if there are"
                                + " others --label-type string, or --set algorithm=multiclass)");
    }

    @Test
    void shouldNoteNumbersThatAreSentAsText() throws IOException {
        run.fit(CASES + "/json-number-texts/sensor-texts.jsonl --epochs 1");

        assertThat(run.errors())
                .contains(
                        "sensor-texts.jsonl: feature a is sent as text: \"0.156\" is a word of its own (send numbers without"
                                + " quotes; --numbers a reads them)");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            int64-texts/cents-texts.jsonl     | feature fare is sent as text: "2702" is a word of its own (send numbers without quotes; --numbers fare reads them)
            decimal-base64/fares-base64.jsonl | feature fare seems to have numbers as bytes: "Co4=" is a word of its own (base64 of a decimal of a change event: set decimal.handling.mode=double
            """)
    void shouldNameTheCauseOfNumbersInTexts(String file, String note) {
        run.fit(CASES + "/" + file + " --epochs 1");

        assertThat(run.errors()).contains(note);
    }

    /**
     * 28 errors of 300 are those of the same values as numbers, by a separate perceptron with standardised features.
     */
    @ParameterizedTest
    @CsvSource({"cents-numbers.jsonl", "cents-texts.jsonl --numbers fare --numbers tip"})
    void shouldReadWholeNumbersInTextsByAnOption(String arguments) {
        String output = run.fit(CASES + "/int64-texts/" + arguments
                + " --epochs 1 --json --set algorithm=perceptron --set scale=standard");

        assertThat(output).contains("\"errors\":28,");
    }

    @Test
    void shouldReadIdsThatAreNumbers() {
        assertThat(run.fit(CASES + "/json-int-id/loans.jsonl --epochs 1 --json"))
                .contains("\"examples\":2");
    }

    /** The remedy that was named skipped all 15 lines. */
    @Test
    void shouldSayHowAnObjectOverManyLinesIsRead() {
        Path file = CASES.resolve("json-of-many-lines/cpu.json");

        assertThat(run.failure(1, "fit " + file + " --dry-run"))
                .contains(": the object goes on in other lines (jq -c . " + file + " > ")
                .doesNotContain("--on-error");
    }
}
