package io.perceptronstreams.kernel;

import io.perceptronstreams.learner.Sample;
import io.perceptronstreams.settings.Kernel;
import io.perceptronstreams.settings.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A naive kernel perceptron for comparison: computes every score and inner product separately. */
final class NaiveDual {
    record Term(Sample x, double alpha) {}

    final List<Term> terms = new ArrayList<>();
    final List<Integer> counts = new ArrayList<>();

    private final Settings settings;
    private final Kernel kernel;

    NaiveDual(Settings settings) {
        this.settings = settings;
        kernel = settings.get(Settings.KERNEL_EXPRESSION).isEmpty()
                ? new Kernel.Linear()
                : Kernel.parse(settings.get(Settings.KERNEL_EXPRESSION));
    }

    double k(Sample x, Sample z) {
        double bias = settings.get(Settings.BIAS) ? 1 : 0;
        return kernel.at(dot(x, z) + bias, dot(x, x) + bias, dot(z, z) + bias);
    }

    private static double dot(Sample x, Sample z) {
        Map<Integer, Double> values = new TreeMap<>();
        for (int k = 0; k < z.indices.length; k++) {
            values.put(z.indices[k], z.values[k]);
        }
        double sum = 0;
        for (int k = 0; k < x.indices.length; k++) {
            sum += x.values[k] * values.getOrDefault(x.indices[k], 0.0);
        }
        return sum;
    }

    /** The score of the vector of the first n terms. */
    double score(int n, Sample x) {
        double sum = 0;
        for (int term = 0; term < n; term++) {
            sum += terms.get(term).alpha() * k(terms.get(term).x(), x);
        }
        return sum;
    }

    double last(Sample x) {
        return score(terms.size(), x);
    }

    /** Σ c_n·u_n, not divided. */
    double averaged(Sample x) {
        double sum = 0;
        for (int n = 1; n <= terms.size(); n++) {
            sum += counts.get(n - 1) * score(n, x);
        }
        return sum;
    }

    /** Σ c_n·sign(u_n), not divided. */
    double voted(Sample x) {
        double sum = 0;
        for (int n = 1; n <= terms.size(); n++) {
            sum += counts.get(n - 1) * (score(n, x) >= 0 ? 1 : -1);
        }
        return sum;
    }

    int survivals() {
        return counts.stream().mapToInt(count -> count).sum();
    }

    double squaredNorm() {
        double sum = 0;
        for (Term s : terms) {
            for (Term t : terms) {
                sum += s.alpha() * t.alpha() * k(s.x(), t.x());
            }
        }
        return sum;
    }

    void learn(Sample x) {
        double margin = x.y * last(x);
        if (margin > 0 && margin >= settings.get(Settings.H)) {
            counts.set(counts.size() - 1, counts.get(counts.size() - 1) + 1);
            return;
        }
        while (settings.get(Settings.BUDGET) > 0 && terms.size() >= settings.get(Settings.BUDGET)) {
            int leaving = settings.get(Settings.BUDGET_POLICY) == Settings.BudgetPolicy.OLDEST ? 0 : smallest();
            terms.remove(leaving);
            int count = counts.remove(leaving);
            if (leaving > 0) {
                counts.set(leaving - 1, counts.get(leaving - 1) + count);
            }
        }
        terms.add(new Term(x, settings.get(Settings.ETA) * x.weight * x.y));
        counts.add(settings.get(Settings.SURVIVAL_START));
    }

    private int smallest() {
        int smallest = 0;
        for (int place = 1; place < terms.size(); place++) {
            smallest = size(place) < size(smallest) ? place : smallest;
        }
        return smallest;
    }

    private double size(int place) {
        Term term = terms.get(place);
        return term.alpha() * term.alpha() * k(term.x(), term.x());
    }
}
