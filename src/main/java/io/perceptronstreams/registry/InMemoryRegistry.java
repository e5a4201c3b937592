package io.perceptronstreams.registry;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.Schema;

/** In-memory registry, for tests and {@code mock://name}: all clients of one name in one JVM share schemas. */
final class InMemoryRegistry implements SchemaRegistry {

    private record Subject(String name, Schema schema) {}

    /** Schemas of one name, guarded by their own monitor. The id of a schema is its index plus 1. */
    private static final class Schemas {
        private final List<Schema> byId = new ArrayList<>();
        private final Set<Subject> subjects = new HashSet<>();
    }

    private static final Map<String, Schemas> BY_NAME = new ConcurrentHashMap<>();

    private final Schemas schemas;
    private final boolean autoRegister;

    private InMemoryRegistry(Schemas schemas, boolean autoRegister) {
        this.schemas = schemas;
        this.autoRegister = autoRegister;
    }

    static InMemoryRegistry named(String name, RegistryConfig settings) {
        return new InMemoryRegistry(BY_NAME.computeIfAbsent(name, any -> new Schemas()), settings.autoRegister());
    }

    @Override
    public Schema schema(int id) {
        synchronized (schemas) {
            if (id < 1 || id > schemas.byId.size()) {
                throw new UnknownSchemaException("schema id " + id + " is unknown to the registry in memory");
            }
            return schemas.byId.get(id - 1);
        }
    }

    @Override
    public int register(String subject, Schema schema) {
        synchronized (schemas) {
            if (!autoRegister && !schemas.subjects.contains(new Subject(subject, schema))) {
                throw new RegistryRefusedException(
                        "subject " + subject + " of the registry in memory has no such schema; set "
                                + RegistryConfig.AUTO_REGISTER + "=true");
            }
            schemas.subjects.add(new Subject(subject, schema));
            if (!schemas.byId.contains(schema)) {
                schemas.byId.add(schema);
            }
            return schemas.byId.indexOf(schema) + 1;
        }
    }

    @Override
    public void close() {
        // other clients may still use the schemas
    }
}
