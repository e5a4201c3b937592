package io.perceptronstreams.embed;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.settings.Settings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Examples of a program are those that the engine decodes from their records, to the last bit, and refused in the same
 * words.
 */
final class ExampleFillerTest {
    private static final int TRIALS = 3_000;

    private static final List<String> NAMES =
            List.of("a", "b", "", "größe", "\ud800", "u^x", "u^y", "v^x", "x".repeat(300), "0", "1");

    private static final List<Double> VALUES =
            List.of(0.0, -0.0, 1.0, -2.5, 1e308, Double.MIN_VALUE, Double.NaN, Double.POSITIVE_INFINITY);

    private final SchemaRegistry registry = SchemaRegistry.InMemory.named("filler", true);
    private final EventWriter writer =
            new EventWriter(EventSchemas.schema("Example"), registry.register("e", EventSchemas.schema("Example")));
    private final InputDecoder decoder = new InputDecoder(registry);
    private final ExampleFiller filler = new ExampleFiller();
    private final Example filled = new Example();
    private final Example decoded = new Example();

    @ParameterizedTest
    @ValueSource(strings = {"", "crosses=u*v", "namespaces.ignore=u", "crosses=u*u crosses.max=2"})
    void shouldFillAsTheDecoder(String settings) {
        FeatureHasher hasher = hasher(settings);
        long seed = 20261129;
        Random random = new Random(seed);
        Set<String> seen = new HashSet<>();
        for (int trial = 0; trial < TRIALS; trial++) {
            LearnExample input = input(random);

            String expected = state(() -> decoder.decode(writer.write(input.event()), hasher, decoded), decoded);
            String actual = state(() -> filler.fill(input, hasher, filled), filled);

            assertThat(actual).as("seed %d, trial %d", seed, trial).isEqualTo(expected);
            seen.add(expected.substring(0, Math.min(8, expected.length())));
        }
        // most kinds of refusal, too
        assertThat(seen).hasSizeGreaterThan(4);
    }

    @Test
    void shouldRefuseAnIdThatIsTooLong() {
        FeatureHasher hasher = hasher("");
        LearnExample input = LearnExample.of("é".repeat(513));

        assertThat(state(() -> filler.fill(input, hasher, filled), filled))
                .isEqualTo(state(() -> decoder.decode(writer.write(input.event()), hasher, decoded), decoded))
                .startsWith("INVALID_ID");
    }

    private static FeatureHasher hasher(String settings) {
        Settings changed = Settings.DEFAULTS;
        for (String each : settings.isEmpty() ? new String[0] : settings.split(" ", -1)) {
            String[] pair = each.split("=", 2);
            changed = changed.with(Map.of(pair[0], pair[1]));
        }
        return changed.hasher();
    }

    private static LearnExample input(Random random) {
        LearnExample input = LearnExample.of(NAMES.get(random.nextInt(NAMES.size())));
        int kind = random.nextInt(5);
        int size = random.nextInt(6);
        double[] dense = new double[size];
        for (int k = 0; k < size; k++) {
            double value = random.nextInt(12) == 0 ? VALUES.get(random.nextInt(VALUES.size())) : random.nextGaussian();
            switch (kind) {
                case 0 -> input.feature(NAMES.get(random.nextInt(NAMES.size())), value);
                case 1 -> input.feature(random.nextInt(40) == 0 ? -3 : random.nextInt(1 << 20), value);
                case 3 -> input.token(NAMES.subList(k, k + random.nextInt(4)).toArray(String[]::new));
                case 4 ->
                    input.candidate(NAMES.get(k), Map.of(NAMES.get(random.nextInt(NAMES.size())), value, "both", 1.0));
                default -> dense[k] = value;
            }
        }
        if (kind == 2) {
            input.features(dense);
        }
        switch (random.nextInt(6)) {
            case 2 ->
                input.tags(
                        NAMES.subList(random.nextInt(5), 5 + random.nextInt(6)).toArray(String[]::new));
            case 0 -> input.label(random.nextInt(5) - 2);
            case 1 -> input.label(NAMES.get(random.nextInt(NAMES.size())));
            default -> {
                // none
            }
        }
        if (random.nextInt(3) == 0) {
            input.weight(random.nextInt(4) == 0 ? VALUES.get(random.nextInt(VALUES.size())) : random.nextDouble());
        }
        return input;
    }

    /** All of an example that a model reads, or why it is refused. */
    private static String state(Runnable fill, Example example) {
        try {
            fill.run();
        } catch (RejectedException e) {
            return e.reason() + " " + e.getMessage();
        }
        List<String> names = new ArrayList<>();
        example.names()
                .forEach((utf8, offset, length) -> names.add(new String(utf8, offset, length, StandardCharsets.UTF_8)));
        StringBuilder text = new StringBuilder();
        text.append(example.id()).append(' ').append(example.label()).append(' ');
        text.append(Double.doubleToRawLongBits(example.weight())).append(' ').append(names);
        text.append(example.features().getClass());
        if (example.features() == example.vector()) {
            append(example.vector(), text);
        } else if (example.features() == example.sequence()) {
            for (int k = 0; k < example.sequence().size(); k++) {
                append(example.sequence().token(k), text);
            }
        } else {
            for (int k = 0; k < example.candidates().size(); k++) {
                text.append(' ').append(example.candidates().output(k));
                append(example.candidates().features(k), text);
            }
        }
        return text.toString();
    }

    private static void append(FeatureVector x, StringBuilder text) {
        text.append(' ').append(x.isDense()).append(x.isHashed());
        for (int k = 0; k < x.size(); k++) {
            text.append(' ').append(x.index(k)).append(':');
            text.append(Double.doubleToRawLongBits(x.values()[k]));
        }
    }
}
