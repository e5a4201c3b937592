package io.perceptronstreams.theory;

/**
 * What a theorem says, in words.
 *
 * @param name as reports call it
 * @param statement as a formula
 * @param source author, year and theorem
 * @param assumptions without which it says nothing
 */
public record Theorem(String name, String statement, String source, String assumptions) {}
