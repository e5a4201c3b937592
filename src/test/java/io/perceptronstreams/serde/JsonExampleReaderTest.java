package io.perceptronstreams.serde;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.serde.InputDecoder.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The reader in one pass against the reader of the tree, which is the older one. */
class JsonExampleReaderTest {
    private static final FeatureHasher HASHER = new FeatureHasher(18);

    private final JsonExampleReader reader = new JsonExampleReader();
    private final JsonDecoder tree = new JsonDecoder();
    private final Example one = new Example();
    private final Example other = new Example();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"features\":[]}",
                "{\"features\":{}}",
                "{\"features\":[1,-2.5,1e-3,0,-0,-0.0,12345678901234567890123,9007199254740993]}",
                " {\"id\" : \"é\\n7\", \"label\":1, \"features\":{\"a\":1,\"ü€😀\":2.5,\"c\\\"\":true,\"d\":false}} \n",
                "{\"label\":-1.0,\"weight\":2,\"features\":{\"indices\":[0,7,2147483647],\"values\":[1,-0.5,3]}}",
                "{\"label\":\"spam\",\"weight\":0.25,\"timestamp\":1700000000000,\"features\":{\"city\":\"Rome\",\"x\":1}}",
                "{\"label\":null,\"timestamp\":\"2026-01-31T12:00:00Z\",\"features\":{\"indices\":[],\"values\":[]}}",
                "{\"features\":{\"values\":1,\"indices\":2,\"tokens\":3,\"candidates\":\"4\"},\"label\":true}",
                "{\"id\":\"\",\"label\":false,\"features\":{\"\":1}}",
                "{\"features\":{\"city\":\"Rome\",\"town\":\"Rome\",\"Rome\":1}}"
            })
    void shouldReadWhatTheTreeReads(String json) {
        assertThat(reader.read(json.getBytes(UTF_8), HASHER, one)).isTrue();
        compare(json.getBytes(UTF_8), HASHER);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "7",
                "{}",
                "[]",
                "{\"features\":[1]}x",
                "{\"features\":[1]} {}",
                "{\"features\":[1],\"features\":[1]}",
                "{\"features\":[1],\"lable\":1}",
                "{\"features\":{\"a\":1,\"a\":1}}",
                "{\"features\":{\"a\":1,\"city\":\"x\",\"city=x\":1}}",
                "{\"features\":{\"city\":\"Rome\",\"city\":\"Paris\"}}",
                "{\"features\":{\"city\":1,\"a\":\"b\",\"city\":\"Paris\"}}",
                "{\"features\":{\"city\":\"Rome\",\"a\":1,\"city\":true}}",
                "{\"features\":{\"a\":null}}",
                "{\"features\":{\"a\":{}}}",
                "{\"features\":{\"a\":[]}}",
                "{\"features\":[\"1\"]}",
                "{\"features\":[1e999]}",
                "{\"features\":[NaN]}",
                "{\"features\":{\"a\":-1e999}}",
                "{\"features\":{\"indices\":[1,1],\"values\":[1,1]}}",
                "{\"features\":{\"indices\":[1.0],\"values\":[1]}}",
                "{\"features\":{\"indices\":[3000000000],\"values\":[1]}}",
                "{\"features\":{\"indices\":[1],\"values\":[1,2]}}",
                "{\"features\":{\"indices\":[1,2],\"values\":[1]}}",
                "{\"features\":{\"indices\":[1],\"values\":[1],\"more\":1}}",
                "{\"features\":{\"indices\":[1],\"values\":[1e999]}}",
                "{\"features\":{\"indices\":[1]}}",
                "{\"features\":{\"a\":1,\"indices\":[1],\"values\":[1]}}",
                "{\"features\":{\"tokens\":[[\"a\"]]}}",
                "{\"features\":[1],\"label\":0.5}",
                "{\"features\":[1],\"label\":[\"N\"]}",
                "{\"features\":[1],\"weight\":0}",
                "{\"features\":[1],\"weight\":\"1\"}",
                "{\"features\":[1],\"timestamp\":[]}",
                "{\"exampleId\":\"1\",\"label\":1}",
                "{\"action\":\"RESET\"}"
            })
    void shouldLeaveTheRestToTheTree(String json) {
        assertThat(reader.read(json.getBytes(UTF_8), HASHER, one)).isFalse();
    }

    @Test
    void shouldLeaveRulesAndLongIdsToTheTree() {
        FeatureHasher crossing =
                Settings.DEFAULTS.with(Map.of("crosses", "a*b")).hasher();
        assertThat(reader.read("{\"features\":{\"a^1\":1}}".getBytes(UTF_8), crossing, one))
                .isFalse();
        String id = "i".repeat(ExampleDecoder.MAX_ID_BYTES);
        assertThat(reader.read(("{\"features\":[],\"id\":\"" + id + "\"}").getBytes(UTF_8), HASHER, one))
                .isTrue();
        assertThat(reader.read(("{\"features\":[],\"id\":\"" + id + "i\"}").getBytes(UTF_8), HASHER, one))
                .isFalse();
    }

    @Test
    void shouldReadNamesThatCollide() {
        String json = "{\"features\":{\"a\":1,\"b\":2,\"c\":-4,\"d\":0.5,\"e\":8}}";
        assertThat(reader.read(json.getBytes(UTF_8), new FeatureHasher(1), one)).isTrue();
        assertThat(one.vector().size()).isEqualTo(2);
        assertThat(compare(json.getBytes(UTF_8), new FeatureHasher(1))).isTrue();
        String repeated = "{\"features\":{\"a\":1,\"b\":2,\"c\":-4,\"a\":0.5}}";
        assertThat(reader.read(repeated.getBytes(UTF_8), new FeatureHasher(1), one))
                .isFalse();
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

    /** Returns true if the reader has read the text; then the tree must give the same. */
    private boolean compare(byte[] json, FeatureHasher hasher) {
        if (!reader.read(json, hasher, one)) {
            return false;
        }
        String text = new String(json, UTF_8);
        try {
            assertThat(tree.decode(JsonDecoder.parse(json), json.length, hasher, other))
                    .as(text)
                    .isEqualTo(Kind.EXAMPLE);
        } catch (RejectedException e) {
            throw new AssertionError("the tree rejects " + text, e);
        }
        assertThat(shown(one)).as(text).isEqualTo(shown(other));
        return true;
    }

    private static String shown(Example example) {
        FeatureVector vector = example.vector();
        assertThat(example.features()).isSameAs(vector);
        List<String> names = new ArrayList<>();
        example.names().forEach((utf8, offset, length) -> names.add(new String(utf8, offset, length, UTF_8)));
        long[] bits = Arrays.stream(vector.values(), 0, vector.size())
                .mapToLong(Double::doubleToRawLongBits)
                .toArray();
        String indices = vector.isDense() ? "dense" : Arrays.toString(Arrays.copyOf(vector.indices(), vector.size()));
        return String.format(
                Locale.ROOT,
                "%s %s %s %s %s %s %s",
                example.id(),
                example.label(),
                example.weight(),
                vector.isHashed(),
                indices,
                Arrays.toString(bits),
                names);
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
