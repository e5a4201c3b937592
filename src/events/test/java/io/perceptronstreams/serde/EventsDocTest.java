package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.avro.JsonProperties;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;

/** {@code docs/events.md} is made of {@code schemas/}; {@code -Ddocs.write=true} writes it. */
final class EventsDocTest {
    private static final Path PAGE = Path.of("docs/events.md");
    private static final String FIRST = "\n## Example\n";

    @Test
    void shouldListEveryFieldOfEveryEvent() throws IOException {
        String page = Files.readString(PAGE);
        String head = page.substring(0, page.indexOf(FIRST));
        String expected = head
                + List.of(
                                "Example",
                                "ExampleBatch",
                                "Label",
                                "ModelCommand",
                                "Prediction",
                                "PredictionBatch",
                                "Mistake",
                                "MistakeCount",
                                "ModelStatus",
                                "WeightsSnapshot",
                                "Alert")
                        .stream()
                        .map(event -> section(EventSchemas.schema(event)))
                        .collect(Collectors.joining());

        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(PAGE, expected);
        }
        assertThat(Files.readString(PAGE))
                .as("%s (-Ddocs.write=true writes it)", PAGE)
                .isEqualTo(expected);
    }

    private static String section(Schema event) {
        StringBuilder text = new StringBuilder("\n## " + event.getName() + "\n\n" + lines(event.getDoc()));
        Deque<Schema> records = new ArrayDeque<>(List.of(event));
        List<String> known = new ArrayList<>();
        while (!records.isEmpty()) {
            Schema record = records.pop();
            if (known.contains(record.getName())) {
                continue;
            }
            known.add(record.getName());
            if (!record.equals(event) && event.getName().equals(record.getName() + "Batch")) {
                continue; // has a section of its own
            }
            if (!record.equals(event)) {
                String name = "**" + record.getName() + "**";
                text.append('\n').append(lines(record.getDoc() == null ? name : name + ": " + record.getDoc()));
            }
            text.append("\n| field | type | default | meaning |\n|---|---|---|---|\n");
            for (Schema.Field field : record.getFields()) {
                text.append("| `%s` | %s | %s | %s |\n"
                        .formatted(
                                field.name(),
                                type(field.schema(), records),
                                field.hasDefaultValue()
                                        ? "`"
                                                + (JsonProperties.NULL_VALUE.equals(field.defaultVal())
                                                        ? "null"
                                                        : field.defaultVal())
                                                + "`"
                                        : "",
                                field.doc() == null ? "" : field.doc().replace("|", "\\|")));
            }
        }
        return text.toString();
    }

    /** Text in lines as long as those of the other pages. */
    private static String lines(String text) {
        return text.replaceAll("(.{1,150})(?: |$)", "$1\n");
    }

    /** Text of a type; records in it are added to those still to be described. */
    private static String type(Schema schema, Deque<Schema> records) {
        return switch (schema.getType()) {
            case UNION ->
                schema.getTypes().stream().map(each -> type(each, records)).collect(Collectors.joining(" or "));
            case ARRAY -> "list of " + type(schema.getElementType(), records);
            case MAP -> "map of text to " + type(schema.getValueType(), records);
            case ENUM ->
                schema.getEnumSymbols().stream()
                        .map(symbol -> "`" + symbol + "`")
                        .collect(Collectors.joining(", "));
            case RECORD -> {
                records.add(schema);
                yield "**" + schema.getName() + "**";
            }
            case STRING -> "text";
            case NULL -> "null";
            default -> schema.getType().getName();
        };
    }
}
