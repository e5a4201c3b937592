package io.perceptronstreams.registry.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.perceptronstreams.registry.RegistryRefusedException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.UnknownSchemaException;
import io.perceptronstreams.registry.http.RegistryHttpClient.Answer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.NameValidator;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;

/** The routes of a schema registry and the interpretation of its responses. */
final class HttpRegistry implements SchemaRegistry {

    private record Subject(String name, Schema schema) {}

    /** Maximum number of schemas that one refers to, directly or not. */
    private static final int MAX_REFERENCES = 100;

    private static final int NONE = -1;

    /** Maximum length of a schema with all that it refers to; Avro's parser takes quadratic time in its types. */
    private static final int MAX_CHARACTERS = 128 * 1024;

    private final RegistryConfig settings;
    private final RegistryHttpClient connection;
    private final SingleFlight<Integer, Schema> schemas = new SingleFlight<>();
    private final SingleFlight<Subject, Integer> ids = new SingleFlight<>();

    /**
     * The last id whose schema was answered, and the last one that was given to a schema; {@link #NONE} before the
     * first.
     */
    private volatile int fetched = NONE;

    private volatile int registered = NONE;

    HttpRegistry(RegistryConfig settings, RegistryHttpClient connection) {
        this.settings = settings;
        this.connection = connection;
    }

    @Override
    public Schema schema(int id) {
        return schemas.get(id, () -> fetch(id));
    }

    @Override
    public int register(String subject, Schema schema) {
        return ids.get(new Subject(subject, schema), () -> {
            if (settings.autoRegister()) {
                return post(subject, "/versions", schema);
            }
            return settings.useLatest() ? latest(subject, schema) : post(subject, "", schema);
        });
    }

    @Override
    public void close() {
        connection.close();
    }

    private Schema fetch(int id) {
        try {
            return load(id);
        } catch (RegistryRefusedException e) {
            if (!isAnswering(id)) {
                throw e;
            }
        }
        try {
            // credentials may have been renewed in between
            return load(id);
        } catch (RegistryRefusedException e) {
            throw new UnknownSchemaException(
                    "schema id " + id + " cannot be read, while the registry answers others: " + e.getMessage(), e);
        }
    }

    private Schema load(int id) {
        var answer = connection.get(route(id));
        if (isMissing(answer) || isInvalid(answer)) {
            throw new UnknownSchemaException("schema id " + id + " is unknown: " + answer.summary());
        }
        var body = withSchema(answer);
        String type = body.path("schemaType").asText("AVRO");
        if (!type.equals("AVRO")) {
            throw new UnknownSchemaException("schema id " + id + " must be of type AVRO, got " + type
                    + " (use the Avro serializer of the registry"
                    + (type.equals("JSON") ? ", or send JSON without its id)" : ")"));
        }
        try {
            // Avro libraries of other languages are less strict about names and defaults than the Java one
            var parser = new Schema.Parser(NameValidator.NO_VALIDATION).setValidateDefaults(false);
            int length = parseReferences(parser, body, new HashSet<>(), 0);
            fetched = id;
            return parse(parser, limited(body, length));
        } catch (AvroRuntimeException e) {
            throw new UnknownSchemaException("schema id " + id + " cannot be read: " + oneLine(e.getMessage()), e);
        }
    }

    private static String route(int id) {
        return "schemas/ids/" + id;
    }

    /**
     * Returns true if the registry answers other questions than for {@code refused}: then the refusal is about this
     * schema, and not about the credentials. An id that it has answered before decides; without one, an id that it has
     * given, or its list of subjects.
     */
    private boolean isAnswering(int refused) {
        int known = fetched;
        if (known != NONE && known != refused) {
            return hasSchema(connection.get(route(known)));
        }
        int given = registered;
        return (given != NONE
                        && given != refused
                        && connection.get(route(given)).isSuccess())
                || isList(connection.get("subjects"));
    }

    private static boolean isList(Answer answer) {
        return answer.isSuccess() && answer.body().isArray();
    }

    private static boolean hasSchema(Answer answer) {
        return answer.isSuccess() && answer.body().path("schema").isTextual();
    }

    private static Schema parse(Schema.Parser parser, String text) {
        try {
            return parser.parse(text);
        } catch (RuntimeException | StackOverflowError e) {
            // Avro throws others, too: an IllegalArgumentException for an unknown order, for example
            throw new AvroRuntimeException(e.getMessage() == null ? e.toString() : e.getMessage(), e);
        }
    }

    /** A 404 without the registry's own code comes from a proxy or a wrong path; do not blame the record. */
    private static boolean isMissing(Answer answer) {
        return answer.status() == 404 && answer.errorCode() / 100 == 404;
    }

    /** Returns true if the registry itself refuses the number: a retry would not help. */
    private static boolean isInvalid(Answer answer) {
        return (answer.status() == 400 || answer.status() == 422) && answer.errorCode() != 0;
    }

    private static JsonNode withSchema(Answer answer) {
        var body = accepted(answer);
        if (!hasSchema(answer)) {
            throw new RegistryRefusedException(answer.summary() + " without a schema; check that " + RegistryConfig.URL
                    + " is the address of a schema registry");
        }
        return body;
    }

    /** Returns the text of a schema, unless it is too long together with the {@code length} of those before. */
    private static String limited(JsonNode body, int length) {
        String text = body.path("schema").asText();
        if (length + text.length() > MAX_CHARACTERS) {
            throw new UnknownSchemaException("a schema must have at most " + MAX_CHARACTERS
                    + " characters, with those that it refers to, got more");
        }
        return text;
    }

    /**
     * Adds the named types that a schema references in other subjects to the parser, deepest first.
     *
     * @param length of all schemas that were added before, in characters
     * @return the same with those added now
     */
    private int parseReferences(Schema.Parser parser, JsonNode schema, Set<String> seen, int length) {
        int total = length;
        for (var reference : schema.path("references")) {
            String path = "subjects/" + encoded(reference.path("subject").asText()) + "/versions/"
                    + reference.path("version").asInt();
            if (seen.size() == MAX_REFERENCES) {
                throw new UnknownSchemaException(
                        "a schema must refer to at most " + MAX_REFERENCES + " others, got more: " + path);
            }
            if (seen.add(path)) {
                var answer = connection.get(path + "?deleted=true");
                if (isMissing(answer)) {
                    throw new UnknownSchemaException("a schema refers to one that is unknown: " + answer.summary());
                }
                var body = withSchema(answer);
                total = parseReferences(parser, body, seen, total);
                String text = limited(body, total);
                parse(parser, text);
                total += text.length();
            }
        }
        return total;
    }

    private int post(String subject, String route, Schema schema) {
        var body = JsonNodeFactory.instance.objectNode().put("schema", schema.toString());
        int id = id(connection.post("subjects/" + encoded(subject) + route, body));
        registered = id;
        return id;
    }

    private int latest(String subject, Schema schema) {
        var answer = connection.get("subjects/" + encoded(subject) + "/versions/latest");
        int id = id(answer);
        // events are encoded with this schema: under the id of another one, readers would decode garbage
        if (!SchemaNormalization.toParsingForm(ofSubject(subject, id))
                .equals(SchemaNormalization.toParsingForm(schema))) {
            throw new RegistryRefusedException("latest schema of " + subject + " (id " + id
                    + ") must equal the one that this program writes, but differs; register it, or set "
                    + RegistryConfig.USE_LATEST
                    + "=false (" + answer.url() + ")");
        }
        return id;
    }

    private Schema ofSubject(String subject, int id) {
        try {
            return schema(id);
        } catch (UnknownSchemaException e) {
            throw new RegistryRefusedException(
                    "latest schema of " + subject + " must be readable, got " + e.getMessage());
        }
    }

    private static int id(Answer answer) {
        var id = accepted(answer).path("id");
        if (!id.isInt()) {
            throw new RegistryRefusedException(answer.summary() + " without an id; check that " + RegistryConfig.URL
                    + " is the address of a schema registry");
        }
        return id.asInt();
    }

    private static JsonNode accepted(Answer answer) {
        if (answer.isSuccess() && answer.body().isObject()) {
            return answer.body();
        }
        throw new RegistryRefusedException("schema registry refuses: " + answer.summary() + "; " + remedy(answer));
    }

    private static String remedy(Answer answer) {
        if (answer.status() == 401 || answer.status() == 403) {
            return "check " + RegistryConfig.BASIC_USER_INFO + " or " + RegistryConfig.BEARER_TOKEN
                    + " and the permissions of that user";
        }
        if (!answer.location().isEmpty()) {
            return "redirects are not followed, as they could carry credentials elsewhere; set " + RegistryConfig.URL
                    + " to the final address if it is the right one";
        }
        if (answer.errorCode() == 0) {
            return "check that " + RegistryConfig.URL + " is the address of a schema registry";
        }
        return switch (answer.status()) {
            case 404 -> "register the schema, or set " + RegistryConfig.AUTO_REGISTER + "=true";
            case 409 ->
                "the subject holds an incompatible schema: use another topic prefix, or change its compatibility level";
            default -> "check the subject's schemas and mode in the registry";
        };
    }

    private static String oneLine(String message) {
        return String.valueOf(message).replaceAll("\\s+", " ");
    }

    private static String encoded(String segment) {
        return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
