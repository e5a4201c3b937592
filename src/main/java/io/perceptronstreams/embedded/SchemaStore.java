package io.perceptronstreams.embedded;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.perceptronstreams.embedded.SchemaTopic.Entry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Subjects, versions, ids and compatibility levels, with the rules of Confluent's registry: a copy in memory of {@link
 * SchemaTopic}, whose only writer it is. Thread-safe.
 *
 * <p>A schema text has the same id in all subjects. An id is never reused, even after its schema was deleted
 * permanently, because records with it may still exist.
 */
final class SchemaStore {

    /** A version of a subject. Soft-deleted ones are still found by id. */
    record Version(String subject, int version, int id, String schema, boolean deleted) {}

    private static final Logger LOG = LoggerFactory.getLogger(SchemaStore.class);

    static final CompatibilityLevel DEFAULT_LEVEL = CompatibilityLevel.BACKWARD;

    /** Subject name of the registry-wide level. */
    private static final String GLOBAL = "";

    private final SchemaTopic topic;
    /** By subject, then by version number; including deleted versions. No subject is empty. */
    private final Map<String, TreeMap<Integer, Version>> subjects = new TreeMap<>();

    private final Map<String, CompatibilityLevel> levels = new HashMap<>();
    private int highestId;
    /** False after a failed write, whose outcome is unknown. */
    private boolean isLoaded;

    SchemaStore(SchemaTopic topic) {
        this.topic = topic;
        load();
    }

    synchronized List<String> subjects(boolean withDeleted) {
        return subjects.keySet().stream()
                .filter(subject -> withDeleted || !live(subject).isEmpty())
                .toList();
    }

    /** Returns the versions of a subject, oldest first; empty if it does not exist. */
    synchronized List<Version> versions(String subject, boolean withDeleted) {
        return all(subject).stream()
                .filter(each -> withDeleted || !each.deleted())
                .toList();
    }

    /**
     * Like {@link #versions}, but throws if there are none.
     *
     * @throws RegistryError 404
     */
    List<Version> requireVersions(String subject, boolean withDeleted) {
        var versions = versions(subject, withDeleted);
        if (versions.isEmpty()) {
            throw RegistryError.noSubject(subject);
        }
        return versions;
    }

    /**
     * Returns one version of a subject.
     *
     * @param which a number or "latest"
     * @throws RegistryError 404 if there is none, 422 if {@code which} is neither
     */
    Version version(String subject, String which, boolean withDeleted) {
        var number = parseVersion(which);
        var versions = requireVersions(subject, withDeleted);
        if (number.isEmpty()) {
            return versions.get(versions.size() - 1);
        }
        return versions.stream()
                .filter(version -> version.version() == number.get())
                .findFirst()
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

    /** Returns all versions of all subjects, including soft-deleted ones. */
    synchronized List<Version> all() {
        return subjects.values().stream()
                .flatMap(versions -> versions.values().stream())
                .toList();
    }

    /**
     * Returns the id of {@code schema} in {@code subject}; registers it if it is new there.
     *
     * @throws RegistryError 409 if it is incompatible under the subject's level
     */
    synchronized int register(String subject, Schema schema) {
        ensureLoaded();
        String text = schema.toString();
        for (var version : live(subject)) {
            if (version.schema().equals(text)) {
                return version.id();
            }
        }
        var problems = problems(subject, schema, live(subject));
        if (!problems.isEmpty()) {
            throw RegistryError.incompatible(
                    "Schema being registered is incompatible with an earlier schema for subject \"" + subject
                            + "\" (compatibility " + effectiveLevel(subject) + "): " + String.join("; ", problems));
        }
        int id = all().stream()
                .filter(each -> each.schema().equals(text))
                .mapToInt(Version::id)
                .findFirst()
                .orElse(highestId + 1);
        var earlier = subjects.get(subject);
        write(List.of(entry(new Version(subject, earlier == null ? 1 : earlier.lastKey() + 1, id, text, false))));
        return id;
    }

    /** Returns the incompatibilities of {@code schema} with {@code earlier} under the subject's level. */
    synchronized List<String> problems(String subject, Schema schema, List<Version> earlier) {
        return effectiveLevel(subject)
                .problems(
                        schema,
                        earlier.stream().map(each -> parse(each.schema())).toList());
    }

    /** Removes versions permanently, or hides them: then they are still found by id. */
    synchronized void delete(Collection<Version> versions, boolean permanently) {
        ensureLoaded();
        var entries = new ArrayList<Entry>();
        if (permanently) {
            // the ids disappear from the topic: keep the highest, so that it is not reused
            entries.add(new Entry(key("NOOP").put("magic", 0), object().put("maxId", highestId)));
        }
        for (var each : versions) {
            var hidden = entry(new Version(each.subject(), each.version(), each.id(), each.schema(), true));
            entries.add(permanently ? new Entry(hidden.key(), null) : hidden);
        }
        write(entries);
    }

    /** Returns the subject's own level, if it has one. */
    synchronized Optional<CompatibilityLevel> level(String subject) {
        return Optional.ofNullable(levels.get(subject));
    }

    synchronized CompatibilityLevel globalLevel() {
        return levels.getOrDefault(GLOBAL, DEFAULT_LEVEL);
    }

    /** Sets the level of a subject, or the global level; an empty {@code level} restores the default. */
    synchronized void setLevel(Optional<String> subject, Optional<CompatibilityLevel> level) {
        ensureLoaded();
        var key = key("CONFIG").put("subject", subject.orElse(null)).put("magic", 0);
        var value = level.map(each -> object().put("compatibilityLevel", each.name()))
                .orElse(null);
        write(List.of(new Entry(key, value)));
    }

    /**
     * Parses a schema.
     *
     * @throws RegistryError 422 if it is invalid
     */
    static Schema parse(String text) {
        try {
            return new Schema.Parser().parse(text);
        } catch (AvroRuntimeException e) {
            throw RegistryError.invalidSchema(String.valueOf(e.getMessage()));
        }
    }

    private CompatibilityLevel effectiveLevel(String subject) {
        return levels.getOrDefault(subject, globalLevel());
    }

    private Collection<Version> all(String subject) {
        var versions = subjects.get(subject);
        return versions == null ? List.of() : versions.values();
    }

    private List<Version> live(String subject) {
        return versions(subject, false);
    }

    private void write(List<Entry> entries) {
        isLoaded = false;
        topic.write(entries);
        entries.forEach(this::apply);
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
        highestId = 0;
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
        if (entry.key() == null) {
            throw new IllegalArgumentException("it has no key");
        }
        String subject = entry.key().path("subject").asText(GLOBAL);
        var value = entry.value();
        switch (entry.key().path("keytype").asText()) {
            case "SCHEMA" -> applyVersion(subject, entry.key().path("version").asInt(), value);
            case "CONFIG" -> {
                levels.remove(subject);
                if (value != null) {
                    levels.put(
                            subject,
                            CompatibilityLevel.valueOf(
                                    value.path("compatibilityLevel").asText()));
                }
            }
            case "NOOP" -> {
                if (value != null) {
                    highestId = Math.max(highestId, value.path("maxId").asInt());
                }
            }
            default ->
                throw new IllegalArgumentException("key type " + entry.key().path("keytype") + " is unknown");
        }
    }

    private void applyVersion(String subject, int number, JsonNode value) {
        if (value == null) {
            var versions = subjects.get(subject);
            if (versions != null) {
                versions.remove(number);
                if (versions.isEmpty()) {
                    subjects.remove(subject);
                }
            }
            return;
        }
        int id = value.path("id").asInt();
        highestId = Math.max(highestId, id);
        var version = new Version(
                subject,
                number,
                id,
                value.path("schema").asText(),
                value.path("deleted").asBoolean());
        subjects.computeIfAbsent(subject, any -> new TreeMap<>()).put(number, version);
    }

    private static Entry entry(Version version) {
        var key = key("SCHEMA")
                .put("subject", version.subject())
                .put("version", version.version())
                .put("magic", 1);
        var value = object().put("subject", version.subject())
                .put("version", version.version())
                .put("id", version.id())
                .put("schema", version.schema())
                .put("deleted", version.deleted());
        return new Entry(key, value);
    }

    private static ObjectNode key(String type) {
        return object().put("keytype", type);
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }
}
