package io.perceptronstreams.settings;

/** Interprets the setting {@code comparator}: which weights a model is compared with. */
public final class ComparatorSetting {
    private ComparatorSetting() {}

    /**
     * Checks that a new value is possible at the model's version.
     *
     * @throws IllegalArgumentException if it is not
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

    /** Returns true if the weights were imported. */
    public static boolean isImported(Settings settings) {
        return settings.get(Settings.COMPARATOR).equals(Settings.IMPORTED);
    }

    /** Number of updates from {@code version} until the model's own weights are pinned; negative if they are not. */
    public static long updatesUntil(Settings settings, long version) {
        return settings.get(Settings.COMPARATOR).isEmpty() || isImported(settings)
                ? -1
                : Long.parseLong(settings.get(Settings.COMPARATOR)) - version;
    }
}
