package io.perceptronstreams.state;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Directories and files with access for their owner only: modes 0700 and 0600.
 *
 * <p>Where the file system has no POSIX permissions, the default permissions of new files apply.
 */
public final class OwnerOnly {
    private static final String DIRECTORY = "rwx------";
    private static final String FILE = "rw-------";

    private OwnerOnly() {}

    /** Creates a directory and its missing parents; existing directories keep their permissions. */
    public static void createDirectories(Path directory) throws IOException {
        Files.createDirectories(directory, attributes(directory, DIRECTORY));
    }

    /** Attributes of a file to create. */
    public static FileAttribute<?>[] file(Path file) {
        return attributes(file, FILE);
    }

    /** Removes the access of others to an existing directory of this user. */
    public static void restrict(Path directory) throws IOException {
        if (hasPermissions(directory)) {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(DIRECTORY));
        }
    }

    private static FileAttribute<?>[] attributes(Path path, String permissions) {
        return hasPermissions(path)
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    private static boolean hasPermissions(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }
}
