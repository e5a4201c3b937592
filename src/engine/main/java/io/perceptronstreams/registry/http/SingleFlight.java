package io.perceptronstreams.registry.http;

import io.perceptronstreams.registry.RegistryUnavailableException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/**
 * A cache that loads each key once, even if several threads request it. Values are never evicted. A failure is thrown
 * to all waiting threads and not cached.
 */
final class SingleFlight<K, V> {

    private final ConcurrentMap<K, FutureTask<V>> answers = new ConcurrentHashMap<>();

    V get(K key, Supplier<V> load) {
        var task = answers.get(key);
        if (task == null) {
            var created = new FutureTask<>(load::get);
            task = answers.putIfAbsent(key, created);
            if (task == null) {
                task = created;
                created.run();
            }
        }
        try {
            return task.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RegistryUnavailableException("interrupted while waiting for the schema registry", e);
        } catch (ExecutionException e) {
            answers.remove(key, task);
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        }
    }
}
