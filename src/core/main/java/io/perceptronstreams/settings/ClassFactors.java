package io.perceptronstreams.settings;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Factors of the weights of examples, by class; 1 for a class without one.
 *
 * @param given by the name of the class
 * @param isBalanced whether they are inverse to the frequencies of the classes so far
 */
public record ClassFactors(Map<String, Double> given, boolean isBalanced) {
    // settings are part of every stored model and of every status
    private static final int MAX_LENGTH = 512;
    private static final String BALANCED = "balanced";

    static final ClassFactors NONE = new ClassFactors(Map.of(), false);

    /** Keeps an unmodifiable copy. */
    public ClassFactors {
        given = Collections.unmodifiableMap(new LinkedHashMap<>(given));
    }

    /** Returns true if all classes have the same factor. */
    public boolean isNone() {
        return given.isEmpty() && !isBalanced;
    }

    /** @throws IllegalArgumentException if it is none of the texts of {@link #toString} */
    static ClassFactors parse(String text) {
        if (text.isBlank()) {
            return NONE;
        }
        if (text.equals(BALANCED)) {
            return new ClassFactors(Map.of(), true);
        }
        Map<String, Double> given = new LinkedHashMap<>();
        for (String pair : text.split(",", -1)) {
            int colon = pair.lastIndexOf(':');
            String name = colon < 0 ? "" : pair.substring(0, colon).strip();
            double factor = Double.parseDouble(pair.substring(colon + 1));
            if (name.isEmpty() || !(factor > 0) || factor == Double.POSITIVE_INFINITY) {
                throw new IllegalArgumentException();
            }
            if (given.put(name, factor) != null) {
                throw new IllegalArgumentException("'" + name + "' twice");
            }
        }
        ClassFactors factors = new ClassFactors(given, false);
        if (factors.toString().length() > MAX_LENGTH) {
            throw new IllegalArgumentException("at most " + MAX_LENGTH + " characters");
        }
        return factors;
    }

    /** {@code balanced}, or {@code CLASS:FACTOR,…}, which is empty if all are 1. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(isBalanced ? BALANCED : "");
        given.forEach((name, factor) ->
                text.append(text.isEmpty() ? "" : ",").append(name).append(':').append(factor));
        return text.toString();
    }
}
