package io.perceptronstreams.serde;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/** Random valid examples with all kinds of features and labels. */
final class RandomExamples {
    static final Schema SCHEMA = EventSchemas.schema("Example");

    private RandomExamples() {}

    static GenericRecord next(Random random) {
        GenericRecord example = new GenericData.Record(SCHEMA);
        example.put("id", text(random, 40));
        example.put("label", label(random));
        example.put("features", features(random));
        example.put("weight", random.nextDouble() + 1e-3);
        return example;
    }

    static String text(Random random, int longest) {
        StringBuilder text = new StringBuilder();
        for (int k = random.nextInt(longest); k > 0; k--) {
            text.append(random.nextInt(4) == 0 ? "é∂🜁ß".substring(0, 2) : (char) ('a' + random.nextInt(26)));
        }
        return text.toString();
    }

    private static Object label(Random random) {
        return switch (random.nextInt(5)) {
            case 0 -> null;
            case 1 -> random.nextInt();
            case 2 -> text(random, 10);
            case 3 -> List.of(text(random, 5), text(random, 5));
            default -> random.nextBoolean() ? 1 : -1;
        };
    }

    private static GenericRecord features(Random random) {
        List<Schema> kinds = SCHEMA.getField("features").schema().getTypes();
        int size = random.nextInt(random.nextInt(10) == 0 ? 3000 : 20);
        List<Double> values = random.doubles(size, -1e6, 1e6).boxed().toList();
        int kind = random.nextInt(kinds.size());
        GenericRecord features = new GenericData.Record(kinds.get(kind));
        if (kind == 0) {
            features.put("values", values);
        } else if (kind == 1) {
            List<Integer> indices = new ArrayList<>();
            int index = -1;
            for (int k = 0; k < size; k++) {
                index += 1 + random.nextInt(k % 7 == 0 ? 500_000 : 3);
                indices.add(index);
            }
            features.put("indices", indices);
            features.put("values", values);
        } else if (kind == 2 || kind == 5) {
            features.put(0, named(random, values));
        } else if (kind == 3) {
            features.put("tokens", tokens(random, size));
        } else {
            Schema candidate = kinds.get(kind).getField("candidates").schema().getElementType();
            features.put("candidates", candidates(random, candidate, values));
        }
        return features;
    }

    private static Map<String, Double> named(Random random, List<Double> values) {
        Map<String, Double> named = new LinkedHashMap<>();
        IntStream.range(0, values.size()).forEach(k -> named.put(text(random, 8) + k, values.get(k)));
        return named;
    }

    /** Some of them empty, with names that come twice. */
    private static List<List<String>> tokens(Random random, int size) {
        List<List<String>> tokens = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            List<String> names = new ArrayList<>();
            for (int k = random.nextInt(6); k > 0; k--) {
                names.add(random.nextInt(4) == 0 ? "same" : text(random, 8) + k);
            }
            tokens.add(names);
        }
        return tokens;
    }

    private static List<GenericRecord> candidates(Random random, Schema schema, List<Double> values) {
        List<GenericRecord> candidates = new ArrayList<>();
        for (int from = 0, to; from < values.size(); from = to) {
            to = Math.min(values.size(), from + 1 + random.nextInt(5));
            GenericRecord candidate = new GenericData.Record(schema);
            candidate.put("output", text(random, 10) + from);
            candidate.put("features", named(random, values.subList(from, random.nextInt(5) == 0 ? from : to)));
            candidates.add(candidate);
        }
        return candidates;
    }
}
