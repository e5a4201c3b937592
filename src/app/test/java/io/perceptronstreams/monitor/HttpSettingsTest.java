package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.perceptronstreams.config.InvalidConfigException;
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

    @Test
    void shouldTakeATokensFileOrAnIssuerForCredentials() {
        check("http.write=true", "http.tokens.file=any");
        String[] issuer = {"http.oidc.issuer=https://issuer.example", "http.oidc.audience=perceptron"};
        check("http.write=true", issuer[0], issuer[1]);
        assertThatExceptionOfType(MonitorException.class)
                .isThrownBy(() -> check("http.host=0.0.0.0", "http.tokens.file=any"))
                .withMessageContaining("without TLS");
        for (String alone : issuer) {
            assertThatExceptionOfType(MonitorException.class)
                    .isThrownBy(() -> check(alone))
                    .withMessageContaining("must be set together");
        }
        for (String wrong : new String[] {"http://issuer.example", "issuer", "https://issuer.example?a=b"}) {
            assertThatExceptionOfType(InvalidConfigException.class)
                    .isThrownBy(() -> check("http.oidc.issuer=" + wrong, issuer[1]))
                    .withMessageContaining("http.oidc.issuer must be an https:// address");
        }
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
