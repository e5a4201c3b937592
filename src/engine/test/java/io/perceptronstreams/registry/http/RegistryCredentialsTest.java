package io.perceptronstreams.registry.http;

import static io.perceptronstreams.registry.http.StubRegistry.SCHEMA;
import static io.perceptronstreams.registry.http.StubRegistry.STORED;
import static io.perceptronstreams.registry.http.StubRegistry.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.registry.RegistryRefusedException;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How credentials are sent to a registry, and that no other server gets them. */
final class RegistryCredentialsTest {
    @RegisterExtension
    private final StubRegistry stub = new StubRegistry();

    @Test
    void shouldSendUserAndPassword() {
        stub.on("GET /schemas/ids/7", 200, STORED);
        // echo -n me:secret | base64
        try (var registry =
                stub.client(RegistryConfig.BASIC_SOURCE, "USER_INFO", RegistryConfig.BASIC_USER_INFO, "me:secret")) {
            registry.schema(7);
        }
        assertThat(stub.asked().get(0).authorization()).isEqualTo("Basic bWU6c2VjcmV0");
    }

    @Test
    void shouldTakeUserAndPasswordFromTheAddressAndNotShowThem() {
        stub.on("GET /schemas/ids/7", 404, UNKNOWN);
        try (var registry = stub.client(RegistryConfig.URL, "http://me:s%65cret@localhost:" + stub.port())) {
            assertThatThrownBy(() -> registry.schema(7)).hasMessageNotContaining("cret");
        }
        assertThat(stub.asked().get(0).authorization()).isEqualTo("Basic bWU6c2VjcmV0");
    }

    @Test
    void shouldSendTheBearerToken() {
        stub.on("GET /schemas/ids/7", 200, STORED);
        try (var registry =
                stub.client(RegistryConfig.BEARER_SOURCE, "STATIC_TOKEN", RegistryConfig.BEARER_TOKEN, "t0ken")) {
            registry.schema(7);
        }
        assertThat(stub.asked().get(0).authorization()).isEqualTo("Bearer t0ken");
    }

    @Test
    void shouldSayWhichCredentialsToCheckWhenRefused() {
        stub.on("POST /subjects/a-value/versions", 401, "{\"error_code\":401,\"message\":\"Unauthorized\"}");
        try (var registry = stub.client()) {
            assertThatThrownBy(() -> registry.register("a-value", SCHEMA))
                    .isInstanceOf(RegistryRefusedException.class)
                    .hasMessage("schema registry refuses: " + stub.url()
                            + "/subjects/a-value/versions answered 401: Unauthorized; "
                            + "check basic.auth.user.info or bearer.auth.token and the permissions of that user");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 307, 308})
    void shouldFollowNoRedirectAndTakeNoCredentialsElsewhere(int status) throws IOException {
        try (var other = StubRegistry.start().on("GET /schemas/ids/7", 200, STORED);
                var registry = stub.client(
                        RegistryConfig.BASIC_SOURCE, "USER_INFO", RegistryConfig.BASIC_USER_INFO, "me:secret")) {
            stub.on("GET /schemas/ids/7", status, other.url() + "/schemas/ids/7");
            assertThatThrownBy(() -> registry.schema(7))
                    .isInstanceOf(RegistryRefusedException.class)
                    .hasMessage("schema registry refuses: " + stub.url() + "/schemas/ids/7 answered " + status
                            + ", a redirect to " + other.url() + "/schemas/ids/7; redirects are not followed, as they"
                            + " could carry credentials elsewhere; set schema.registry.url to the final address if it"
                            + " is the right one");
            assertThat(other.asked()).isEmpty();
        }
    }
}
