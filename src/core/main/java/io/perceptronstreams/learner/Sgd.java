package io.perceptronstreams.learner;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.settings.LearnedException;
import io.perceptronstreams.settings.Loss;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;
import java.util.List;

/**
 * Stochastic gradient descent on a {@link Loss} of the margin y·u, u = w·x: the k-th update adds f·g(y·u)·y·x[i] to
 * w[i].
 *
 * <p>Let d be g(y·u) times the weight of the example. f is eta, eta/sqrt(k), or eta/sqrt(G[i]), where G[i] sums
 * (d·x[i])^2 over all updates, this one included (AdaGrad, Duchi, Hazan and Singer 2011). With {@code normalised} it is
 * that of Ross, Mineiro and Langford 2013, algorithms 1 (NG) and 2 (NAG): s[i] is the largest |x[i]| so far and N the
 * sum of (x[i]/s[i])^2 over all updates and features; f has the further factor (k/N)/s[i]^2, or sqrt(k/N)/s[i] with
 * AdaGrad; and where |x[i]| exceeds s[i], w[i] counts (s[i]/|x[i]|)^2 times, or s[i]/|x[i]| times with AdaGrad. Other
 * than there, examples without a gradient change neither s, N nor k.
 *
 * <p>With {@code implicit} (Kulis and Bartlett 2010) an update adds f·d'·y·x[i] with d' = min(d, that of the margin
 * after it), see {@link Loss#implicit}; G still sums (d·x[i])^2. Never more than d: where the gradient rises, as that
 * of a bounded loss does for margins that are far too small, the step is the usual one.
 *
 * <p>A score y·u <= 0 is a mistake. One below 1 is a margin mistake, except for the perceptron's loss. The logistic and
 * the sigmoid loss also have updates at larger margins; they count as updates only.
 *
 * <p>With {@code stacked} the emitted label and score are those of a {@link SecondStage} of the score that predicts.
 * The steps of w, mistakes, margins and evidence stay those of w·x.
 *
 * <p>Cost: O(non-zeros of x) per call; allocates new blocks only. State: w, the sum for its average, G if there is one
 * and s if there is one in blocks (vector 0), and the numbers of {@link #exchange}.
 */
public final class Sgd extends TwoClassLearner {
    private static final int WEIGHT = 0;
    private static final int AVERAGE = 1;
    private static final int SQUARES = 2;

    // Numbers of an update of AdaGrad for a feature: d·x[i] / sqrt(G[i]), and G[i], both after it; w[i] and the sum for
    // its average before it.
    private static final int SLOPE = 0;
    private static final int SUM = 1;
    private static final int BEFORE = 2;
    private static final int AVERAGE_BEFORE = 3;
    private static final int STEPS = 4;

    // A weight of a normalised feature is about 1/s[i], and its square must be finite.
    private static final double SMALLEST_SCALE = 1e-140;

    // Numbers of a feature that was never seen.
    private static final double[] NOTHING = new double[4];

    private final boolean isAdaptive;
    private final boolean isNormalised;
    private final int scaleLane;
    private final Weights weights;
    private final List<Blocks> blocks;

    // Null without stacked.
    private final SecondStage second;

    // The lanes of the bias.
    private final double[] bias = new double[4];
    private final Survivals survivals = new Survivals();
    private double updates;

    private Loss loss;
    private double eta;
    private boolean isShrinking;
    private boolean isImplicit;

    // N
    private double squares;

    // |x|^2, bias feature included, of the last scored example.
    private double squaredLength;

    // Numbers of a feature after the present update.
    private double nextWeight;
    private double nextAverage;
    private double nextSquares;
    private double nextScale;
    private double nextChange;

    // Growth of w·x by the update that growth() has computed last.
    private double rise;

    public Sgd(Settings settings) {
        isAdaptive = isAdaptive(settings);
        isNormalised = settings.get(Settings.NORMALISED);
        scaleLane = isAdaptive ? SQUARES + 1 : SQUARES;
        weights = new Weights(SQUARES + (isAdaptive ? 1 : 0) + (isNormalised ? 1 : 0));
        blocks = List.of(weights.blocks());
        second = settings.get(Settings.STACKED) ? new SecondStage() : null;
        norm().forget();
        configure(settings);
    }

    /** Returns true if a learner with these settings keeps the sums of squared gradients of AdaGrad. */
    public static boolean isAdaptive(Settings settings) {
        return settings.get(Settings.RATE) == Settings.Rate.ADAGRAD;
    }

    /**
     * Checks that a learner keeps those sums with other settings, too, or still does without.
     *
     * @throws IllegalArgumentException if it does not
     */
    public static void requireRate(boolean isAdaptive, Settings changed) {
        if (isAdaptive(changed) != isAdaptive) {
            throw fixed("rate", isAdaptive ? "adagrad" : "constant or inverse-sqrt", changed.get(Settings.RATE));
        }
    }

    @Override
    public void configure(Settings changed) {
        requireRate(isAdaptive, changed);
        if (changed.get(Settings.NORMALISED) != isNormalised) {
            throw fixed("normalised", "" + isNormalised, changed.get(Settings.NORMALISED));
        }
        if (changed.get(Settings.STACKED) != (second != null)) {
            throw fixed("stacked", "" + (second != null), changed.get(Settings.STACKED));
        }
        super.configure(changed);
        survivals.configure(changed);
        loss = changed.get(Settings.LOSS);
        eta = changed.get(Settings.ETA);
        isShrinking = changed.get(Settings.RATE) == Settings.Rate.INVERSE_SQRT;
        isImplicit = changed.get(Settings.IMPLICIT);
    }

    private static LearnedException fixed(String name, String present, Object changed) {
        Object shown = changed instanceof Enum<?> constant ? Settings.spelled(constant) : changed;
        return new LearnedException(
                name + " must stay " + present + " once a model has seen labels, got " + shown,
                "reset the model first");
    }

    @Override
    protected void predict(FeatureVector x, Outcome outcome) {
        boolean isLast = isLast();
        double u = dot(x, WEIGHT);
        squaredLength = isNormalised ? x.squaredNorm() : weights.squaredLength();
        squaredLength += hasBias() ? x.bias() * x.bias() : 0;
        double emitted = isLast ? u : survivals.sum() * u - dot(x, AVERAGE);
        requireFinite(u);
        requireFinite(emitted);
        requireFinite(squaredLength);
        boolean isSum = !isLast && survivals.sum() > 0;
        double shown = isSum ? emitted / survivals.sum() : emitted;
        if (second == null) {
            labels().predict(emitted, shown, u, outcome);
        } else {
            double stacked = second.score(shown, x.labelBefore());
            labels().predict(stacked, second.shown(shown), u, outcome);
            outcome.labelBefore = x.labelBefore();
        }
    }

    private double dot(FeatureVector x, int lane) {
        double sum = isNormalised ? shrunkDot(x, lane) : lane == WEIGHT ? weights.dot(x) : weights.dotAverage(x);
        return hasBias() ? sum + x.bias() * shrunkBias(lane, x.bias()) : sum;
    }

    private double shrunkBias(int lane, double value) {
        return isNormalised ? shrunk(bias[lane], bias[scaleLane], value) : bias[lane];
    }

    private double shrunkDot(FeatureVector x, int lane) {
        BlockVector vector = weights.blocks();
        vector.find(x);
        double sum = 0;
        for (int k = 0; k < x.size(); k++) {
            int place = x.places()[k];
            if (place >= 0) {
                double[] numbers = vector.slab(place);
                int at = vector.from(place);
                double value = x.values()[k];
                sum += value * shrunk(numbers[at + lane], numbers[at + scaleLane], value);
            }
        }
        return sum;
    }

    /** A weight, or a sum of weights, for a value that may exceed the scale of its feature. */
    private double shrunk(double weight, double scale, double value) {
        double size = Math.abs(value);
        if (size <= scale) {
            return weight;
        }
        double ratio = scale / size;
        return isAdaptive ? weight * ratio : weight * ratio * ratio;
    }

    @Override
    protected void evaluate(FeatureVector x, int sign, Outcome outcome) {
        predict(x, outcome);
        labels().compare(sign, loss.hinge(), false, outcome);
    }

    @Override
    protected void correct(FeatureVector x, int sign, double weight, Outcome outcome) {
        double gradient = weight * loss.gradient(outcome.margin);
        if (gradient == 0) {
            survive(1);
        } else {
            update(x, sign, gradient, weight, outcome.margin);
            // where every example makes an update, with 0 none would count
            survive(loss.isNeverZero() ? 1 : settings().get(Settings.SURVIVAL_START));
            outcome.updated = true;
        }
        if (second != null) {
            second.learn(sign, weight);
        }
        norm().observe(squaredLength);
    }

    private void survive(int count) {
        if (survivals.add(count)) {
            weights.multiplyAverage(Survivals.SHRINKAGE);
            bias[AVERAGE] *= Survivals.SHRINKAGE;
        }
    }

    private void update(FeatureVector x, int sign, double gradient, double weight, double margin) {
        int missing = weights.blocks().find(x);
        double newSquares = isNormalised ? squares + relativeSquares(x) : 0;
        double factor = sign * rate(updates + 1, newSquares);
        double growth = growth(x, factor, gradient, true);
        // if it is not finite, the update is refused below
        if (isImplicit && Double.isFinite(growth)) {
            double slope = Math.abs(rise) / gradient; // never -0
            factor *= loss.implicit(margin, weight, slope) / gradient;
            growth = growth(x, factor, gradient, false);
        }
        if (isNormalised && !Double.isFinite(norm().squaredNorm() + growth)) {
            requireScales(x);
        }
        double squaredNorm = norm().after(growth, factor * gradient, "lower eta");
        weights.requireRoom(x, settings().get(Settings.BLOCKS_MAX));
        BlockVector vector = weights.blocks();
        vector.touch(x, missing);
        if (isNormalised) {
            for (int k = 0; k < x.size(); k++) {
                double value = x.values()[k];
                if (value != 0) {
                    int place = x.places()[k];
                    change(vector.slab(place), vector.from(place), value, factor, gradient);
                }
            }
        } else if (isAdaptive) {
            addBySlopes(x, factor);
        } else {
            weights.add(x, factor * gradient, survivals.sum());
        }
        if (hasBias()) {
            change(bias, 0, x.bias(), factor, gradient);
        }
        updates++;
        squares = newSquares;
        norm().replace(squaredNorm);
    }

    /** Sum of (x[i]/s[i])^2, this example included in s. */
    private double relativeSquares(FeatureVector x) {
        BlockVector vector = weights.blocks();
        double sum = 0;
        for (int k = 0; k < x.size(); k++) {
            int place = x.places()[k];
            double scale = place < 0 ? 0 : vector.slab(place)[vector.from(place) + scaleLane];
            sum += relativeSquare(x.values()[k], scale);
        }
        return hasBias() ? sum + relativeSquare(x.bias(), bias[scaleLane]) : sum;
    }

    private static double relativeSquare(double value, double scale) {
        double size = Math.abs(value);
        double relative = size < scale ? size / scale : size > 0 ? 1 : 0;
        return relative * relative;
    }

    /** f without the factors of single features. */
    private double rate(double k, double newSquares) {
        double rate = isShrinking ? eta / Math.sqrt(k) : eta;
        if (!isNormalised) {
            return rate;
        }
        return isAdaptive ? rate * Math.sqrt(k / newSquares) : rate * (k / newSquares);
    }

    /**
     * Growth of |w|^2 by an update; not finite if a number would not be. Changes nothing.
     *
     * @param isFirst whether it is the first growth of this update; another one differs in the factor alone
     */
    private double growth(FeatureVector x, double factor, double gradient, boolean isFirst) {
        rise = 0;
        double growth;
        if (isNormalised) {
            growth = growthWithRates(x, factor, gradient);
        } else if (isAdaptive) {
            growth = isFirst ? firstGrowthBySlopes(x, factor, gradient) : growthBySlopes(x, factor);
        } else {
            growth = growthByOneRate(x, factor * gradient);
        }
        return hasBias() ? growth + growth(bias, 0, x.bias(), factor, gradient) : growth;
    }

    /**
     * Growth by features that have one rate: what {@link #advance} computes, in a loop without its fields, which takes
     * half the time.
     */
    private double growthByOneRate(FeatureVector x, double step) {
        BlockVector vector = weights.blocks();
        double[] values = x.values();
        int[] places = x.places();
        double survived = survivals.sum();
        double sum = 0;
        double growth = 0;
        for (int k = 0; k < x.size(); k++) {
            double value = values[k];
            if (value != 0) {
                double[] numbers = places[k] < 0 ? NOTHING : vector.slab(places[k]);
                int at = places[k] < 0 ? 0 : vector.from(places[k]);
                double change = step * value;
                double before = numbers[at + WEIGHT];
                double after = before + change;
                sum += value * change;
                // 0 · average is NaN if the average is not finite
                growth += (after - before) * (after + before) + 0 * (numbers[at + AVERAGE] + survived * change);
            }
        }
        rise = sum;
        return growth;
    }

    /**
     * Growth by AdaGrad's rates of features that have no scale; keeps what {@link #growthBySlopes} and {@link
     * #addBySlopes} need of each feature side by side: roots and quotients take most of the time of an update, the
     * look-up of a place most of the rest.
     */
    private double firstGrowthBySlopes(FeatureVector x, double factor, double gradient) {
        BlockVector vector = weights.blocks();
        double[] values = x.values();
        int[] places = x.places();
        double[] steps = x.steps(STEPS);
        double survived = survivals.sum();
        double total = 0;
        double growth = 0;
        for (int k = 0; k < x.size(); k++) {
            double value = values[k];
            if (value != 0) {
                double[] numbers = places[k] < 0 ? NOTHING : vector.slab(places[k]);
                int at = places[k] < 0 ? 0 : vector.from(places[k]);
                double before = numbers[at + WEIGHT];
                double average = numbers[at + AVERAGE];
                double slope = gradient * value;
                double squared = numbers[at + SQUARES] + slope * slope;
                // 0: the square is below all doubles
                slope = squared == 0 ? 0 : slope / Math.sqrt(squared);
                steps[STEPS * k + SLOPE] = slope;
                steps[STEPS * k + SUM] = squared;
                steps[STEPS * k + BEFORE] = before;
                steps[STEPS * k + AVERAGE_BEFORE] = average;
                double change = factor * slope;
                double after = before + change;
                total += value * change;
                // 0 · number is NaN if the number is not finite
                growth += (after - before) * (after + before) + 0 * (average + survived * change) + 0 * squared;
            }
        }
        rise = total;
        return growth;
    }

    /** As {@link #firstGrowthBySlopes}, for another factor. */
    private double growthBySlopes(FeatureVector x, double factor) {
        double[] values = x.values();
        double[] steps = x.steps(STEPS);
        double survived = survivals.sum();
        double total = 0;
        double growth = 0;
        for (int k = 0; k < x.size(); k++) {
            double value = values[k];
            if (value != 0) {
                double change = factor * steps[STEPS * k + SLOPE];
                double before = steps[STEPS * k + BEFORE];
                double after = before + change;
                total += value * change;
                growth += (after - before) * (after + before)
                        + 0 * (steps[STEPS * k + AVERAGE_BEFORE] + survived * change)
                        + 0 * steps[STEPS * k + SUM];
            }
        }
        rise = total;
        return growth;
    }

    private void addBySlopes(FeatureVector x, double factor) {
        BlockVector vector = weights.blocks();
        double[] values = x.values();
        int[] places = x.places();
        double[] steps = x.steps(STEPS);
        double survived = survivals.sum();
        for (int k = 0; k < x.size(); k++) {
            if (values[k] != 0) {
                double[] numbers = vector.slab(places[k]);
                int at = vector.from(places[k]);
                double change = factor * steps[STEPS * k + SLOPE];
                numbers[at + WEIGHT] = steps[STEPS * k + BEFORE] + change;
                numbers[at + AVERAGE] = steps[STEPS * k + AVERAGE_BEFORE] + survived * change;
                numbers[at + SQUARES] = steps[STEPS * k + SUM];
            }
        }
    }

    private double growthWithRates(FeatureVector x, double factor, double gradient) {
        BlockVector vector = weights.blocks();
        double growth = 0;
        for (int k = 0; k < x.size(); k++) {
            double value = x.values()[k];
            int place = x.places()[k];
            if (value != 0) {
                growth += place < 0
                        ? growth(NOTHING, 0, value, factor, gradient)
                        : growth(vector.slab(place), vector.from(place), value, factor, gradient);
            }
        }
        return growth;
    }

    /** Rejects an example whose update overflows if its features are so small that 1/s[i] alone may be the reason. */
    private void requireScales(FeatureVector x) {
        BlockVector vector = weights.blocks();
        double smallest = hasBias() ? Math.max(bias[scaleLane], x.bias()) : Double.POSITIVE_INFINITY;
        for (int k = 0; k < x.size(); k++) {
            double size = Math.abs(x.values()[k]);
            if (size > 0) {
                int place = x.places()[k];
                double scale = place < 0 ? 0 : vector.slab(place)[vector.from(place) + scaleLane];
                smallest = Math.min(smallest, Math.max(scale, size));
            }
        }
        if (smallest < SMALLEST_SCALE) {
            throw new RejectedException(
                    RejectReason.SCORE_OVERFLOW,
                    "the weight of a feature must be finite, and its square, too, got a feature whose largest |x| is "
                            + smallest + " (scale the features up)");
        }
    }

    private double growth(double[] numbers, int at, double value, double factor, double gradient) {
        advance(numbers, at, value, factor, gradient);
        double before = numbers[at + WEIGHT];
        rise += value * nextChange;
        // 0 · number is NaN if the number is not finite
        return (nextWeight - before) * (nextWeight + before) + 0 * nextAverage + 0 * nextSquares;
    }

    private void change(double[] numbers, int at, double value, double factor, double gradient) {
        advance(numbers, at, value, factor, gradient);
        numbers[at + WEIGHT] = nextWeight;
        numbers[at + AVERAGE] = nextAverage;
        if (isAdaptive) {
            numbers[at + SQUARES] = nextSquares;
        }
        if (isNormalised) {
            numbers[at + scaleLane] = nextScale;
        }
    }

    /** Computes the numbers of a feature after an update. */
    private void advance(double[] numbers, int at, double value, double factor, double gradient) {
        double before = numbers[at + WEIGHT];
        double kept = before;
        if (isNormalised) {
            nextScale = Math.max(numbers[at + scaleLane], Math.abs(value));
            kept = shrunk(before, numbers[at + scaleLane], value);
        }
        double change;
        if (isAdaptive) {
            double slope = gradient * value;
            nextSquares = numbers[at + SQUARES] + slope * slope;
            // 0: the square is below all doubles
            change = nextSquares == 0 ? 0 : factor * (slope / Math.sqrt(nextSquares));
            change = isNormalised ? change / nextScale : change;
        } else {
            change = isNormalised ? factor * gradient * (value / nextScale) / nextScale : factor * gradient * value;
        }
        nextChange = change;
        nextWeight = kept + change;
        nextAverage = numbers[at + AVERAGE] + survivals.sum() * (kept - before + change);
    }

    @Override
    public void explain(Features features, Label y, Outcome outcome, Evidence evidence) {
        FeatureVector x = TwoClassLabels.vector(features);
        evidence.setSign(labels().sign(y));
        if (hasBias()) {
            evidence.setBias(x.bias() * shrunkBias(WEIGHT, x.bias()));
        }
        BlockVector vector = weights.blocks();
        for (int k = 0; k < x.size(); k++) {
            double weight = vector.read(x.index(k), WEIGHT);
            double value = x.values()[k];
            evidence.add(
                    x.index(k),
                    value,
                    isNormalised ? shrunk(weight, vector.read(x.index(k), scaleLane), value) : weight);
        }
        evidence.end(outcome.margin);
    }

    @Override
    public String name() {
        return "SGD";
    }

    @Override
    public void exchange(StateFields fields) {
        bias[WEIGHT] = fields.finite(bias[WEIGHT]);
        bias[AVERAGE] = fields.finite(bias[AVERAGE]);
        survivals.exchangeSum(fields);
        updates = fields.count(updates);
        squares = fields.square(squares);
        for (int lane = SQUARES; lane < weights.blocks().lanes(); lane++) {
            bias[lane] = fields.square(bias[lane]);
        }
        norm().exchangeSquares(fields);
        if (second != null) {
            second.exchange(fields);
        }
        survivals.exchangeUnit(fields, 0);
    }

    @Override
    public List<Blocks> blocks() {
        return blocks;
    }

    @Override
    public void checkBlock(int vector, int number, int length) {
        BlockLimits.requireLength(length, weights.blocks().lanes() * BlockVector.BLOCK);
    }

    @Override
    public void forEachWeight(WeightVisitor visitor) {
        visitor.vector("", bias[WEIGHT], Weights.average(bias[WEIGHT], bias[AVERAGE], survivals.sum()));
        weights.forEach(survivals.sum(), visitor);
    }
}
