package io.perceptronstreams.embed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link Engine} without a broker. */
final class EngineTest {
    @TempDir
    private Path directory;

    @Test
    void shouldListAllFaultsOfItsSettings() {
        Map<String, Object> settings = new HashMap<>();
        settings.put("topics.partitions", 0);
        settings.put("http.auth", "bearer:secret");
        settings.put("data.dir", directory);
        settings.put("algorithm", "pa-i");
        settings.put("processing.guarantee", "at_least_once");

        assertThatThrownBy(() -> Engine.of(settings))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("topics.partitions must be at least 1, got '0' (set by the program)")
                .hasMessageContaining("http.auth must not be set for an engine in a program, which has no HTTP server")
                .hasMessageContaining("data.dir must be a text, a number or a boolean, got a ")
                .hasMessageContaining("algorithm must be set for models")
                .hasMessageContaining("processing.guarantee must be exactly_once_v2")
                .hasMessageNotContaining("secret");
    }

    @Test
    void shouldTakePropertiesWithTheirDefaults() {
        Properties defaults = new Properties();
        defaults.setProperty("topics.partitions", "0");
        Properties settings = new Properties(defaults);
        settings.put("topics.create", true);

        assertThatThrownBy(() -> Engine.of(settings)).hasMessageContaining("topics.partitions");
        settings.put("topics.partitions", 3);
        assertThat(Engine.of(settings).state()).isEqualTo(Engine.State.CREATED);
    }

    @Test
    void shouldThrowAndFailWithoutABroker() throws Exception {
        try (Engine engine = engine(directory)) {
            assertThatThrownBy(engine::start).hasMessageContaining("localhost:1");

            assertThat(engine.state()).isEqualTo(Engine.State.FAILED);
            assertThat(engine.failure().orElseThrow()).hasMessageContaining("localhost:1");
            assertThat(engine.awaitRunning(Duration.ofSeconds(60))).isFalse();
            engine.awaitEnd();
            assertThatIllegalStateException().isThrownBy(engine::start).withMessageContaining("FAILED");
        }
    }

    @Test
    void shouldNameADirectoryThatCannotBeWritten() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));

        assertThatThrownBy(engine(file)::start).hasMessageContaining("data directory must be writable, got");
    }

    @Test
    void shouldNotStartAfterItsEnd() throws Exception {
        Engine engine = engine(directory);
        engine.close();
        engine.close();

        assertThat(engine.state()).isEqualTo(Engine.State.CLOSED);
        assertThat(engine.metrics()).isEmpty();
        assertThat(engine.failure()).isEmpty();
        engine.awaitEnd();
        assertThatIllegalStateException().isThrownBy(engine::start).withMessageContaining("CLOSED");
    }

    private static Engine engine(Path directory) {
        return Engine.of(Map.of(
                "bootstrap.servers",
                "localhost:1",
                "schema.registry.url",
                "mock://engine-test",
                "data.dir",
                directory.toString(),
                "admin.default.api.timeout.ms",
                1000,
                "admin.request.timeout.ms",
                500));
    }
}
