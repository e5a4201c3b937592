package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings that the HTTP server refuses. */
final class HttpSettingsTest {
    @Test
    void shouldNotListenToEverybodyWithoutCredentials() {
        HttpSettings open = new HttpSettings("0.0.0.0", 0, null, false, Map.of(), List.of(), 1, 1, 1);

        assertThatExceptionOfType(MonitorException.class)
                .isThrownBy(open::check)
                .withMessageContaining("--insecure");
        new HttpSettings("0.0.0.0", 0, null, true, Map.of(), List.of(), 1, 1, 1).check();
    }

    @Test
    void shouldNotSendCredentialsOverPlainHttpUnlessToldSo() {
        HttpSettings plain = new HttpSettings("0.0.0.0", 0, "bearer:x", false, Map.of(), List.of(), 1, 1, 1);

        assertThatExceptionOfType(MonitorException.class)
                .isThrownBy(plain::check)
                .withMessageContaining("without TLS")
                .withMessageContaining("--insecure");
        new HttpSettings("0.0.0.0", 0, "bearer:x", true, Map.of(), List.of(), 1, 1, 1).check();
        Map<String, String> tls = Map.of("ssl.keystore.location", "any");
        new HttpSettings("0.0.0.0", 0, "bearer:x", false, tls, List.of(), 1, 1, 1).check();
        new HttpSettings("127.0.0.1", 0, "bearer:x", false, Map.of(), List.of(), 1, 1, 1).check();
    }

    @ParameterizedTest
    @ValueSource(strings = {"user:s3cret", "basic:s3cret", "bearer:s3 cret", "digest:a:s3cret", "basic::s3cret"})
    void shouldRefuseCredentialsThatItCannotAskForWithoutPrintingThem(String auth) {
        HttpSettings settings = TestServer.settings(auth, Map.of());

        assertThatExceptionOfType(MonitorException.class)
                .isThrownBy(settings::check)
                .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("s3"));
        assertThat(settings.toString()).doesNotContain("s3");
    }

    @Test
    void shouldNameAPortThatIsInUse() {
        try (TestServer server = TestServer.open()) {
            HttpSettings taken =
                    new HttpSettings("127.0.0.1", server.http.port(), null, false, Map.of(), List.of(), 1, 10, 1);

            assertThatExceptionOfType(MonitorException.class)
                    .isThrownBy(() -> new TestServer(taken))
                    .withMessageContaining("http.port must be free, got " + server.http.port());
        }
    }
}
