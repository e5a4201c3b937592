package io.perceptronstreams.format;

import static io.perceptronstreams.format.ExampleFormat.CSV;
import static io.perceptronstreams.format.Texts.assertRefused;
import static io.perceptronstreams.format.Texts.features;
import static io.perceptronstreams.format.Texts.labels;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.apache.avro.generic.GenericRecord;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TableReaderTest {
    private static final Map<ColumnKind, List<String>> DATES =
            Map.of(ColumnKind.DATES, List.of("at"), ColumnKind.DAYS, List.of("at"));

    @Test
    void shouldNameFeaturesAfterColumnsAndCategoriesAfterValues() throws IOException {
        List<GenericRecord> examples = read("age,label,town\n30,1,Bonn\n-4.5,-1,\"Rome, Italy\"\n");

        assertThat(examples).extracting(example -> example.get("label")).containsExactly(1, -1);
        assertThat(features(examples.get(0), "values")).isEqualTo(Map.of("age", 30.0, "town=Bonn", 1.0));
        assertThat(features(examples.get(1), "values")).isEqualTo(Map.of("age", -4.5, "town=Rome, Italy", 1.0));
        assertThat(examples).extracting(example -> example.get("id")).containsExactly("f:2", "f:3");
    }

    @Test
    void shouldReadQuotationMarksAndLineFeedsInsideQuotes() throws IOException {
        List<GenericRecord> examples = read("label,note\r\n1,\"a \"\"b\"\"\nc\"\r\n-1,d\r\n");

        assertThat(features(examples.get(0), "values")).isEqualTo(Map.of("note=a \"b\"\nc", 1.0));
        assertThat(examples).extracting(example -> example.get("id")).containsExactly("f:2", "f:4");
    }

    @Test
    void shouldTakeLabelAndIdFromTheColumnsNamed() throws IOException {
        List<GenericRecord> examples = read("key,class,x\na1,ham,2\n", "class", "key");

        assertThat(examples).singleElement().satisfies(example -> {
            assertThat(example.get("id")).isEqualTo("a1");
            assertThat(example.get("label")).isEqualTo("ham");
            assertThat(features(example, "values")).isEqualTo(Map.of("x", 2.0));
        });
    }

    @Test
    void shouldLeaveMissingCellsOut() throws IOException {
        List<GenericRecord> examples = read("x,label,y\n,1,?\nNA,,2\n");

        assertThat(features(examples.get(0), "values")).isEqualTo(Map.of());
        assertThat(examples.get(1).get("label")).isNull();
        assertThat(features(examples.get(1), "values")).isEqualTo(Map.of("y", 2.0));
    }

    /** A model that had learned the words open=True and open=False got the feature open from JSON. */
    @Test
    void shouldMakeTheFeaturesOfAnExampleInJson() throws IOException {
        List<GenericRecord> rows = read("open,wind,city,age,label\nTrue,0.5,Rome,NA,1\nFalse,2,,7,0\n");
        List<GenericRecord> lines = Texts.read(ExampleFormat.JSONL, """
                {"features":{"open":true,"wind":0.5,"city":"Rome","age":null},"label":1}
                {"features":{"open":false,"wind":2,"city":null,"age":7},"label":0}
                """);

        for (int k = 0; k < 2; k++) {
            assertThat(features(rows.get(k), "values")).isEqualTo(features(lines.get(k), "values"));
            assertThat(rows.get(k).get("label")).isEqualTo(lines.get(k).get("label"));
        }
        assertThat(features(rows.get(1), "values")).isEqualTo(Map.of("open", 0.0, "wind", 2.0, "age", 7.0));
    }

    @Test
    void shouldKeepAColumnACategoryEvenWhereACellIsANumber() throws IOException {
        assertThat(features(read("zip,label\nA1,1\n77,1\n").get(1), "values")).isEqualTo(Map.of("zip=77", 1.0));
    }

    @Test
    void shouldReadWithoutLabelsWhenTold() throws IOException {
        assertThat(read("x\n1\n", "none", null))
                .singleElement()
                .satisfies(example -> assertThat(example.get("label")).isNull());
    }

    // pandas writes booleans and floats: True made a multiclass model
    @Test
    void shouldReadBooleansAs0And1() throws IOException {
        assertThat(labels(CSV, LabelType.AUTO, "x,label\n1,True\n1,False\n1,TRUE\n1,false\n"))
                .containsExactly(1, 0, 1, 0);
        assertThat(labels(CSV, LabelType.AUTO, "x,label\n1,1.0\n1,0.0\n1,-1.0\n"))
                .containsExactly(1, 0, -1);
        assertThat(labels(CSV, LabelType.STRING, "x,label\n1,True\n1,False\n")).containsExactly("True", "False");
        assertThat(labels(CSV, LabelType.INT, "x,label\n1,1\n1,False\n1,1\n")).containsExactly(1, 0, 1);
    }

    /** In {@code text}, / ends a line. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '!',
            value = {
                "x,label/1,True/1,half-true/~3: label must be true or false, got 'half-true' (the labels before it were; --label-type string takes labels as names)",
                "x,label/1,false/1,0/~3: label must be true or false, got '0' (the labels before it were; --label-type string takes labels as names)",
                "x,label/1,1/1,true/~3: label must be a whole number, got 'true' (the labels before it were; --label-type string takes labels as names)",
                "label,x,y/1,1,1/yes,2,3/1,1,1/~3: label must be a whole number, got 'yes' (the labels before it were; --label-type string takes labels as names)",
                "label,x,y/1,1,1/1,1e999,3/1,1,1/~3: value must be a finite number, got '1e999' (column x; --missing 1e999 takes it as missing)",
                "label,x/1,1e999/~2: value must be a finite number, got '1e999' (column x;…",
                "label,x,y/1,1,1/1,2/1,1,1/~3: row must have 3 cells as the header has, got 2",
                "label,x,y/1,1,1/1,2,3,4/1,1,1/~3: row must have 3 cells as the header has, got 4",
                "label,x/1,1/1,\"2/~3: quotation mark must be closed, got '\"2' (--quote none takes quotation marks as text)",
                "y,x/1,1/~1: header must have a column 'label', got y, x (--label-column names another, or none)",
                "a,b,c,d,e,f,g/~1: header must have a column 'label', got a, b, c, d, e and 2 more (--label-column names another, or none)",
                "label,x,x/1,1,1/~1: column names must be unique, got 'x' (columns 2 and 3; --ignore x.1 leaves the second one out, --numbers x.1 or --words x.1 takes it under this name)",
                "!!~1: first line must name the columns, got an empty text"
            })
    void shouldRefuseWithTheLine(String text, String message) {
        assertRefused(CSV, text.replace('/', '\n'), "f.csv:" + message);
    }

    @Test
    void shouldRefuseAnEmptyId() {
        assertThatExceptionOfType(MalformedExampleException.class)
                .isThrownBy(() -> read("label,id\n1,a\n1,\n", null, "id"))
                .withMessage("f.csv:3: id must not be empty (column id)");
    }

    @Test
    void shouldPutNamespacesBeforeTheNamesOfColumns() throws IOException {
        List<GenericRecord> examples =
                read("age,label,town,id,x\n30,1,Bonn,a,2\n", "label", "id", "user=age,town", "item=x");

        assertThat(features(examples.get(0), "values"))
                .isEqualTo(Map.of("user^age", 30.0, "user^town=Bonn", 1.0, "item^x", 2.0));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "user=agee | f.csv:1: header must have a column 'agee', got age, label, id; did you mean 'age'? (--namespaces names another)",
                "user=age,label | f.csv:1: columns of --namespaces must be of features, got 'label', the column of the labels",
                "user=id | f.csv:1: columns of --namespaces must be of features, got 'id', the column of the ids",
                "age | must be NAMESPACE=COLUMN,COLUMN, got 'age'",
                "=age | must be NAMESPACE=COLUMN,COLUMN, got '=age'",
                "user=age,,id | must name columns, got an empty name in 'user=age,,id'",
                "a^b=age | must have a namespace without blanks and * , ^ before =, got 'a^b'",
                "a b=age | must have a namespace without blanks and * , ^ before =, got 'a b'",
                "a,b=age | must have a namespace without blanks and * , ^ before =, got 'a,b'",
                "user=age,age | must name each column once, got 'age' in 'user' and 'user'"
            })
    void shouldRefuseNamespacesThatFitNoColumn(String namespaces, String message) {
        assertThatThrownBy(() -> read("age,label,id\n30,1,a\n", "label", "id", namespaces))
                .hasMessage(message);
    }

    /**
     * A column of a supermarket's table had its first value, {@code t}, in row 2,790, behind the sample of 2,390 rows:
     * "value must be empty as in the first 2,390 rows, got 't'". In {@code cells}, a blank ends a row and - is a
     * missing cell.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "- - - - t - t | x=t | 1",
                "- - ? NA 7.5 7.5 | x | 7.5",
                "- - True | x | 1",
                "- - 0123 | x=0123 | 1",
                "- - 12% | x | 0.12",
                "- - 1,250.5 | x | 1250.5",
                "- - 2026-01-31 | x=2026-01-31 | 1"
            })
    void shouldTakeAColumnThatIsEmptyInTheSampleForWhatItsFirstValueIs(String cells, String feature, double value)
            throws IOException {
        List<String> rows = List.of(cells.split(" ", -1));
        String text = rows.stream()
                .map(cell -> "\n" + (cell.equals("-") ? "" : cell) + ";1")
                .collect(Collectors.joining("", "x;label", "\n"));

        List<GenericRecord> examples = read(text, options(2, Map.of(), List.of()));

        for (int row = 0; row < rows.size(); row++) {
            boolean isMissing = List.of("-", "?", "NA").contains(rows.get(row));
            assertThat(features(examples.get(row), "values"))
                    .as("row %d", row)
                    .isEqualTo(isMissing ? Map.of() : Map.of(feature, value));
        }
    }

    // y has decimal commas, so that 1,250 is 1.25
    @Test
    void shouldReadTheFirstValueInTheNotationOfTheOtherColumns() throws IOException {
        List<GenericRecord> examples = read("x;y;label\n;2,5;1\n;3,5;1\n1,250;4;1\n", options(2, Map.of(), List.of()));

        assertThat(features(examples.get(2), "values")).isEqualTo(Map.of("x", 1.25, "y", 4.0));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                ",1/,1/7,1/t,1/~5: value must be a number as its first value, '7' in line 4, got 't' (column x; --words x takes words, --missing t takes it as missing)",
                ",1/,1/true,1/t,1/~5: value must be true or false as its first value, 'true' in line 4, got 't' (column x; --words x takes words)",
                ",1/,1/7,1/08,1/~5: value must be a number without a leading zero as its first value, '7' in line 4, got '08' (column x; --words x takes words, --numbers x numbers)"
            })
    void shouldRefuseALaterCellThatContradictsTheFirstValue(String rows, String message) {
        assertThatExceptionOfType(MalformedExampleException.class)
                .isThrownBy(() -> read("x,label\n" + rows.replace('/', '\n'), options(2, Map.of(), List.of())))
                .withMessage("f.csv:" + message);
    }

    /** What other clients send as the word ?. */
    @Test
    void shouldMakeAFeatureOfAMissingCellWhereTold() throws IOException {
        String table = "age,sex,open,note,user^id,label\n,m,True,a b,7,1\n3,NA,,,?,\n";

        assertThat(features(
                        read(table, options(9, Map.of(), List.of("age,sex", "user^id")))
                                .get(1),
                        "values"))
                .isEqualTo(Map.of("age", 3.0, "sex=?", 1.0, "user^id=?", 1.0));
        List<GenericRecord> all =
                read(table, options(9, Map.of(ColumnKind.TEXT, List.of("note")), List.of(CsvOptions.ALL)));
        assertThat(features(all.get(0), "values"))
                .isEqualTo(
                        Map.of("age=?", 1.0, "sex=m", 1.0, "open", 1.0, "note=a", 1.0, "note=b", 1.0, "user^id", 7.0));
        assertThat(features(all.get(1), "values"))
                .isEqualTo(Map.of("age", 3.0, "sex=?", 1.0, "open=?", 1.0, "note=?", 1.0, "user^id=?", 1.0));
        assertThat(all.get(1).get("label")).isNull();
        assertThat(features(
                        Texts.read(ExampleFormat.JSONL, "{\"features\":{\"age\":3,\"sex\":\"?\"}}\n")
                                .get(0),
                        "values"))
                .isEqualTo(Map.of("age", 3.0, "sex=?", 1.0));
    }

    // ids, row numbers, and columns without a name have no features
    @Test
    void shouldMakeNoFeatureOfOtherColumns() throws IOException {
        List<GenericRecord> examples = read(
                ",x,skip,,label\n0,,,,1\n1,,,,1\n,a,,,0\n",
                options(2, Map.of(ColumnKind.IGNORED, List.of("skip")), List.of(CsvOptions.ALL)));

        assertThat(examples)
                .extracting(example -> features(example, "values"))
                .containsExactly(Map.of("x=?", 1.0), Map.of("x=?", 1.0), Map.of("x=a", 1.0));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "y | f.csv:1: header must have a column 'y', got x, z, label (--missing-feature names another)",
                "label | f.csv:1: columns of --missing-feature must be of features, got 'label', the column of the labels",
                "z | f.csv:1: columns of --missing-feature must be of features, got 'z', which is ignored"
            })
    void shouldRefuseColumnsWithoutFeatures(String column, String message) {
        assertThatExceptionOfType(MalformedExampleException.class)
                .isThrownBy(() -> read(
                        "x,z,label\n1,2,1\n", options(2, Map.of(ColumnKind.IGNORED, List.of("z")), List.of(column))))
                .withMessage(message);
    }

    /** {@code --missing -1} had no effect on numbers. */
    @Test
    void shouldTakeANumberAsMissingWhereTold() throws IOException {
        CsvOptions options = new CsvOptions(
                null,
                null,
                null,
                null,
                List.of("-1"),
                null,
                null,
                null,
                null,
                null,
                ColumnNamespaces.NONE,
                Map.of(),
                List.of("x"),
                9);

        assertThat(read("x,y,label\n1,-1,1\n-1,2,1\n-1.0,3,1\n", options))
                .extracting(example -> features(example, "values"))
                .containsExactly(Map.of("x", 1.0), Map.of("x=?", 1.0, "y", 2.0), Map.of("x", -1.0, "y", 3.0));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // date -u -d '2026-01-31' +%a, and +%s / 86400
                "2026-01-31 | Sat | | 20484",
                "31.01.2026 13:30 | Sat | 13 | 20484.5625",
                "Sat Jan 31 12:00:00 2026 | Sat | 12 | 20484.5",
                "1769860800 | Sat | 12 | 20484.5",
                "1769860800000 | Sat | 12 | 20484.5",
                "20260131 | Sat | | 20484",
                "20260131T063000Z | Sat | 6 | 20484.2708333333333",
                "01/31/2026 | Sat | | 20484",
                "1969-12-31 | Wed | | -1",
                "7 June 1954 | Mon | | -5687",
                // weekday and hour as written; in UTC it is Sunday, 4:30
                "2026-01-31T23:30:00-05:00 | Sat | 23 | 20485.1875"
            })
    void shouldMakeNumbersOfDates(String cell, String weekday, Integer hour, double days) throws IOException {
        Map<String, Double> expected = new HashMap<>(Map.of("at.weekday=" + weekday, 1.0, "at.days", days));
        if (hour != null) {
            expected.put("at.hour=" + hour, 1.0);
        }

        List<GenericRecord> examples = read("at,label\n" + cell + ",1\n,0\n", options(9, DATES, List.of()));

        assertThat(features(examples.get(0), "values"))
                .asInstanceOf(InstanceOfAssertFactories.map(String.class, Double.class))
                .containsOnlyKeys(expected.keySet())
                .allSatisfy((name, value) -> assertThat(value).isEqualTo(expected.get(name), within(1e-9)));
        assertThat(features(examples.get(1), "values")).isEqualTo(Map.of());
    }

    @Test
    void shouldMakeOnlyTheNumbersThatAreAskedFor() throws IOException {
        String text = "at,label\n2026-01-31 13:30,1\n";

        assertThat(features(
                        read(text, options(9, Map.of(ColumnKind.DATES, List.of("at")), List.of()))
                                .get(0),
                        "values"))
                .isEqualTo(Map.of("at.weekday=Sat", 1.0, "at.hour=13", 1.0));
        assertThat(features(
                        read(text, options(9, Map.of(ColumnKind.DAYS, List.of("at")), List.of()))
                                .get(0),
                        "values"))
                .isEqualTo(Map.of("at.days", 20484.5625));
    }

    // by the arithmetic of the Gregorian calendar instead of java.time
    @Test
    void shouldMakeTheWeekdayAndTheDaysOfAnyDate() throws IOException {
        long seed = 20261128;
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int k = 0; k < 200; k++) {
            int year = 1600 + random.nextInt(600);
            int month = 1 + random.nextInt(12);
            int day = 1 + random.nextInt(28);
            int minute = random.nextInt(1440);
            long y = month <= 2 ? year - 1 : year;
            long days = 365 * y + y / 4 - y / 100 + y / 400 + (153L * ((month + 9) % 12) + 2) / 5 + day - 1 - 719_468;
            String cell =
                    String.format(Locale.ROOT, "%04d-%02d-%02d %02d:%02d", year, month, day, minute / 60, minute % 60);

            GenericRecord example = read("at,label\n" + cell + ",1\n", options(9, DATES, List.of()))
                    .get(0);

            // 1 January 1970 was a Thursday
            String weekday =
                    List.of("Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed").get((int) Math.floorMod(days, 7L));
            assertThat(features(example, "values"))
                    .as(cell)
                    .isEqualTo(Map.of(
                            "at.weekday=" + weekday,
                            1.0,
                            "at.hour=" + minute / 60,
                            1.0,
                            "at.days",
                            (days * 1440 + minute) / 1440.0));
        }
    }

    @Test
    void shouldMakeEventTimeAndNumbersOfOneColumn() throws IOException {
        CsvOptions options = new CsvOptions(
                null,
                null,
                null,
                null,
                List.of(),
                null,
                null,
                "at",
                TimeFormat.of("dd.MM.yy HH:mm"),
                null,
                ColumnNamespaces.parse(List.of("t=at")),
                DATES,
                List.of(),
                9);
        ExampleSource source = Texts.source("f.csv", CSV, null, options, null);
        try (ExampleReader reader = source.open(
                new ByteArrayInputStream("at,label\n31.01.26 12:00,1\n".getBytes(StandardCharsets.UTF_8)), 1)) {
            assertThat(features(reader.next(), "values"))
                    .isEqualTo(Map.of("t^at.weekday=Sat", 1.0, "t^at.hour=12", 1.0, "t^at.days", 20484.5));
            assertThat(reader.timestamp()).isEqualTo(1_769_860_800_000L);
        }
    }

    @Test
    void shouldReadDatesOfAnAttributeInItsFormat() throws IOException {
        String text = """
                @relation r
                @attribute at date 'dd/MM/yyyy HH'
                @attribute n numeric
                @attribute s {t}
                @attribute class {0,1}
                @data
                '03/04/2026 15',?,?,1
                {1 2,3 1}
                """;
        CsvOptions options = options(9, DATES, List.of(CsvOptions.ALL));

        // 3 April 2026 is a Friday, 20546 days after 1970; what a sparse row leaves out is no missing value
        assertThat(Texts.read(
                        Texts.source("f.arff", ExampleFormat.ARFF, null, options, null),
                        text.getBytes(StandardCharsets.UTF_8)))
                .extracting(example -> features(example, "values"))
                .containsExactly(
                        Map.of("at.weekday=Fri", 1.0, "at.hour=15", 1.0, "at.days", 20546.625, "n=?", 1.0, "s=?", 1.0),
                        Map.of("at=?", 1.0, "n", 2.0, "s=t", 1.0));
    }

    private static CsvOptions options(
            int sampleRows, Map<ColumnKind, List<String>> kinds, List<String> missingFeatures) {
        return new CsvOptions(
                null,
                null,
                null,
                null,
                List.of(),
                null,
                null,
                null,
                null,
                null,
                ColumnNamespaces.NONE,
                kinds,
                missingFeatures,
                sampleRows);
    }

    private static List<GenericRecord> read(String text) throws IOException {
        return read(text, null, null);
    }

    private static List<GenericRecord> read(String text, String labelColumn, String idColumn, String... namespaces)
            throws IOException {
        CsvOptions options = new CsvOptions(
                null,
                null,
                null,
                null,
                List.of(),
                labelColumn,
                idColumn,
                null,
                null,
                null,
                ColumnNamespaces.parse(List.of(namespaces)),
                Map.of(),
                List.of(),
                CsvOptions.DEFAULT_SAMPLE_ROWS);
        return read(text, options);
    }

    private static List<GenericRecord> read(String text, CsvOptions options) throws IOException {
        ExampleSource source = Texts.source("f.csv", CSV, null, options, null);
        return Texts.read(source, text.getBytes(StandardCharsets.UTF_8));
    }
}
