package io.perceptronstreams.model;

import io.perceptronstreams.evaluation.ClassMetrics;
import io.perceptronstreams.learner.Learner;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Finds the names of the classes of which a model has seen labels. */
final class SeenClasses implements Learner.WeightVisitor {
    private final Set<String> names;

    private SeenClasses(Set<String> names) {
        this.names = names;
    }

    /**
     * Names with a row in the confusion matrix come first. Cost: O(classes^2), and O(weights) if there are more classes
     * than rows.
     */
    static Set<String> of(ClassMetrics metrics, Learner learner) {
        Set<String> names = new LinkedHashSet<>();
        List<String> labels = metrics.labels();
        for (int row = 0; row < labels.size(); row++) {
            if (metrics.seen(row) > 0) {
                names.add(labels.get(row));
            }
        }
        if (metrics.hasOther()) {
            learner.forEachWeight(new SeenClasses(names));
        }
        return names;
    }

    @Override
    public void vector(String name, double bias, double averagedBias) {
        names.add(name);
    }

    @Override
    public void weight(int index, double weight, double averaged) {
        // the names suffice
    }
}
