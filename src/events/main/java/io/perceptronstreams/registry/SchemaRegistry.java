package io.perceptronstreams.registry;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.Schema;

/** Client of a Confluent-compatible registry of Avro schemas. Thread-safe; responses are cached without limit. */
public interface SchemaRegistry extends AutoCloseable {
    /** Setting: whether to register missing schemas. */
    String AUTO_REGISTER = "auto.register.schemas";

    /**
     * Returns the schema with which a record was written.
     *
     * <p>Blocks for one request on the first use of an id, and for a few retries with growing pauses if that fails.
     *
     * @throws UnknownSchemaException if the registry has no valid Avro schema of this id
     * @throws RegistryUnavailableException if no registry is reachable
     * @throws RegistryRefusedException if the registry refuses the request, or is not a registry
     */
    Schema schema(int id);

    /**
     * Returns the id of {@code schema} in {@code subject}. The settings {@value #AUTO_REGISTER} and
     * {@code use.latest.version} decide whether the schema is registered.
     *
     * @throws RegistryRefusedException if the registry refuses or does not have the schema
     * @throws RegistryUnavailableException if no registry is reachable
     */
    int register(String subject, Schema schema);

    /** Aborts requests in flight, which throw {@link RegistryUnavailableException}. Idempotent. */
    @Override
    void close();

    /** In-memory registry, for tests and {@code mock://name}: all clients of one name in one JVM share schemas. */
    final class InMemory implements SchemaRegistry {

        private record Subject(String name, Schema schema) {}

        /** Schemas of one name, guarded by their own monitor. The id of a schema is its index plus 1. */
        private static final class Schemas {
            private final List<Schema> byId = new ArrayList<>();
            private final Set<Subject> subjects = new HashSet<>();
        }

        private static final Map<String, Schemas> BY_NAME = new ConcurrentHashMap<>();

        private final Schemas schemas;
        private final boolean autoRegister;

        private InMemory(Schemas schemas, boolean autoRegister) {
            this.schemas = schemas;
            this.autoRegister = autoRegister;
        }

        /**
         * Returns a client of the schemas of this name.
         *
         * @param autoRegister whether to register missing schemas
         */
        public static SchemaRegistry named(String name, boolean autoRegister) {
            return new InMemory(BY_NAME.computeIfAbsent(name, any -> new Schemas()), autoRegister);
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
                    throw new RegistryRefusedException("subject " + subject
                            + " of the registry in memory has no such schema; set " + AUTO_REGISTER + "=true");
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
}
