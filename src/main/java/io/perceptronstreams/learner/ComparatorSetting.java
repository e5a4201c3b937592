package io.perceptronstreams.learner;

/** What the setting {@code comparator} says about the weights that a model is compared with. */
public final class ComparatorSetting {
    private ComparatorSetting() {}

    /**
     * Makes sure that a model can still follow a new value.
     *
     * @param version that of the model
     * @throws IllegalArgumentException if it cannot
     */
    public static void check(String comparator, long version) {
        if (comparator.equals(Settings.IMPORTED)) {
            throw new IllegalArgumentException("comparator must be a version of the model, or empty for none, got '"
                    + comparator + "' (which an import of weights sets)");
        }
        if (!comparator.isEmpty() && Long.parseLong(comparator) < version) {
            throw new IllegalArgumentException("comparator must be the present version, " + version
                    + ", or a later one, got " + comparator + " (its weights are gone; import them from a snapshot)");
        }
    }

    /** Whether the weights came from elsewhere. */
    public static boolean isImported(Settings settings) {
        return settings.comparator().equals(Settings.IMPORTED);
    }

    /** How many updates from {@code version} on the model's own weights are to be pinned; negative where they are not. */
    public static long updatesUntil(Settings settings, long version) {
        return settings.comparator().isEmpty() || isImported(settings)
                ? -1
                : Long.parseLong(settings.comparator()) - version;
    }
}
