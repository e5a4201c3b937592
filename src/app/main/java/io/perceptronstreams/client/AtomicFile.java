package io.perceptronstreams.client;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Replaces a file as a whole: after a failure, such as a full disk, the earlier file is still there. */
public final class AtomicFile {
    /** Writes the contents. */
    @FunctionalInterface
    public interface Contents {
        void writeTo(OutputStream out) throws IOException;
    }

    private AtomicFile() {}

    /**
     * Writes a new file beside {@code file}, readable by its owner only, and moves it there. A link is replaced, not
     * followed; a device or a pipe is written directly.
     *
     * @throws CommandFailedException if the file or its directory is not writable
     */
    public static void write(Path file, Contents contents) throws IOException {
        try {
            replace(file, contents);
        } catch (AccessDeniedException e) {
            throw new CommandFailedException("file and its directory must be writable, got '" + file + "'", e);
        }
    }

    private static void replace(Path file, Contents contents) throws IOException {
        // also by a link, such as /dev/stdout
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
                contents.writeTo(out);
            }
            return;
        }
        Path folder = file.toAbsolutePath().getParent();
        // with mode 0600 where the file system has modes
        Path written = Files.createTempFile(folder, "." + file.getFileName(), ".tmp");
        try {
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(written))) {
                contents.writeTo(out);
            }
            try (FileChannel channel = FileChannel.open(written, StandardOpenOption.WRITE)) {
                channel.force(true);
            }
            Files.move(written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            if (Files.exists(written, LinkOption.NOFOLLOW_LINKS)) {
                Files.delete(written);
            }
        }
    }
}
