package io.perceptronstreams.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.embedded.EmbeddedBroker;
import io.perceptronstreams.embedded.EmbeddedRegistry;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.flink.avro.registry.confluent.shaded.io.confluent.kafka.schemaregistry.ParsedSchema;
import org.apache.flink.avro.registry.confluent.shaded.io.confluent.kafka.schemaregistry.avro.AvroSchema;
import org.apache.flink.avro.registry.confluent.shaded.io.confluent.kafka.schemaregistry.avro.AvroSchemaProvider;
import org.apache.flink.avro.registry.confluent.shaded.io.confluent.kafka.schemaregistry.client.CachedSchemaRegistryClient;
import org.apache.flink.avro.registry.confluent.shaded.io.confluent.kafka.schemaregistry.client.SchemaMetadata;
import org.apache.flink.avro.registry.confluent.shaded.io.confluent.kafka.schemaregistry.client.rest.entities.SchemaReference;
import org.apache.flink.avro.registry.confluent.shaded.io.confluent.kafka.schemaregistry.client.rest.exceptions.RestClientException;
import org.apache.kafka.common.utils.Utils;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Confluent's own Java client against the embedded registry, and the same schemas by our client. */
final class ConfluentClientIT {
    private static final String FIRST =
            "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"a\",\"type\":\"int\"}]}";
    private static final String WIDER =
            "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"a\",\"type\":\"int\"},"
                    + "{\"name\":\"b\",\"type\":\"string\",\"default\":\"\"}]}";
    private static final String INCOMPATIBLE =
            "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"c\",\"type\":\"string\"}]}";

    @TempDir
    static Path directory;

    private static EmbeddedBroker broker;
    private static EmbeddedRegistry registry;

    private final CachedSchemaRegistryClient client = client();

    @BeforeAll
    static void start() throws IOException {
        broker = EmbeddedBroker.start(directory.resolve("broker"), 0);
        registry = EmbeddedRegistry.start(broker.bootstrapServers(), 0);
    }

    @AfterAll
    static void stop() {
        Utils.closeQuietly(registry, "registry");
        Utils.closeQuietly(broker, "broker");
    }

    /** A client without anything in its cache. */
    private static CachedSchemaRegistryClient client() {
        return new CachedSchemaRegistryClient(
                List.of(registry.url()), 100, List.of(new AvroSchemaProvider()), Map.of());
    }

    @Test
    void shouldFindEveryEventOfTheProject() throws Exception {
        try (SchemaRegistry own = SchemaRegistries.of(Map.of("schema.registry.url", registry.url()));
                var events = Files.newDirectoryStream(Path.of("schemas"), "*.avsc")) {
            for (Path event : events) {
                String subject = "events-" + event.getFileName();
                AvroSchema schema = new AvroSchema(Files.readString(event));

                int id = client.register(subject, schema);

                assertThat(client().register(subject, schema)).isEqualTo(id);
                assertThat(client().getId(subject, schema)).isEqualTo(id);
                assertThat(client().getVersion(subject, schema)).isEqualTo(1);
                assertThat(client().getSchemaById(id)).isEqualTo(schema);
                assertThat(client().getSchemaBySubjectAndId(subject, id)).isEqualTo(schema);
                var parsed = new org.apache.avro.Schema.Parser().parse(event.toFile());
                assertThat(own.schema(id)).isEqualTo(parsed);
                // and the other way round
                assertThat(own.register(subject, parsed)).isEqualTo(id);
                int ours = own.register("ours-" + subject, parsed);
                assertThat(client().getSchemaById(ours)).isEqualTo(schema);
            }
        }
    }

    @Test
    void shouldListVersionsAndTakeTheLatestOne() throws Exception {
        int first = client.register("versions", new AvroSchema(FIRST));
        int second = client.register("versions", new AvroSchema(WIDER));

        SchemaMetadata latest = client().getLatestSchemaMetadata("versions");
        assertThat(latest.getId()).isEqualTo(second).isNotEqualTo(first);
        assertThat(latest.getVersion()).isEqualTo(2);
        assertThat(latest.getSchemaType()).isEqualTo("AVRO");
        assertThat(new AvroSchema(latest.getSchema())).isEqualTo(new AvroSchema(WIDER));
        assertThat(client().getSchemaMetadata("versions", 1).getId()).isEqualTo(first);
        assertThat(client().getByVersion("versions", 1, false).getSchema()).isEqualTo(FIRST);
        assertThat(client().getAllVersions("versions")).containsExactly(1, 2);
        assertThat(client().getAllSubjects()).contains("versions");
        assertThat(client().getAllSubjectsByPrefix("versi")).containsExactly("versions");
    }

    @Test
    void shouldObeyCompatibility() throws Exception {
        client.register("compatible", new AvroSchema(FIRST));
        assertThat(client.testCompatibility("compatible", new AvroSchema(WIDER)))
                .isTrue();
        assertThat(client.testCompatibility("compatible", new AvroSchema(INCOMPATIBLE)))
                .isFalse();
        assertThat(client.testCompatibilityVerbose("compatible", new AvroSchema(WIDER)))
                .isEmpty();
        assertThat(client.testCompatibilityVerbose("compatible", new AvroSchema(INCOMPATIBLE)))
                .isNotEmpty();
        assertRefused(() -> client.register("compatible", new AvroSchema(INCOMPATIBLE)), 409, 409);

        assertThat(client.getCompatibility(null)).isEqualTo("BACKWARD");
        assertThat(client.updateCompatibility("compatible", "NONE")).isEqualTo("NONE");
        assertThat(client.getCompatibility("compatible")).isEqualTo("NONE");
        client.register("compatible", new AvroSchema(INCOMPATIBLE));
        assertThat(client().getLatestSchemaMetadata("compatible").getVersion()).isEqualTo(2);
    }

    /** Therefore Flink's writers need a subject of their own, as the docs say. */
    @Test
    void shouldTakeFlinksPartOfExampleForIncompatible() throws Exception {
        client.register("whole", new AvroSchema(Files.readString(Path.of("schemas/Example.avsc"))));
        assertThat(client.testCompatibility("whole", new AvroSchema(FlinkFormatIT.SCHEMA)))
                .isFalse();
    }

    @Test
    void shouldNotKnowWhatItDoesNotHave() throws Exception {
        client.register("known", new AvroSchema(FIRST));
        assertRefused(() -> client().getSchemaById(999_999), 404, 40403);
        assertRefused(() -> client().getId("known", new AvroSchema(WIDER)), 404, 40403);
        assertRefused(() -> client().getId("unknown", new AvroSchema(WIDER)), 404, 40401);
        assertRefused(() -> client().getSchemaMetadata("known", 7), 404, 40402);
    }

    /** It stores no references, and refuses them with a reason: such a schema could not be read. */
    @Test
    void shouldRefuseReferences() throws Exception {
        client.register("referred", new AvroSchema(FIRST));
        String array = "{\"type\":\"array\",\"items\":\"R\"}";
        AvroSchema referring =
                new AvroSchema(array, List.of(new SchemaReference("R", "referred", 1)), Map.of("R", FIRST), null);
        assertRefused(() -> client.register("referring", referring), 422, 42201);
        assertThat(client().getAllSubjects()).doesNotContain("referring");
    }

    @Test
    void shouldStoreASchemaUnderOneIdForAllSubjects() throws Exception {
        ParsedSchema schema = new AvroSchema("{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"A\"]}");
        int id = client.register("enum-1", schema);
        assertThat(client.register("enum-2", schema, true)).isEqualTo(id);
        assertThat(client().getId("enum-2", schema, true)).isEqualTo(id);
    }

    private static void assertRefused(ThrowingCallable call, int status, int code) {
        assertThatThrownBy(call).isInstanceOfSatisfying(RestClientException.class, e -> {
            assertThat(e.getStatus()).isEqualTo(status);
            assertThat(e.getErrorCode()).isEqualTo(code);
        });
    }
}
