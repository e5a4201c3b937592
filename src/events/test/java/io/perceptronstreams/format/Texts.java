package io.perceptronstreams.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.Topic;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/** Reads examples from strings. */
public final class Texts {
    private Texts() {}

    /** All examples of {@code text} in the file {@code f.FORMAT}; each is checked against the schema. */
    static List<GenericRecord> read(ExampleFormat format, LabelType type, String text) throws IOException {
        return read(
                source("f." + format.name().toLowerCase(java.util.Locale.ROOT), format, type),
                text.getBytes(StandardCharsets.UTF_8));
    }

    static List<GenericRecord> read(ExampleFormat format, String text) throws IOException {
        return read(format, LabelType.AUTO, text);
    }

    static List<GenericRecord> read(ExampleSource source, byte[] text) throws IOException {
        List<GenericRecord> examples = new ArrayList<>();
        try (ExampleReader reader = source.open(new ByteArrayInputStream(text), 1)) {
            for (GenericRecord example = reader.next(); example != null; example = reader.next()) {
                if (!GenericData.get().validate(EventSchemas.schema(Topic.EXAMPLES), example)) {
                    throw new AssertionError("example must fit its schema, got " + example);
                }
                examples.add(example);
            }
        }
        return examples;
    }

    /** Checks that a text is refused with a message, of which only the beginning is given where it ends with …. */
    static void assertRefused(ExampleFormat format, String text, String message) {
        assertThatExceptionOfType(MalformedExampleException.class)
                .isThrownBy(() -> read(format, text))
                .satisfies(refusal -> assertThat(refusal.getMessage())
                        .doesNotContain("\n")
                        .matches(Pattern.quote(message.replaceAll("…$", "")) + (message.endsWith("…") ? ".*" : "")));
    }

    static List<Object> labels(ExampleFormat format, LabelType type, String text) throws IOException {
        return read(format, type, text).stream()
                .map(example -> example.get("label"))
                .toList();
    }

    /** A file with further options; null stands for their defaults. */
    public static ExampleSource source(
            String file, ExampleFormat format, TagColumn tags, CsvOptions csv, Charset encoding) {
        return new ExampleSource(
                file,
                format,
                LabelType.AUTO,
                null,
                tags == null ? TagColumn.UPOS : tags,
                csv == null ? CsvOptions.DEFAULTS : csv,
                NestedValues.REFUSED,
                encoding,
                false,
                new ReadNotes(null));
    }

    static ExampleSource source(String file, ExampleFormat format, LabelType type) {
        return new ExampleSource(file, format, type, null, null, null);
    }

    static Object features(GenericRecord example, String field) {
        return ((GenericRecord) example.get("features")).get(field);
    }
}
