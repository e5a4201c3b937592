package io.perceptronstreams.format;

import static io.perceptronstreams.format.ExampleFormat.ARFF;
import static io.perceptronstreams.format.Texts.features;
import static io.perceptronstreams.format.Texts.labels;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ArffRowsTest {
    private static final String WEATHER = """
            % of a garden
            @RELATION 'yard of mine'

            @Attribute temp NUMERIC
            @attribute 'sky colour'\t{clear, 'partly cloudy', 'Paris, TX', 'it\\'s'}
            @ATTRIBUTE wind REAL % m/s
            @attribute play {no,yes}
            @DATA
            """;

    private static List<GenericRecord> read(String text) throws IOException {
        return Texts.read(ARFF, text);
    }

    private static Object values(GenericRecord example) {
        return features(example, "values");
    }

    @Test
    void shouldReadDenseRows() throws IOException {
        List<GenericRecord> examples = read(WEATHER + """
                21.5,clear,3,yes
                % a comment

                 14 , 'partly cloudy' , ? , no ,
                ?,"Paris, TX",1e2,?,{2.5}
                -1 'it\\'s' 4 yes
                007,?,5,no, {0} % hail
                """);

        assertThat(examples)
                .extracting(ArffRowsTest::values)
                .containsExactly(
                        Map.of("temp", 21.5, "sky colour=clear", 1.0, "wind", 3.0),
                        Map.of("temp", 14.0, "sky colour=partly cloudy", 1.0),
                        Map.of("sky colour=Paris, TX", 1.0, "wind", 100.0),
                        Map.of("temp", -1.0, "sky colour=it's", 1.0, "wind", 4.0),
                        Map.of("temp", 7.0, "wind", 5.0));
        // weight 0 is predicted and not learned
        assertThat(examples).extracting(each -> each.get("label")).containsExactly("yes", "no", null, "yes", null);
        assertThat(examples).extracting(each -> each.get("weight")).containsExactly(1.0, 1.0, 2.5, 1.0, 1.0);
        assertThat(examples).extracting(each -> each.get("id")).containsExactly("f:9", "f:12", "f:13", "f:14", "f:15");
    }

    // what is left out is 0, which is no feature, or the first value
    @Test
    void shouldReadSparseRows() throws IOException {
        List<GenericRecord> examples = read(WEATHER + """
                {0 21.5, 1 'partly cloudy', 3 yes}
                { 2 3 }
                {0 ?,1 ?, 3 ?}, {2}
                {}
                """);

        assertThat(examples)
                .extracting(ArffRowsTest::values)
                .containsExactly(
                        Map.of("temp", 21.5, "sky colour=partly cloudy", 1.0),
                        Map.of("sky colour=clear", 1.0, "wind", 3.0),
                        Map.of(),
                        Map.of("sky colour=clear", 1.0));
        assertThat(examples).extracting(each -> each.get("label")).containsExactly("yes", "no", null, "no");
        assertThat(examples).extracting(each -> each.get("weight")).containsExactly(1.0, 1.0, 2.0, 1.0);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                // the class, by name, then by its place; KEEL's output
                "@attribute class {a,b}/@attribute x numeric/@data/b,1/ ~ b",
                "@attribute x numeric/@attribute Label {a,b}/@attribute y numeric/@data/1,b,2/ ~ b",
                "@attribute x {c,d}/@attribute kind {a,b}/@data/c,b/ ~ b",
                "@attribute k {a,b}/@attribute x real [0.0,9.5]/@inputs x/@outputs k/@data/b, <null>/ ~ b",
                // ints where a model of two classes knows them, else names
                "@attribute x numeric/@attribute class {0,1}/@data/1,1/ ~ 1",
                "@attribute x numeric/@attribute class {False,True}/@data/1,True/ ~ 1",
                "@attribute x numeric/@attribute class {1,2,3}/@data/1,3/ ~ \"3\"",
                "@attribute x numeric/@attribute class {None,NA}/@data/1,None/ ~ None",
                "@attribute x numeric/@attribute class {'?',b}/@data/1,'?'/ ~ \"?\"",
            })
    void shouldTakeTheClassForTheLabel(String text, String label) throws IOException {
        // a name has quotation marks here
        assertThat(labels(ARFF, LabelType.AUTO, "@relation r/".concat(text).replace('/', '\n')))
                .singleElement()
                .isEqualTo(label.matches("[0-9]+") ? (Object) Integer.valueOf(label) : label.replace("\"", ""));
    }

    @Test
    void shouldDeclareTheTwoLabelsThatAModelMustBeTold() throws IOException {
        assertThat(twoLabels("{no,yes}")).containsExactly("no", "yes");
        assertThat(twoLabels("{1,2}")).containsExactly("1", "2");
        for (String other : List.of("{0,1}", "{1,-1}", "{true,false}", "{a,b,c}", "{a}", "{'a,b',c}", "numeric")) {
            assertThat(twoLabels(other)).as(other).isEmpty();
        }
    }

    private static List<String> twoLabels(String type) throws IOException {
        String text = "@relation r\n@attribute x numeric\n@attribute class " + type + "\n@data\n";
        try (ExampleReader reader = Texts.source("f.arff", ARFF, LabelType.AUTO)
                .open(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), 1)) {
            return reader.twoLabels();
        }
    }

    /** In {@code text}, / ends a line. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "1,3,clear,yes/~9: value must be one of clear, partly cloudy, Paris, TX, it's, got '3' (attribute sky colour)",
                "1,clear,3/~9: row must have 4 values, one for each attribute, got 3",
                "1,clear,3,yes,5/~9: row must have 4 values, one for each attribute, got 5",
                "1,clear,,yes/~9: value must not be empty, ? is a missing one, got none (value 3)",
                "x,clear,3,yes/~9: value must be a number, got 'x' (column temp; --words temp takes words, --missing x takes it as missing)",
                "1,Clear,3,yes/~9: value must be one of clear, partly cloudy, Paris, TX, it's, got 'Clear' (attribute sky colour)",
                "1,'clear,3,yes/~9: quotation mark ' must be closed, got the end of the line",
                "{0 1, 0 2}/~9: indices must ascend, got 0 after 0",
                "{3 yes, 0 1}/~9: indices must ascend, got 0 after 3",
                "{4 1}/~9: index must be a whole number from 0 to 3, got '4'",
                "{a 1}/~9: index must be a whole number from 0 to 3, got 'a'",
                "{0 1, 3 maybe}/~9: value must be one of no, yes, got 'maybe' (attribute play)",
                "{0 1/~9: …",
                "{0}/~9: …",
                "1,clear,3,yes,{-1}/~9: weight must be a finite number >= 0, got '-1'",
                "1,clear,3,yes,{a}/~9: weight must be a finite number >= 0, got 'a'",
                "1,clear,3,yes,{2},5/~9: row must end behind its values, got '5'"
            })
    void shouldRefuseRowsWithTheLine(String rows, String message) {
        Texts.assertRefused(ARFF, WEATHER + rows.replace('/', '\n'), "f.arff:" + message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "@attribute bag relational/ ~ 2: header must have attributes that are numeric, real, integer, string, date or a list {a,b}, got 'relational' (attribute bag)",
                "@attribute x {}/ ~ 2: header must have values of attribute x, got none",
                "@attribute x numeric/1,2/ ~ 3: header must have lines @relation, @attribute and @data, got '1,2'",
                "@attribute x numeric/ ~ 2: header must end with @data, got the end of the file",
                "@data/ ~ 2: header must have a line @attribute for each column, got none",
                "@attribute y {a,b}/@attribute x numeric/@data/a,1/ ~ 4: header must have an attribute class, or a nominal one as the last, got 'x' (--label-column x takes it, --label-column none no labels)"
            })
    void shouldRefuseHeadersWithTheLine(String text, String message) {
        Texts.assertRefused(ARFF, "@relation r\n" + text.replace('/', '\n'), "f.arff:" + message);
    }
}
