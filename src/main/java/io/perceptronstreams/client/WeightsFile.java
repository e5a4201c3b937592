package io.perceptronstreams.client;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelBuilder;
import io.perceptronstreams.model.WeightsChunk;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.InputDecoder;
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
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;

/** A file with the chunks of a snapshot: an Avro container of WeightsSnapshot events, or one JSON object per line. */
public final class WeightsFile implements Closeable {
    static final Schema SCHEMA = EventSchemas.schema("WeightsSnapshot");

    /** Maximum size of a line; a chunk of 512 KiB has less than 3 MiB as JSON. */
    static final int MAX_LINE_BYTES = 8 << 20;

    private static final SchemaRegistry NO_REGISTRY = SchemaRegistry.of(Map.of("schema.registry.url", "mock://file"));

    /** Reads the next chunk; null at the end. */
    private interface Source {
        GenericRecord next() throws IOException;
    }

    private final InputStream in;
    private final String name;
    private final Source source;
    private int read;

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
        InputStream buffered = new BufferedInputStream(in);
        buffered.mark(DataFileConstants.MAGIC.length);
        byte[] magic = buffered.readNBytes(DataFileConstants.MAGIC.length);
        buffered.reset();
        return new WeightsFile(
                buffered,
                name,
                Arrays.equals(magic, DataFileConstants.MAGIC) ? avro(buffered, name) : json(buffered, name));
    }

    private static Source avro(InputStream in, String name) throws IOException {
        Iterator<GenericRecord> records =
                new DataFileStream<>(new ContainerLimit(in, name), new GenericDatumReader<GenericRecord>(null, SCHEMA));
        return () -> records.hasNext() ? records.next() : null;
    }

    private static Source json(InputStream in, String name) {
        EventReader<GenericRecord> events = EventReader.generic(SCHEMA, NO_REGISTRY);
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
     * Reads the next chunk; null at the end.
     *
     * @throws CommandFailedException if the file contains anything else
     */
    public GenericRecord next() throws IOException {
        try {
            GenericRecord chunk = source.next();
            read++;
            return chunk;
        } catch (IllegalArgumentException | AvroRuntimeException e) {
            throw new CommandFailedException(
                    name + " must hold WeightsSnapshot events, as Avro or one JSON object per line, got after " + read
                            + " of them: " + e.getMessage(),
                    e);
        }
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
        EventWriter writer = new EventWriter(SCHEMA, NO_REGISTRY.register(SCHEMA.getName(), SCHEMA));
        InputDecoder decoder = new InputDecoder(NO_REGISTRY);
        Example none = new Example();
        try (WeightsFile weights = open(Files.newInputStream(file), file.toString())) {
            ModelBuilder model = null;
            WeightsChunk last = null;
            for (GenericRecord next = weights.next(); next != null; next = weights.next()) {
                decoder.decode(writer.write(next), Settings.DEFAULTS.hasher(), none);
                WeightsChunk chunk = decoder.weights();
                boolean isNext = last == null
                        ? chunk.number() == 0
                        : chunk.number() == last.number() + 1 && chunk.header().equals(last.header());
                if (!isNext) {
                    throw notWhole(file, "chunk " + chunk.number() + " as number " + (weights.read - 1));
                }
                if (last == null) {
                    model = new ModelBuilder(chunk.header());
                }
                model.add(chunk);
                last = chunk;
            }
            if (last == null || !last.isLast()) {
                throw notWhole(file, weights.read - 1 + " chunks");
            }
            return model.finish();
        } catch (NoSuchFileException e) {
            throw new CommandFailedException("weights must be in a file that exists, got '" + file + "'", e);
        } catch (RejectedException | IllegalArgumentException e) {
            throw new CommandFailedException(file + ": " + e.getMessage(), e);
        }
    }

    private static CommandFailedException notWhole(Path file, String got) {
        return new CommandFailedException(file + " must hold all chunks of one snapshot, in order, got " + got);
    }

    /** Writes the weights of a model that was trained without Kafka; Avro if the name ends with .avro, else JSON. */
    public static void write(Model model, Path file) throws IOException {
        int id = NO_REGISTRY.register(SCHEMA.getName(), SCHEMA);
        EventReader<GenericRecord> events = EventReader.generic(SCHEMA, NO_REGISTRY);
        List<GenericRecord> chunks = new ArrayList<>();
        new SnapshotEncoder(id, false)
                .encode(model, new EventEncoder.Origin(-1, -1), chunk -> chunks.add(events.read(chunk)));
        WeightsExport.Format format =
                file.toString().endsWith(".avro") ? WeightsExport.Format.AVRO : WeightsExport.Format.JSON;
        AtomicFile.write(file, out -> new WeightsExport("", chunks, Integer.MAX_VALUE).write(format, out));
    }

    /** Returns the model that a file with its weights would have. */
    public static Model copy(Model model) {
        InputDecoder decoder = new InputDecoder(NO_REGISTRY);
        Example none = new Example();
        ModelBuilder[] copy = new ModelBuilder[1];
        new SnapshotEncoder(NO_REGISTRY.register(SCHEMA.getName(), SCHEMA), false)
                .encode(model, new EventEncoder.Origin(-1, -1), bytes -> {
                    decoder.decode(bytes, Settings.DEFAULTS.hasher(), none);
                    WeightsChunk chunk = decoder.weights();
                    copy[0] = copy[0] == null ? new ModelBuilder(chunk.header()) : copy[0];
                    copy[0].add(chunk);
                });
        return copy[0].finish();
    }

    /** Writes chunks as an Avro container. */
    static void writeAvro(List<GenericRecord> chunks, OutputStream out) throws IOException {
        try (DataFileWriter<GenericRecord> writer =
                new DataFileWriter<>(new GenericDatumWriter<GenericRecord>(SCHEMA))) {
            writer.setCodec(CodecFactory.deflateCodec(CodecFactory.DEFAULT_DEFLATE_LEVEL))
                    .create(SCHEMA, out);
            for (GenericRecord chunk : chunks) {
                writer.append(chunk);
            }
        }
    }

    /** Writes chunks as JSON, one object per line. */
    static void writeJson(List<GenericRecord> chunks, PrintWriter out) {
        for (GenericRecord chunk : chunks) {
            EventFormat.writeJson(out, json -> EventJson.writeFields(json, chunk, field -> field));
            out.println();
        }
        out.flush();
    }
}
