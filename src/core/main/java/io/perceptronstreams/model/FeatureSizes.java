package io.perceptronstreams.model;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.state.StoredFields;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/**
 * Sizes of at most {@link #FEATURES} features over {@link #EXAMPLES} examples: those that are smallest and largest in
 * an example whose features differ by more than {@link #MAX_RATIO}.
 *
 * <p>The size of a feature is the mean of |x_i| over the observed examples in which it is not 0; the example by which
 * the features were chosen is not one of them. A feature that was small or large by chance has its ordinary size in the
 * others. Cost of {@link #observe}: O(features of x).
 */
final class FeatureSizes {
    /** Ratio of sizes above which the larger features outweigh the others. */
    static final double MAX_RATIO = 100;

    /** Examples in an observation. */
    static final int EXAMPLES = 64;

    /** Chosen features, half of them the smallest ones. */
    static final int FEATURES = 6;

    private static final int MIN_COUNT = 5;

    // empty but during an observation
    private List<Feature> features = List.of();
    private int observed;

    private static final class Feature {
        private int index;
        private int count;
        private double sum;

        void exchange(StoredFields fields) {
            index = fields.upTo(Integer.MAX_VALUE, index);
            count = fields.upTo(EXAMPLES, count);
            sum = fields.number(sum);
        }

        double size() {
            return sum / count;
        }
    }

    /** Returns true while features are chosen. */
    boolean isUnderWay() {
        return !features.isEmpty();
    }

    /** Chooses features of this example, if their sizes differ enough. Cost: O(n log n) if they do, O(n) otherwise. */
    void begin(FeatureVector x) {
        clear();
        double smallest = Double.POSITIVE_INFINITY;
        double largest = 0;
        for (int k = 0; k < x.size(); k++) {
            double size = Math.abs(x.values()[k]);
            if (size > 0) {
                smallest = Math.min(smallest, size);
                largest = Math.max(largest, size);
            }
        }
        // a product, because the quotient may overflow; false without features
        if (largest > MAX_RATIO * smallest) {
            choose(x);
        }
    }

    private void choose(FeatureVector x) {
        features = new ArrayList<>();
        List<Integer> positions = new ArrayList<>();
        for (int k = 0; k < x.size(); k++) {
            if (x.values()[k] != 0) {
                positions.add(k);
            }
        }
        // a stable sort: equal sizes in ascending index
        positions.sort(Comparator.comparingDouble(k -> Math.abs(x.values()[k])));
        int count = positions.size();
        for (int k = 0; k < count; k++) {
            if (k < FEATURES / 2 || k >= count - FEATURES / 2) {
                Feature feature = new Feature();
                feature.index = x.index(positions.get(k));
                features.add(feature);
            }
        }
    }

    /** Returns true if this was the last example of the observation. */
    boolean observe(FeatureVector x) {
        for (int k = 0; k < x.size(); k++) {
            double size = Math.abs(x.values()[k]);
            if (size > 0) {
                for (Feature feature : features) {
                    if (feature.index == x.index(k)) {
                        feature.count++;
                        feature.sum += size;
                    }
                }
            }
        }
        return ++observed >= EXAMPLES;
    }

    /**
     * Describes a ratio of more than {@link #MAX_RATIO}; null if there is none.
     *
     * @param name a text for the feature of an index
     */
    String difference(IntFunction<String> name) {
        Feature smallest = null;
        Feature largest = null;
        for (Feature feature : features) {
            if (feature.count >= MIN_COUNT) {
                smallest = smallest == null || feature.size() < smallest.size() ? feature : smallest;
                largest = largest == null || feature.size() > largest.size() ? feature : largest;
            }
        }
        if (smallest == null || !(largest.size() > MAX_RATIO * smallest.size())) {
            return null;
        }
        return String.format(
                Locale.ROOT,
                "feature %s has a mean size of %.3g, feature %s only of %.3g, and without scaling the larger one decides",
                name.apply(largest.index),
                largest.size(),
                name.apply(smallest.index),
                smallest.size());
    }

    void clear() {
        features = List.of();
        observed = 0;
    }

    void exchange(StoredFields fields) {
        int count = fields.upTo(FEATURES, features.size());
        if (fields.isReading()) {
            features = Stream.generate(Feature::new).limit(count).toList();
        }
        for (Feature feature : features) {
            feature.exchange(fields);
        }
        observed = count == 0 ? 0 : fields.upTo(EXAMPLES, observed);
    }
}
