package io.perceptronstreams.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.ExampleBuffer;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureText;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.format.CsvOptions;
import io.perceptronstreams.format.DirectReader;
import io.perceptronstreams.format.ExampleFormat;
import io.perceptronstreams.format.ExampleReader;
import io.perceptronstreams.format.ExampleSource;
import io.perceptronstreams.format.LabelType;
import io.perceptronstreams.format.NestedValues;
import io.perceptronstreams.format.ReadNotes;
import io.perceptronstreams.format.TagColumn;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.InputDecoder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ExampleLoaderTest {
    private static final FeatureHasher HASHER = new FeatureHasher(18);

    @TempDir
    Path directory;

    private ExampleSource source(String text, LabelType type) throws IOException {
        Path file = Files.writeString(directory.resolve("examples.libsvm"), text);
        return new ExampleSource(file.toString(), ExampleFormat.LIBSVM, type, null, null, null);
    }

    private static String libsvm(Random random) {
        StringBuilder text = new StringBuilder();
        for (int line = 0; line < 200; line++) {
            text.append(random.nextInt(5)).append(random.nextInt(4) == 0 ? " qid:3" : "");
            int index = 0;
            for (int k = random.nextInt(90); k > 0; k--) {
                index += 1 + random.nextInt(1 << random.nextInt(20));
                text.append(' ').append(index).append(':').append(random.nextBoolean() ? 1 : random.nextGaussian());
            }
            text.append(random.nextInt(4) == 0 ? " # comment" : "").append(random.nextInt(4) == 0 ? "\r\n\n" : "\n");
        }
        return text.toString();
    }

    /** A LIBSVM file is not encoded and decoded, so this does it. */
    @SeededTest
    void shouldLoadTheBitsThatComeThroughKafka(long seed) throws IOException {
        Random random = new Random(seed);
        LabelType type = random.nextBoolean() ? LabelType.INT : LabelType.STRING;
        ExampleSource source = source(libsvm(random), type);

        ExampleBuffer loaded = new ExampleLoader(HASHER).load(source, count -> true);

        Schema schema = EventSchemas.schema("Example");
        Example expected = new Example();
        Example actual = new Example();
        int position = 0;
        try (SchemaRegistry registry = SchemaRegistries.of(Map.of("schema.registry.url", "mock://load"));
                ExampleReader reader = source.open(1)) {
            InputDecoder decoder = new InputDecoder(registry);
            EventWriter writer = new EventWriter(schema, registry.register("Example", schema));
            for (GenericRecord record = reader.next(); record != null; record = reader.next()) {
                decoder.decode(writer.write(record), HASHER, expected);
                loaded.fill(position, actual);
                assertThat(actual.label()).as("seed %d", seed).isEqualTo(expected.label());
                assertThat(actual.weight()).isEqualTo(expected.weight());
                assertThat(bits(actual)).as("seed %d", seed).isEqualTo(bits(expected));
                assertThat(loaded.place(position)).endsWith("(line " + reader.line() + ")");
                position++;
            }
        }
        assertThat(loaded.size()).isEqualTo(position).isEqualTo(200);
    }

    private static String bits(Example example) {
        return example.vector().isHashed() + " " + FeatureText.of(example.features());
    }

    /** Every reader was once wrapped into one that hid this, and each example was encoded and decoded. */
    @Test
    void shouldFillExamplesWithoutARecordAndSkipFaults() throws IOException {
        Path file = Files.writeString(directory.resolve("f.libsvm"), "1 1:1\n1 1:x\n-1 2:3\n1 a\n");
        ReadNotes notes = new ReadNotes(null);
        ExampleSource source = new ExampleSource(
                file.toString(),
                ExampleFormat.LIBSVM,
                LabelType.AUTO,
                null,
                TagColumn.UPOS,
                CsvOptions.DEFAULTS,
                NestedValues.REFUSED,
                null,
                true,
                notes);
        try (ExampleReader reader = source.open(1)) {
            assertThat(reader).isInstanceOf(DirectReader.class);
        }

        ExampleBuffer loaded = new ExampleLoader(HASHER).load(source, count -> true);

        assertThat(loaded.size()).isEqualTo(2);
        assertThat(loaded.place(1)).isEqualTo("example 2 (line 3)");
        assertThat(notes.skipped()).isEqualTo(2);
    }

    @Test
    void shouldRefuseLabelsThatAreTooLong() throws IOException {
        ExampleSource source = source("a 1:1\n" + "b".repeat(20_000) + " 1:1\n", LabelType.STRING);

        assertThatThrownBy(() -> new ExampleLoader(HASHER).load(source, count -> true))
                .isInstanceOf(CommandFailedException.class)
                .hasMessageContaining("example 2 (line 2): label must have names or tags of at most");
    }
}
