package io.perceptronstreams.settings;

/**
 * Where the two classes are cut: at a score, or where both kinds of wrong decisions cost the same.
 *
 * @param score the lowest score for which +1 is emitted
 * @param falseAlarm cost of a decision for +1 where -1 is true; 0 if no costs are set
 * @param miss cost of a decision for -1 where +1 is true; 0 if no costs are set
 */
public record Threshold(double score, double falseAlarm, double miss) {
    static final Threshold ZERO = new Threshold(0, 0, 0);

    private static final String COST = "cost:";

    /** @throws IllegalArgumentException if it is none of the texts of {@link #toString} */
    static Threshold parse(String text) {
        if (!text.startsWith(COST)) {
            double score = Double.parseDouble(text);
            if (!Double.isFinite(score)) {
                throw new IllegalArgumentException();
            }
            return new Threshold(score, 0, 0);
        }
        String[] costs = text.substring(COST.length()).split(":", -1);
        if (costs.length != 2) {
            throw new IllegalArgumentException("two costs, as in cost:1:20");
        }
        return new Threshold(0, cost(costs[0]), cost(costs[1]));
    }

    private static double cost(String text) {
        double cost = Double.parseDouble(text);
        if (!(cost > 0 && Double.isFinite(cost))) {
            throw new IllegalArgumentException("a cost must be a positive number");
        }
        return cost;
    }

    /** Returns true if it follows from costs. */
    public boolean isByCost() {
        return miss > 0;
    }

    /**
     * The least probability of +1 at which a decision for it costs less (Elkan 2001): FP / (FP + FN) for the costs FP
     * of a false alarm and FN of a miss.
     */
    public double probability() {
        return falseAlarm / (falseAlarm + miss);
    }

    /** The score, or {@code cost:FALSE_ALARM:MISS}. */
    @Override
    public String toString() {
        return isByCost() ? COST + falseAlarm + ":" + miss : Double.toString(score);
    }
}
