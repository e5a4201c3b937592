package io.perceptronstreams.format;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file named by the user of a command, or standard input. */
public final class InputFile {
    static final String STANDARD_INPUT = "-";

    private InputFile() {}

    /**
     * Checks that a file may be a text.
     *
     * @throws IOException if it cannot be opened, or its first bytes belong to another kind of file, with the command that
     *     makes a text of it
     */
    public static void requireText(String file) throws IOException {
        try (InputStream in = open(file)) {
            ForeignFile.check(in, file);
        }
    }

    /**
     * Opens a file, or returns standard input for {@code -}.
     *
     * @throws IOException with the name of the file if it cannot be opened or is a directory
     */
    public static InputStream open(String file) throws IOException {
        if (file.equals(STANDARD_INPUT)) {
            return System.in;
        }
        Path path = Path.of(file);
        if (Files.isDirectory(path)) {
            // can be opened, and reading then fails without its name
            throw new FileSystemException(file, null, "Is a directory");
        }
        return Files.newInputStream(path);
    }
}
