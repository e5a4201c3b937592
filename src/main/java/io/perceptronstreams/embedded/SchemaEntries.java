package io.perceptronstreams.embedded;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.perceptronstreams.embedded.SchemaTopic.Entry;
import java.util.Optional;

/** Entries of {@link SchemaTopic}, as Confluent's registry writes them. */
final class SchemaEntries {
    private SchemaEntries() {}

    static Entry ofVersion(SchemaStore.Version version) {
        ObjectNode value = object().put("subject", version.subject())
                .put("version", version.version())
                .put("id", version.id())
                .put("schema", version.schema())
                .put("deleted", version.deleted());
        ObjectNode key = key("SCHEMA")
                .put("subject", version.subject())
                .put("version", version.version())
                .put("magic", 1);
        return new Entry(key, value);
    }

    /** The highest id of all schemas, including those that were removed. */
    static Entry ofHighestId(int id) {
        return new Entry(key("NOOP").put("magic", 0), object().put("maxId", id));
    }

    /** The level of a subject, or the global one; an empty level removes it. */
    static Entry ofLevel(Optional<String> subject, Optional<CompatibilityLevel> level) {
        ObjectNode value = level.map(each -> object().put("compatibilityLevel", each.name()))
                .orElse(null);
        return new Entry(ofSubject("CONFIG", subject), value);
    }

    /** The mode of a subject, or the global one; an empty mode removes it. */
    static Entry ofMode(Optional<String> subject, Optional<RegistryMode> mode) {
        ObjectNode value = mode.map(each -> object().put("mode", each.name())).orElse(null);
        return new Entry(ofSubject("MODE", subject), value);
    }

    private static ObjectNode ofSubject(String type, Optional<String> subject) {
        return key(type).put("subject", subject.orElse(null)).put("magic", 0);
    }

    private static ObjectNode key(String type) {
        return object().put("keytype", type);
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }
}
