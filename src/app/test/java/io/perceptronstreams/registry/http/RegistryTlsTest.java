package io.perceptronstreams.registry.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.embedded.Certificates;
import io.perceptronstreams.embedded.SecuredCluster;
import io.perceptronstreams.registry.RegistryUnavailableException;
import io.perceptronstreams.registry.SchemaRegistry;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.HashMap;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RegistryTlsTest {

    private static final String PASSWORD = SecuredCluster.PASSWORD;
    private static final String PREFIX = RegistryConfig.SSL_PREFIX;

    @TempDir
    static Path directory;

    private static Path store;
    private static Path certificate;

    @BeforeAll
    static void makeCertificate() throws Exception {
        var certificates = new Certificates(directory);
        store = certificates.key("localhost", "-ext", "SAN=DNS:localhost");
        certificates.trusting("localhost");
        certificate = directory.resolve("localhost.pem");
    }

    private static StubRegistry server() throws Exception {
        var keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, PASSWORD.toCharArray());
        var context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return StubRegistry.startTls(context).on("GET /schemas/ids/7", 200, "{\"schema\":\"\\\"string\\\"\"}");
    }

    /** A client of a port with TLS and the settings of a trust store, without their prefix. */
    private static SchemaRegistry client(int port, Map<String, Object> trustStore) {
        var settings = new HashMap<String, Object>(Map.of(RegistryConfig.URL, "https://localhost:" + port));
        trustStore.forEach((name, value) -> settings.put(PREFIX + "ssl.truststore." + name, value.toString()));
        return SchemaRegistries.of(settings);
    }

    @Test
    void shouldTrustTheCertificatesOfATrustStore() throws Exception {
        try (var stub = server();
                var registry = client(stub.port(), Map.of("location", store, "password", PASSWORD, "type", "PKCS12"))) {
            assertThat(registry.schema(7)).hasToString("\"string\"");
        }
    }

    @Test
    void shouldTrustTheCertificatesOfAPemFile() throws Exception {
        try (var stub = server();
                var registry = client(stub.port(), Map.of("location", certificate, "type", "PEM"))) {
            assertThat(registry.schema(7)).hasToString("\"string\"");
        }
    }

    @Test
    void shouldNotTrustAnUnknownCertificate() throws Exception {
        try (var stub = server();
                var registry = client(stub.port(), Map.of())) {
            assertThatThrownBy(() -> registry.schema(7)).isInstanceOf(RegistryUnavailableException.class);
            assertThat(stub.asked()).isEmpty();
        }
    }

    @Test
    void shouldNameTheSettingOfAStoreThatIsNotThere() {
        assertThatThrownBy(() -> client(443, Map.of("location", "/no/such.jks", "password", PASSWORD)))
                .isInstanceOf(ConfigException.class)
                .hasMessage("schema.registry.ssl.truststore.location must name a readable file, got /no/such.jks");
    }

    @Test
    void shouldRefuseAWrongStorePassword() {
        assertThatThrownBy(() -> client(443, Map.of("location", store, "type", "PKCS12", "password", "wrong-password")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("check their passwords")
                .hasMessageNotContaining("wrong-password");
    }

    @Test
    void shouldRefuseTlsWhereOnlyHttpAddressesAreGiven() throws Exception {
        HttpClient client =
                HttpClient.newBuilder().sslContext(new UnusedTlsContext()).build();

        try (StubRegistry registry = server()) {
            HttpRequest request = HttpRequest.newBuilder(
                            URI.create("https://localhost:" + registry.port() + "/schemas/ids/7"))
                    .build();
            assertThatThrownBy(() -> client.send(request, HttpResponse.BodyHandlers.ofString()))
                    .hasStackTraceContaining("must not use TLS");
        }
    }
}
