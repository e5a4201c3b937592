package io.perceptronstreams.registry;

import java.util.Map;
import org.apache.avro.Schema;

/** Avro schemas by id, and ids by schema, from a Confluent-compatible registry. Thread-safe; answers are cached for ever. */
public interface SchemaRegistry extends AutoCloseable {

    /**
     * The schema that a record was written with.
     *
     * <p>Blocks for one request the first time an id is seen, and for a few more with growing pauses if that fails.
     *
     * @throws UnknownSchemaException if the registry has no such id, or it is no Avro schema that can be read
     * @throws RegistryUnavailableException if no registry could be asked
     * @throws RegistryRefusedException if the registry refuses to answer: wrong credentials, or it is not a registry
     */
    Schema schema(int id);

    /**
     * The id under which {@code schema} stands in {@code subject}; how it gets there is up to the settings {@link
     * RegistryConfig#AUTO_REGISTER} and {@link RegistryConfig#USE_LATEST}.
     *
     * @throws RegistryRefusedException if the registry does not take the schema, or does not have it
     * @throws RegistryUnavailableException if no registry could be asked
     */
    int register(String subject, Schema schema);

    /** Ends requests under way; they throw {@link RegistryUnavailableException}. Calling it twice is harmless. */
    @Override
    void close();

    /**
     * A client for these settings; see {@link RegistryConfig} for their names. It connects on first use.
     *
     * @throws org.apache.kafka.common.config.ConfigException if a setting is missing or wrong
     */
    static SchemaRegistry of(Map<String, ?> settings) {
        var parsed = RegistryConfig.of(settings);
        return parsed.mockName()
                .<SchemaRegistry>map(name -> InMemoryRegistry.named(name, parsed))
                .orElseGet(() -> new HttpRegistry(parsed, new RegistryHttpClient(parsed)));
    }
}
