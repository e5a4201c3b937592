package io.perceptronstreams.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.kafka.common.utils.Utils;

/** Keeps two processes out of one data directory. The operating system drops the lock with the process, however it ends. */
final class DirectoryLock implements AutoCloseable {

    private static final String FILE = "embedded.lock";

    private final FileChannel channel;

    private DirectoryLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Creates the directory if it is missing.
     *
     * @throws EmbeddedException if another process has the lock or the directory cannot be written
     */
    static DirectoryLock take(Path directory) {
        FileChannel channel = null;
        try {
            Files.createDirectories(directory);
            channel = FileChannel.open(directory.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
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
