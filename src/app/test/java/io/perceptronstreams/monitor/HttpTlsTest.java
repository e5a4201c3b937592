package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.perceptronstreams.embedded.Certificates;
import io.perceptronstreams.embedded.SecuredCluster;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The monitor over TLS. */
final class HttpTlsTest {
    @Test
    void shouldSpeakTls(@TempDir Path directory) throws Exception {
        Path store = new Certificates(directory).key("localhost");
        SSLContext trusting = SSLContext.getInstance("TLS");
        trusting.init(null, new TrustManager[] {new TrustsAll()}, null);
        try (TestServer server = TestServer.open(
                        "http.ssl.keystore.location=" + store,
                        "http.ssl.keystore.password=" + SecuredCluster.PASSWORD,
                        "http.ssl.key.password=" + SecuredCluster.PASSWORD,
                        "http.ssl.keystore.type=PKCS12");
                SSLSocket socket =
                        (SSLSocket) trusting.getSocketFactory().createSocket("127.0.0.1", server.http.port())) {
            TestServer.write(socket, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            assertThat(TestServer.rest(socket)).startsWith("HTTP/1.1 200");
            assertThat(server.http.url()).startsWith("https://");
            assertThat(server.get("/healthz")).doesNotContain("200");
        }
    }

    @Test
    void shouldRefuseAKeystoreThatCannotBeReadWithoutPrintingThePassword() {
        assertThatExceptionOfType(MonitorException.class)
                .isThrownBy(() ->
                        TestServer.open("http.ssl.keystore.location=/nowhere.p12", "http.ssl.keystore.password=s3cret"))
                .withMessageContaining("/nowhere.p12")
                .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("s3cret"));
    }

    private static final class TrustsAll implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {
            // the test's own certificate
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
