package io.perceptronstreams.registry.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AddressesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "https://u:canary@idp/token | https://…@idp/token",
                "https://canary@idp | https://…@idp",
                "http://a:canary@h1:1,http://b:canary@h2:2/p | http://…@h1:1,http://…@h2:2/p",
                "http://u:can@ary@h | http://…@h",
                "http://u:can/ary@h | http://…@h",
                "http://u:c,anary@h | http://…@h",
                "SASL_SSL://u:canary@h:9092 | SASL_SSL://…@h:9092",
                "https://idp/token?secret=canary | https://idp/token?…",
                "https://idp/token?secret=canary@1 | https://…@1",
                "http://localhost:8081 | http://localhost:8081",
                "mock://name | mock://name",
                "'h1:9092,h2:9092' | 'h1:9092,h2:9092'",
                "RULE:[1:$1@$0](.*) | RULE:[1:$1@$0](.*)",
                "u@h | u@h"
            })
    void shouldHideUsersPasswordsAndQueries(String value, String shown) {
        assertThat(Addresses.valueWithoutSecrets(value)).isEqualTo(shown);
        assertThat(Addresses.withoutSecrets(value)).isEqualTo(shown);
        assertThat(Addresses.withoutSecrets("status 404 from " + value + " (perceptron-examples-0@17)"))
                .isEqualTo("status 404 from " + shown + " (perceptron-examples-0@17)");
    }

    @Test
    void shouldHidePasswordsOfValuesThatAreNoAddresses() {
        assertThat(Addresses.valueWithoutSecrets("http://u:can ary@h")).isEqualTo("http://…@h");
        assertThat(Addresses.valueWithoutSecrets("h:1,u:canary@h:9092")).isEqualTo("…@h:9092");
    }
}
