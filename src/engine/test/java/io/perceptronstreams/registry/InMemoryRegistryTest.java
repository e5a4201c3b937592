package io.perceptronstreams.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.registry.http.RegistryConfig;
import io.perceptronstreams.registry.http.SchemaRegistries;
import java.util.Map;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;

final class InMemoryRegistryTest {

    private static final Schema TEXT = Schema.create(Schema.Type.STRING);

    private static SchemaRegistry client(String name, boolean autoRegister) {
        return SchemaRegistries.of(
                Map.of(RegistryConfig.URL, "mock://" + name, RegistryConfig.AUTO_REGISTER, autoRegister));
    }

    @Test
    void shouldShareSchemasByName() {
        try (var one = client("shared", true);
                var other = client("shared", true);
                var apart = client("apart", true)) {
            int id = one.register("a-value", TEXT);
            assertThat(other.schema(id)).isEqualTo(TEXT);
            assertThat(other.register("b-value", TEXT)).isEqualTo(id);
            assertThatThrownBy(() -> apart.schema(id)).isInstanceOf(UnknownSchemaException.class);
        }
    }

    @Test
    void shouldNotRegisterWhenToldSo() {
        try (var registry = client("strict", false)) {
            assertThatThrownBy(() -> registry.register("a-value", TEXT)).isInstanceOf(RegistryRefusedException.class);
        }
    }
}
