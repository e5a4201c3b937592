package io.perceptronstreams.client;

import io.perceptronstreams.event.WeightsSnapshot;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.format.InputFile;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelBuilder;
import io.perceptronstreams.model.WeightsChunk;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.SnapshotDecoder;
import io.perceptronstreams.serde.SnapshotEncoder;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileConstants;
import org.apache.avro.file.DataFileStream;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificDatumReader;

/**
 * A file with the chunks of one snapshot, in order: an Avro container of WeightsSnapshot events, or one JSON object per
 * line.
 */
public final class WeightsFile implements Closeable {
    static final Schema SCHEMA = EventSchemas.schema("WeightsSnapshot");

    /** Maximum size of a line; a chunk of 512 KiB has less than 3 MiB as JSON. */
    static final int MAX_LINE_BYTES = 8 << 20;

    private static final SchemaRegistry NO_REGISTRY = SchemaRegistries.of(Map.of("schema.registry.url", "mock://file"));

    /** Reads the next chunk; null at the end. */
    private interface Source {
        WeightsSnapshot next() throws IOException;
    }

    private final InputStream in;
    private final String name;
    private final Source source;
    private int read;
    private int chunks = 1;

    private WeightsFile(InputStream in, String name, Source source) {
        this.in = in;
        this.name = name;
        this.source = source;
    }

    /**
     * Opens a file for reading; detects the format by the first bytes.
     *
     * <p>Lines, and blocks of Avro containers, are limited in size, so that no file can occupy all memory.
     *
     * @param in closed with the file
     * @param name for messages
     */
    public static WeightsFile open(InputStream in, String name) throws IOException {
        InputStream buffered = new BufferedInputStream(InputFile.text(in, name));
        buffered.mark(DataFileConstants.MAGIC.length);
        byte[] magic = buffered.readNBytes(DataFileConstants.MAGIC.length);
        buffered.reset();
        // before any container is read: the class of the reader also makes Avro trust the generated classes
        EventReader<WeightsSnapshot> events = EventReader.of(WeightsSnapshot.class, NO_REGISTRY);
        return new WeightsFile(
                buffered,
                name,
                Arrays.equals(magic, DataFileConstants.MAGIC) ? avro(buffered, name) : json(buffered, name, events));
    }

    /**
     * Returns chunks that were read elsewhere, as if they were in a file.
     *
     * @param name for messages
     */
    static WeightsFile of(List<WeightsSnapshot> chunks, String name) {
        Iterator<WeightsSnapshot> all = chunks.iterator();
        return new WeightsFile(InputStream.nullInputStream(), name, () -> all.hasNext() ? all.next() : null);
    }

    private static Source avro(InputStream in, String name) throws IOException {
        SpecificData data = SpecificData.getForClass(WeightsSnapshot.class);
        Iterator<WeightsSnapshot> records = new DataFileStream<>(
                new ContainerLimit(in, name),
                new SpecificDatumReader<WeightsSnapshot>(null, data.getSchema(WeightsSnapshot.class), data));
        return () -> records.hasNext() ? records.next() : null;
    }

    private static Source json(InputStream in, String name, EventReader<WeightsSnapshot> events) {
        return () -> {
            byte[] line = line(in, name);
            while (line != null && new String(line, StandardCharsets.UTF_8).isBlank()) {
                line = line(in, name);
            }
            if (line != null && line[0] != '{') {
                throw new IllegalArgumentException("value must be a JSON object");
            }
            return line == null ? null : events.read(line);
        };
    }

    /** Reads the next line without its end; null at the end of the file. */
    private static byte[] line(InputStream in, String name) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int next = in.read();
        if (next < 0) {
            return null;
        }
        for (; next >= 0 && next != '\n'; next = in.read()) {
            if (line.size() == MAX_LINE_BYTES) {
                throw new CommandFailedException(name + " must have lines of at most " + MAX_LINE_BYTES
                        + " bytes, got a longer one (perceptron weights export writes shorter ones)");
            }
            line.write(next);
        }
        return line.toByteArray();
    }

    /**
     * Reads the next chunk; null after the last one.
     *
     * @throws CommandFailedException if the file contains anything else than all chunks of one snapshot, in order
     */
    public WeightsSnapshot next() throws IOException {
        WeightsSnapshot chunk;
        try {
            chunk = source.next();
        } catch (IllegalArgumentException | AvroRuntimeException e) {
            throw new CommandFailedException(
                    name + " must hold WeightsSnapshot events, as Avro or one JSON object per line, got after " + read
                            + " of them: " + e.getMessage(),
                    e);
        }
        if (chunk == null) {
            if (read != chunks) {
                throw new CommandFailedException(
                        name + " must hold all " + chunks + " chunks of a snapshot, got " + read);
            }
            return null;
        }
        chunks = chunk.getChunks();
        if (chunk.getChunk() != read || read >= chunks) {
            throw new CommandFailedException(name + " must hold the chunks of one snapshot in order, got chunk "
                    + chunk.getChunk() + " of " + chunks + " as number " + read);
        }
        read++;
        return chunk;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    /**
     * Rebuilds the model of a file.
     *
     * @throws CommandFailedException if the file does not hold one whole snapshot
     */
    public static Model readModel(Path file) throws IOException {
        Copy model = new Copy();
        try (WeightsFile weights = open(Files.newInputStream(file), file.toString())) {
            for (WeightsSnapshot next = weights.next(); next != null; next = weights.next()) {
                model.add(next);
            }
            return model.builder.finish();
        } catch (NoSuchFileException e) {
            throw new CommandFailedException("weights must be in a file that exists, got '" + file + "'", e);
        } catch (RejectedException | IllegalArgumentException e) {
            throw new CommandFailedException(file + ": " + e.getMessage(), e);
        }
    }

    /** A model built from the chunks of its snapshot. */
    private static final class Copy {
        private ModelBuilder builder;

        void add(WeightsSnapshot event) {
            WeightsChunk chunk = SnapshotDecoder.chunk(event);
            if (builder == null) {
                builder = new ModelBuilder(chunk.header());
            }
            builder.add(chunk);
        }
    }

    /** Writes the weights of a model that was trained without Kafka; Avro if the name ends with .avro, else JSON. */
    public static void write(Model model, Path file) throws IOException {
        List<WeightsSnapshot> chunks = chunks(model);
        WeightsExport.Format format =
                file.toString().endsWith(".avro") ? WeightsExport.Format.AVRO : WeightsExport.Format.JSON;
        AtomicFile.write(file, out -> new WeightsExport("", chunks, Integer.MAX_VALUE).write(format, out));
    }

    private static List<WeightsSnapshot> chunks(Model model) {
        int id = NO_REGISTRY.register(SCHEMA.getName(), SCHEMA);
        EventReader<WeightsSnapshot> events = EventReader.of(WeightsSnapshot.class, NO_REGISTRY);
        List<WeightsSnapshot> chunks = new ArrayList<>();
        new SnapshotEncoder(id, false)
                .encode(
                        model,
                        new EventEncoder.Origin(-1, -1),
                        false,
                        (chunk, number) -> chunks.add(events.read(chunk)));
        return chunks;
    }

    /**
     * Returns the weights of a model as if they were in a file.
     *
     * @param name for messages
     */
    public static WeightsFile of(Model model, String name) {
        return of(chunks(model), name);
    }

    /** Returns the model that a file with its weights would have. */
    public static Model copy(Model model) {
        Copy copy = new Copy();
        new SnapshotEncoder(NO_REGISTRY.register(SCHEMA.getName(), SCHEMA), false)
                .cut(model, new EventEncoder.Origin(-1, -1), copy::add);
        return copy.builder.finish();
    }

    /** Writes chunks as an Avro container. */
    static void writeAvro(List<WeightsSnapshot> chunks, OutputStream out) throws IOException {
        try (DataFileWriter<WeightsSnapshot> writer = new DataFileWriter<>(new GenericDatumWriter<>(SCHEMA))) {
            writer.setCodec(CodecFactory.deflateCodec(CodecFactory.DEFAULT_DEFLATE_LEVEL))
                    .create(SCHEMA, out);
            for (WeightsSnapshot chunk : chunks) {
                writer.append(chunk);
            }
        }
    }

    /** Writes chunks as JSON, one object per line. */
    static void writeJson(List<WeightsSnapshot> chunks, PrintWriter out) {
        for (WeightsSnapshot chunk : chunks) {
            EventFormat.writeJson(out, json -> EventJson.writeFields(json, chunk, field -> field));
            out.println();
        }
        out.flush();
    }
}
