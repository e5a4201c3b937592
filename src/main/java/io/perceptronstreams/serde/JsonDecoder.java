package io.perceptronstreams.serde;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import io.perceptronstreams.event.WeightsSnapshot;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.model.LabelEvent;
import io.perceptronstreams.model.ModelCommand;
import io.perceptronstreams.serde.InputDecoder.Kind;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.avro.Schema;

/**
 * Decodes input events in JSON: the examples and labels of {@link JsonExampleReader}, commands such as {@code
 * {"action":"CONFIGURE","settings":{"h":"1"}}}, and chunks of weights, which are rare and read by a tree.
 */
final class JsonDecoder {
    private static final ObjectReader TREE = JsonInput.MAPPER
            .readerFor(JsonNode.class)
            .with(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY, DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private static final Schema WEIGHTS = EventSchemas.CLASSES.getSchema(WeightsSnapshot.class);

    private final JsonExampleReader reader = new JsonExampleReader();
    private ModelCommand command;
    private WeightsSnapshot weights;

    Kind decode(byte[] value, FeatureHasher hasher, Example example) {
        if (reader.read(value, 0, value.length)) {
            if (reader.exampleId() != null) {
                return Kind.LABEL;
            }
            reader.fill(hasher, example);
            return Kind.EXAMPLE;
        }
        if (reader.has("action")) {
            command = command(tree(value, List.of("action", "settings")));
            return Kind.COMMAND;
        }
        if (!reader.has("exampleId") && reader.has("vectors")) {
            SnapshotDecoder.checkLength(value.length);
            List<String> fields =
                    WEIGHTS.getFields().stream().map(Schema.Field::name).toList();
            weights = weights(tree(value, fields));
            return Kind.WEIGHTS;
        }
        throw reader.unknownField();
    }

    /** The last command. */
    ModelCommand command() {
        return command;
    }

    /** The last label without an example. */
    LabelEvent label() {
        return new LabelEvent(new Utf8Slice().set(reader.exampleId()), reader.label(), reader.weight());
    }

    /** The last chunk of weights. */
    WeightsSnapshot weights() {
        return weights;
    }

    private static JsonNode tree(byte[] value, List<String> known) {
        JsonNode event;
        try (JsonParser json = JsonInput.parser(value, 0, value.length)) {
            event = TREE.readValue(json);
        } catch (IOException e) {
            throw JsonFault.rejected(e);
        }
        event.fieldNames().forEachRemaining(name -> {
            if (!known.contains(name)) {
                throw new RejectedException(
                        RejectReason.MALFORMED_JSON, JsonFault.unknownField(List.of(name), name, known));
            }
        });
        return event;
    }

    private static WeightsSnapshot weights(JsonNode event) {
        try {
            return (WeightsSnapshot) EventSchemas.CLASSES.deepCopy(WEIGHTS, JsonEvents.fromJson(event, WEIGHTS));
        } catch (IllegalArgumentException e) {
            throw new RejectedException(RejectReason.MALFORMED_JSON, shortened(String.valueOf(e.getMessage())));
        }
    }

    private static ModelCommand command(JsonNode event) {
        ModelCommand.Action action;
        try {
            action = ModelCommand.Action.valueOf(event.path("action").asText().toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new RejectedException(
                    RejectReason.INVALID_COMMAND,
                    "action must be one of " + Arrays.toString(ModelCommand.Action.values()) + ", got "
                            + shortened(event.path("action").toString()));
        }
        Map<String, String> settings = new LinkedHashMap<>();
        JsonNode given = event.path("settings");
        if (!given.isMissingNode() && !given.isObject()) {
            throw malformed("settings must be an object", given);
        }
        given.properties().forEach(setting -> {
            if (!setting.getValue().isValueNode() || setting.getValue().isNull()) {
                throw malformed("settings must be strings, numbers or booleans", setting.getValue());
            }
            settings.put(setting.getKey(), setting.getValue().asText());
        });
        return new ModelCommand(action, settings);
    }

    private static RejectedException malformed(String rule, JsonNode got) {
        return new RejectedException(RejectReason.MALFORMED_JSON, rule + ", got " + shortened(got.toString()));
    }

    private static String shortened(String text) {
        return Utf8Slice.shortened(text, 200);
    }
}
