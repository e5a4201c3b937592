package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.perceptronstreams.weights.BlockVector;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.SortedMap;
import java.util.TreeMap;
import org.assertj.core.api.SoftAssertions;

/** The non-zero numbers of a weight vector, its bias, and the summaries that the reference results contain. */
public record WeightSummary(SortedMap<Integer, Double> features, double bias) {
    /** w itself. */
    public static WeightSummary ofWeights(Learner learner) {
        return of(learner, false);
    }

    /** The survival-weighted sum of all weight vectors, not divided: C·w - a. */
    public static WeightSummary ofSum(Learner learner) {
        return of(learner, true);
    }

    private static WeightSummary of(Learner learner, boolean isSum) {
        double survivals = learner.state().numbers().get(2);
        SortedMap<Integer, Double> features = new TreeMap<>();
        BlockVector blocks = (BlockVector) learner.blocks().get(0);
        blocks.forEach((number, block) -> {
            for (int i = 0; i < BlockVector.BLOCK; i++) {
                double value = isSum ? survivals * block[i] - block[BlockVector.BLOCK + i] : block[i];
                if (value != 0) {
                    features.put(number * BlockVector.BLOCK + i, value);
                }
            }
        });
        double bias = learner.state().numbers().get(0);
        double biasAverage = learner.state().numbers().get(1);
        return new WeightSummary(features, isSum ? survivals * bias - biasAverage : bias);
    }

    /**
     * Compares with an entry: whole numbers (which have a checksum) to the last bit; others to {@code tolerance},
     * relative to the norm.
     */
    public void check(SoftAssertions soft, String what, JsonNode expected, double tolerance) {
        boolean isExact = expected.has("sha256");
        if (isExact) {
            soft.assertThat(sha256())
                    .as("%s: checksum", what)
                    .isEqualTo(expected.get("sha256").asText());
        }
        if (isExact || tolerance == 0) {
            soft.assertThat(nonZero())
                    .as("%s: non-zeros", what)
                    .isEqualTo(expected.get("nonzero").asInt());
        }
        double slack = isExact ? 0 : tolerance * expected.get("l2_norm").asDouble();
        close(soft, what + ": sum", sum(), expected.get("sum"), slack);
        close(soft, what + ": norm", norm(), expected.get("l2_norm"), slack);
        close(soft, what + ": largest", max(), expected.get("max_abs"), slack);
        close(soft, what + ": bias", bias, expected.get("bias"), slack);
        for (JsonNode pair : expected.get("first_nonzero")) {
            int index = pair.get(0).asInt();
            close(soft, what + "[" + index + "]", features.getOrDefault(index, 0.0), pair.get(1), slack);
        }
    }

    private static void close(SoftAssertions soft, String what, double found, JsonNode expected, double slack) {
        soft.assertThat(found).as(what).isCloseTo(expected.asDouble(), within(slack));
    }

    int nonZero() {
        return features.size() + (bias == 0 ? 0 : 1);
    }

    double sum() {
        double sum = 0;
        for (double value : features.values()) {
            sum += value;
        }
        return sum + bias;
    }

    double norm() {
        double sum = 0;
        for (double value : features.values()) {
            sum += value * value;
        }
        return Math.sqrt(sum + bias * bias);
    }

    double max() {
        double max = Math.abs(bias);
        for (double value : features.values()) {
            max = Math.max(max, Math.abs(value));
        }
        return max;
    }

    /** SHA-256 of the lines {@code index:value}, the bias last; for whole numbers only. */
    String sha256() {
        StringBuilder lines = new StringBuilder();
        features.forEach((index, value) ->
                lines.append(index).append(':').append((long) (double) value).append('\n'));
        if (bias != 0) {
            lines.append("bias:").append((long) bias).append('\n');
        }
        return sha256(lines.toString());
    }

    public static String sha256(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
