package io.perceptronstreams.store;

import io.perceptronstreams.model.Model;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The names of a model, and of its shadow, as the store holds them: finds the parts that must be written.
 *
 * <p>Learners append names, but settings replace them as long as nothing was learned, and a reset, an import and a takeover begin another
 * epoch. So names are compared with those that are stored, one by one: O(names), mostly of references to the same string. Names of an
 * epoch that is neither the model's nor its shadow's are forgotten; their records vanish with the range of the epoch.
 *
 * <p>Memory: a list of references, for models with names only. Not thread-safe.
 */
final class StoredNames {
    /** Takes what must be written. */
    @FunctionalInterface
    interface Sink {
        /**
         * Takes a part.
         *
         * @param names as {@link NamesCodec} encodes them; null where the part is to be removed
         */
        void accept(long epoch, int part, byte[] names);
    }

    // The model's and its shadow's; without those that have no names.
    private Map<Long, List<String>> byEpoch = Map.of();

    /** Notes that these names are stored. */
    void add(long epoch, List<String> names) {
        if (!names.isEmpty()) {
            byEpoch = new HashMap<>(byEpoch);
            byEpoch.put(epoch, List.copyOf(names));
        }
    }

    /** Hands over every part that differs from the stored one, and regards it as stored from then on. */
    void drainChanged(Model model, Sink sink) {
        Map<Long, List<String>> before = byEpoch;
        byEpoch = Map.of();
        drain(before, model, sink);
        if (model.shadow() != null) {
            drain(before, model.shadow(), sink);
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
