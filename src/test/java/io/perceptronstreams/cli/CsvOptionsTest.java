package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Kinds of columns by a dry run: the sample decides, options overrule it, and a line names each odd column. */
final class CsvOptionsTest {
    /** A real run said so, a dry one did not. */
    private static final String HINT = "; --on-error skip takes the other examples\n";

    @RegisterExtension
    final FitRun run = new FitRun();

    /** Output of a dry run, which must succeed; in {@code text}, / ends a line. */
    private String dryRun(String text, String options) throws IOException {
        return run.output(command(text, options));
    }

    /** Standard error of a dry run, which must fail. */
    private String refusal(String text, String options) throws IOException {
        return run.failure(1, command(text, options));
    }

    private String command(String text, String options) throws IOException {
        return "fit " + run.file("f.csv", text.replace('/', '\n')) + " --dry-run " + options;
    }

    private void taken(String column, String kind) {
        assertThat(run.output().lines())
                .anySatisfy(
                        line -> assertThat(line).matches("\\Q" + column + "\\E +[0-9]+ +[0-9]+  \\Q" + kind + "\\E"));
    }

    private static String rows(int count, String pattern) {
        return IntStream.range(0, count)
                .mapToObj(row -> pattern.replace("#", Integer.toString(row)))
                .collect(Collectors.joining("/", "", "/"));
    }

    @Test
    void shouldShowWhatEachColumnIsTakenFor() throws IOException {
        assertThat(dryRun(
                        "label,age,sex,fare,note,open/1,30,m,7.25,,True/0,,f,NA,,false/1,4,m,8,,TRUE/,5,f,x,,/",
                        "--missing x"))
                .isEqualTo("""
                6 columns with commas between, sample of 4 rows
                column                 missing different  taken for
                label                        1         2  labels: 1 2, 0 1
                age                          1         3  numbers, 4 to 30
                sex                          0         2  words: m 2, f 2
                fare                         2         2  numbers, 7.25 to 8
                note                         4         0  no value
                open                         1         3  1 for true, 0 for false: True 1, false 1, TRUE 1
                4 examples, 3 of them with a label; nothing was sent or learned
                """);
        assertThat(run.errors()).isEqualTo("f.csv: column note: no value in the first 4 rows\n");
        assertThat(run.path("w")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "x,label/01067,1/2,0/               | numbers, 2 to 1067          | --numbers x",
                "x,label/1,1/2,0/                   | words: 1 1, 2 1             | --words x",
                "x,label/1,1/2,0/                   | ignored                     | --ignore x",
                "x,label/a b a,1/2,0/               | the words in its cells      | --text x",
                "x,label/2026-01-31,1/2026-02-01,0/ | event times                 | --time x",
                "x,label/a,1/b,0/                   | ids                         | --id-column x",
                "x;label/1,5;1/2;0/                 | numbers, 1.5 to 2           | \"\"",
                "x;label/1,250;1/2,125;0/           | numbers, 1.25 to 2.125      | --decimal ,",
                "x;label/1,250;1/2,125;0/           | numbers, 1250 to 2125       | --decimal .",
                "x%label/1%1/2%0/                   | numbers, 1 to 2             | --separator %",
                "x,label/12%,1/7%,0/                | numbers, 0.07 to 0.12       | \"\"",
                "x,label/12%,1/7,0/                 | words: 12% 1, 7 1           | \"\"",
                "x,label/True,1/false,0/            | words: True 1, false 1      | --words x",
                "x,label/NA,1/DE,0/                 | words: NA 1, DE 1           | --words x",
                "x,label/NA,1/DE,0/                 | words: DE 1                 | \"\"",
                "x,label/1,1/b,0/                   | words: 1 1, b 1             | \"\"",
                "x,label/1,1/b,0/                   | numbers, 1 to 1             | --missing b",
                // a column that is ambiguous alone takes the notation of the others
                "x;y;label/1,250;2,5;1/2,125;3;0/                | numbers, 1.25 to 2.125 | \"\"",
                "x;y;label/1,250;2.5;1/2,125;3;0/                | numbers, 1250 to 2125 | \"\"",
                "x;y;label/1,250;a;1/964;b;0/                    | numbers, 964 to 1250 | \"\"",
                "x;y;label/1,250;a;1/1964;b;0/                   | numbers, 1.25 to 1964 | \"\"",
                "x;y;label/1.250;a;1/2.125;b;0/                  | numbers, 1.25 to 2.125 | \"\"",
                "x;y;label/1.250;2,5;1/964;3;0/                  | numbers, 964 to 1250 | \"\"",
                "x;y;label/1.250.000;a;1/964;b;0/                | numbers, 964 to 1250000 | \"\"",
                "x;y;label/1,250,000;2,5;1/1,234.5;3;0/          | numbers, 1234.5 to 1250000 | \"\""
            })
    void shouldTakeColumnsAsTheOptionsDemand(String text, String kind, String options) throws IOException {
        dryRun(text, options);

        taken("x", kind);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x;y;label/1,250;a;1/2,125;b;0/",
                "x;y;label/1.250;2,5;1/2.125;3;0/",
                "x;y;z;label/1,250;2,5;2.5;1/2,125;3;3;0/"
            })
    void shouldRefuseNumbersOfTwoMeanings(String text) throws IOException {
        assertThat(refusal(text, ""))
                .startsWith("perceptron: f.csv:1: numbers of column x must be unambiguous, got '1")
                .contains(
                        "--decimal . or --decimal , names the mark of decimals in all columns; --words x takes words");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "x1 ~ value must be a number as in the first 3 rows, got 'x1' (column x; --words x takes words, --missing x1 takes it as missing)",
                "a b ~ value must be a number as in the first 3 rows, got 'a b' (column x; --words x takes words, --missing 'a b' takes it as missing)",
                "007 ~ value must be a number without a leading zero as in the first 3 rows, got '007' (column x; --words x takes words, --numbers x numbers)",
                "\"1,250\" ~ value must be a number with a decimal point as in the first 3 rows, got '1,250' (column x; --decimal . reads 1250, --decimal , reads 1.25, --words x takes words)",
                "inf ~ value must be a finite number, got 'inf' (column x; --missing inf takes it as missing)"
            })
    void shouldNameTheOptionThatWorksForALaterContradiction(String cell, String message) throws IOException {
        String text = "x,y,label/1,a,1/2,b,0/3,c,0/" + cell + ",d,1/";

        assertThat(refusal(text, "--sample 3")).isEqualTo("perceptron: f.csv:5: " + message + HINT);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "x1 ~ --words x",
                "x1 ~ --missing x1",
                "007 ~ --words x",
                "007 ~ --numbers x",
                "\"1,250\" ~ --decimal .",
                "\"1,250\" ~ --decimal ,",
                "inf ~ --missing inf",
                "x1 ~ --on-error skip"
            })
    void shouldReadALaterContradictionWithThatOption(String cell, String options) throws IOException {
        dryRun("x,y,label/1,a,1/2,b,0/3,c,0/" + cell + ",d,1/", "--sample 3 " + options);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "true ~ 2 ~ value must be true or false as in the first 2 rows, got '2' (column x; --words x takes words)",
                "NA ~ 2 ~ value must be empty as in the first 2 rows, got '2' (column x; --numbers x takes numbers, --ignore x none)",
                "NA ~ b ~ value must be empty as in the first 2 rows, got 'b' (column x; --words x takes words, --ignore x none)"
            })
    void shouldRefuseContradictionsOfOtherKinds(String first, String later, String message) throws IOException {
        assertThat(refusal("x,label/" + first + ",1/,0/" + later + ",1/", "--sample 2"))
                .endsWith("perceptron: f.csv:4: " + message + HINT);
    }

    @Test
    void shouldNameColumnsWhoseCellsAllDiffer() throws IOException {
        dryRun(
                "Name,Time,label/"
                        + rows(30, "Mr. x#,2026-01-31 12:00:#,1")
                                .replace(":0,", ":00,")
                                .replaceAll(":([1-9]),", ":0$1,"),
                "");

        assertThat(run.errors())
                .contains("f.csv: column Name: 30 different words of 30 rows; --ignore Name leaves it out, --text Name"
                        + " takes the words in its cells\n")
                .contains(
                        "f.csv: column Time: words, although all cells are dates or times; --time Time takes event times,"
                                + " --ignore Time leaves it out\n");
        dryRun("Name,label/" + rows(30, "Mr. x#,1"), "--ignore Name");
        assertThat(run.errors()).isEmpty();
    }

    @Test
    void shouldNameAColumnOfSecondsSince1970() throws IOException {
        for (String unit : List.of("", "000")) {
            String table = IntStream.range(0, 30)
                    .mapToObj(row -> 1_767_225_600L + 97 * row + unit + ",1,1/")
                    .collect(Collectors.joining("", "at,x,label/", ""));
            dryRun(table, "");
            assertThat(run.errors())
                    .contains(
                            "f.csv: column at: numbers, although all may be seconds or milliseconds since 1970; --time at"
                                    + " takes event times, --ignore at leaves it out\n");
        }
        dryRun("at,x,label/" + rows(30, "17#,1,1"), "");
        assertThat(run.errors()).doesNotContain("since 1970");
    }

    /** Of few days, each on many rows, each was a word without a note. */
    @Test
    void shouldNameAColumnOfAFewDates() throws IOException {
        String table = "Day,x,label/2026-01-31,1,0/2026-02-01,2,1/NA,3,0/2026-01-31,4,1/";
        dryRun(table, "");
        assertThat(run.errors())
                .contains(
                        "f.csv: column Day: words, although all cells are dates or times; --time Day takes event times,"
                                + " --ignore Day leaves it out\n");
        for (String options : List.of("--words Day", "--ignore Day")) {
            dryRun(table, options);
            assertThat(run.errors()).as(options).doesNotContain("dates or times");
        }
    }

    @Test
    void shouldNameAColumnThatCountsTheRows() throws IOException {
        dryRun("Id,label/" + rows(30, "#,1"), "");

        assertThat(run.errors())
                .isEqualTo(
                        "f.csv: column Id: counts the rows from 0 on: --ignore Id leaves it out, --id-column Id takes"
                                + " ids\n");
    }

    @Test
    void shouldSayWhatBecomesOfColumnsWithoutAName() throws IOException {
        dryRun(",a,,label,/0,1,,1,/1,2,,0,/", "");

        assertThat(run.errors()).isEqualTo("""
                        f.csv: column 1 has no name: a row number, ignored; --id-column 'Unnamed: 0' takes ids
                        f.csv: column 3 has no name: ignored
                        f.csv: column 5 has no name: ignored
                        """);
        assertThat(refusal("a,,label/1,x,1/", ""))
                .isEqualTo(
                        "perceptron: f.csv:2: value must be empty, got 'x' (column column 2; --words 'column 2' takes"
                                + " words, --ignore 'column 2' none)" + HINT);
    }

    @Test
    void shouldSayWhichWordsAreMissing() throws IOException {
        dryRun("land,label/NA,1/DE,None/FR,0/", "");

        assertThat(run.errors()).isEqualTo("""
                        f.csv: column land: 'NA' is missing in 1 of 3 rows; --words land takes it as a word
                        f.csv: column label: 'None' is no label in 1 of 3 rows
                        """);
    }

    @Test
    void shouldSkipMalformedExamplesAndCountThem() throws IOException {
        String text = "x,label/1,1/2/3,0/4,5,6/7,yes/8,1/";

        assertThat(dryRun(text, "--on-error skip")).contains("3 examples, 3 of them with a label;");
        assertThat(run.errors().lines())
                .containsExactly(
                        "skipped: f.csv:3: row must have 2 cells as the header has, got 1",
                        "skipped: f.csv:5: row must have 2 cells as the header has, got 3",
                        "skipped: f.csv:6: label must be a whole number, got 'yes' (the labels before it were;"
                                + " --label-type string takes labels as names)",
                        "skipped 3 examples of " + run.path("f.csv"));
        assertThat(refusal(text, ""))
                .isEqualTo("perceptron: f.csv:3: row must have 2 cells as the header has, got 1" + HINT);
    }

    // the reader accepts a label of 20,000 characters, the model does not
    @Test
    void shouldSkipExamplesThatTheModelRefuses() throws IOException {
        Path file = run.file("f.csv", "x,label\n1,a\n2," + "b".repeat(20_000) + "\n3,c\n");

        run.fit(file + " --on-error skip --epochs 1");
        assertThat(run.errors().lines()).hasSize(2).satisfies(lines -> {
            assertThat(lines.get(0)).startsWith("skipped: " + file + ", example 2 (line 3): label ");
            assertThat(lines.get(1)).isEqualTo("skipped 1 examples of " + file);
        });
        run.refusal(file.toString());
    }

    // a sentence ends with an empty line: its rest must not be read as another one
    @Test
    void shouldSkipTheRestOfASentence() throws IOException {
        String word = "\t%s\t_\tX\t_\t_\t_\t_\t_\t_\n";
        Path file =
                run.file("f.conllu", ("1" + word + "3" + word + "1" + word + "\n1" + word + "\n").replace("%s", "w"));

        assertThat(run.output("fit " + file + " --dry-run --on-error skip"))
                .isEqualTo("1 examples, 1 of them with a label; nothing was sent or learned\n");
        assertThat(run.errors()).contains("skipped: f.conllu:2: ID must be 2,").contains("skipped 1 examples of");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "f.libsvm ~ 1 1:1/x x/-1 1:2/",
                "f.jsonl ~ {\"features\":[1],\"label\":1}/{/{\"features\":[2],\"label\":-1}/",
                "f.vw ~ 1 |a b/x/-1 |a c/"
            })
    void shouldSkipMalformedLinesOfEveryFormat(String name, String text) throws IOException {
        Path file = run.file(name, text.replace('/', '\n'));

        assertThat(run.output("fit " + file + " --dry-run --on-error skip"))
                .isEqualTo("2 examples, 2 of them with a label; nothing was sent or learned\n");
        assertThat(run.errors()).contains("skipped: " + name + ":2: ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "--ignore y ~ 1 ~ f.csv:1: header must have a column 'y', got x, z, label (--ignore names another)",
                "--words label ~ 1 ~ f.csv:1: columns of --words must be of features, got 'label', the column of the labels",
                "--time x --text x ~ 1 ~ f.csv:1: columns of --text must be of features, got 'x', the column of the event times",
                "--text x --ignore z,x ~ 1 ~ f.csv:1: columns must be given once, got 'x' in --ignore and another option",
                "--time x ~ 1 ~ f.csv:2: event time must be as 2026-01-31, 2026-01-31T12:00:00Z, or seconds or milliseconds since 1970, got '1' (column x)",
                "--separator ab ~ 2 ~ --separator must be one character or tab, and no quotation mark, got 'ab'",
                "--decimal x ~ 2 ~ --decimal must be . or , got 'x'",
                "--sample 0 ~ 2 ~ --sample must be at least 1, got 0",
                "--encoding xx ~ 2 ~ Invalid value for option '--encoding'"
            })
    void shouldRefuseOptionsThatDoNotFit(String options, int exitCode, String message) throws IOException {
        assertThat(run.failure(exitCode, command("x,z,label/1,2,1/", options))).startsWith("perceptron: " + message);
    }

    // each file has its own sample: 77 was zip=77 in one and the number 77 in the other
    @Test
    void shouldNotTestOnColumnsOfAnotherKind() throws IOException {
        Path file = run.file("f.csv", "zip,x,label\n77,1,1\nD-1,2,0\n");
        Path test = run.file("t.csv", "zip,x,label\n77,1,1\n78,2,0\n");

        assertThat(run.refusal(file + " --test " + test))
                .endsWith(
                        "perceptron: t.csv:1: column zip must be the same in both files, got numbers here and words in"
                                + " f.csv (--words zip or --numbers zip)\n");
        run.fit(file + " --test " + test + " --words zip");
    }

    @Test
    void shouldSayThatTheHeaderIsMissing() throws IOException {
        assertThat(refusal("5.1,3.5,setosa/4.9,3.0,setosa/", ""))
                .isEqualTo(
                        "perceptron: f.csv:1: header must have a column 'label', got 5.1, 3.5, setosa (--label-column"
                                + " names another, or none; the first line must be a header, with names)\n");
    }

    @Test
    void shouldCountALineWithTheSeparator() throws IOException {
        assertThat(refusal("sep=;/x;label/1;1/2/", ""))
                .isEqualTo("perceptron: f.csv:4: row must have 2 cells as the header has, got 1" + HINT);
    }

    @Test
    void shouldNameAColumnWithACommaInItsName() throws IOException {
        dryRun("'a,b',label/1,1/".replace('\'', '"'), "--ignore a,b");

        taken("a,b", "ignored");
    }

    // two separators fit, and neither header has the label's column
    @Test
    void shouldAskForTheSeparatorWhereSeveralFit() throws IOException {
        assertThat(refusal("a,b;c/1,2;0/", "--label-column none"))
                .startsWith("perceptron: f.csv:1: separator of the cells must be unambiguous,");
        dryRun("a,b;c/1,2;0/", "--label-column none --separator ;");
        assertThat(run.errors()).contains("f.csv: cells have ';' between\n");
    }
}
