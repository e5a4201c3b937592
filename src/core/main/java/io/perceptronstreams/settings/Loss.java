package io.perceptronstreams.settings;

/**
 * Losses of a margin m = y·u, each with its negative derivative g(m) >= 0: a gradient step adds a multiple of g(m)·y·x.
 *
 * <p>Exponentials are {@link StrictMath}'s: the same bits on every machine.
 */
public enum Loss {
    /** max(0, -m): g = 1 for m <= 0 (Rosenblatt 1958). */
    PERCEPTRON {
        @Override
        public double gradient(double margin) {
            return margin <= 0 ? 1 : 0;
        }

        @Override
        public double hinge() {
            return 0;
        }
    },
    /** max(0, 1 - m): g = 1 for m < 1. */
    HINGE {
        @Override
        public double gradient(double margin) {
            return margin < 1 ? 1 : 0;
        }

        @Override
        public double implicit(double margin, double weight, double slope) {
            return Math.min(weight, (1 - margin) / slope);
        }
    },
    /** max(0, 1 - m)^2: g = 2(1 - m) for m < 1 (Zhang 2004). */
    SQUARED_HINGE {
        @Override
        public double gradient(double margin) {
            return margin < 1 ? 2 * (1 - margin) : 0;
        }

        @Override
        public double implicit(double margin, double weight, double slope) {
            return weight * gradient(margin) / (1 + 2 * weight * slope);
        }
    },
    /** log(1 + exp(-m)): g = 1 - p with p = 1/(1 + exp(-m)), the probability of the true label. */
    LOGISTIC {
        @Override
        public double gradient(double margin) {
            return sigmoid(-margin);
        }
    },
    /**
     * (1 - p)^2/2 with the p of {@link #LOGISTIC}: g = p·(1 - p)^2, the delta rule of a sigmoid unit (Rumelhart, Hinton
     * and Williams 1986; of a stream Bifet, Holmes, Pfahringer and Frank 2010). At most 4/27, and near 0 where a wrong
     * label has a large score.
     */
    SIGMOID {
        @Override
        public double gradient(double margin) {
            // sigmoid(margin) and sigmoid(-margin) with one exponential, which takes most of the time
            double e = StrictMath.exp(-Math.abs(margin));
            double larger = 1 / (1 + e);
            double smaller = e / (1 + e);
            double right = margin >= 0 ? larger : smaller;
            double wrong = margin >= 0 ? smaller : larger;
            return right * wrong * wrong;
        }
    };

    // Rounding may keep the last bit from settling.
    private static final int MOST_VALUES = 100;

    /** g(m). */
    public abstract double gradient(double margin);

    /**
     * The gradient d of an implicit step, which is that of the margin after it: d = min(c·g(m), c·g(m + s·d)).
     *
     * <p>The only solution: g rises up to some margin at most, and falls from there. It is found by the Illinois method
     * (Dowell and Jarratt 1971), in about ten values of g. Where g jumps from above d to below it, the step ends there.
     *
     * @param margin m, with g(m) > 0
     * @param weight c > 0, of the example
     * @param slope s >= 0, the growth of the margin by a step of gradient 1
     */
    public double implicit(double margin, double weight, double slope) {
        double high = weight * gradient(margin);
        double excess = high - weight * gradient(margin + slope * high);
        if (excess <= 0) {
            return high;
        }
        double low = 0;
        double lack = high;
        boolean wasLow = false;
        boolean wasHigh = false;
        double d = high;
        for (int n = 0; n < MOST_VALUES && high - low > Math.ulp(high); n++) {
            d = low + (high - low) * (lack / (lack + excess));
            double difference = d - weight * gradient(margin + slope * d);
            if (difference == 0) {
                return d;
            }
            if (difference < 0) {
                low = d;
                lack = -difference;
                excess = wasLow ? excess / 2 : excess;
            } else {
                high = d;
                excess = difference;
                lack = wasHigh ? lack / 2 : lack;
            }
            wasLow = difference < 0;
            wasHigh = !wasLow;
        }
        return d;
    }

    /** Margins m with 0 < m < hinge are margin mistakes. */
    public double hinge() {
        return 1;
    }

    /** Returns true if g(m) > 0 for every m, however large. */
    public boolean isNeverZero() {
        return this == LOGISTIC || this == SIGMOID;
    }

    private static double sigmoid(double z) {
        // of -|z|, which does not overflow
        double e = StrictMath.exp(-Math.abs(z));
        return z >= 0 ? 1 / (1 + e) : e / (1 + e);
    }
}
