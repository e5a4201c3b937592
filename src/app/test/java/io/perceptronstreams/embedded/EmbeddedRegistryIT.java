package io.perceptronstreams.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.registry.UnknownSchemaException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Start, restart and ids of the registry. */
final class EmbeddedRegistryIT {
    @RegisterExtension
    static final RegistryExtension registry = new RegistryExtension();

    private String name;

    @BeforeEach
    void nameTheSubject() {
        name = registry.name();
    }

    @Test
    void shouldServeOurOwnClient() {
        try (var client = registry.client()) {
            int id = client.register(name, registry.schema("a"));
            assertThat(registry.client().schema(id)).isEqualTo(registry.schema("a"));
            assertThatThrownBy(() -> client.schema(999_999)).isInstanceOf(UnknownSchemaException.class);
        }
    }

    @Test
    void shouldGiveOneSchemaOneIdInAllSubjects() throws Exception {
        int id = registry.register(name, registry.schema("a"));
        assertThat(registry.register(name + "/2", registry.schema("a"))).isEqualTo(id);
        assertThat(registry.register(name, registry.schema("a"))).isEqualTo(id);
    }

    @Test
    void shouldGiveOneIdToASchemaThatManyRegisterAtOnce() throws Exception {
        var threads = Executors.newFixedThreadPool(8);
        try {
            Callable<Integer> each = () -> registry.register(name, registry.schema("a"));
            var ids = threads.invokeAll(Collections.nCopies(32, each));
            for (Future<Integer> id : ids) {
                assertThat(id.get()).isEqualTo(ids.get(0).get());
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(registry.get("/subjects/" + name + "/versions").body()).hasToString("[1]");
    }

    @Test
    void shouldKeepSchemasIdsAndLevelsOverARestart() throws Exception {
        int kept = registry.register(name, registry.schema("a"));
        registry.send("PUT", "/config/" + name, "{\"compatibility\":\"FULL\"}");
        registry.send("PUT", "/config", "{\"compatibility\":\"BACKWARD_TRANSITIVE\"}");
        registry.restart();
        assertThat(registry.get("/subjects/" + name + "/versions/1")
                        .body()
                        .path("id")
                        .asInt())
                .isEqualTo(kept);
        assertThat(registry.get("/config/" + name).body()).hasToString("{\"compatibilityLevel\":\"FULL\"}");
        assertThat(registry.get("/config").body()).hasToString("{\"compatibilityLevel\":\"BACKWARD_TRANSITIVE\"}");
        assertThat(registry.register(name + "-new", registry.schema("n"))).isGreaterThan(kept);
    }

    @Test
    void shouldRefuseAPortInUse() {
        assertThatThrownBy(() -> EmbeddedRegistry.start(registry.bootstrapServers(), registry.port()))
                .isInstanceOf(EmbeddedException.class)
                .hasMessage("port " + registry.port()
                        + " cannot be opened: Address already in use; choose another with --registry-port");
    }

    @Test
    void shouldRefuseATopicThatForgets(@TempDir Path other) throws Exception {
        try (var forgetful = EmbeddedBroker.start(other, 0);
                var admin = Admin.create(Map.of("bootstrap.servers", forgetful.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(SchemaTopic.NAME, 1, (short) 1)))
                    .all()
                    .get();
            assertThatThrownBy(() -> EmbeddedRegistry.start(forgetful.bootstrapServers(), 0))
                    .isInstanceOf(EmbeddedException.class)
                    .hasMessage(
                            "topic _schemas must have 1 partition and cleanup.policy=compact, has 1 and delete; change it or "
                                    + "delete it");
        }
    }
}
