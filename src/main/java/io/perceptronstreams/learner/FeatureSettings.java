package io.perceptronstreams.learner;

import io.perceptronstreams.example.Crosses;
import io.perceptronstreams.example.FeatureRules;
import java.util.ArrayList;
import java.util.List;

/**
 * Settings for the features of an example: which of them a model uses, and which it crosses.
 *
 * @param crosses text of {@link Crosses}; empty for none
 * @param crossesMax maximum number of features that crosses make of an example
 * @param ignored namespaces whose features are not used
 * @param kept the only namespaces whose features are used; empty for all
 */
public record FeatureSettings(String crosses, int crossesMax, List<String> ignored, List<String> kept) {
    /** Keeps unmodifiable copies of the namespaces. */
    public FeatureSettings {
        ignored = List.copyOf(ignored);
        kept = List.copyOf(kept);
    }

    /** Faults of settings that contradict each other. */
    List<String> faults() {
        List<String> faults = new ArrayList<>();
        if (!ignored.isEmpty() && !kept.isEmpty()) {
            faults.add("namespaces.ignore must be empty where namespaces.keep is not, got '" + String.join(",", ignored)
                    + "' and '" + String.join(",", kept) + "'");
        } else if (!crosses.isEmpty()) {
            for (String name : Crosses.parse(crosses).names()) {
                if (ignored.contains(name) || !(kept.isEmpty() || kept.contains(name))) {
                    faults.add("crosses must be of namespaces that are used, got '" + name + "', which "
                            + (kept.isEmpty() ? "namespaces.ignore has" : "namespaces.keep lacks"));
                }
            }
        }
        return faults;
    }

    /** Returns null if there are no rules. */
    FeatureRules rules() {
        return FeatureRules.of(crosses, crossesMax, ignored, kept);
    }
}
