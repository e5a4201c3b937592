package io.perceptronstreams.theory;

/**
 * What a theorem says, in words.
 *
 * @param name as reports call it
 * @param statement as a formula
 * @param source lecture and theorem, author and year
 * @param assumptions without which it says nothing
 */
public record Theorem(String name, String statement, String source, String assumptions) {}
