package io.perceptronstreams.registry;

import java.util.Map;
import org.apache.avro.Schema;

/** Client of a Confluent-compatible registry of Avro schemas. Thread-safe; responses are cached without limit. */
public interface SchemaRegistry extends AutoCloseable {

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
     * Returns the id of {@code schema} in {@code subject}. The settings {@link RegistryConfig#AUTO_REGISTER} and {@link
     * RegistryConfig#USE_LATEST} decide whether the schema is registered.
     *
     * @throws RegistryRefusedException if the registry refuses or does not have the schema
     * @throws RegistryUnavailableException if no registry is reachable
     */
    int register(String subject, Schema schema);

    /** Aborts requests in flight, which throw {@link RegistryUnavailableException}. Idempotent. */
    @Override
    void close();

    /**
     * Creates a client, which connects on first use; see {@link RegistryConfig} for the keys.
     *
     * @throws org.apache.kafka.common.config.ConfigException if a setting is missing or invalid
     */
    static SchemaRegistry of(Map<String, ?> settings) {
        var parsed = RegistryConfig.of(settings);
        return parsed.mockName()
                .<SchemaRegistry>map(name -> InMemoryRegistry.named(name, parsed))
                .orElseGet(() -> new HttpRegistry(parsed, new RegistryHttpClient(parsed)));
    }
}
