package io.perceptronstreams.format;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.perceptronstreams.format.NestedValues.Arrays;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** JSON objects of any form, such as a log, as examples; before, each needed a line of jq. */
final class JsonFieldsTest {
    private static final String LOG = """
            {"ts":"2026-01-31T12:00:00Z","level":"warn","ms":12.5,"user":{"age":34,"geo":{"city":"Rome"}},"tags":["a","b","a"],"ok":true,"n":null}
            {"ts":1769860801000,"level":"info","ms":3,"user":{"age":20,"geo":{}},"tags":[],"ok":false}
            """;

    private final List<String> notes = new ArrayList<>();

    private static CsvOptions options(String label, String id, String time, Map<ColumnKind, List<String>> kinds) {
        return new CsvOptions(
                null,
                null,
                null,
                null,
                List.of(),
                label,
                id,
                time,
                null,
                null,
                ColumnNamespaces.NONE,
                kinds,
                List.of(),
                1);
    }

    private ExampleSource source(CsvOptions options, NestedValues nested) {
        return new ExampleSource(
                "log.jsonl",
                ExampleFormat.JSONL,
                LabelType.AUTO,
                null,
                TagColumn.UPOS,
                options,
                nested,
                null,
                false,
                new ReadNotes(notes::add));
    }

    private List<GenericRecord> read(String text, CsvOptions options, NestedValues nested) throws IOException {
        return Texts.read(source(options, nested), text.getBytes(UTF_8));
    }

    private static Object values(GenericRecord example) {
        return Texts.features(example, "values");
    }

    private String refusal(String text, CsvOptions options, NestedValues nested) {
        List<String> messages = new ArrayList<>();
        assertThatExceptionOfType(MalformedExampleException.class)
                .isThrownBy(() -> read(text, options, nested))
                .satisfies(refusal -> messages.add(refusal.getMessage()));
        return messages.get(0);
    }

    @Test
    void shouldMakeFeaturesOfNestedFields() throws IOException {
        List<GenericRecord> examples =
                read(LOG, options("level", null, "ts", Map.of()), new NestedValues(true, Arrays.COUNT));

        assertThat(examples)
                .extracting(each -> each.get("id"), each -> each.get("label"), JsonFieldsTest::values)
                .containsExactly(
                        tuple(
                                "log:1",
                                "warn",
                                Map.of(
                                        "ms",
                                        12.5,
                                        "user.age",
                                        34.0,
                                        "user.geo.city=Rome",
                                        1.0,
                                        "tags.count",
                                        3.0,
                                        "ok",
                                        1.0)),
                        tuple("log:2", "info", Map.of("ms", 3.0, "user.age", 20.0, "tags.count", 0.0, "ok", 0.0)));
    }

    @Test
    void shouldTakeEventTimesFromAField() throws IOException {
        try (ExampleReader reader = source(
                        options("level", null, "ts", Map.of()), new NestedValues(true, Arrays.IGNORE))
                .open(new ByteArrayInputStream(LOG.getBytes(UTF_8)), 1)) {
            reader.next();
            assertThat(reader.timestamp()).isEqualTo(1_769_860_800_000L);
            reader.next();
            assertThat(reader.timestamp()).isEqualTo(1_769_860_801_000L);
        }
    }

    @Test
    void shouldTakeTheElementsOfArraysAsWords() throws IOException {
        CsvOptions options = options("level", null, null, Map.of(ColumnKind.IGNORED, List.of("user,ts", "ms", "ok")));

        assertThat(read(LOG, options, new NestedValues(false, Arrays.WORDS)))
                .extracting(JsonFieldsTest::values)
                .containsExactly(Map.of("tags=a", 2.0, "tags=b", 1.0), Map.of());
    }

    @Test
    void shouldReadFieldsAsTheirOptionsSay() throws IOException {
        CsvOptions options = options(
                "ok",
                "trip",
                null,
                Map.of(
                        ColumnKind.WORDS,
                        List.of("status"),
                        ColumnKind.NUMBERS,
                        List.of("fare"),
                        ColumnKind.TEXT,
                        List.of("message")));
        String text = """
                {"trip":17,"ok":1,"status":404,"fare":"1,250.5","message":"No, no route"}
                {"trip":"b","status":"x","fare":"NaN","message":""}
                """;

        assertThat(read(text, options, NestedValues.REFUSED))
                .extracting(each -> each.get("id"), each -> each.get("label"), JsonFieldsTest::values)
                .containsExactly(
                        tuple(
                                "17",
                                1,
                                Map.of("status=404", 1.0, "fare", 1250.5, "message=no", 2.0, "message=route", 1.0)),
                        tuple("b", null, Map.of("status=x", 1.0)));
    }

    private static CsvOptions missing(Map<ColumnKind, List<String>> kinds, String... features) {
        return new CsvOptions(
                null,
                null,
                null,
                null,
                List.of("-1"),
                "ok",
                null,
                null,
                null,
                null,
                ColumnNamespaces.parse(List.of("u=user.age")),
                kinds,
                List.of(features),
                1);
    }

    @Test
    void shouldMakeAFeatureOfAMissingFieldWhereTold() throws IOException {
        String text = """
                {"ok":1,"sex":"m","fare":7,"user":{"age":34},"say":"a","tags":[]}
                {"ok":0,"sex":null,"fare":"NaN","user":{"age":-1},"say":"","tags":null}
                {"ok":0,"user":{"age":null}}
                {"ok":0,"sex":"?","fare":"NULL","user":{}}
                """;
        CsvOptions options = missing(
                Map.of(ColumnKind.NUMBERS, List.of("fare"), ColumnKind.TEXT, List.of("say")),
                "sex,fare",
                "user.age",
                "say",
                "tags",
                "user");

        assertThat(read(text, options, new NestedValues(true, Arrays.COUNT)))
                .extracting(JsonFieldsTest::values)
                .containsExactly(
                        Map.of("sex=m", 1.0, "fare", 7.0, "u^user.age", 34.0, "say=a", 1.0, "tags.count", 0.0),
                        Map.of("sex=?", 1.0, "fare=?", 1.0, "u^user.age=?", 1.0, "say=?", 1.0, "tags=?", 1.0),
                        Map.of("sex=?", 1.0, "fare=?", 1.0, "u^user.age=?", 1.0, "say=?", 1.0, "tags=?", 1.0),
                        Map.of("sex=?", 1.0, "fare=?", 1.0, "u^user.age=?", 1.0, "say=?", 1.0, "tags=?", 1.0));
    }

    @Test
    void shouldMakeAFeatureOfAMissingFeatureOfAnExample() throws IOException {
        CsvOptions options = new CsvOptions(
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
                Map.of(),
                List.of("a"),
                1);

        assertThat(read("""
                        {"label":1,"features":{"a":"x","b":2}}
                        {"label":0,"features":{"b":"nan"}}
                        """, options, NestedValues.REFUSED))
                .extracting(JsonFieldsTest::values)
                .containsExactly(Map.of("a=x", 1.0, "b", 2.0), Map.of("a=?", 1.0));
    }

    @Test
    void shouldRefuseMissingFeaturesThatFitNoField() {
        assertThat(refusal("{\"ok\":1}\n", missing(Map.of(), "all"), NestedValues.REFUSED))
                .isEqualTo(
                        "log.jsonl:1: fields of --missing-feature must be named, got all: a line has no sign of the fields that it leaves out");
        assertThat(refusal("{\"ok\":1}\n", missing(Map.of(), "ok"), NestedValues.REFUSED))
                .isEqualTo(
                        "log.jsonl:1: fields of --missing-feature must be features, got 'ok' in --label-column, too");
        assertThat(refusal("{\"ok\":1,\"user\":{\"age\":1}}\n", missing(Map.of(), "x"), new NestedValues(true, null)))
                .contains(
                        "fields must be in an object, got none with 'x' (--missing-feature); the first one has ok, user, user.age");
    }

    @Test
    void shouldMakeNumbersOfDates() throws IOException {
        CsvOptions options = options(
                "ok",
                null,
                "ts",
                Map.of(
                        ColumnKind.DATES,
                        List.of("ts,born"),
                        ColumnKind.DAYS,
                        List.of("ts", "born"),
                        ColumnKind.WORDS,
                        List.of("x")));
        List<GenericRecord> examples = read("""
                        {"ts":1769860800000,"ok":1,"born":"7 June 1954"}
                        {"ts":"2026-01-31T23:30:00-05:00","ok":0,"born":null,"x":1}
                        """, options, NestedValues.REFUSED);

        assertThat(examples)
                .extracting(JsonFieldsTest::values)
                .containsExactly(
                        Map.of(
                                "ts.weekday=Sat",
                                1.0,
                                "ts.hour=12",
                                1.0,
                                "ts.days",
                                20484.5,
                                "born.weekday=Mon",
                                1.0,
                                "born.days",
                                -5687.0),
                        Map.of("ts.weekday=Sat", 1.0, "ts.hour=23", 1.0, "ts.days", 20485.1875, "x=1", 1.0));
        assertThat(refusal("{\"ts\":1769860800000,\"ok\":1,\"born\":\"x1\",\"x\":1}\n", options, NestedValues.REFUSED))
                .isEqualTo(
                        "log.jsonl:1: value must be a date or time such as 2026-01-31, 31.01.2026 12:00 or Jan 31, 2026,"
                                + " or s, ms, us or ns since 1970, got 'x1' (field born; --dates-format names another form)");
        assertThat(refusal(
                        "{\"ts\":1769860800000,\"ok\":1,\"born\":\"03/04/1954\",\"x\":1}\n",
                        options,
                        NestedValues.REFUSED))
                .endsWith("value must be a date whose day and month cannot be exchanged, got '03/04/1954' (field born;"
                        + " --dates-format d/M/yyyy or --dates-format M/d/yyyy)");
    }

    /** Lines that are examples already: the options are for their features. */
    @Test
    void shouldReadTheFeaturesOfExamplesByTheOptions() throws IOException {
        CsvOptions options = options(null, null, null, Map.of(ColumnKind.NUMBERS, List.of("fare")));
        String text = "{\"id\":7,\"label\":-1,\"weight\":2,\"features\":{\"fare\":\"27.02\",\"user\":{\"age\":3}}}\n";

        assertThat(read(text, options, new NestedValues(true, null)))
                .extracting(
                        each -> each.get("id"),
                        each -> each.get("label"),
                        each -> each.get("weight"),
                        JsonFieldsTest::values)
                .containsExactly(tuple("7", -1, 2.0, Map.of("fare", 27.02, "user.age", 3.0)));
    }

    @Test
    void shouldKeepOtherFormsOfFeatures() throws IOException {
        assertThat(read(
                        "{\"features\":[1,2]}\n{\"features\":{\"a\":1}}",
                        options(null, null, null, Map.of()),
                        new NestedValues(true, null)))
                .hasSize(2);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '~', quoteCharacter = '`', textBlock = """
            {"level":"a","user":{"age":3}} ~ log.jsonl:1: field user must be a number, a boolean, a text or null, got an object (--flatten makes a feature of each of its fields, --ignore user leaves it out)
            {"level":"a","tags":[1]} ~ log.jsonl:1: field tags must be a number, a boolean, a text or null, got an array (--arrays count, words or ignore takes arrays, --ignore tags leaves it out)
            {"level":{"a":1},"b":2} ~ log.jsonl:1: label must be a whole number, a boolean, a string, an array of strings or null, got {"a":1}
            {"b":2} ~ log.jsonl:1: fields must be in an object, got none with 'level' (--label-column); the first one has b (--label-column names another, or none)
            {"level":"a","x":"Infinity"} ~ log.jsonl:1: feature x must be finite, got "Infinity", the text of an infinite number (leave the feature out, or write null)
            {"level":"a","x":1,"x":2} ~ log.jsonl:1: value must be one JSON object, got: Duplicate field 'x'
            {"features":{"level":"a"}} ~ log.jsonl:1: --label-column must be used with objects of another form, got examples with the field features, whose own fields are label, id and timestamp
            """)
    void shouldSayWhichOptionReadsAField(String line, String message) {
        assertThat(refusal(line, options("level", null, null, Map.of()), NestedValues.REFUSED))
                .isEqualTo(message);
    }

    @Test
    void shouldRefuseAPathThatIsThereTwice() {
        assertThat(refusal(
                        "{\"level\":\"a\",\"u.b\":1,\"u\":{\"b\":2}}",
                        options("level", null, null, Map.of()),
                        new NestedValues(true, null)))
                .contains("Duplicate field 'u.b'");
    }

    @Test
    void shouldRequireIdsAndTimesInEachObject() {
        assertThat(refusal("{\"label\":1,\"i\":null}", options(null, "i", null, Map.of()), NestedValues.REFUSED))
                .isEqualTo("log.jsonl:1: field i must have a value in each object (--id-column), got none");
        assertThat(refusal("{\"label\":1,\"t\":\"noon\"}", options(null, null, "t", Map.of()), NestedValues.REFUSED))
                .startsWith("log.jsonl:1: event time must be a date or time such as 2026-01-31")
                .contains("got 'noon' (field t");
    }

    /** Such a remedy was printed where it would have skipped every line. */
    @Test
    void shouldNotAdviseToSkipAllLines() {
        for (String line : List.of("{\"level\":\"warn\",\"ms\":3}", "{\"features\":{\"a\":{\"b\":1}}}", "{")) {
            assertThatExceptionOfType(MalformedExampleException.class)
                    .isThrownBy(() -> Texts.read(ExampleFormat.JSONL, line + "\n" + line))
                    .satisfies(fault -> {
                        assertThat(fault.isSkippable()).isTrue();
                        assertThat(fault.isSkipAdvised()).isFalse();
                    });
        }
        assertThatExceptionOfType(MalformedExampleException.class)
                .isThrownBy(() -> Texts.read(ExampleFormat.JSONL, "{\"features\":[1]}\n{\"features\":3}"))
                .satisfies(fault -> assertThat(fault.isSkipAdvised()).isTrue());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '~', quoteCharacter = '`', textBlock = """
            {"level":"a","ms":3} ~ ; --label-column NAME takes the field NAME as label and all other fields as features
            {"label":1,"features":{"user":{"age":3}}} ~ ; --flatten makes a feature of each field of an object, --arrays count, words or ignore takes arrays
            {"sysstat": { ~ : the object goes on in other lines (jq -c . f.jsonl > f-text.jsonl; jq -c '.NAME[]' f.jsonl > f-text.jsonl takes the objects of an array NAME)
            """)
    void shouldNameTheRemedyForALineThatIsNoExample(String line, String remedy) {
        assertThatExceptionOfType(MalformedExampleException.class)
                .isThrownBy(() -> Texts.read(ExampleFormat.JSONL, line + "\n}"))
                .withMessageEndingWith(remedy);
    }

    @Test
    void shouldNoteANameThatNoLineHasSoFar() throws IOException {
        String text = "{\"a\":1,\"level\":\"x\"}\n".repeat(200);
        assertThat(refusal(text, options("levl", null, null, Map.of()), NestedValues.REFUSED))
                .contains("got none with 'levl' (--label-column); the first one has a, level");
        assertThat(notes).containsExactly("log.jsonl: none of the first 100 objects has 'levl' (--label-column)");
    }

    /** What Connect and Debezium make of decimals: 300 features of value 1, without a word. */
    @Test
    void shouldNoteNumbersThatAreBytes() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int k = 0; k < 40; k++) {
            String fare = java.util.Base64.getEncoder()
                    .encodeToString(java.math.BigInteger.valueOf(2_000 + 97 * k).toByteArray());
            text.append("{\"label\":1,\"features\":{\"fare\":\"" + fare + "\",\"fee\":\"1," + (200 + k)
                    + ".50\",\"gone\":\"NaN\"}}\n");
        }
        read(text.toString(), CsvOptions.DEFAULTS, NestedValues.REFUSED);

        assertThat(notes)
                .containsExactlyInAnyOrder(
                        "log.jsonl: feature gone is missing where it is the text NaN, as null is",
                        // 2000 is 0x07d0
                        "log.jsonl: feature fare seems to have numbers as bytes: \"B9A=\" is a word of its own (base64 of a"
                                + " decimal of a change event: set decimal.handling.mode=double, or decimal.format=NUMERIC in its"
                                + " converter)",
                        "log.jsonl: feature fee is sent as text: \"1,200.50\" is a word of its own (send numbers without"
                                + " quotes; --numbers fee reads them)");
    }

    /** The page says that {@code --numbers} reads amounts; of JSON it did not. */
    @Test
    void shouldReadAmountsOfOneUnitAsNumbers() throws IOException {
        CsvOptions numbers = options("label", null, null, Map.of(ColumnKind.NUMBERS, List.of("fare")));
        String lines = "{\"label\":1,\"fare\":\"$5\"}\n{\"label\":0,\"fare\":\"-$7.50\"}\n";

        assertThat(read(lines, numbers, NestedValues.REFUSED))
                .extracting(JsonFieldsTest::values)
                .containsExactly(Map.of("fare", 5.0), Map.of("fare", -7.5));
        assertThat(refusal(lines + "{\"label\":0,\"fare\":\"7 EUR\"}\n", numbers, NestedValues.REFUSED))
                .isEqualTo(
                        "log.jsonl:3: value must be in one unit, as '$5' before it, got '7 EUR' (field fare; --ignore fare takes none)");
    }

    @Test
    void shouldNoteWordsOfMissingValues() throws IOException {
        read(
                "{\"label\":1,\"features\":{\"a\":\"N/A\",\"b\":1}}\n{\"label\":0,\"features\":{\"a\":\"N/A\",\"b\":\"\"}}\n",
                CsvOptions.DEFAULTS,
                NestedValues.REFUSED);

        assertThat(notes)
                .containsExactly(
                        "log.jsonl: feature a is the word \"N/A\", where a table would have no value; --missing N/A takes it as"
                                + " missing",
                        "log.jsonl: feature b is the word \"\", where a table would have no value; --missing '' takes it as missing");
    }

    @Test
    void shouldNameTheCommandForObjectsInOneLine() {
        assertThat(refusal("{\"features\":[1]}{\"features\":[2]}\n", CsvOptions.DEFAULTS, NestedValues.REFUSED))
                .endsWith("; jq -c . log.jsonl > log-text.jsonl writes each object in a line of its own");
        assertThat(refusal("{\"features\":[null]}\n", CsvOptions.DEFAULTS, NestedValues.REFUSED))
                .endsWith("got null (texts, booleans and missing values need names: {\"age\":34,\"city\":\"Rome\"})");
    }
}
