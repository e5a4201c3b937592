package io.perceptronstreams.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Model settings for an entry of the shared reference results. */
public final class GoldenSettings {
    private GoldenSettings() {}

    /**
     * Of everything but one-versus-rest, which is several models.
     *
     * @param which how the model predicts, in the reference's words: last, averaged_c1, averaged_c0, voted_c1 or
     *     voted_c0
     */
    public static Map<String, String> of(JsonNode entry, String which) {
        JsonNode params = entry.get("params");
        Map<String, String> settings = new HashMap<>();
        settings.put("bias", Boolean.toString(entry.path("bias").asBoolean()));
        if (which.equals("last")) {
            settings.put("predict", "last");
        } else {
            int split = which.length() - "_c1".length();
            settings.put("predict", which.substring(0, split));
            settings.put("survival.start", which.substring(split + "_c".length()));
        }
        switch (entry.get("algorithm").asText()) {
            case "perceptron", "margin-open", "margin-closed", "hinge" -> {
                settings.put("h", params.get("h").asText());
                settings.put(
                        "h.inclusive",
                        Boolean.toString(params.get("tie").asText().equals("update")));
                settings.put("eta", params.get("eta").asText());
                settings.put("scale", entry.path("normalised").asBoolean() ? "unit-norm" : "none");
            }
            case "kernel-perceptron" -> settings.put("kernel", kernel(params.get("kernel")));
            case "multiclass-perceptron" -> {
                settings.put("algorithm", "multiclass");
                settings.put("h", params.get("h").asText());
                putClasses(settings, params.get("classes"), entry.at("/result/class_order"));
            }
            case "sequence-perceptron" -> {
                settings.put("algorithm", "sequence");
                // so wide that the names learned from do not collide
                settings.put("hash.bits", "30");
                putClasses(
                        settings, params.get("tags"), entry.has("tags") ? entry.get("tags") : entry.at("/result/tags"));
            }
            default -> throw new IllegalArgumentException(entry.get("algorithm").asText());
        }
        return settings;
    }

    private static void putClasses(Map<String, String> settings, JsonNode known, JsonNode names) {
        if (known.asText().equals("fixed")) {
            List<String> classes = new ArrayList<>();
            names.forEach(name -> classes.add(name.asText()));
            settings.put("classes", String.join(",", classes));
        }
    }

    /** The reference names kernels as trees. */
    private static String kernel(JsonNode kernel) {
        return switch (kernel.get("type").asText()) {
            case "linear" -> "linear";
            case "poly" ->
                "poly(c=" + kernel.get("c").asText() + ",k="
                        + kernel.get("degree").asText() + ")";
            case "rbf" -> "rbf(g=" + kernel.get("c").asText() + ")";
            case "scale" -> kernel.get("by").asText() + "*(" + kernel(kernel.get("of")) + ")";
            case "sum" -> joined(" + ", kernel.get("of"));
            case "product" -> joined("*", kernel.get("of"));
            case "normalise" -> "normalise(" + kernel(kernel.get("of")) + ")";
            default -> throw new IllegalArgumentException(kernel.toString());
        };
    }

    private static String joined(String operator, JsonNode kernels) {
        List<String> expressions = new ArrayList<>();
        kernels.forEach(kernel -> expressions.add("(" + kernel(kernel) + ")"));
        return String.join(operator, expressions);
    }
}
