package io.perceptronstreams.access;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.ConfigException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tokens of {@code http.tokens.file}, a map in YAML from the name of each client to the SHA-256 of its token, its
 * roles and its models.
 *
 * <p>A file that changes is read again; while it has a fault, the clients keep the rights that they had before.
 */
final class TokensFile implements CredentialSource {
    private static final Logger LOG = LoggerFactory.getLogger(TokensFile.class);
    private static final int MAX_BYTES = 1 << 20;
    private static final Pattern NAME = Pattern.compile("[^:\\p{Cntrl}]{1,128}");
    private static final Pattern SHA_256 = Pattern.compile("[0-9a-fA-F]{64}");
    private static final Set<String> FIELDS = Set.of("sha256", "roles", "models");

    private static final ObjectMapper YAML = new ObjectMapper(YAMLFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private final Path file;
    private volatile List<Entry> entries;

    // Contents at the last attempt, null if they could not be read, and their fault; of the thread that reads again.
    private byte[] last;
    private String fault;

    @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
    private record Entry(byte[] digest, Caller caller) {}

    /** @throws ConfigException with all faults of the file */
    TokensFile(Path file) {
        this.file = file;
        try {
            last = bytes(file);
            entries = parse(last);
        } catch (InvalidFileException e) {
            throw new ConfigException("http.tokens.file must be valid: " + e.getMessage());
        }
    }

    /** The file cannot be used. */
    private static final class InvalidFileException extends Exception {
        private static final long serialVersionUID = 1L;

        InvalidFileException(String message) {
            super(message);
        }
    }

    @Override
    public String setting() {
        return "http.tokens.file";
    }

    @Override
    public boolean areForBrowsers() {
        return true;
    }

    /** Takes a token as bearer, or as password of basic with the name of the client as user. */
    @Override
    public Caller caller(String scheme, String secret) {
        String[] user = scheme.equals("basic") ? Secret.userAndPassword(secret) : null;
        if (user == null && !scheme.equals("bearer")) {
            return null;
        }
        byte[] digest = Secret.digest(user == null ? secret : user[1]);
        Caller found = null;
        // all of them, so that the duration does not depend on the place
        for (Entry entry : entries) {
            if (MessageDigest.isEqual(entry.digest, digest)) {
                found = entry.caller;
            }
        }
        return found != null && user != null && !found.name().equals(user[0]) ? null : found;
    }

    @Override
    public void refresh() {
        byte[] now = null;
        try {
            now = bytes(file);
            if (!Arrays.equals(now, last)) {
                entries = parse(now);
                fault = null;
                LOG.info("the rights of {} clients were read again from {}", entries.size(), file);
            }
        } catch (InvalidFileException e) {
            // once, not each second
            if (!e.getMessage().equals(fault)) {
                LOG.error("clients keep their rights, as http.tokens.file must be valid: {}", e.getMessage());
            }
            fault = e.getMessage();
        }
        last = now;
    }

    private static byte[] bytes(Path file) throws InvalidFileException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw new InvalidFileException(file + " must have at most " + MAX_BYTES + " bytes, got more");
            }
            return bytes;
        } catch (NoSuchFileException e) {
            throw new InvalidFileException("file must exist, got " + file);
        } catch (IOException e) {
            throw new InvalidFileException(file + " must be readable, got " + e.getMessage());
        }
    }

    private List<Entry> parse(byte[] bytes) throws InvalidFileException {
        JsonNode root;
        try {
            requireNoAlias(bytes);
            root = YAML.readTree(bytes);
        } catch (JsonProcessingException e) {
            throw new InvalidFileException(file
                    + (e.getLocation() == null ? "" : ":" + e.getLocation().getLineNr()) + ": text must be YAML, got "
                    + e.getOriginalMessage().lines().findFirst().orElse("a fault"));
        } catch (IOException e) {
            throw new InvalidFileException(file + ": text must be YAML in UTF-8, got " + e.getMessage());
        }
        // an empty file has no clients
        if (!root.isObject() && !root.isMissingNode() && !root.isNull()) {
            throw new InvalidFileException(file + ": file must be a map of clients, got another value");
        }
        List<String> faults = new ArrayList<>();
        List<Entry> read = new ArrayList<>();
        for (Map.Entry<String, JsonNode> each : root.properties()) {
            Entry entry = entry(each.getKey(), each.getValue(), faults);
            if (entry != null) {
                if (read.stream().anyMatch(other -> Arrays.equals(other.digest, entry.digest))) {
                    faults.add(each.getKey() + ": sha256 must differ from that of other clients, got the same");
                }
                read.add(entry);
            }
        }
        if (!faults.isEmpty()) {
            throw new InvalidFileException(file + ": " + String.join("; ", faults));
        }
        return List.copyOf(read);
    }

    /** A tree has the name of an alias as its text. */
    private void requireNoAlias(byte[] bytes) throws IOException, InvalidFileException {
        try (YAMLParser yaml = new YAMLFactory().createParser(bytes)) {
            while (yaml.nextToken() != null) {
                if (yaml.isCurrentAlias()) {
                    throw new InvalidFileException(file + ":"
                            + yaml.currentTokenLocation().getLineNr() + ": value must be written out, got the alias *"
                            + yaml.getText() + " (repeat what its anchor marks)");
                }
            }
        }
    }

    /** Returns null and adds what is wrong, without a value that may be a token. */
    private static Entry entry(String name, JsonNode fields, List<String> faults) {
        int before = faults.size();
        if (!NAME.matcher(name).matches()) {
            faults.add(
                    "name of a client must have 1 to 128 characters without ':' and control characters, got another");
            return null;
        }
        if (!fields.isObject()) {
            faults.add(name + " must have sha256, roles and models, got another value");
            return null;
        }
        fields.fieldNames().forEachRemaining(field -> {
            if (!FIELDS.contains(field)) {
                faults.add(name + ": field must be one of sha256, roles, models, got " + field);
            }
        });
        String sha256 = fields.path("sha256").asText();
        if (!SHA_256.matcher(sha256).matches()) {
            faults.add(name + ": sha256 must be 64 hexadecimal digits, got another value"
                    + " (printf %s TOKEN | sha256sum prints them)");
        }
        Set<Role> roles = EnumSet.noneOf(Role.class);
        for (String role : texts(fields.get("roles"))) {
            Role.of(role)
                    .ifPresentOrElse(
                            roles::add,
                            () -> faults.add(name + ": roles must be some of " + Role.NAMES + ", got " + role));
        }
        if (roles.isEmpty() && faults.size() == before) {
            faults.add(name + ": roles must be some of " + Role.NAMES + ", got none");
        }
        List<String> models = texts(fields.get("models"));
        if (models.isEmpty() || models.contains("")) {
            faults.add(name + ": models must be a pattern such as 'team-a-*' or a list of them, got none"
                    + " ('*' in quotes is all)");
        }
        return faults.size() > before
                ? null
                : new Entry(HexFormat.of().parseHex(sha256), new Caller(name, roles, new ModelPattern(models)));
    }

    /** The text of a value, or those of a list; none of another value. */
    private static List<String> texts(JsonNode value) {
        List<String> texts = new ArrayList<>();
        if (value != null && value.isArray()) {
            value.forEach(each -> texts.add(each.asText()));
        } else if (value != null && value.isValueNode() && !value.isNull()) {
            texts.add(value.asText());
        }
        return texts;
    }
}
