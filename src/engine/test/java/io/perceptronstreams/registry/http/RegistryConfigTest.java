package io.perceptronstreams.registry.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.types.Password;
import org.junit.jupiter.api.Test;

final class RegistryConfigTest {

    private static final String URL = "http://localhost:8081";

    @Test
    void shouldTakeValuesAsConfigDefParsesThem() {
        var settings = RegistryConfig.of(Map.of(
                RegistryConfig.URL,
                List.of(URL, "http://other:1/x/"),
                RegistryConfig.AUTO_REGISTER,
                false,
                RegistryConfig.BEARER_TOKEN,
                new Password("t")));
        assertThat(settings.urls()).hasToString("[http://localhost:8081/, http://other:1/x/]");
        assertThat(settings.autoRegister()).isFalse();
        assertThat(settings.authorization().get(0)).contains("Bearer t");
    }

    @Test
    void shouldShowNoSecret() {
        var settings = RegistryConfig.of(Map.of(RegistryConfig.URL, "https://me:secret@localhost"));
        assertThat(settings).hasToString("https://localhost/");
    }

    @Test
    void shouldRefuseAMissingAddress() {
        refused(Map.of(), "schema.registry.url must be set, such as http://localhost:8081");
    }

    @Test
    void shouldRefuseAnAddressWithoutRepeatingIt() {
        assertThatThrownBy(() -> RegistryConfig.of(Map.of(RegistryConfig.URL, URL + ",me:secret@localhost:8081")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("address 2 is not")
                .hasMessageNotContaining("secret");
    }

    @Test
    void shouldRefuseCredentialSourcesItDoesNotHave() {
        refused(
                Map.of(RegistryConfig.URL, URL, RegistryConfig.BASIC_SOURCE, "SASL_INHERIT"),
                "basic.auth.credentials.source must be URL or USER_INFO, got SASL_INHERIT; give the user and password in "
                        + "basic.auth.user.info");
        refused(
                Map.of(RegistryConfig.URL, URL, RegistryConfig.BEARER_SOURCE, "OAUTHBEARER"),
                "bearer.auth.credentials.source must be STATIC_TOKEN, got OAUTHBEARER");
    }

    @Test
    void shouldRefuseTwoKindsOfCredentials() {
        assertThatThrownBy(() -> RegistryConfig.of(
                        Map.of(RegistryConfig.URL, "http://me:secret@localhost", RegistryConfig.BEARER_TOKEN, "t")))
                .hasMessageContaining("not both");
    }

    @Test
    void shouldRefuseNumbersAndFlagsThatAreNone() {
        refused(
                Map.of(RegistryConfig.URL, URL, RegistryConfig.REQUEST_TIMEOUT_MS, "0"),
                "schema.registry.request.timeout.ms must be from 1 to 2147483647 milliseconds, got 0");
        refused(
                Map.of(RegistryConfig.URL, URL, RegistryConfig.AUTO_REGISTER, "yes"),
                "auto.register.schemas must be true or false, got yes");
    }

    private static void refused(Map<String, ?> settings, String message) {
        assertThatThrownBy(() -> RegistryConfig.of(settings))
                .isInstanceOf(ConfigException.class)
                .hasMessage(message);
    }
}
