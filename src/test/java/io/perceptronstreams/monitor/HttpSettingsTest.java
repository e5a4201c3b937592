package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings that the HTTP server refuses. */
final class HttpSettingsTest {
    private static void check(String... settings) {
        HttpSettings.check(TestServer.config(settings));
    }

    @Test
    void shouldNotListenToEverybodyWithoutCredentials() {
        assertThatExceptionOfType(MonitorException.class)
                .isThrownBy(() -> check("http.host=0.0.0.0"))
                .withMessageContaining("--insecure");
        check("http.host=0.0.0.0", "http.insecure=true");
    }

    @Test
    void shouldNotSendCredentialsOverPlainHttpUnlessToldSo() {
        assertThatExceptionOfType(MonitorException.class)
                .isThrownBy(() -> check("http.host=0.0.0.0", "http.auth=bearer:x"))
                .withMessageContaining("without TLS")
                .withMessageContaining("--insecure");
        check("http.host=0.0.0.0", "http.auth=bearer:x", "http.insecure=true");
        check("http.host=0.0.0.0", "http.auth=bearer:x", "http.ssl.keystore.location=any");
        check("http.auth=bearer:x");
    }

    @Test
    void shouldNotAcceptEventsWithoutCredentials() {
        assertThatExceptionOfType(MonitorException.class)
                .isThrownBy(() -> check("http.write=true"))
                .withMessageContaining("http.auth must be set with http.write=true");
    }

    @ParameterizedTest
    @ValueSource(strings = {"user:s3cret", "basic:s3cret", "bearer:s3 cret", "digest:a:s3cret", "basic::s3cret"})
    void shouldRefuseCredentialsThatItCannotAskForWithoutPrintingThem(String auth) {
        assertThatExceptionOfType(MonitorException.class)
                .isThrownBy(() -> check("http.auth=" + auth))
                .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("s3"));
    }

    @Test
    void shouldNameAPortThatIsInUse() {
        try (TestServer server = TestServer.open()) {
            assertThatExceptionOfType(MonitorException.class)
                    .isThrownBy(() -> new TestServer(TestServer.config(), server.http.port()))
                    .withMessageContaining("http.port must be free, got " + server.http.port());
        }
    }
}
