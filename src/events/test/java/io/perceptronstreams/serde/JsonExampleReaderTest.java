package io.perceptronstreams.serde;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.ExampleLimits;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureText;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The reader in one pass against Jackson's tree. */
class JsonExampleReaderTest {
    private static final FeatureHasher HASHER = new FeatureHasher(18);

    private static final ObjectReader TREE = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build()
            .reader();

    private final JsonExampleReader reader = new JsonExampleReader();
    private final Example example = new Example();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"features\":[]}",
                "{\"features\":{}}",
                "{\"features\":[1,-2.5,1e-3,0,-0,-0.0,12345678901234567890123,9007199254740993]}",
                " {\"id\" : \"é\\n7\", \"label\":1, \"features\":{\"a\":1,\"ü€😀\":2.5,\"c\\\"\":true,\"d\":false}} \n",
                "{\"label\":-1.0,\"weight\":2,\"features\":{\"indices\":[0,7,2147483647],\"values\":[1,-0.5,3]}}",
                "{\"features\":{\"values\":[1,-0.5],\"indices\":[0,7]}}",
                "{\"label\":\"spam\",\"weight\":0.25,\"timestamp\":1700000000000,\"features\":{\"city\":\"Rome\",\"x\":1}}",
                "{\"label\":null,\"timestamp\":\"2026-01-31T12:00:00Z\",\"features\":{\"indices\":[],\"values\":[]}}",
                "{\"features\":{\"values\":1,\"indices\":2,\"tokens\":3,\"candidates\":\"4\"},\"label\":true}",
                "{\"id\":\"\",\"label\":false,\"features\":{\"\":1}}",
                "{\"features\":{\"city\":\"Rome\",\"town\":\"Rome\",\"Rome\":1}}",
                "{\"features\":{\"a\":1,\"city\":\"x\",\"city=x\":1}}",
                "{\"features\":{\"a\":null,\"b\":1}}"
            })
    void shouldReadWhatTheTreeReads(String json) {
        assertThat(compare(json.getBytes(UTF_8), HASHER)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "7",
                "{\"features\":[1]}x",
                "{\"features\":[1],\"features\":[1]}",
                "{\"features\":{\"a\":1,\"a\":1}}",
                "{\"features\":{\"a\":null,\"a\":1}}",
                "{\"features\":{\"city\":\"Rome\",\"city\":\"Paris\"}}",
                "{\"features\":{\"city\":1,\"a\":\"b\",\"city\":\"Paris\"}}",
                "{\"features\":{\"city\":\"Rome\",\"a\":1,\"city\":true}}",
                "{\"features\":{\"a\":{}}}",
                "{\"features\":[1e999]}",
                "{\"features\":{\"a\":-1e999}}",
                "{\"features\":{\"indices\":[1.0],\"values\":[1]}}",
                "{\"features\":{\"indices\":[3000000000],\"values\":[1]}}",
                "{\"features\":{\"indices\":[1,2],\"values\":[1]}}",
                "{\"features\":{\"indices\":[1],\"values\":[1],\"more\":1}}",
                "{\"features\":{\"indices\":[1],\"values\":[1],\"values\":[1]}}",
                "{\"features\":{\"indices\":[1],\"values\":[1e999]}}",
                "{\"features\":{\"a\":1,\"indices\":[1],\"values\":[1]}}",
                "{\"features\":{\"tokens\":[[\"a\"]],\"a\":1}}",
                "{\"features\":{\"a\":1,\"candidates\":[]}}",
                "{\"features\":{\"candidates\":[{\"output\":\"a\",\"features\":{\"f\":1,\"f\":2}}]}}",
                "{\"features\":{\"candidates\":[{\"output\":\"a\",\"output\":\"a\",\"features\":{}}]}}",
                "{\"features\":[1],\"label\":0.5}",
                "{\"features\":[1],\"label\":[1]}",
                "{\"exampleId\":\"1\",\"label\":1}",
                "{\"action\":\"RESET\"}"
            })
    void shouldRejectTheRest(String json) {
        assertThat(compare(json.getBytes(UTF_8), HASHER)).isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"features":{"fare":NaN}} | value must be one JSON object, got: NaN as feature fare, which JSON does not have (leave
            {"features":[1,-Infinity]} | value must be one JSON object, got: -Infinity as feature 1, which JSON does not have (leave
            {"features":[1,null]} | feature values must be numbers (at position 1), got null
            {"features":{"indices":[7],"values":[null]}} | feature values must be numbers (of index 7), got null
            {"features":{"a":[1]}} | feature a must be a number, a boolean, a text or null, got [1] (send what is nested as features of their own, such as "a.b", or leave it out)
            {"features":{"a":{"b":1}}} | feature a must be a number, a boolean, a text or null, got {"b":1} (send
            {"features":{"fare":"Infinity"}} | feature fare must be finite, got "Infinity", the text of an infinite number (leave the feature out, or write null)
            {"features":{"fare":"-Infinity"}} | feature fare must be finite, got "-Infinity"
            {"features":{"fare":"inf"}} | feature fare must be finite, got "inf"
            {"features":{"fare":"-INF"}} | feature fare must be finite, got "-INF"
            {"features":{"fare":"+infinity"}} | feature fare must be finite, got "+infinity"
            {"features":{"fare":"∞"}} | feature fare must be finite, got "∞"
            {"features":[1],"label":"NaN"} | label must be a name or a whole number, got "NaN", the text of a number that is none (write null where
            {"features":[1],"label":"-Infinity"} | label must be a name or a whole number, got "-Infinity"
            {'features':[1]} | (texts and names of JSON have double quotation marks, as Python's json.dumps writes them)
            {features:[1]} | (names of JSON have double quotation marks)
            {"features":[1],} | (JSON has no comma behind the last field)
            {"features":[1]}, | (no comma may follow an object in its record or line)
            {"features":{"a":None}} | (JSON has null, true and false, as Python's json.dumps writes them)
            {"features":{"a":undefined}} | (JSON has null, true and false
            // {"features":[1]} | (JSON has no comments)
            # {"features":[1]} | (JSON has no comments)
            {"features":\u001e[1]} | (a separator of records: tr -d '\\036' removes it)
            {"features":[[1]]} | feature values must be numbers (at position 0), got [1] (texts, booleans and missing values need names: {"age":34,"city":"Rome"})
            {"features":{"a":{"$numberLong":"5"}}} | got {"$numberLong":"5"} (extended JSON of MongoDB: send the value alone)
            {"id":{"string":"7"},"features":[1]} | got {"string":"7"} (Avro's JSON of a union: send the value alone)
            {"type":"FeatureCollection","features":[{"type":"Feature","geometry":{}}]} | (GeoJSON: send the properties of each feature as an example)
            {"type":"Feature","geometry":{},"properties":{}} | got 'type' (GeoJSON: send its field 'properties' as the example)
            {"_index":"x","_id":"1","_source":{}} | (a document of Elasticsearch: send its field '_source' alone)
            {"topic":"x","partition":0,"payload":"{}"} | (a record as kcat -J prints it: send its payload alone)
            {"database":"d","table":"t","type":"insert","data":{}} | (a change event of a database: send its field 'data' alone)
            {"records":[{"value":{}}]} | (a request of a REST proxy: send the value of each of its records)
            {"columns":["a"],"index":[0],"data":[[1]]} | (a table of pandas in one object: to_json(path, orient='records', lines=True) writes
            {"0":{"a":1},"1":{"a":2}} | (a table of pandas in one object
            {"features":{"candidates":[{"output":"a","features":{"f":"-Inf"}}]}} | feature f must be finite, got "-Inf"
            {"features":[1]} {"features":[2]} | value must be one JSON object, got: more text after the object
            {"features":[+1]} | value must be one JSON object, got: Unexpected character
            {"schema":{},"payload":{"features":[1]}} | got 'schema' (Kafka Connect has wrapped the record: set value.converter.schemas.enable=false)
            {"before":null,"after":{},"op":"c"} | got 'before' (a change event of a database: send its field 'after' alone
            {"specversion":"1.0","data":{}} | got 'specversion' (a CloudEvent: send its field 'data' alone
            {"FEATURES":[1]} | got 'FEATURES' (names of fields are in lower case: 'features';
            {"age":34,"label":1} | got 'age' (values belong into the field features:
            {"id":"\\ud800","features":[1]} | texts must be well-formed, got one half of a UTF-16 surrogate pair in '?'
            {"features":{"a":1,"\\udc00b":1}} | texts must be well-formed, got one half of a UTF-16 surrogate pair in '?b'
            {"features":{"a":"\\ud800"}} | texts must be well-formed
            {"label":"\\ud800","features":[1]} | texts must be well-formed
            {"features":{"tokens":[["\\ud800"]]}} | texts must be well-formed
            {"exampleId":"\\ud800","label":1} | texts must be well-formed
            [1] | value must be one JSON object, got [1]
            {"label":1} | features must be an array or an object, got none
            {"features":3} | features must be an array or an object, got 3
            {"features":{"indices":[1]}} | sparse features must be {"indices":[…],"values":[…]}, got other fields or values
            {"features":{"indices":[1,1],"values":[1,1]}} | indices must ascend and be unique, got 1 after 1
            {"features":{"indices":[0.5],"values":[1]}} | indices must be ints, got 0.5
            {"features":{"indices":[1],"values":[1,2]}} | a sparse vector must have as many values as indices, got 1 indices and 2 values
            {"features":{"tokens":["a"]}} | a token must be an array of feature names, got "a"
            {"features":{"tokens":[[1]]}} | feature names must be strings, got 1
            {"features":{"tokens":[],"x":1}} | tokens must be the only field of features, got also 'x'
            {"features":{"x":1,"tokens":[]}} | tokens must be the only field of features, got also 'x'
            {"features":{"candidates":[{"output":"a"}]}} | a candidate must be {"output":…,"features":{…}}, got no features
            {"features":{"candidates":[{"output":7}]}} | a candidate must be {"output":…,"features":{…}}, got 7
            {"id":"mail-7","label":1} | features must be an array or an object, got none (a label of an earlier example has exampleId instead of id)
            {"ExampleID":"7","label":1} | got 'ExampleID' (the field of a label with the id of its example is exampleId)
            {"features":[1],"id":7.5} | id must be a text or a whole number, got 7.5
            {"features":[1],"id":1e300} | id must be a text or a whole number, got 1.0E300
            {"features":[1],"id":true} | id must be a text or a whole number, got true
            {"exampleId":[7],"label":1} | exampleId must be a text or a whole number, got [7]
            {"features":[1],"timestamp":1769860800000000} | timestamp must be in ms since 1970, before the year 2200, got 1769860800000000, a time after 2199 (in microseconds? then divide it by 1000: 2026-01-31T12:00:00Z)
            {"features":[1],"timestamp":1769860800000000000} | got 1769860800000000000, a time after 2199 (in nanoseconds? then divide it by 1000000: 2026-01-31T12:00:00Z)
            {"features":[1],"timestamp":1.7698608E15} | got 1769860800000000, a time after 2199 (in microseconds? then
            {"features":[1],"timestamp":1769860800.5} | got 1769860800, a time of 1970 (in seconds? then multiply it by 1000: 2026-01-31T12:00:00Z)
            {"features":[1],"timestamp":7258118400000} | before the year 2200, got 7258118400000
            {"features":[1],"label":1.5} | label must be a whole number, got 1.5 (numbers as labels: this program classifies, it does not predict numbers;
            {"features":[1],"label":3000000000} | label must be a whole number, a boolean, a string, an array of strings or null, got 3000000000
            {"features":[1],"weight":0} | weight must be a positive finite number, got 0.0
            {"features":[1],"weight":"2"} | weight must be a number, got "2"
            """)
    void shouldSayWhatIsWrongAndWhatToDo(String json, String message) {
        byte[] utf8 = json.getBytes(UTF_8);
        assertThatExceptionOfType(RejectedException.class)
                .isThrownBy(() -> {
                    reader.readExample(utf8, 0, utf8.length);
                    reader.timestamp();
                })
                .satisfies(fault ->
                        assertThat(fault.getMessage()).contains(message).doesNotContain("`", "JsonNode", "\n"));
    }

    /** Databases and data frames have ids that are numbers; such examples were refused. */
    @ParameterizedTest
    @CsvSource({
        "17, 17",
        "17.0, 17",
        "1.7E1, 17",
        "-3, -3",
        "0, 0",
        "-0, 0",
        "9007199254740993, 9007199254740993",
        "18446744073709551616, 18446744073709551616"
    })
    void shouldReadWholeNumbersAsIds(String written, String id) {
        byte[] example = ("{\"id\":" + written + ",\"features\":[1]}").getBytes(UTF_8);
        reader.readExample(example, 0, example.length);
        assertThat(reader.id()).isEqualTo(id);
        byte[] late = ("{\"exampleId\":" + written + ",\"label\":1}").getBytes(UTF_8);
        assertThat(reader.read(late, 0, late.length)).isTrue();
        assertThat(reader.exampleId()).isEqualTo(id);
    }

    /** Jackson, Spring Kafka and Connect write NaN as a text: each became a category. */
    @ParameterizedTest
    @ValueSource(strings = {"NaN", "nan", "-NaN", "-nan"})
    void shouldReadTheTextOfNoNumberAsMissing(String text) {
        byte[] json = ("{\"features\":{\"a\":1,\"fare\":\"" + text + "\",\"b\":2}}").getBytes(UTF_8);
        reader.readExample(json, 0, json.length);
        reader.fill(HASHER, example);
        List<String> names = new ArrayList<>();
        example.names().forEach((utf8, offset, length) -> names.add(new String(utf8, offset, length, UTF_8)));
        assertThat(names).containsExactly("a", "b");
        assertThat(example.vector().size()).isEqualTo(2);
    }

    @Test
    void shouldKeepWordsThatResembleNoNumber() {
        byte[] json = "{\"features\":{\"a\":\"Nan\",\"b\":\"INF\",\"c\":\"infinity pool\"}}".getBytes(UTF_8);
        reader.readExample(json, 0, json.length);
        reader.fill(HASHER, example);
        assertThat(example.vector().size()).isEqualTo(3);
    }

    /** Spark and Java's Double.toString write whole milliseconds so. */
    @ParameterizedTest
    @ValueSource(strings = {"1795856400000.0", "1.7958564E12", "1795856400000.75", "1795856400000"})
    void shouldReadNumbersWithAPointAsTimestamps(String written) {
        byte[] json = ("{\"features\":[1],\"timestamp\":" + written + "}").getBytes(UTF_8);
        reader.readExample(json, 0, json.length);
        assertThat(reader.timestamp()).isEqualTo(1_795_856_400_000L);
        assertThat(JsonTimestamp.of(json, 5)).isEqualTo(1_795_856_400_000L);
    }

    @Test
    void shouldRejectLongIds() {
        String id = "é".repeat(ExampleLimits.MAX_ID_BYTES / 2);
        assertThat(compare(("{\"features\":[],\"id\":\"" + id + "\"}").getBytes(UTF_8), HASHER))
                .isTrue();
        assertThat(compare(("{\"features\":[],\"id\":\"" + id + "i\"}").getBytes(UTF_8), HASHER))
                .isFalse();
    }

    @Test
    void shouldReadNamesThatCollide() {
        String json = "{\"features\":{\"a\":1,\"b\":2,\"c\":-4,\"d\":0.5,\"e\":8}}";
        assertThat(compare(json.getBytes(UTF_8), new FeatureHasher(1))).isTrue();
        assertThat(example.vector().size()).isEqualTo(2);
        String repeated = "{\"features\":{\"a\":1,\"b\":2,\"c\":-4,\"a\":0.5}}";
        assertThat(compare(repeated.getBytes(UTF_8), new FeatureHasher(1))).isFalse();
    }

    @Test
    void shouldEqualTheTreeForRandomTexts() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        int read = 0;
        for (int k = 0; k < 40_000; k++) {
            byte[] json = text(random).getBytes(UTF_8);
            for (int spoiled = random.nextInt(3); spoiled > 0; spoiled--) {
                json[random.nextInt(json.length)] = (byte) "{}[],:\"0e.-\\ \u0001\u00c3".charAt(random.nextInt(15));
            }
            // few bits: names collide
            read += compare(json, new FeatureHasher(1 + random.nextInt(30))) ? 1 : 0;
        }
        assertThat(read).isGreaterThan(10_000);
    }

    /**
     * Returns true if the reader has read the text; then the tree must give the same, and the record the same example.
     */
    private boolean compare(byte[] json, FeatureHasher hasher) {
        String text = new String(json, UTF_8);
        try {
            reader.readExample(json, 0, json.length);
        } catch (RejectedException e) {
            return false;
        }
        reader.fill(hasher, example);
        assertThat(example.features()).isSameAs(example.vector());
        JsonNode tree;
        try {
            tree = TREE.readTree(json);
        } catch (IOException e) {
            throw new AssertionError("the tree rejects " + text, e);
        }
        assertThat(example.id()).as(text).hasToString(tree.path("id").asText(""));
        assertThat(example.weight()).as(text).isEqualTo(tree.path("weight").asDouble(1));
        assertThat(shown(example.label())).as(text).isEqualTo(shown(tree.path("label")));
        List<String> names = new ArrayList<>();
        example.names().forEach((utf8, offset, length) -> names.add(new String(utf8, offset, length, UTF_8)));
        FeatureVector expected = new FeatureVector();
        assertThat(names).as(text).isEqualTo(fill(tree.get("features"), hasher, expected));
        assertThat(FeatureText.of(example.vector())).as(text).isEqualTo(FeatureText.of(expected));
        assertThat(example.vector().isHashed()).isEqualTo(expected.isHashed());
        return true;
    }

    private static String shown(Label label) {
        return label == null ? "null" : label.toString();
    }

    private static String shown(JsonNode label) {
        if (label.isTextual() || label.isMissingNode() || label.isNull()) {
            return label.asText("null");
        }
        return String.valueOf(label.isBoolean() ? label.booleanValue() ? 1 : 0 : label.intValue());
    }

    /** Returns the names. */
    private static List<String> fill(JsonNode features, FeatureHasher hasher, FeatureVector vector) {
        List<String> names = new ArrayList<>();
        if (features.isArray()) {
            vector.resetDense();
            features.forEach(value -> vector.append(value.doubleValue()));
        } else if (features.path("indices").isArray()) {
            vector.resetSparse();
            for (int k = 0; k < features.get("indices").size(); k++) {
                vector.append(
                        features.get("indices").get(k).intValue(),
                        features.get("values").get(k).doubleValue());
            }
        } else {
            vector.resetSparse();
            features.properties().forEach(feature -> {
                JsonNode value = feature.getValue();
                String name = feature.getKey() + (value.isTextual() ? "=" + value.textValue() : "");
                if (!value.isNull()) {
                    names.add(name);
                    byte[] utf8 = name.getBytes(UTF_8);
                    boolean isOne = value.isTextual() || (value.isBoolean() && value.booleanValue());
                    vector.append(hasher.index(utf8, 0, utf8.length), isOne ? 1 : value.doubleValue());
                }
            });
            vector.sortAndMerge();
        }
        return names;
    }

    private static String text(Random random) {
        List<String> fields = new ArrayList<>(List.of("\"features\":" + features(random)));
        add(random, fields, "\"id\":\"i" + random.nextInt(10) + "\"");
        add(
                random,
                fields,
                "\"label\":" + List.of("1", "-1", "1.0", "\"a\"", "null", "2.5").get(random.nextInt(6)));
        add(random, fields, "\"weight\":" + number(random));
        add(random, fields, "\"timestamp\":" + random.nextInt());
        return "{" + String.join(",", fields) + "}";
    }

    private static void add(Random random, List<String> fields, String field) {
        if (random.nextInt(3) == 0) {
            fields.add(random.nextInt(fields.size() + 1), field);
        }
    }

    private static String features(Random random) {
        int count = random.nextInt(8);
        List<String> values = new ArrayList<>();
        List<String> indices = new ArrayList<>();
        List<String> named = new ArrayList<>();
        int index = -1;
        for (int k = 0; k < count; k++) {
            String number = number(random);
            index += 1 + random.nextInt(100);
            indices.add("" + index);
            values.add(number);
            named.add("\"n" + random.nextInt(60) + "\":" + (random.nextInt(9) == 0 ? "true" : number));
        }
        return switch (random.nextInt(3)) {
            case 0 -> values.toString();
            case 1 -> "{\"indices\":" + indices + ",\"values\":" + values + "}";
            default -> "{" + String.join(" , ", named) + "}";
        };
    }

    private static String number(Random random) {
        return switch (random.nextInt(5)) {
            case 0 -> "" + random.nextInt(10);
            case 1 -> "" + random.nextLong();
            case 2 -> "" + Double.longBitsToDouble(random.nextLong() & ~(1L << 62));
            case 3 -> random.nextLong() + "" + random.nextInt(Integer.MAX_VALUE);
            default -> String.format(Locale.ROOT, "%.4f", random.nextGaussian());
        };
    }
}
