package io.perceptronstreams.theory;

/**
 * A theorem in words.
 *
 * @param name as shown in reports
 * @param statement as a formula
 * @param source author, year and theorem
 * @param assumptions under which it holds
 */
public record Theorem(String name, String statement, String source, String assumptions) {}
