package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Weights of sequences under the names of the reference results: {@code feature|tag} and {@code previous>tag}. */
public final class NamedWeights {
    private NamedWeights() {}

    /** No weights yet; those that are put in come in the order of the code points of their names. */
    public static SortedMap<String, Double> none() {
        return new TreeMap<>((one, other) ->
                Arrays.compareUnsigned(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8)));
    }

    /** Compares with an entry. All are whole numbers: to the last bit. */
    public static void check(SortedMap<String, Double> found, JsonNode expected) {
        StringBuilder lines = new StringBuilder();
        double sum = 0;
        double absolute = 0;
        double squares = 0;
        for (Map.Entry<String, Double> weight : found.entrySet()) {
            double value = weight.getValue();
            lines.append(weight.getKey()).append(' ').append((long) value).append('\n');
            sum += value;
            absolute += Math.abs(value);
            squares += value * value;
        }
        assertThat(found).hasSize(expected.get("nonzero").asInt());
        assertThat(sum).isEqualTo(expected.get("sum").asDouble());
        assertThat(absolute).isEqualTo(expected.get("sum_abs").asDouble());
        double norm = expected.get("l2_norm").asDouble();
        assertThat(Math.sqrt(squares)).isCloseTo(norm, within(1e-12 * norm));
        for (JsonNode pair : expected.get("largest")) {
            assertThat(found).containsEntry(pair.get(0).asText(), pair.get(1).asDouble());
        }
        assertThat(WeightSummary.sha256(lines.toString()))
                .isEqualTo(expected.get("sha256").asText());
    }
}
