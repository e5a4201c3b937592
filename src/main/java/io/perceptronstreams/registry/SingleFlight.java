package io.perceptronstreams.registry;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/**
 * A cache that asks once for each key, however many threads want it, and never forgets an answer. A failure is seen by all
 * who waited for it and is not kept.
 */
final class SingleFlight<K, V> {

    private final ConcurrentMap<K, FutureTask<V>> answers = new ConcurrentHashMap<>();

    V get(K key, Supplier<V> ask) {
        var known = answers.get(key);
        if (known == null) {
            var mine = new FutureTask<>(ask::get);
            known = answers.putIfAbsent(key, mine);
            if (known == null) {
                known = mine;
                mine.run();
            }
        }
        try {
            return known.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RegistryUnavailableException("interrupted while waiting for the schema registry", e);
        } catch (ExecutionException e) {
            answers.remove(key, known);
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        }
    }
}
