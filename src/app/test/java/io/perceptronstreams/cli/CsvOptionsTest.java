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
                label                        1         2  labels
                age                          1         3  numbers, 4 to 30
                sex                          0         2  words: m 2, f 2
                fare                         2         2  numbers, 7.25 to 8
                note                         4         0  no value so far
                open                         1         3  1 for true, 0 for false: True 1, false 1, TRUE 1
                labels: 1 2, 0 1
                4 examples, 3 of them with a label; nothing was sent or learned
                """);
        assertThat(run.errors()).isEqualTo("f.csv: no value in any of 4 rows: column note\n");
        assertThat(run.path("w")).doesNotExist();
    }

    /** Options of JSON lines could only be tried by sending. */
    @Test
    void shouldShowWhatEachFieldIsTakenFor() throws IOException {
        Path file = run.file("log.jsonl", """
                {"ts":"2026-01-31","level":"warn","ms":12.5,"user":{"age":34,"city":"Rome"},"tags":["a","b"],"ok":true,"n":null,"no":7}
                {"ts":1769860801000,"level":"info","ms":"slow","user":{"age":20},"tags":[],"no":8,"say":"a b","code":17}
                """);
        String head = "field                  missing different  taken for\n";

        assertThat(run.output("fit " + file + " --dry-run --flatten --arrays count --label-column level --time ts"
                        + " --id-column no --text say --words code --ignore user.city"))
                .isEqualTo("11 fields of 2 objects\n" + head + """
                ts                           0         2  event times
                level                        0         2  labels
                ms                           0         2  numbers, 12.5 to 12.5; words: slow 1
                user.age                     0         2  numbers, 20 to 34
                user.city                    1         1  ignored
                tags                         0         2  numbers of elements, as tags.count: 2 in all
                ok                           1         1  1 for true, 0 for false: true 1
                n                            2         0  no value
                no                           0         2  ids
                say                          1         1  the words in its texts
                code                         1         1  words: 17 1
                labels: warn 1, info 1
                2 examples, 2 of them with a label; nothing was sent or learned
                """);
        run.output("fit " + file + " --dry-run --flatten --arrays words --label-column level");
        taken("tags", "words: a 1, b 1");
        run.output("fit " + file + " --dry-run --flatten --arrays ignore --label-column level");
        taken("tags", "ignored");
    }

    @Test
    void shouldShowTheFieldsOfExamples() throws IOException {
        Path file = run.file("e.jsonl", """
                {"id":"7","label":1,"features":{"age":0.5,"plan":"free"},"weight":2}
                {"id":"8","label":-1,"features":{"age":"NaN","plan":"paid"}}
                {"id":"9","label":-1,"features":[1,2]}
                """);

        assertThat(run.output("fit " + file + " --dry-run")).startsWith("6 fields of 3 objects\n");
        taken("id", "ids");
        taken("label", "labels");
        taken("age", "numbers, 0.5 to 0.5");
        taken("plan", "words: free 1, paid 1");
        taken("weight", "weights; numbers, 2 to 2");
        taken("features", "features by their places");
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
                "x,label/2026-01-31,1/2026-02-01,0/ | event times, and x.weekday, x.days | --time x --days x --dates x",
                "x,label/2026-01-31,1/7.6.1954 1:00,0/ | dates: x.weekday, x.hour   | --dates x",
                "x,label/NA,1/31.01.26,0/           | dates: x.days              | --days x --dates-format dd.MM.yy",
                "x,label/NA,1/DE,0/                 | words: DE 1; x=? where missing | --missing-feature x",
                "x,label/NA,1/3,0/                  | numbers, 3 to 3; x=? where missing | --missing-feature all",
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
                "true ~ 2 ~ value must be true or false as in the first 2 rows, got '2' (column x; --words x takes words)"
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
                                + " --dates Time weekday and hour, --days Time the days since 1970, --ignore Time leaves it out\n");
        dryRun("Name,label/" + rows(30, "Mr. x#,1"), "--ignore Name");
        assertThat(run.errors()).isEmpty();
    }

    @Test
    void shouldNameAColumnOfSecondsSince1970() throws IOException {
        for (String unit : List.of("", "000")) {
            String table = IntStream.range(0, 30)
                    .mapToObj(row -> 1_767_225_600L + 97L * row + unit + ",1,1/")
                    .collect(Collectors.joining("", "at,x,label/", ""));
            dryRun(table, "");
            assertThat(run.errors())
                    .contains(
                            "f.csv: column at: numbers, although all may be seconds or milliseconds since 1970; --time at"
                                    + " takes event times, --dates at weekday and hour, --days at the days since 1970, --ignore at leaves it out\n");
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
                                + " --dates Day weekday and hour, --days Day the days since 1970, --ignore Day leaves it out\n");
        for (String options : List.of("--words Day", "--ignore Day", "--dates Day", "--time Day --on-error skip")) {
            dryRun(table, options);
            assertThat(run.errors()).as(options).doesNotContain("dates or times");
        }
    }

    // no event time is before 1970, but a birthday is
    @Test
    void shouldNotAdviseEventTimesBefore1970() throws IOException {
        dryRun("Born,label/1954-06-07,1/1981-02-01,0/", "");

        assertThat(run.errors())
                .isEqualTo("f.csv: column Born: words, although all cells are dates or times; --dates Born weekday and"
                        + " hour, --days Born the days since 1970, --ignore Born leaves it out\n");
    }

    @Test
    void shouldDecideTheOrderOfDayAndMonthOfDates() throws IOException {
        dryRun("at,label/01-02-1954,1/13-02-1954,0/", "--dates at");
        assertThat(refusal("at,label/01-02-1954,1/03-02-1954,0/", "--dates at"))
                .isEqualTo("perceptron: f.csv:1: dates of column at must have a day above 12 in the first rows, got"
                        + " '01-02-1954', which has day and month in either order (--dates-format d-M-yyyy or --dates-format"
                        + " M-d-yyyy)\n");
        dryRun("at,label/01-02-1954,1/03-02-1954,0/", "--dates at --dates-format d-M-yyyy");
    }

    @Test
    void shouldNameTheOptionOfDatesWithShortYears() throws IOException {
        dryRun("at,label/31.01.26,1/01.02.26,0/", "");

        assertThat(run.errors())
                .isEqualTo("f.csv: column at: words, although all cells are dates or times; --time at --time-format"
                        + " dd.MM.yy takes event times, --dates at --dates-format dd.MM.yy weekday and hour, --days at the days since 1970, --ignore at"
                        + " leaves it out\n");
    }

    @Test
    void shouldNameFieldsOfDatesAndOfTexts() throws IOException {
        String lines = IntStream.range(0, 30)
                .mapToObj(k -> "{\"ok\":1,\"at\":\"2026-01-" + (k + 1) + "\",\"say\":\"no " + k + "\",\"kind\":\"a "
                        + k % 3 + "\",\"born\":\"1.2.1954\"}\n")
                .collect(Collectors.joining());
        Path file = run.file("log.jsonl", lines);

        assertThat(run.output("fit " + file + " --dry-run --label-column ok --dates born"))
                .contains(
                        "2026-01-1 1, 2026-01-2 1, 2026-01-3 1, 2026-01-4 1, 2026-01-5 1, …; all are dates or times: --dates at"
                                + " takes weekday and hour, --days at the days since 1970\n")
                .contains(", …; most are different texts: --text say takes the words in them\n")
                .contains("words: a 0 10, a 1 10, a 2 10\n")
                .contains("dates; words: 1.2.1954 30\n");
    }

    /** One line for the columns that are empty in the sample, one at the end for what became of them. */
    @Test
    void shouldSayWhatBecameOfColumnsThatAreEmptyInTheSample() throws IOException {
        String names = "a,b,c,d,e,f,g,label/";
        dryRun(names + ",,,,,,,1/,,,,,,,0/t,7,,,,,,1/,,true,,,,,1/", "--sample 2");
        assertThat(run.errors()).isEqualTo("""
                        f.csv: no value in the first 2 rows: columns a, b, c, d, e and 2 more; a number as the first value makes numbers, a text words
                        f.csv: taken for what their first value is: a as words by 't' in line 4, b as numbers by '7' in line 4, c as booleans by 'true' in line 5
                        """);
        dryRun(names + ",,,,,,,1/,,,,,,,0/1,2,3,4,5,6,7,1/", "--sample 2");
        assertThat(run.errors()).endsWith("e as numbers by '5' in line 4 and 2 more\n");
    }

    @Test
    void shouldNameColumnsOfOneWordOrNone() throws IOException {
        String table = "a,b,c,d,label/" + rows(30, "t,,x,u,1") + ",,y,u,0/";
        dryRun(table, "");
        assertThat(run.errors()).isEqualTo("""
                        f.csv: one word or no value: column a; --missing-feature a makes a feature of no value, too
                        f.csv: no value in any of 31 rows: column b
                        """);
        dryRun(table + ",,,,0/", "");
        assertThat(run.errors())
                .startsWith(
                        "f.csv: one word or no value: columns a, d; --missing-feature all makes a feature of no value, too\n");
        dryRun(table, "--missing-feature a");
        assertThat(run.errors()).doesNotContain("one word");
    }

    @Test
    void shouldRefuseAFirstValueOfTwoMeanings() throws IOException {
        assertThat(refusal("x;label/;1/;1/1,250;0/", "--sample 2"))
                .endsWith(
                        "perceptron: f.csv:4: numbers of column x must be unambiguous, got '1,250', which is 1250 or 1.25"
                                + " (--decimal . or --decimal , names the mark of decimals in all columns; --words x takes words)"
                                + HINT);
        dryRun("x;label/;1/;1/1,250;0/", "--sample 2 --decimal ,");
    }

    // a perceptron, wrong at the first example: the weights are its features
    @Test
    void shouldLearnMissingValuesAndDates() throws IOException {
        String learned = "drink=? -1, at.weekday=Sat -1, at.hour=13 -1, at.days -20484.5625, bias -1";
        Path table = run.file("f.csv", "drink,at,label\n,2026-01-31 13:30,-1\n");
        run.fit(table + " --set algorithm=perceptron --epochs 1 --missing-feature all --dates at --days at");
        run.assertLearned(1, 1, learned);

        Path lines = run.file("f.jsonl", "{\"drink\":null,\"at\":\"2026-01-31 13:30\",\"label\":-1}\n");
        run.fit(lines + " --set algorithm=perceptron --epochs 1 --missing-feature drink --dates at --days at");
        run.assertLearned(1, 1, learned);

        run.fit(table + " --set algorithm=perceptron --epochs 1 --ignore at");
        run.assertLearned(1, 1, "bias -1");
    }

    @Test
    void shouldNotTestOnAnEmptyColumnOfAnotherKind() throws IOException {
        Path file = run.file("f.csv", "zip,x,label\nD-1,1,1\nD-2,2,0\n");
        Path test = run.file("t.csv", "zip,x,label\n,1,1\n,2,0\n77,3,1\n");

        assertThat(run.refusal(file + " --test " + test + " --sample 2"))
                .endsWith(
                        "t.csv:4: column zip must be the same in both files, got numbers here and words in f.csv (--words zip"
                                + " or --numbers zip)\n");
        run.fit(file + " --test " + test + " --sample 2 --words zip");
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
                                + " words, --ignore 'column 2' none)\n");
    }

    @Test
    void shouldSayWhichWordsAreMissing() throws IOException {
        dryRun("land,label/NA,1/DE,None/FR,0/", "");

        assertThat(run.errors()).isEqualTo("""
                        f.csv: column land: 'NA' is missing in 1 of 3 rows; --words land takes it as a word
                        f.csv: column label: 'None' is no label in 1 of 3 rows; --words label takes it as a label
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
                .endsWith("2 examples, 2 of them with a label; nothing was sent or learned\n");
        assertThat(run.errors()).contains("skipped: " + name + ":2: ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "--ignore y ~ 1 ~ f.csv:1: header must have a column 'y', got x, z, label (--ignore names another)",
                "--numbers label ~ 1 ~ f.csv:1: columns of --numbers must be of features, got 'label', the column of the labels",
                "--time x --text x ~ 1 ~ f.csv:1: columns of --text must be of features, got 'x', the column of the event times",
                "--text x --ignore z,x ~ 1 ~ f.csv:1: columns must be given once, got 'x' in --ignore and another option",
                "--time x ~ 1 ~ f.csv:2: event time must be a date or time such as 2026-01-31, 31.01.2026 12:00 or Jan 31, 2026, or s, ms, us or ns since 1970, got '1' (column x; --time-format names another form)",
                "--dates x ~ 1 ~ f.csv:2: value must be a date or time such as 2026-01-31, 31.01.2026 12:00 or Jan 31, 2026, or s, ms, us or ns since 1970, got '1' (column x; --dates-format names another form)",
                "--dates x --dates-format dd.MM.yyyy ~ 1 ~ f.csv:2: value must be a date of the form dd.MM.yyyy, got '1' (column x; --missing 1 takes it as missing)",
                "--dates x --dates-format %d ~ 2 ~ --dates-format must be s, ms, us or ns since 1970, or a pattern with year, month and day such as",
                "--dates-format s ~ 2 ~ --dates-format must be used with --dates or --days, which names the column",
                "--time-format s ~ 2 ~ --time-format must be used with --time, which names the column",
                "--dates label ~ 1 ~ f.csv:1: columns of --dates must be of features, got 'label', the column of the labels",
                "--dates x --numbers x ~ 1 ~ f.csv:1: columns must be given once, got 'x' in --dates and another option",
                "--days x,x ~ 1 ~ f.csv:1: columns must be given once, got 'x' in --days and another option",
                "--separator ab ~ 2 ~ --separator must be one character, tab or blanks, and no quotation mark, got 'ab'",
                "--decimal x ~ 2 ~ --decimal must be . or , got 'x'",
                "--sample 0 ~ 2 ~ --sample must be at least 1, got 0",
                "--encoding xx ~ 2 ~ Invalid value for option '--encoding'"
            })
    void shouldRefuseOptionsThatDoNotFit(String options, int exitCode, String message) throws IOException {
        assertThat(run.failure(exitCode, command("x,z,label/1,2,1/", options))).startsWith("perceptron: " + message);
    }

    /**
     * Of 10,000 strikes of birds with aircraft, 8,939 did the damage None, which is a label and was taken for a missing
     * one.
     */
    @Test
    void shouldTakeLabelsThatLookLikeMissingValues() throws IOException {
        String text = "x,label/1,None/2,Minor/3,None/4,/";
        assertThat(dryRun(text, "")).contains("labels: Minor 1\n4 examples, 1 of them with a label;");
        assertThat(run.errors())
                .contains(
                        "f.csv: column label: 'None' is no label in 2 of 4 rows; --words label takes it as a label\n");

        assertThat(dryRun(text, "--words label"))
                .contains("labels: None 2, Minor 1\n4 examples, 3 of them with a label;");
        assertThat(run.errors()).doesNotContain("no label in");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Oct 07 1963", "1963-10-07", "07.10.1963", "10/07/1963", "1969-12-31T23:59:59Z"})
    void shouldSayThatKafkaHasNoTimesBefore1970(String date) throws IOException {
        String fault = "event time must be from 1970 on, because Kafka has no earlier ones, got '" + date
                + "' (%s at; without --time, examples have the time at which they are sent)\n";
        Path table = run.file("t.csv", "at,label\n" + date + ",1\n");
        Path lines = run.file("l.jsonl", "{\"at\":\"" + date + "\",\"label\":1}\n");

        assertThat(run.refusal(table + " --time at")).endsWith("t.csv:2: " + String.format(fault, "column"));
        assertThat(run.refusal(lines + " --time at")).endsWith("l.jsonl:1: " + String.format(fault, "field"));
    }

    @Test
    void shouldSayThatKafkaHasNoTimesBefore1970InAFormThatIsNamed() throws IOException {
        String rule = "f.csv:2: event time must be from 1970 on, ";
        assertThat(refusal("at,label/1963-10-07,1/", "--time at --time-format yyyy-MM-dd"))
                .contains(rule);
        assertThat(refusal("at,label/-5,1/", "--time at --time-format s")).contains(rule);
    }

    @Test
    void shouldReadTimesOfJsonLinesInAFormThatIsNamed() throws IOException {
        Path file = run.file("log.jsonl", "{\"at\":\"01/02/2026\",\"label\":1}\n{\"at\":\"03/02/2026\",\"label\":0}\n");
        assertThat(run.refusal(file + " --time at"))
                .contains(
                        "log.jsonl:1: event time must be a date whose day and month cannot be exchanged, got '01/02/2026' (field at;"
                                + " --time-format d/M/yyyy or --time-format M/d/yyyy)");
        assertThat(run.output("fit " + file + " --dry-run --time at --time-format d/M/yyyy"))
                .contains("2 examples, 2 of them with a label");
        assertThat(run.refusal(file + " --time at --time-format yyyy/MM/dd"))
                .contains("event time must be of the form yyyy/MM/dd, got '01/02/2026' (field at)");
    }

    /** Such a remedy was printed where each row has the fault, so that nothing would have been left. */
    @Test
    void shouldNotAdviseToSkipAllRows() throws IOException {
        String text = "at,label/2026-01-31,1/2026-02-01,0/";
        assertThat(refusal(text, "--time at --time-format dd.MM.yyyy"))
                .endsWith("got '2026-01-31' (column at; without --time-format, such times are read)\n");
        assertThat(refusal(text + "01.02.2026,1/", "--time at --time-format dd.MM.yyyy"))
                .endsWith(HINT);
    }

    @Test
    void shouldNameTheColumnThatIsMeant() throws IOException {
        assertThat(refusal("Time of day,a,b,c,d,e/1,2,3,4,5,6/", "--label-column Time_of_Day"))
                .contains(
                        "header must have a column 'Time_of_Day', got Time of day, a, b, c, d and 1 more; did you mean 'Time of day'?"
                                + " (--label-column names another, or none)");
        assertThat(refusal("Größe,x/1,2/", "--label-column Grösse")).contains("; did you mean 'Größe'?");
        assertThat(refusal("\u5e74\u9f62,x/1,2/", "--label-column \u540d\u524d"))
                .doesNotContain("did you mean");
    }

    @Test
    void shouldNameTheOptionOfAnotherSeparator() throws IOException {
        assertThat(refusal("a~b c~label/1~~2/~3~0/", ""))
                .contains("got 'a~b c~label' (--separator '~' reads 3 columns)");
        assertThat(refusal("a,label/1,2/", "--separator ;"))
                .contains(
                        "got a,label (one column only: --separator names the character between the cells; --label-column names"
                                + " another, or none)");
    }

    @Test
    void shouldSayThatAFileHasOnlyAHeader() throws IOException {
        dryRun("a,b,label/", "");
        assertThat(run.errors()).isEqualTo("f.csv: no row, only the names of the columns\n");
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
                                + " names another, or none; the first line must be a header, with names: --header none"
                                + " names the columns 1, 2, …)\n");
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

    // a tab-separated text with quotation marks was read as three rows of seven
    @Test
    void shouldRefuseACellWhoseLinesAreRows() throws IOException {
        String text = "label,x/1,'a/0,b/1,c'/0,d/".replace('\'', '"');

        assertThat(refusal(text, ""))
                .isEqualTo(
                        "perceptron: f.csv:2: quotation marks must enclose cells, got a cell of lines 2 to 4, each of which"
                                + " is a row of 2 cells itself (--quote none takes quotation marks as text, --quote '\"' reads the"
                                + " cell)" + HINT);
        assertThat(dryRun(text, "--quote none")).contains("4 examples");
        assertThat(dryRun(text, "--quote \"")).contains("2 examples");
        assertThat(dryRun(text, "--on-error skip")).contains("3 examples");
    }

    // the advice was another separator
    @Test
    void shouldSayThatLinesOfCommentsAreRead() throws IOException {
        assertThat(refusal("# station 17/x,label/1,1/2,0/", ""))
                .startsWith(
                        "perceptron: f.csv:1: header must have a column 'label', got Unnamed: 0, # station 17 (lines that"
                                + " begin with # are no comments: grep -v '^#' leaves them out; --label-column names another");
    }

    // each number was a word of its own, without a note
    @Test
    void shouldReadDoublesOfFortran() throws IOException {
        assertThat(dryRun("x,label/0.50D+01,1/-1.25D-02,0/", "")).contains("numbers, -0.0125 to 5");
        assertThat(run.errors()).startsWith("f.csv: column x: '0.50D+01' is 5; --words x takes words");
    }

    @Test
    void shouldSayThatACellHasSeveralLines() throws IOException {
        assertThat(dryRun("label,x/1,'a, b/and c'/0,d/".replace('\'', '"'), "")).contains("2 examples");
        assertThat(run.errors())
                .isEqualTo(
                        "f.csv: a cell in quotation marks goes from line 2 to 3; --quote none takes quotation marks as text\n");
    }

    // each column was shifted by one
    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '!',
            value = {
                "ip,label,at/a,1,Jan 31, 2026/a,0,Feb 1, 2026/ ~ 3 ~ 4",
                "n,label,at/1,1,Jan 31, 2026/2,0,Feb 1, 2026/ ~ 3 ~ 4",
                "ip,label,x/a,1,1,5/a,0,2,5/ ~ 3 ~ 4",
                "x,label/1.234,50 €,1/2,50 €,0/ ~ 2 ~ 3",
                "ip,label/a,1,2,3/b,0,3,4/ ~ 2 ~ 4"
            })
    void shouldRefuseRowsWithMoreCellsThanTheHeader(String text, int names, int cells) throws IOException {
        assertThat(refusal(text, ""))
                .startsWith(
                        "perceptron: f.csv:2: rows must have " + names + " cells as the header has, got " + cells
                                + " in all of the first 2 rows; the separator may stand in cells, which then need quotation marks");
    }

    @Test
    void shouldSayWhatItTakesForRowNames() throws IOException {
        assertThat(dryRun("x,label/a,1,1/b,2,0/", "")).contains("2 examples");
        assertThat(run.errors())
                .isEqualTo(
                        "f.csv: each row has a cell more than the header has names: the first one, such as 'a', is a row name,"
                                + " ignored; --id-column 'Unnamed: 0' takes ids\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '!',
            value = {
                "x label/1 1/2 0/ ~ ' ' ~ 2",
                "x   label/1   1/20  0/ ~ blanks ~ 2",
                "  x label/  1   1/ 20   0/ ~ blanks ~ 2",
                "x^y^label/1^2^1/2^3^0/ ~ '^' ~ 3",
                "x:label/1:1/2:0/ ~ : ~ 2"
            })
    void shouldNameTheSeparatorThatReadsTheRows(String text, String separator, int columns) throws IOException {
        String header = text.substring(0, text.indexOf('/')).strip();
        assertThat(refusal(text, ""))
                .endsWith("perceptron: f.csv:1: names of columns must have commas, semicolons, tabs or | between, got '"
                        + header + "' (--separator " + separator + " reads " + columns + " columns)\n");
        // without a label, such a table of one column was learned without a word
        dryRun(text, "--label-column none");
        assertThat(run.errors()).contains("one column, named '" + header + "'; --separator " + separator + " reads");
        // the commands of a test have blanks between their words
        dryRun(text, "--separator " + (separator.equals("' '") ? "blanks" : separator.replace("'", "")));
        taken("x", text.contains("20") ? "numbers, 1 to 20" : "numbers, 1 to 2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "1,2.5,3/-1,1,2/1,3,4/ ~ --label-column 1",
                "1,2.5,3/-1,1,2/1,3,4/ ~ --label-column none",
                "1,0,1/-1,1,2/1,3,4/ ~ --label-column 1",
                "5.1,3.5,setosa/4.9,3.0,setosa/6,3,virginica/ ~ --label-column setosa",
                "p,x,s/e,x,s/p,y,n/ ~ --label-column p",
                ",0.5,1/0,1.5,2/1,2.5,3/ ~ --label-column 1"
            })
    void shouldRefuseAFirstLineThatIsARow(String text, String options) throws IOException {
        assertThat(refusal(text, options))
                .contains("f.csv:1: ")
                .containsAnyOf(
                        "first line must have the names of the columns, got the cells of a row: ",
                        "column names must be unique, got '1'");
        int columns = text.substring(0, text.indexOf('/')).split(",", -1).length;
        assertThat(dryRun(text, "--header none --label-column " + columns)).contains("3 examples, 3 of them");
    }

    // the names that pandas gives to the columns of an array
    @ParameterizedTest
    @ValueSource(strings = {"0,1,2/5,6,1/7,8,0/", ",0,1,2/0,5,6,1/1,7,8,0/", "2019,2020,2/1,2,1/3,4,0/"})
    void shouldSayThatNumbersAreNames(String text) throws IOException {
        dryRun(text.replace("2020,2/", "2020,2021/"), "--label-column " + (text.startsWith("2019") ? "2021" : "2"));

        assertThat(run.errors())
                .contains(
                        "f.csv: line 1 has numbers, as the rows have, and is taken for the names of the columns; --header none"
                                + " takes it as a row, --header line as names without this note\n");
        dryRun(
                text.replace("2020,2/", "2020,2021/"),
                "--header line --label-column " + (text.startsWith("2019") ? "2021" : "2"));
        assertThat(run.errors()).doesNotContain("line 1");
    }

    // the header of a joined file made words of its columns, and a class of its label
    @Test
    void shouldLeaveOutARepeatedHeader() throws IOException {
        assertThat(dryRun("x,label/1,1/2,0/x,label/3,1/\ufeffx,label/4,0/", "")).contains("4 examples, 4 of them");
        taken("x", "numbers, 1 to 4");
        assertThat(run.errors()).isEqualTo("""
                        f.csv: line 4 repeats the header, as in joined files; it is left out, and so are others like it
                        f.csv: line 6 repeats the header, as in joined files; it is left out, and so are others like it
                        """);
        assertThat(refusal("x,y,label/1,2,1/y,x,label/2,1,0/", ""))
                .endsWith(
                        "perceptron: f.csv:3: columns must have one order, got those of the header in another one (split the"
                                + " file here)\n");
    }

    @Test
    void shouldReadARepeatedNameAsTold() throws IOException {
        String text = "x,label,x,label/1,1,2,5/3,0,4,6/";

        assertThat(refusal(text, ""))
                .isEqualTo(
                        "perceptron: f.csv:1: column names must be unique, got 'x' (columns 1 and 3; --ignore x.1 leaves the"
                                + " second one out, --numbers x.1 or --words x.1 takes it under this name)\n");
        dryRun(text, "--numbers x.1 --ignore label.1");
        taken("x.1", "numbers, 2 to 4");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '!',
            value = {
                "$5~-$7.50 ~ numbers, -7.5 to 5",
                "5-~7 ~ numbers, -5 to 7",
                "(5)~7 ~ numbers, -5 to 7",
                "\u22125~7 ~ numbers, -5 to 7",
                "5 kg~7 kg ~ numbers, 5 to 7",
                "'1.234,50 \u20ac'~'2,50 \u20ac' ~ numbers, 2.5 to 1234.5",
                "'$1,234.50'~$2 ~ numbers, 2 to 1234.5",
                "USD 5~0 ~ numbers, 0 to 5"
            })
    void shouldReadAmountsAsNumbersWhereTold(String first, String second, String kind) throws IOException {
        String text = "x,label/" + first.replace('\'', '"') + ",1/" + second.replace('\'', '"') + ",0/";
        dryRun(text, "--numbers x");
        taken("x", kind);

        dryRun(text, "");
        assertThat(run.errors())
                .contains("f.csv: column x: words, although 2 of 2 cells are amounts, such as '")
                .endsWith("; --numbers x takes numbers\n");
    }

    @Test
    void shouldNotMixUnits() throws IOException {
        assertThat(refusal("x,label/5 kg,1/7 g,0/", "--numbers x"))
                .endsWith(
                        "perceptron: f.csv:3: value must be in one unit, as '5 kg' before it, got '7 g' (column x; --ignore x takes"
                                + " none, --words x takes words)" + HINT);
        dryRun("x,label/5 kg,1/7 g,0/", "");
        assertThat(run.errors()).doesNotContain("amounts");
        assertThat(refusal("x,y,label/5,a,1/6,b,0/(7),c,1/", "--sample 2"))
                .endsWith(
                        "f.csv:4: value must be a number as in the first 2 rows, got '(7)' (column x; --numbers x takes amounts,"
                                + " --words x takes words)" + HINT);
        dryRun("x,y,label/5,a,1/6,b,0/(7),c,1/", "--sample 2 --numbers x");
    }

    @Test
    void shouldDecideTheOrderOfDayAndMonthByTheFile() throws IOException {
        dryRun("at,label/01.02.2026,1/03.02.2026,0/".replace('.', '-').replace("03-", "13-"), "--time at");
        String ambiguous = "at,label/01|02|2026 3:05 PM,1/03|02|2026 3:05 AM,0/".replace('|', '\u2215');
        assertThat(refusal(ambiguous.replace('\u2215', '-'), "--time at"))
                .isEqualTo(
                        "perceptron: f.csv:1: dates of column at must have a day above 12 in the first rows, got '01-02-2026"
                                + " 3:05 PM', which has day and month in either order (--time-format 'd-M-yyyy h:mm a' or --time-format"
                                + " 'M-d-yyyy h:mm a')\n");
        assertThat(refusal("at,label/13-01-2026,1/01-13-2026,0/", "--time at"))
                .contains("dates of column at must have day and month in one order, got '13-01-2026' and '01-13-2026'");
        assertThat(refusal("at,label/13-01-2026,1/01-02-2026,0/01-13-2026,0/", "--time at --sample 2"))
                .contains("f.csv:4: event time must be a date or time such as");
        dryRun("at,label/01-02-2026,1/", "--time at --time-format dd-MM-yyyy");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "31.01.2026|01.02.2026",
                "1-2-2026|3-4-2026",
                "2026.01.31 12:00|2026.02.01 12:00",
                "Jan 31 2026|Feb 1 2026",
                "31-Jan-2026|01-Feb-2026",
                "31JAN2026:12:00:00|01FEB2026:12:00:00",
                "Sat Jan 31 12:00:00 2026|Sun Feb 1 12:00:00 2026",
                "2026-01-31 12:00:00 UTC|2026-02-01 12:00:00 UTC"
            })
    void shouldNameAColumnOfDatesOfEachForm(String cells) throws IOException {
        dryRun("at,label/" + cells.replace("|", ",1/") + ",0/", "");

        assertThat(run.errors())
                .isEqualTo(
                        "f.csv: column at: words, although all cells are dates or times; --time at takes event times,"
                                + " --dates at weekday and hour, --days at the days since 1970, --ignore at leaves it out\n");
    }

    @Test
    void shouldNameDatesOfShortYearsAndNumbersThatAreTimes() throws IOException {
        dryRun("at,label/31.01.26,1/01.02.26,0/", "");
        assertThat(run.errors()).contains("--time at --time-format dd.MM.yy takes event times,");
        dryRun("at,label/31.01.26,1/01.02.26,0/", "--time at --time-format dd.MM.yy");
        assertThat(refusal("at,label/31.01.26,1/", "--time at"))
                .contains("got '31.01.26' (column at; --time-format dd.MM.yy)");
        for (String cells :
                List.of("1769860800,1/1769860860", "1769860800123456,1/1769860800123457", "20260131,1/20260201")) {
            dryRun("at,label/" + cells + ",0/", "");
            assertThat(run.errors())
                    .startsWith("f.csv: column at: numbers, although all cells are times, such as 2026-01-31T");
        }
        dryRun("at,label/1769860860,1/1769860800,0/", "");
        assertThat(run.errors()).isEmpty();
    }

    @Test
    void shouldCountTheLabelsOfTheWholeFile() throws IOException {
        assertThat(dryRun("x,label/1,a/2,b/3,c/4,d/5,b/", "--sample 2"))
                .endsWith(
                        "labels: b 2, a 1, c 1, d 1\n5 examples, 5 of them with a label; nothing was sent or learned\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "f.csv ~ x,label/1,/2,NA/ ~ column label has none; --label-column names another",
                "f.vw ~ |a b/|a c/ ~ ",
                "f.jsonl ~ {\"features\":[1]}/ ~ ",
                "f.conllu ~ 1|w|_|_|_|_|_|_|_|_/ ~ UPOS, column 4, is _ for all words, and so is XPOS",
                "f.conllu ~ 1|w|_|_|X|_|_|_|_|_/ ~ UPOS, column 4, is _ for all words; --tag xpos takes column 5",
                "f.conllu --tag xpos ~ 1|w|_|X|_|_|_|_|_|_/ ~ XPOS, column 5, is _ for all words; --tag upos takes column 4"
            })
    void shouldSayThatNoExampleHasALabel(String name, String text, String hint) throws IOException {
        Path file = run.file(
                name.split(" ", -1)[0], text.replace('/', '\n').replace('|', name.startsWith("f.conllu") ? '\t' : '|'));
        String options = name.substring(name.split(" ", -1)[0].length());
        String end = hint == null ? "" : " (" + hint + ")";

        assertThat(run.refusal(file + options))
                .endsWith("perceptron: examples must have labels to learn from, got none in " + file + end + "\n");
        assertThat(run.path("w")).doesNotExist();
        run.output("fit " + file + options + " --dry-run");
        assertThat(run.errors())
                .endsWith(file + ": no example has a label, so that nothing can be learned from them" + end + "\n");
    }

    @Test
    void shouldLearnTwoDeclaredClasses() throws IOException {
        String rows = "{0 3, 1 1, 2 yes}/{0 1, 1 4, 2 yes}/{0 2, 1 5, 2 no}/{0 7, 1 1, 2 yes}/";
        Path file = run.file(
                "v.arff",
                ("@relation v/@attribute pages numeric/@attribute secs numeric/@attribute class {no, yes}/@data/"
                                + rows)
                        .replace('/', '\n'));

        run.fit(file + " --set algorithm=perceptron --epochs 1");
        assertThat(run.errors()).isEqualTo(file + ": two classes are declared, --set labels=no,yes is taken\n");
        // 0: yes, a mistake, (3, 1), bias 1; 8: right; 12: no, a mistake, (1, -4), bias 0; 3: right
        run.assertLearned(2, 1, "pages 1, secs -4");
        run.fit(file + " --epochs 1 --set algorithm=multiclass");
        assertThat(run.errors()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "--time-format s ~ --time-format must be used with --time, which names the column",
                "--time x --time-format %d ~ --time-format must be s, ms, us or ns since 1970, or a pattern",
                "--quote xx ~ --quote must be one quotation mark, such as",
                "--header x ~ Invalid value for option '--header'"
            })
    void shouldRefuseFormsThatDoNotExist(String options, String message) throws IOException {
        assertThat(run.failure(2, command("x,label/1,1/", options))).startsWith("perceptron: " + message);
    }
}
