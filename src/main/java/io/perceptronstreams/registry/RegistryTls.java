package io.perceptronstreams.registry;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.security.ssl.DefaultSslEngineFactory;

/** TLS context from key and trust stores of type JKS, PKCS12 and PEM, configured as in Kafka's clients. */
final class RegistryTls {

    private static final ConfigDef NAMES = new ConfigDef().withClientSslSupport();

    private RegistryTls() {}

    /**
     * Creates the TLS context.
     *
     * @param ssl {@code ssl.truststore.location} and similar keys
     * @throws ConfigException if a store cannot be read
     */
    static SSLContext context(Map<String, String> ssl) {
        mustBeReadable(ssl, SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG);
        mustBeReadable(ssl, SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG);
        try (var engines = new DefaultSslEngineFactory()) {
            engines.configure(NAMES.parse(ssl));
            return engines.sslContext();
        } catch (KafkaException e) {
            if (e instanceof ConfigException) {
                throw e;
            }
            String reason = e.getCause() == null ? e.getMessage() : e.getCause().getMessage();
            throw new ConfigException("stores of " + RegistryConfig.SSL_PREFIX + "ssl.* must be readable: " + reason
                    + "; check their passwords and types");
        }
    }

    private static void mustBeReadable(Map<String, String> ssl, String name) {
        String location = ssl.get(name);
        if (location != null && !Files.isReadable(Path.of(location))) {
            throw new ConfigException(RegistryConfig.SSL_PREFIX + name + " must name a readable file, got " + location);
        }
    }
}
