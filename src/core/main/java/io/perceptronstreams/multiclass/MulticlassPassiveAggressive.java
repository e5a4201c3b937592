package io.perceptronstreams.multiclass;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.settings.Settings;
import java.util.Arrays;

/**
 * Passive-Aggressive updates for several classes: the smallest change of all vectors after which the true class leads
 * every other one by 1, or by as much of it as C allows.
 *
 * <p>SPA-I of Matsushima, Shimizu, Yoshida, Ninomiya and Nakagawa 2010 (Exact Passive-Aggressive Algorithm for
 * Multiclass Classification Using Support Class): min sum of |w'_c - w_c|^2/2 + C·xi with (w'_y - w'_c)·x >= 1 - xi for
 * all other classes c. With the losses l_c = 1 - (w_y·x - w_c·x), the largest of them l, and q = |x|^2: w_y += A·x and
 * w_c -= alpha_c·x, where A is the sum of all alpha_c, and alpha_c = max(0, top - (l - l_c)/q). Here top is the number
 * for which top = l/q - A, or if A would be larger than C, that for which A = C. The classes with alpha_c > 0, the
 * support classes, are those of the largest losses.
 *
 * <p>A lead of 0 or less is a mistake, one below 1 a margin mistake. Scores, classes, averages, state and ties are
 * those of {@link MulticlassPerceptron}. The weight of an example multiplies C. An example without features and bias
 * cannot get a lead and changes no vector, nor does one of the only class.
 *
 * <p>Cost of an update: O(non-zeros of x · support classes), and sorting the losses above 0.
 */
public final class MulticlassPassiveAggressive extends MulticlassPerceptron {
    private double[] gaps = new double[0];

    public MulticlassPassiveAggressive(Settings settings) {
        super(settings);
    }

    @Override
    double hinge() {
        return 1;
    }

    @Override
    boolean isInclusive() {
        return false;
    }

    @Override
    void choose(ClassChange change, int truth, int rival, double weight) {
        double q = squaredLength();
        int count = count();
        if (rival < 0 || q == 0) {
            return;
        }
        double own = truth < count ? score(truth) : 0;
        double largest = 1 - (own - score(rival));
        double top = top(truth, rival, largest, q, settings().get(Settings.C) * weight);
        double sum = 0;
        for (int c = 0; c < count; c++) {
            sum += c == truth ? 0 : step(top, rival, c, q);
        }
        if (!Double.isFinite(sum)) {
            throw new RejectedException(
                    RejectReason.SCORE_OVERFLOW,
                    "the step loss/|x|^2 of an update must be finite, got |x|^2 = " + q + " (scale the features up)");
        }
        if (sum == 0) {
            return;
        }
        change.add(truth, sum);
        for (int c = 0; c < count; c++) {
            double step = c == truth ? 0 : step(top, rival, c, q);
            if (step > 0) {
                change.add(c, -step);
            }
        }
    }

    private double step(double top, int rival, int c, double q) {
        return Math.max(0, top - (score(rival) - score(c)) / q);
    }

    /**
     * The step of the class with the largest loss.
     *
     * <p>Differences of losses, not losses, are compared with the maximum step: where it is small, sums of losses round
     * it away.
     */
    private double top(int truth, int rival, double largest, double q, double cost) {
        int count = count();
        if (gaps.length < count) {
            gaps = new double[count];
        }
        int size = 0;
        for (int c = 0; c < count; c++) {
            double gap = score(rival) - score(c);
            if (c != truth && gap < largest) {
                gaps[size++] = gap;
            }
        }
        Arrays.sort(gaps, 0, size);
        // with m support classes, A = (sum of their losses)/(q·(m + 1))
        double sum = 0;
        double lead = 0;
        for (int m = 0; m < size && (m == 0 || gaps[m] < largest - lead); m++) {
            sum += largest - gaps[m];
            lead = sum / (m + 2);
        }
        if (lead <= cost * q) {
            return (largest - lead) / q;
        }
        sum = 0;
        double top = 0;
        for (int m = 0; m < size && (m == 0 || gaps[m] / q < top); m++) {
            sum += gaps[m] / q;
            top = (cost + sum) / (m + 1);
        }
        return top;
    }

    @Override
    public long heapBytes() {
        return super.heapBytes() + 8L * gaps.length;
    }

    @Override
    public String name() {
        return "a multiclass passive-aggressive learner";
    }
}
