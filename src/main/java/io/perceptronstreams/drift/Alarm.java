package io.perceptronstreams.drift;

/**
 * A detector's alarm.
 *
 * @param detector which one, as a user writes it
 * @param rateBefore error rate before the change, a fraction
 * @param rateAfter error rate since then, a fraction
 */
public record Alarm(String detector, double rateBefore, double rateAfter) {}
