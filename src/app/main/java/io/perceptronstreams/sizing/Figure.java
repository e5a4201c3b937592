package io.perceptronstreams.sizing;

/**
 * A number of a sizing.
 *
 * @param name what it is
 * @param value the number
 * @param unit its unit; empty for a count
 * @param isMeasured true if the value is that of a measurement; false if it is computed from some
 * @param how the formula, or what was measured
 */
public record Figure(String name, double value, String unit, boolean isMeasured, String how) {}
