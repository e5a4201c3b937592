package io.perceptronstreams.serde;

import io.perceptronstreams.event.Candidate;
import io.perceptronstreams.event.Candidates;
import io.perceptronstreams.event.DenseVector;
import io.perceptronstreams.event.Example;
import io.perceptronstreams.event.FeatureMap;
import io.perceptronstreams.event.NamedFeatures;
import io.perceptronstreams.event.Sequence;
import io.perceptronstreams.event.SparseVector;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.avro.Schema;

/** Random valid examples with all kinds of features and labels. */
final class RandomExamples {
    static final Schema SCHEMA = EventSchemas.schema("Example");

    private RandomExamples() {}

    static Example next(Random random) {
        return new Example(text(random, 40), label(random), features(random), random.nextDouble() + 1e-3);
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

    private static Object features(Random random) {
        int size = random.nextInt(random.nextInt(10) == 0 ? 3000 : 20);
        List<Double> values = random.doubles(size, -1e6, 1e6).boxed().toList();
        return switch (random.nextInt(6)) {
            case 0 -> new DenseVector(values);
            case 1 -> {
                List<Integer> indices = new ArrayList<>();
                int index = -1;
                for (int k = 0; k < size; k++) {
                    index += 1 + random.nextInt(k % 7 == 0 ? 500_000 : 3);
                    indices.add(index);
                }
                yield new SparseVector(indices, values);
            }
            case 2 -> new NamedFeatures(named(random, values));
            case 3 -> new Sequence(tokens(random, size));
            case 4 -> new Candidates(candidates(random, values));
            default -> new FeatureMap(named(random, values));
        };
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

    private static List<Candidate> candidates(Random random, List<Double> values) {
        List<Candidate> candidates = new ArrayList<>();
        for (int from = 0, to; from < values.size(); from = to) {
            to = Math.min(values.size(), from + 1 + random.nextInt(5));
            candidates.add(new Candidate(
                    text(random, 10) + from, named(random, values.subList(from, random.nextInt(5) == 0 ? from : to))));
        }
        return candidates;
    }
}
