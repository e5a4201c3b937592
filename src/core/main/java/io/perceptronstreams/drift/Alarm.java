package io.perceptronstreams.drift;

/**
 * An alarm of a drift detector.
 *
 * @param detector name, as in the settings
 * @param rateBefore error rate before the change, a fraction
 * @param rateAfter error rate since the change, a fraction
 */
public record Alarm(String detector, double rateBefore, double rateAfter) {}
