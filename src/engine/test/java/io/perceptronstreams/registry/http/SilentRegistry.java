package io.perceptronstreams.registry.http;

import io.perceptronstreams.registry.RegistryUnavailableException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.EventSchemas;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.Schema;

/** A registry that answers some ids, all with the schema of Example, and is silent on the others. */
public final class SilentRegistry implements SchemaRegistry {
    private final Set<Integer> answered = ConcurrentHashMap.newKeySet();

    public SilentRegistry(int id) {
        answered.add(id);
    }

    /** Answers an id from now on. */
    public void answer(int id) {
        answered.add(id);
    }

    @Override
    public Schema schema(int id) {
        if (!answered.contains(id)) {
            throw new RegistryUnavailableException("no registry answers", null);
        }
        return EventSchemas.schema("Example");
    }

    @Override
    public int register(String subject, Schema schema) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        // nothing is open
    }
}
