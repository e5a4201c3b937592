package io.perceptronstreams.embedded;

import com.fasterxml.jackson.databind.JsonNode;
import io.perceptronstreams.embedded.SchemaTopic.Entry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.avro.Schema;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Subjects, versions, ids, compatibility levels and modes, with the rules of Confluent's registry: a copy in memory of {@link
 * SchemaTopic}, whose only writer it is. Thread-safe.
 *
 * <p>A schema text has the same id in all subjects, unless it was imported with several. An id is never reused, even
 * after its schema was deleted permanently, because records with it may still exist.
 */
final class SchemaStore {

    /** A version of a subject. Soft-deleted ones are still found by id. */
    record Version(String subject, int version, int id, String schema, boolean deleted) {}

    private static final Logger LOG = LoggerFactory.getLogger(SchemaStore.class);

    static final CompatibilityLevel DEFAULT_LEVEL = CompatibilityLevel.BACKWARD;

    /** Subject name of the registry-wide level and mode. */
    private static final String GLOBAL = "";

    private final SchemaTopic topic;
    /** By subject, then by version number; including deleted versions. No subject is empty. */
    private final Map<String, TreeMap<Integer, Version>> subjects = new TreeMap<>();

    private final Map<String, CompatibilityLevel> levels = new HashMap<>();
    private final Map<String, RegistryMode> modes = new HashMap<>();
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
     * @param which a number, or "latest" for the latest version that is not deleted
     * @throws RegistryError 404 if there is none, 422 if {@code which} is neither
     */
    Version version(String subject, String which, boolean withDeleted) {
        var number = parseVersion(which);
        return requireVersions(subject, withDeleted).stream()
                .filter(version -> number.isEmpty() ? !version.deleted() : version.version() == number.get())
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

    /** Returns all versions of all subjects, including soft-deleted ones. */
    synchronized List<Version> all() {
        return subjects.values().stream()
                .flatMap(versions -> versions.values().stream())
                .toList();
    }

    /**
     * Returns the id of {@code schema} in {@code subject}; registers it if it is new there.
     *
     * @param number its version if it is new, which must be the next one; empty for that
     * @throws RegistryError 409 if it is new and incompatible under the subject's level, 422 if it is new and the
     *     subject's mode is not READWRITE
     */
    synchronized int register(String subject, Schema schema, Optional<Integer> number) {
        ensureLoaded();
        String text = schema.toString();
        // before the mode: clients register at each start what exists
        for (var version : live(subject)) {
            if (version.schema().equals(text)) {
                return version.id();
            }
        }
        requireWritable(subject);
        if (effectiveMode(subject) != RegistryMode.READWRITE) {
            throw RegistryError.notPermitted("Subject " + subject + " is not in read-write mode");
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
        int next = nextVersion(subject);
        if (number.isPresent() && number.get() != next) {
            throw RegistryError.invalidSchema(
                    "Version is not one more than previous version, got " + number.get() + " instead of " + next);
        }
        write(List.of(SchemaEntries.ofVersion(new Version(subject, next, id, text, false))));
        return id;
    }

    /**
     * Registers a schema with the id and version that it has in another registry; compatibility is not checked.
     *
     * @param number empty for the next one, or for that of the same schema and id
     * @throws RegistryError 422 if it is new and the subject's mode is not IMPORT, or if another schema has this id or
     *     version
     */
    synchronized int importVersion(String subject, Schema schema, int id, Optional<Integer> number) {
        ensureLoaded();
        String text = schema.toString();
        var same = live(subject).stream()
                .filter(each -> each.id() == id && each.schema().equals(text))
                .findFirst();
        if (same.isPresent() && (number.isEmpty() || number.get() == same.get().version())) {
            return id;
        }
        requireWritable(subject);
        if (effectiveMode(subject) != RegistryMode.IMPORT) {
            throw RegistryError.notPermitted("Subject " + subject + " is not in import mode");
        }
        if (all().stream().anyMatch(each -> each.id() == id && !each.schema().equals(text))) {
            throw RegistryError.notPermitted("Overwrite new schema with id " + id + " is not permitted.");
        }
        if (number.isPresent() && live(subject).stream().anyMatch(each -> each.version() == number.get())) {
            // Confluent's registry overwrites it: records with its id could not be read any more
            throw RegistryError.notPermitted(
                    "Overwrite version " + number.get() + " of subject " + subject + " is not permitted.");
        }
        write(List.of(SchemaEntries.ofVersion(
                new Version(subject, number.orElseGet(() -> nextVersion(subject)), id, text, false))));
        return id;
    }

    private int nextVersion(String subject) {
        var earlier = subjects.get(subject);
        return earlier == null ? 1 : earlier.lastKey() + 1;
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

    /**
     * Removes versions of a subject permanently, or hides them: then they are still found by id. The subject's level and
     * mode are removed with its last version.
     */
    synchronized void delete(String subject, Collection<Version> versions, boolean permanently) {
        ensureLoaded();
        requireWritable(subject);
        var entries = new ArrayList<Entry>();
        if (permanently) {
            // the ids disappear from the topic: keep the highest, so that it is not reused
            entries.add(SchemaEntries.ofHighestId(highestId));
        }
        for (var each : versions) {
            var hidden = SchemaEntries.ofVersion(new Version(subject, each.version(), each.id(), each.schema(), true));
            entries.add(permanently ? new Entry(hidden.key(), null) : hidden);
        }
        if (permanently && versions.containsAll(all(subject))) {
            entries.add(SchemaEntries.ofLevel(Optional.of(subject), Optional.empty()));
            entries.add(SchemaEntries.ofMode(Optional.of(subject), Optional.empty()));
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
        requireWritable(subject.orElse(GLOBAL));
        write(List.of(SchemaEntries.ofLevel(subject, level)));
    }

    /** Returns the subject's own mode, if it has one. */
    synchronized Optional<RegistryMode> mode(String subject) {
        return Optional.ofNullable(modes.get(subject));
    }

    synchronized RegistryMode globalMode() {
        return modes.getOrDefault(GLOBAL, RegistryMode.READWRITE);
    }

    /**
     * Sets the mode of a subject, or the global mode, and returns it.
     *
     * @param isForced whether IMPORT is allowed where there are schemas
     * @throws RegistryError 422 if there are schemas, which an import could contradict
     */
    synchronized RegistryMode setMode(Optional<String> subject, RegistryMode mode, boolean isForced) {
        ensureLoaded();
        boolean hasSchemas = subject.map(each -> !live(each).isEmpty())
                .orElseGet(() -> !subjects(false).isEmpty());
        boolean isImport = subject.map(this::effectiveMode).orElseGet(this::globalMode) == RegistryMode.IMPORT;
        if (mode == RegistryMode.IMPORT && !isImport && hasSchemas && !isForced) {
            throw RegistryError.notPermitted("Cannot import since found existing subjects");
        }
        write(List.of(SchemaEntries.ofMode(subject, Optional.of(mode))));
        return mode;
    }

    /**
     * Restores the global mode of a subject, or the default global mode, and returns the former one.
     *
     * @throws RegistryError 404 if the subject has no mode of its own
     */
    synchronized RegistryMode deleteMode(Optional<String> subject) {
        ensureLoaded();
        RegistryMode former = subject.isEmpty()
                ? globalMode()
                : mode(subject.get()).orElseThrow(() -> RegistryError.noSubject(subject.get()));
        write(List.of(SchemaEntries.ofMode(subject, Optional.empty())));
        return former;
    }

    private RegistryMode effectiveMode(String subject) {
        return modes.getOrDefault(subject, globalMode());
    }

    private void requireWritable(String subject) {
        if (effectiveMode(subject) == RegistryMode.READONLY) {
            throw RegistryError.notPermitted(
                    subject.equals(GLOBAL)
                            ? "registry is in read-only mode"
                            : "Subject " + subject + " is in read-only mode");
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
        modes.clear();
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
            case "MODE" -> {
                modes.remove(subject);
                if (value != null) {
                    modes.put(subject, RegistryMode.valueOf(value.path("mode").asText()));
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
}
