package io.perceptronstreams.embedded;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.perceptronstreams.embedded.SchemaTopic.Entry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.avro.Schema;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Subjects, versions, ids and compatibility levels, with the rules of Confluent's registry: a copy in memory of {@link
 * SchemaTopic}, whose only writer it is. Thread-safe.
 *
 * <p>A schema text has the same id in all subjects. Nothing is ever removed.
 */
final class SchemaStore {

    record Version(String subject, int version, int id, String schema) {}

    private static final Logger LOG = LoggerFactory.getLogger(SchemaStore.class);

    /** Subject name of the registry-wide level. */
    private static final String GLOBAL = "";

    private final SchemaTopic topic;
    /** By subject, then by version number. No subject is empty. */
    private final Map<String, TreeMap<Integer, Version>> subjects = new TreeMap<>();

    private final Map<String, CompatibilityLevel> levels = new HashMap<>();
    /** False after a failed write, whose outcome is unknown. */
    private boolean isLoaded;

    SchemaStore(SchemaTopic topic) {
        this.topic = topic;
        load();
    }

    synchronized List<String> subjects() {
        return List.copyOf(subjects.keySet());
    }

    /** Returns the versions of a subject, oldest first; empty if it does not exist. */
    synchronized List<Version> versions(String subject) {
        var versions = subjects.get(subject);
        return versions == null ? List.of() : List.copyOf(versions.values());
    }

    /**
     * Like {@link #versions}, but throws if there are none.
     *
     * @throws RegistryError 404
     */
    List<Version> requireVersions(String subject) {
        var versions = versions(subject);
        if (versions.isEmpty()) {
            throw RegistryError.noSubject(subject);
        }
        return versions;
    }

    /**
     * Returns one version of a subject.
     *
     * @param which a number, or "latest"
     * @throws RegistryError 404 if there is none, 422 if {@code which} is neither
     */
    Version version(String subject, String which) {
        var number = parseVersion(which);
        return requireVersions(subject).stream()
                .filter(version -> number.isEmpty() || version.version() == number.get())
                .reduce((earlier, later) -> later)
                .orElseThrow(() -> RegistryError.noVersion(which));
    }

    /** Parses a version number; empty for the latest version. */
    static Optional<Integer> parseVersion(String version) {
        if (version.equals("latest") || version.equals("-1")) {
            return Optional.empty();
        }
        if (!version.matches("[1-9][0-9]{0,8}")) {
            throw new RegistryError(
                    422,
                    42202,
                    "The specified version '" + version
                            + "' is not a valid version id. Allowed values are between [1, 2^31-1] "
                            + "and the string \"latest\"");
        }
        return Optional.of(Integer.valueOf(version));
    }

    /** Returns the text of the schema with this id, if there is one. */
    synchronized Optional<String> schema(String id) {
        return all().stream()
                .filter(version -> String.valueOf(version.id()).equals(id))
                .map(Version::schema)
                .findFirst();
    }

    private List<Version> all() {
        return subjects.values().stream()
                .flatMap(versions -> versions.values().stream())
                .toList();
    }

    /**
     * Returns the id of {@code schema} in {@code subject}; registers it if it is new there.
     *
     * @throws RegistryError 409 if it is new and incompatible under the subject's level
     */
    synchronized int register(String subject, Schema schema) {
        ensureLoaded();
        String text = schema.toString();
        var earlier = versions(subject);
        for (var version : earlier) {
            if (version.schema().equals(text)) {
                return version.id();
            }
        }
        var problems = problems(subject, schema, earlier);
        if (!problems.isEmpty()) {
            throw RegistryError.incompatible(
                    "Schema being registered is incompatible with an earlier schema for subject \"" + subject
                            + "\" (compatibility " + effectiveLevel(subject) + "): " + String.join("; ", problems));
        }
        int id = all().stream()
                .filter(each -> each.schema().equals(text))
                .mapToInt(Version::id)
                .findFirst()
                .orElseGet(() -> all().stream().mapToInt(Version::id).max().orElse(0) + 1);
        int number = earlier.isEmpty() ? 1 : earlier.get(earlier.size() - 1).version() + 1;
        ObjectNode key = key("SCHEMA", subject).put("version", number).put("magic", 1);
        ObjectNode value = object().put("subject", subject)
                .put("version", number)
                .put("id", id)
                .put("schema", text)
                .put("deleted", false);
        write(new Entry(key, value));
        return id;
    }

    /** Returns the incompatibilities of {@code schema} with {@code earlier} under the subject's level. */
    synchronized List<String> problems(String subject, Schema schema, List<Version> earlier) {
        return effectiveLevel(subject)
                .problems(
                        schema,
                        earlier.stream()
                                .map(each -> SchemaParser.parse(each.schema()))
                                .toList());
    }

    /** Returns the subject's own level, if it has one. */
    synchronized Optional<CompatibilityLevel> level(String subject) {
        return Optional.ofNullable(levels.get(subject));
    }

    synchronized CompatibilityLevel globalLevel() {
        return levels.getOrDefault(GLOBAL, CompatibilityLevel.BACKWARD);
    }

    /** Sets the level of a subject, or the global level. */
    synchronized void setLevel(Optional<String> subject, CompatibilityLevel level) {
        ensureLoaded();
        write(new Entry(
                key("CONFIG", subject.orElse(null)).put("magic", 0), object().put("compatibilityLevel", level.name())));
    }

    private CompatibilityLevel effectiveLevel(String subject) {
        return levels.getOrDefault(subject, globalLevel());
    }

    private static ObjectNode key(String type, String subject) {
        return object().put("keytype", type).put("subject", subject);
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    private void write(Entry entry) {
        isLoaded = false;
        topic.write(entry);
        apply(entry);
        isLoaded = true;
    }

    private void ensureLoaded() {
        if (!isLoaded) {
            load();
        }
    }

    private void load() {
        var entries = topic.read();
        subjects.clear();
        levels.clear();
        for (var entry : entries) {
            try {
                apply(entry);
            } catch (IllegalArgumentException e) {
                LOG.warn("skipped in topic {}: {} ({})", SchemaTopic.NAME, entry.key(), e.getMessage());
            }
        }
        isLoaded = true;
    }

    private void apply(Entry entry) {
        if (entry.key() == null || entry.value() == null) {
            throw new IllegalArgumentException("it has no key or no value");
        }
        JsonNode value = entry.value();
        String subject = entry.key().path("subject").asText(GLOBAL);
        switch (entry.key().path("keytype").asText()) {
            case "SCHEMA" -> {
                int number = entry.key().path("version").asInt();
                subjects.computeIfAbsent(subject, any -> new TreeMap<>())
                        .put(
                                number,
                                new Version(
                                        subject,
                                        number,
                                        value.path("id").asInt(),
                                        value.path("schema").asText()));
            }
            case "CONFIG" ->
                levels.put(
                        subject,
                        CompatibilityLevel.valueOf(
                                value.path("compatibilityLevel").asText()));
            default ->
                throw new IllegalArgumentException("key type " + entry.key().path("keytype") + " is unknown");
        }
    }
}
