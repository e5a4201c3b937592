package io.perceptronstreams.client;

import io.perceptronstreams.event.WeightsSnapshot;
import io.perceptronstreams.model.WeightsChunk;
import io.perceptronstreams.serde.EventWriter;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * All chunks of a snapshot, checked and encoded, in a temporary file: a model may be larger than the memory of a command.
 *
 * <p>Read before the first chunk is sent, because a transaction does not wait for a slow pipe.
 */
final class WeightsBuffer implements Closeable {
    private final Path path;
    private final int size;
    private final DataInputStream in;

    private WeightsBuffer(Path path, int size) throws IOException {
        this.path = path;
        this.size = size;
        this.in = new DataInputStream(new BufferedInputStream(Files.newInputStream(path)));
    }

    /**
     * Reads a file to its end.
     *
     * @param name of the file, for messages
     * @throws CommandFailedException if the file is not a complete snapshot
     */
    static WeightsBuffer read(WeightsFile file, String name, EventWriter writer) throws IOException {
        // with mode 0600 where the file system has modes
        Path path = Files.createTempFile("perceptron-import", ".tmp");
        // if the command is stopped while it reads
        path.toFile().deleteOnExit();
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(path)))) {
            int read = 0;
            for (WeightsSnapshot chunk = file.next(); chunk != null; chunk = file.next()) {
                if (chunk.getState() == null) {
                    throw new CommandFailedException(name + " must hold a model's exact state, got weights only"
                            + " (perceptron weights export without --top exports the state)");
                }
                byte[] value = writer.write(chunk);
                if (value.length > WeightsChunk.MAX_BYTES) {
                    throw new CommandFailedException("a chunk must have at most " + WeightsChunk.MAX_BYTES
                            + " bytes, got " + value.length + " (" + name + ", chunk " + read + ")");
                }
                out.writeInt(value.length);
                out.write(value);
                read++;
            }
            out.flush();
            return new WeightsBuffer(path, read);
        } catch (IOException | RuntimeException e) {
            Files.deleteIfExists(path);
            throw e;
        }
    }

    /** Number of chunks, at least 1. */
    int size() {
        return size;
    }

    /** The next chunk, for each of {@link #size} calls. */
    byte[] next() throws IOException {
        byte[] value = new byte[in.readInt()];
        in.readFully(value);
        return value;
    }

    @Override
    public void close() throws IOException {
        in.close();
        Files.deleteIfExists(path);
    }
}
