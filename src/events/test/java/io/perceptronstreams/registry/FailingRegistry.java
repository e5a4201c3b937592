package io.perceptronstreams.registry;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.avro.Schema;

/** A registry whose next requests for a schema fail. */
public final class FailingRegistry implements SchemaRegistry {
    private final SchemaRegistry registry;
    private final AtomicInteger failuresLeft = new AtomicInteger();
    private final AtomicInteger asked = new AtomicInteger();

    public FailingRegistry(SchemaRegistry registry, int failures) {
        this.registry = registry;
        failNext(failures);
    }

    /** Fails for a number of requests from now on. */
    public void failNext(int failures) {
        failuresLeft.set(failures);
    }

    /** How often it was asked for a schema. */
    public int asked() {
        return asked.get();
    }

    @Override
    public Schema schema(int id) {
        asked.incrementAndGet();
        if (failuresLeft.getAndDecrement() > 0) {
            throw new RegistryUnavailableException("no registry answers", null);
        }
        return registry.schema(id);
    }

    @Override
    public int register(String subject, Schema schema) {
        return registry.register(subject, schema);
    }

    @Override
    public void close() {
        // the owner of the wrapped registry closes it
    }
}
