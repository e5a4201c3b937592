package io.perceptronstreams.monitor;

import io.perceptronstreams.event.Evidence;
import io.perceptronstreams.example.Utf8Slice;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Causes that the last mistakes of a model have in common: features or examples of their evidence, or pairs of labels.
 *
 * <p>Memory: names and contributions of the mistakes that are counted. Not thread-safe.
 */
public final class MistakeCauses {
    private static final int MAX_NAME = 200;

    /** Kind of cause. */
    public enum Key {
        /** Features of the evidence, with a kernel its examples. */
        FEATURE,
        /** Pairs of true and emitted label. */
        PAIR
    }

    /**
     * A feature, an example or a pair of labels.
     *
     * @param name of the feature, or its index as in {@code #17}, with the tag of a sequence; id of the example;
     *     or {@code LABEL as PREDICTED}
     * @param mistakes mistakes with it
     * @param pulledWrong mistakes in which its contribution was negative; of pairs all of them
     * @param meanContribution its mean contribution in these mistakes; of pairs the mean margin
     */
    public record Cause(String name, long mistakes, long pulledWrong, double meanContribution) {}

    private record Part(String name, double contribution) {}

    private record Mistake(String pair, double margin, boolean isExplained, List<Part> parts) {}

    private final int maxParts;
    private final Deque<Mistake> mistakes = new ArrayDeque<>();

    /** @param maxParts maximum number of features of a mistake that are counted, the largest contributions first */
    public MistakeCauses(int maxParts) {
        this.maxParts = maxParts;
    }

    /**
     * Adds a Mistake, and forgets the oldest ones.
     *
     * @param last number of mistakes to count
     */
    public void add(io.perceptronstreams.event.Mistake mistake, int last) {
        List<Part> parts = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (Evidence part : mistake.getEvidence()) {
            String name = name(part);
            // a sequence may have the same feature twice
            if (parts.size() < maxParts && seen.add(name)) {
                parts.add(new Part(name, part.getContribution()));
            }
        }
        mistakes.addLast(new Mistake(
                shortened(mistake.getLabelText() + " as " + mistake.getPredictedText()),
                mistake.getMargin(),
                mistake.getEvidenceBias() != null,
                List.copyOf(parts)));
        limit(last);
    }

    /** Forgets all but the {@code last} mistakes. */
    public void limit(int last) {
        while (mistakes.size() > last) {
            mistakes.removeFirst();
        }
    }

    /** Number of counted mistakes. */
    public int size() {
        return mistakes.size();
    }

    /** Number of counted mistakes with evidence. */
    public long explained() {
        return mistakes.stream().filter(Mistake::isExplained).count();
    }

    /** The causes that pulled to the wrong answer most often first; then by mistakes, then by name. */
    public List<Cause> top(Key key) {
        Map<String, Sum> sums = new HashMap<>();
        for (Mistake mistake : mistakes) {
            if (key == Key.PAIR) {
                sums.computeIfAbsent(mistake.pair(), each -> new Sum()).add(true, mistake.margin());
            } else {
                mistake.parts()
                        .forEach(part -> sums.computeIfAbsent(part.name(), each -> new Sum())
                                .add(part.contribution() < 0, part.contribution()));
            }
        }
        List<Cause> causes = new ArrayList<>();
        sums.forEach((name, sum) ->
                causes.add(new Cause(name, sum.mistakes, sum.pulledWrong, sum.contributions / sum.mistakes)));
        causes.sort(Comparator.comparingLong(Cause::pulledWrong)
                .thenComparingLong(Cause::mistakes)
                .reversed()
                .thenComparing(Cause::name));
        return causes;
    }

    private static String name(Evidence part) {
        String name = part.getName() == null ? "#" + part.getIndex() : part.getName();
        return shortened(part.getTag() == null ? name : name + " " + part.getTag());
    }

    private static String shortened(String text) {
        return Utf8Slice.shortened(text, MAX_NAME);
    }

    private static final class Sum {
        private long mistakes;
        private long pulledWrong;
        private double contributions;

        void add(boolean isWrong, double contribution) {
            mistakes++;
            pulledWrong += isWrong ? 1 : 0;
            contributions += contribution;
        }
    }
}
