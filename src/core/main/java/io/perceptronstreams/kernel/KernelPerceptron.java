package io.perceptronstreams.kernel;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.learner.Evidence;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Perceptron;
import io.perceptronstreams.learner.StateFields;
import io.perceptronstreams.learner.TwoClassLearner;
import io.perceptronstreams.settings.Kernel;
import io.perceptronstreams.settings.LearnedException;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Two-class perceptron in dual form: w = Σ alpha_s·φ(x_s) over the updates s, with score u = Σ alpha_s·K(x_s,x).
 *
 * <p>The rule is that of {@link Perceptron}: on a mistake or a margin mistake x joins the support with
 * alpha = eta·weight·y. With the linear kernel u is the same except for rounding; other kernels learn in their space
 * (Aizerman, Braverman and Rozonoer 1964; Lin 2021; Bartlett). The bias is a feature of value 1 appended to every x,
 * within the kernel. Mistakes without a budget: at most (R/gamma)^2, with R = max sqrt(K(x,x)) and gamma in that space.
 *
 * <p>Cost: one pass over x's non-zeros for all inner products ({@link InvertedIndex}) and one over the support; the
 * same again for each removed vector. Vectors with equal features are evaluated once.
 * Allocates in updates only. State: terms (vector 0), features (vector 1), ids of examples (vector 2; only of updates
 * with evidence), and the numbers of {@link #exchange}.
 */
public final class KernelPerceptron extends TwoClassLearner {
    /*
     * 1. Averages and votes (Freund and Schapire 1999). The first n terms are the weight vector w_n. Its survival count
     * c_n is the number of examples that it has survived, up to now for the present one. One pass over the terms gives
     * the scores u_n of all w_n: predict=averaged takes the sign of Σ c_n·u_n, predict=voted that of Σ c_n·sign(u_n),
     * with sign(0) = +1.
     *
     * 2. Budget. A vector leaves before another one joins, and its term is removed from every w_n. Its own w_n becomes
     * equal to the one before, which takes over the count. The count of the first is lost, because the vector before it
     * is 0. The average is then the true one without the removed terms. No bound on mistakes holds, and |w| may grow by
     * a removal (Cavallanti, Cesa-Bianchi and Gentile 2007 bound the random policy against slowly changing
     * comparators). After the budget was lowered, each update removes only a few vectors (Budget).
     */
    private final SupportSet support = new SupportSet();
    private final Kernel.Scratch scratch = new Kernel.Scratch();
    private final Budget budget = new Budget(support);
    private Kernel kernel;

    // C, the sum of the survival counts of the support; an integer.
    private double survivals;
    private double updates;
    private boolean isRestored;

    // |x|^2 with the bias feature, K(x,x), and K(x_s,x) by row, of the last scored example.
    private double squaredLength;
    private double self;
    private double[] kernels = new double[0];
    private double lastScore;
    private double emitted;

    public KernelPerceptron(Settings settings) {
        configure(settings);
    }

    @Override
    public void configure(Settings changed) {
        Kernel wanted = changed.get(Settings.KERNEL_EXPRESSION).isEmpty()
                ? new Kernel.Linear()
                : Kernel.parse(changed.get(Settings.KERNEL_EXPRESSION));
        if (updates > 0 && !wanted.equals(kernel)) {
            throw new LearnedException(
                    "kernel must stay " + kernel.text() + " once a model has seen labels, got " + wanted.text(),
                    "reset the model first");
        }
        if (updates > 0 && changed.get(Settings.BIAS) != hasBias()) {
            throw new LearnedException(
                    "bias must stay " + hasBias() + " once a model with support vectors has seen labels, got "
                            + changed.get(Settings.BIAS),
                    "reset the model first");
        }
        super.configure(changed);
        kernel = wanted;
    }

    @Override
    protected void predict(FeatureVector x, Outcome outcome) {
        prepare();
        squaredLength = SupportSet.squaredNorm(x, hasBias());
        self = kernel.at(squaredLength, squaredLength, squaredLength);
        kernels = evaluate(x, squaredLength, kernels);
        score();
        requireFinite(lastScore);
        requireFinite(emitted);
        requireFinite(squaredLength);
        requireFinite(self);
        labels().predict(emitted, emitted, lastScore, outcome);
    }

    /** K(x_s,x) for every row, in {@code values} or a longer array. */
    private double[] evaluate(FeatureVector x, double xx, double[] values) {
        int top = support.top();
        double[] found = values.length < top ? new double[2 * top] : values;
        double[] dots = scratch.take(top);
        support.dots(x, hasBias(), dots);
        kernel.at(dots, xx, support.squaredNorms(), top, found, scratch);
        scratch.release();
        return found;
    }

    /** One pass over the terms: after the n-th, u is the score of w_n. */
    private void score() {
        double[] coefficients = support.coefficients();
        double[] counts = support.counts();
        int size = support.size();
        double u = 0;
        double sum = 0;
        switch (settings().get(Settings.PREDICT)) {
            case LAST -> {
                for (int place = 0; place < size; place++) {
                    int slot = support.slot(place);
                    u += coefficients[slot] * kernels[support.rowOf(slot)];
                }
            }
            case AVERAGED -> {
                for (int place = 0; place < size; place++) {
                    int slot = support.slot(place);
                    u += coefficients[slot] * kernels[support.rowOf(slot)];
                    sum += counts[slot] * u;
                }
            }
            case VOTED -> {
                for (int place = 0; place < size; place++) {
                    int slot = support.slot(place);
                    u += coefficients[slot] * kernels[support.rowOf(slot)];
                    sum += u >= 0 ? counts[slot] : -counts[slot];
                }
            }
        }
        lastScore = u;
        emitted = isLast() ? u : survivals == 0 ? sum : sum / survivals;
    }

    @Override
    public long cost(Features x) {
        return x.count() + BlockVector.BLOCK * support.units();
    }

    @Override
    protected void evaluate(FeatureVector x, int sign, Outcome outcome) {
        predict(x, outcome);
        labels().compare(sign, settings().hinge(sign), settings().get(Settings.H_INCLUSIVE), outcome);
    }

    @Override
    protected void correct(FeatureVector x, int sign, double weight, Outcome outcome) {
        if (outcome.kind == Outcome.Kind.CORRECT) {
            // without a support the score is 0, which is a mistake
            support.survive();
            survivals += 1;
        } else {
            update(
                    x,
                    settings().get(Settings.ETA) * weight,
                    sign,
                    outcome.evidence().id());
            outcome.updated = true;
        }
        norm().observe(self);
    }

    private void update(FeatureVector x, double size, int sign, Utf8Slice id) {
        int numbers = SupportBlock.numbers(x);
        if (numbers > SupportBlock.MAX_NUMBERS) {
            throw new RejectedException(
                    RejectReason.UNSUPPORTED_FEATURES,
                    "an example to be kept as a support vector must not need more than " + SupportBlock.MAX_NUMBERS
                            + " numbers (its non-zeros and their indices), got " + numbers
                            + " (hash names into fewer bits, or use no kernel and no votes)");
        }
        budget.choose(settings(), kernel);
        long units = support.units() - budget.units() + SupportRows.units(numbers);
        // a support above a lowered blocks.max may be updated as long as it does not grow
        if (units > settings().get(Settings.BLOCKS_MAX) && units >= support.units()) {
            throw new RejectedException(
                    RejectReason.MODEL_FULL,
                    "the support vectors of a model must not fill more than blocks.max = "
                            + settings().get(Settings.BLOCKS_MAX)
                            + " blocks of 128 numbers (set a budget, or raise blocks.max)");
        }
        enter(size, sign, budget.leaving());
        survivals += settings().get(Settings.SURVIVAL_START) - budget.removeChosen();
        updates += 1;
        support.add(x, squaredLength, size * sign, settings().get(Settings.SURVIVAL_START), updates, id);
    }

    /** Enters the removals and the update in the norm check; if a check fails, none of them. */
    private void enter(double size, int sign, BitSet leaving) {
        double squaredNorm = norm().squaredNorm();
        double most = norm().most();
        double steps = norm().steps();
        for (int slot = leaving.nextSetBit(0); slot >= 0; slot = leaving.nextSetBit(slot + 1)) {
            norm().enterRemoval(shrinkage(slot, leaving));
        }
        double u = 0;
        for (int place = 0; place < support.size(); place++) {
            int slot = support.slot(place);
            u += leaving.get(slot) ? 0 : support.coefficients()[slot] * kernels[support.rowOf(slot)];
        }
        double margin = sign * u;
        double growth = size * (2 * margin + size * self);
        try {
            norm().check(size, margin, self, growth);
        } catch (RejectedException e) {
            norm().restore(squaredNorm, most, steps);
            throw e;
        }
        norm().enter(size, margin, self, growth);
    }

    /**
     * Decrease of |w|^2 when the term of a slot leaves, after those of lower leaving slots:
     * 2·alpha·u(z) - alpha^2·K(z,z).
     *
     * <p>Cost: that of a score.
     */
    private double shrinkage(int slot, BitSet leaving) {
        double zz = support.squaredNorm(slot);
        double[] values = evaluate(support.vector(slot), zz, scratch.take(support.top()));
        double u = 0;
        for (int place = 0; place < support.size(); place++) {
            int other = support.slot(place);
            boolean hasLeft = other < slot && leaving.get(other);
            u += hasLeft ? 0 : support.coefficients()[other] * values[support.rowOf(other)];
        }
        scratch.release();
        double alpha = support.coefficients()[slot];
        return alpha * (2 * u - alpha * kernel.at(zz, zz, zz));
    }

    /**
     * The parts are the examples of the support, named by their ids: coefficient times K(x_s,x). Examples with equal
     * features are one, under the name of the first; the coefficient is the sum over their updates.
     */
    @Override
    public void explain(Features x, Label y, Outcome outcome, Evidence evidence) {
        double[] coefficients = new double[support.top()];
        int[] firstSlots = new int[support.top()];
        Arrays.fill(firstSlots, -1);
        for (int place = 0; place < support.size(); place++) {
            int slot = support.slot(place);
            int row = support.rowOf(slot);
            coefficients[row] += support.coefficients()[slot];
            firstSlots[row] = firstSlots[row] < 0 ? slot : firstSlots[row];
        }
        evidence.setSign(labels().sign(y));
        for (int place = 0; place < support.size(); place++) {
            int slot = support.slot(place);
            int row = support.rowOf(slot);
            if (slot == firstSlots[row]) {
                evidence.add(place, kernels[row], coefficients[row]);
            }
        }
        evidence.nameParts(place -> support.nameOf(support.slot(place)));
        evidence.end(outcome.margin);
    }

    private void prepare() {
        if (isRestored) {
            isRestored = false;
            support.rebuild(hasBias(), updates);
        }
    }

    @Override
    public String name() {
        return "a kernel perceptron";
    }

    /** The blocks may be restored in any order: {@link #prepare} uses them before the next example. */
    @Override
    public void exchange(StateFields fields) {
        survivals = fields.count(survivals);
        norm().exchangeRadius(fields);
        updates = fields.count(updates);
        budget.exchange(fields);
        norm().exchangeNorm(fields);
        norm().exchangeSums(fields);
        isRestored |= fields.isReading();
    }

    @Override
    public List<Blocks> blocks() {
        return support.blocks();
    }

    /** Without the ids if there are none: earlier versions do not know them. */
    @Override
    public int storedVectors() {
        return support.blocks().size() - (support.hasIds() ? 0 : 1);
    }

    @Override
    public void checkBlock(int vector, int number, int length) {
        support.checkBlock(vector, number, length);
    }

    @Override
    public void checkBlocks() {
        prepare();
    }

    /**
     * With the linear kernel visits w; otherwise the coefficients of the examples in the order of their first updates,
     * and the means of these coefficients over all w_n.
     */
    @Override
    public void forEachWeight(WeightVisitor visitor) {
        prepare();
        new SupportWeights(support, survivals).show(kernel instanceof Kernel.Linear, hasBias(), visitor);
    }
}
