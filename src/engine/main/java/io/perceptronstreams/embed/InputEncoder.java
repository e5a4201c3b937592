package io.perceptronstreams.embed;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/** Encodes examples and labels as records of the engine's input. Not thread-safe. */
@FunctionalInterface
interface InputEncoder {
    byte[] encode(LearnInput input);

    /** Returns an encoder to Avro, whose schemas are found or registered now. */
    static InputEncoder avro(SchemaRegistry registry, String topic) {
        EventWriter examples = writer(registry, topic + "-value", "Example");
        EventWriter labels = writer(registry, topic + "-Label", "Label");
        return input -> input instanceof LearnLabel label
                ? labels.write(label.event())
                : examples.write(((LearnExample) input).event());
    }

    private static EventWriter writer(SchemaRegistry registry, String subject, String event) {
        return new EventWriter(EventSchemas.schema(event), registry.register(subject, EventSchemas.schema(event)));
    }

    /**
     * Encodes to JSON. Numbers that are not finite make invalid JSON, which the engine refuses as it refuses them in
     * Avro.
     */
    static byte[] json(LearnInput input) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = EventJson.WRITER.createGenerator(bytes)) {
            // as a text, NaN would be a category
            json.disable(JsonWriteFeature.WRITE_NAN_AS_STRINGS.mappedFeature());
            json.writeStartObject();
            if (input instanceof LearnLabel label) {
                json.writeStringField("exampleId", label.exampleId());
                writeLabel(json, label.label());
                if (label.source() != null) {
                    json.writeStringField("source", label.source());
                }
                if (label.knowableAt() != null) {
                    json.writeNumberField("knowableAt", label.knowableAt());
                }
            } else {
                write(json, (LearnExample) input);
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return bytes.toByteArray();
    }

    private static void write(JsonGenerator json, LearnExample example) throws IOException {
        json.writeStringField("id", example.id());
        if (example.labelText() != null) {
            writeLabel(json, example.label());
        }
        json.writeFieldName("features");
        switch (example.kind()) {
            case NAMED -> writeNamed(json, example.named());
            case INDEXED -> {
                json.writeStartObject();
                json.writeFieldName("indices");
                json.writeArray(example.indices(), 0, example.size());
                json.writeFieldName("values");
                json.writeArray(example.values(), 0, example.size());
                json.writeEndObject();
            }
            case DENSE -> json.writeArray(example.values(), 0, example.size());
            case SEQUENCE -> {
                json.writeStartObject();
                json.writeFieldName("tokens");
                json.writeStartArray();
                for (List<String> token : example.tokens()) {
                    writeTexts(json, token);
                }
                json.writeEndArray();
                json.writeEndObject();
            }
            case CANDIDATES -> {
                json.writeStartObject();
                json.writeFieldName("candidates");
                json.writeStartArray();
                for (LearnExample.Choice each : example.candidates()) {
                    json.writeStartObject();
                    json.writeStringField("output", each.output());
                    json.writeFieldName("features");
                    writeNamed(json, each.features());
                    json.writeEndObject();
                }
                json.writeEndArray();
                json.writeEndObject();
            }
        }
        json.writeNumberField("weight", example.weight());
    }

    private static void writeNamed(JsonGenerator json, Map<String, Double> named) throws IOException {
        json.writeStartObject();
        for (Map.Entry<String, Double> feature : named.entrySet()) {
            json.writeNumberField(feature.getKey(), feature.getValue());
        }
        json.writeEndObject();
    }

    private static void writeTexts(JsonGenerator json, List<?> texts) throws IOException {
        json.writeStartArray();
        for (Object text : texts) {
            json.writeString((String) text);
        }
        json.writeEndArray();
    }

    private static void writeLabel(JsonGenerator json, Object label) throws IOException {
        if (label instanceof Integer number) {
            json.writeNumberField("label", number);
        } else if (label instanceof List<?> tags) {
            json.writeFieldName("label");
            writeTexts(json, tags);
        } else {
            json.writeStringField("label", (String) label);
        }
    }
}
