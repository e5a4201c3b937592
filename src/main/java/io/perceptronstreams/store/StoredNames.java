package io.perceptronstreams.store;

import io.perceptronstreams.model.Model;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The stored names of a model and its shadow; determines which parts must be written.
 *
 * <p>Learners append names; settings can replace them before the first update; a reset, an import and a takeover start
 * a new epoch. Names are therefore compared with the stored ones: O(names), mostly of identical references. Names of
 * other epochs are dropped; their records are removed with the range of the epoch.
 *
 * <p>Memory: a list of references per model with names. Not thread-safe.
 */
final class StoredNames {
    /** Receives parts to be written. */
    @FunctionalInterface
    interface Sink {
        /**
         * Accepts a part.
         *
         * @param names encoded by {@link NamesCodec}; null removes the part
         */
        void accept(long epoch, int part, byte[] names);
    }

    // Epochs of the model and its shadow that have names.
    private Map<Long, List<String>> byEpoch = Map.of();

    /** Marks names as stored. */
    void add(long epoch, List<String> names) {
        if (!names.isEmpty()) {
            byEpoch = new HashMap<>(byEpoch);
            byEpoch.put(epoch, List.copyOf(names));
        }
    }

    /** Passes every part that differs from the stored one and marks it as stored. */
    void drainChanged(Model model, Sink sink) {
        Map<Long, List<String>> before = byEpoch;
        byEpoch = Map.of();
        drain(before, model, sink);
        if (model.drift().shadow() != null) {
            drain(before, model.drift().shadow(), sink);
        }
    }

    private void drain(Map<Long, List<String>> before, Model model, Sink sink) {
        long epoch = model.epoch();
        List<String> stored = before.getOrDefault(epoch, List.of());
        List<String> names = model.learner().state().names();
        if (names.isEmpty() && stored.isEmpty()) {
            return;
        }
        int same = 0;
        while (same < Math.min(names.size(), stored.size()) && names.get(same).equals(stored.get(same))) {
            same++;
        }
        int parts = NamesCodec.parts(names.size());
        if (same < Math.max(names.size(), stored.size())) {
            for (int part = same / NamesCodec.PART; part < parts; part++) {
                sink.accept(epoch, part, NamesCodec.encode(names, part));
            }
        }
        for (int part = parts; part < NamesCodec.parts(stored.size()); part++) {
            sink.accept(epoch, part, null);
        }
        add(epoch, names);
    }
}
