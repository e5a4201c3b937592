package io.perceptronstreams.registry.http;

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
public final class TlsContext {

    private static final ConfigDef NAMES = new ConfigDef().withClientSslSupport();

    private TlsContext() {}

    /**
     * Creates the TLS context.
     *
     * @param ssl {@code ssl.truststore.location} and similar keys
     * @param prefix of these keys in the settings of the user, for messages
     * @throws ConfigException if a store cannot be read
     */
    public static SSLContext of(Map<String, String> ssl, String prefix) {
        mustBeReadable(ssl, prefix, SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG);
        mustBeReadable(ssl, prefix, SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG);
        try (var engines = new DefaultSslEngineFactory()) {
            engines.configure(NAMES.parse(ssl));
            return engines.sslContext();
        } catch (KafkaException e) {
            if (e instanceof ConfigException) {
                throw e;
            }
            String reason = e.getCause() == null ? e.getMessage() : e.getCause().getMessage();
            throw new ConfigException(
                    "stores of " + prefix + "ssl.* must be readable: " + reason + "; check their passwords and types");
        }
    }

    private static void mustBeReadable(Map<String, String> ssl, String prefix, String name) {
        String location = ssl.get(name);
        if (location != null && !Files.isReadable(Path.of(location))) {
            throw new ConfigException(prefix + name + " must name a readable file, got " + location);
        }
    }
}
