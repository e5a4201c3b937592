package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.config.EngineConfig;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The options that the page shows with a command. */
class CommandOptionsTest {
    private static String options(Map<String, String> settings) {
        return RunningMonitor.commandOptions(EngineConfig.of(settings, Map.of(), null, Map.of()));
    }

    @Test
    void shouldNameBrokersAndRegistryThatAreNotAtTheirDefaults() {
        assertThat(options(Map.of())).isEmpty();
        assertThat(options(Map.of("bootstrap.servers", "127.0.0.1:19092"))).isEqualTo("--bootstrap 127.0.0.1:19092");
        assertThat(options(Map.of("bootstrap.servers", "a:1,b:2", "schema.registry.url", "http://c:3")))
                .isEqualTo("--bootstrap a:1,b:2 --registry http://c:3");
        assertThat(options(Map.of("bootstrap.servers", "a:1, b:2"))).isEqualTo("--bootstrap 'a:1, b:2'");
    }

    @Test
    void shouldNameThePrefixAndTheGroupOfAnEngineBesideOthers() {
        assertThat(options(Map.of("topics.prefix", "spam"))).isEqualTo("-D topics.prefix=spam");
        assertThat(options(Map.of("application.id", "a", "bootstrap.servers", "b:1")))
                .isEqualTo("--bootstrap b:1 -D application.id=a");
    }

    /** The page has no credentials. */
    @Test
    void shouldLeaveOutAnAddressWithCredentials() {
        assertThat(options(Map.of("schema.registry.url", "http://user:secret@c:3")))
                .isEmpty();
    }
}
