package io.perceptronstreams.embedded;

import io.perceptronstreams.state.OwnerOnly;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.apache.kafka.common.utils.Utils;

/** Lock of a data directory against other processes; the operating system releases it when the process ends. */
final class DirectoryLock implements AutoCloseable {

    private static final String FILE = "embedded.lock";

    private final FileChannel channel;

    private DirectoryLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Acquires the lock; creates the directory if it is missing.
     *
     * @throws EmbeddedException if another process holds the lock or the directory cannot be written
     */
    static DirectoryLock acquire(Path directory) {
        FileChannel channel = null;
        try {
            OwnerOnly.createDirectories(directory);
            channel = FileChannel.open(
                    directory.resolve(FILE),
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                    OwnerOnly.file(directory));
            if (channel.tryLock() == null) {
                throw new OverlappingFileLockException();
            }
            return new DirectoryLock(channel);
        } catch (OverlappingFileLockException e) {
            Utils.closeQuietly(channel, FILE);
            throw new EmbeddedException(
                    "data directory " + directory
                            + " is used by another process; stop that or choose another with --data-dir",
                    e);
        } catch (IOException e) {
            Utils.closeQuietly(channel, FILE);
            throw new EmbeddedException(
                    "data directory " + directory + " cannot be written (" + e + "); choose another with --data-dir",
                    e);
        }
    }

    @Override
    public void close() {
        Utils.closeQuietly(channel, FILE);
    }
}
