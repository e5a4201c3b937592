package io.perceptronstreams.registry.http;

import io.perceptronstreams.registry.SchemaRegistry;
import java.util.Map;

/** Clients of the registry that settings name. */
public final class SchemaRegistries {
    private SchemaRegistries() {}

    /**
     * Creates a client, which connects on first use; see {@link RegistryConfig} for the keys.
     *
     * @throws org.apache.kafka.common.config.ConfigException if a setting is missing or invalid
     */
    public static SchemaRegistry of(Map<String, ?> settings) {
        var parsed = RegistryConfig.of(settings);
        return parsed.mockName()
                .map(name -> SchemaRegistry.InMemory.named(name, parsed.autoRegister()))
                .orElseGet(() -> new HttpRegistry(parsed, new RegistryHttpClient(parsed)));
    }
}
