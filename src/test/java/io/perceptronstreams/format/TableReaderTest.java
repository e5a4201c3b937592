package io.perceptronstreams.format;

import static io.perceptronstreams.format.ExampleFormat.CSV;
import static io.perceptronstreams.format.Texts.assertRefused;
import static io.perceptronstreams.format.Texts.features;
import static io.perceptronstreams.format.Texts.labels;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TableReaderTest {
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
                ColumnNamespaces.parse(List.of(namespaces)),
                Map.of(),
                CsvOptions.DEFAULT_SAMPLE_ROWS);
        return read(text, options);
    }

    private static List<GenericRecord> read(String text, CsvOptions options) throws IOException {
        ExampleSource source = Texts.source("f.csv", CSV, null, options, null);
        return Texts.read(source, text.getBytes(StandardCharsets.UTF_8));
    }
}
