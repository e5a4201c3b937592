package io.perceptronstreams.algorithm;

import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.settings.Settings;
import java.util.List;

/** The names of a model's classes, as far as its settings determine them before it has seen labels. */
public final class ClassNames {
    private ClassNames() {}

    /**
     * Checks that {@code class.weights} names classes that the model can have.
     *
     * @param present settings before the change; a fault that they have, too, is accepted
     * @param learner of the changed settings
     * @throws IllegalArgumentException naming the first one that is none
     */
    public static void requireWeighted(Settings changed, Settings present, Algorithm learner) {
        String fault = fault(changed, learner);
        if (fault != null && !fault.equals(fault(present, learner))) {
            throw new IllegalArgumentException(fault);
        }
    }

    private static String fault(Settings settings, Algorithm learner) {
        List<String> names = of(settings, learner);
        if (names.isEmpty() || !learner.uses(Settings.CLASS_WEIGHTS)) {
            return null;
        }
        for (String given : settings.get(Settings.CLASS_WEIGHTS).given().keySet()) {
            if (!names.contains(given)) {
                boolean hasNames = !settings.get(Settings.LABELS).isEmpty()
                        || !settings.get(Settings.CLASSES).isEmpty();
                return "class.weights must be for classes of the model, " + String.join(", ", names) + ", got '" + given
                        + "'" + (hasNames ? "" : " (labels, in the same change, names the two classes)");
            }
        }
        return null;
    }

    /** The names as {@link Learner#className} returns them; empty if the labels to come decide. */
    static List<String> of(Settings settings, Algorithm learner) {
        boolean isTwoClass = learner.uses(Settings.LABELS);
        if (isTwoClass && !settings.get(Settings.LABELS).isEmpty()) {
            return settings.get(Settings.LABELS);
        }
        if (learner.has(Algorithm.Trait.SEVERAL_CLASSES) || !learner.isDecided()) {
            return settings.get(Settings.CLASSES);
        }
        if (!isTwoClass) {
            return List.of();
        }
        return switch (settings.get(Settings.NEGATIVE_LABEL)) {
            case AUTO -> List.of("-1", "0", "1");
            case MINUS_ONE -> List.of("-1", "1");
            case ZERO -> List.of("0", "1");
        };
    }
}
