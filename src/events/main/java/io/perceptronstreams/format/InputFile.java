package io.perceptronstreams.format;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A file named by the user of a command, or standard input. */
public final class InputFile {
    static final String STANDARD_INPUT = "-";

    private static final int MARK_BYTES = 3;

    private InputFile() {}

    /**
     * Text in UTF-8, without the byte order mark that editors of some systems write; also of a text in UTF-16 with a
     * mark.
     *
     * @param in closed with the result
     * @param name of the text in messages
     */
    public static InputStream text(InputStream in, String name) throws IOException {
        BufferedInputStream text = new BufferedInputStream(in);
        text.mark(MARK_BYTES);
        byte[] first = text.readNBytes(MARK_BYTES);
        text.reset();
        if (first.length == MARK_BYTES
                && first[0] == (byte) 0xEF
                && first[1] == (byte) 0xBB
                && first[2] == (byte) 0xBF) {
            text.skipNBytes(MARK_BYTES);
        }
        boolean isUtf16 = first.length >= 2
                && ((first[0] == (byte) 0xFE && first[1] == (byte) 0xFF)
                        || (first[0] == (byte) 0xFF && first[1] == (byte) 0xFE));
        return isUtf16 ? new Utf8Encoder(text, StandardCharsets.UTF_16, name) : text;
    }

    /** Opens a {@link #text}, which must be valid. */
    public static BufferedReader reader(Path file) throws IOException {
        InputStream in = Files.newInputStream(file);
        try {
            return new BufferedReader(
                    new InputStreamReader(text(in, file.toString()), StandardCharsets.UTF_8.newDecoder()));
        } catch (IOException e) {
            in.close();
            throw e;
        }
    }

    /** Lines of a {@link #text}, which must be valid. */
    public static List<String> lines(Path file) throws IOException {
        List<String> lines = new ArrayList<>();
        try (BufferedReader reader = reader(file)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
            }
        }
        return lines;
    }

    /**
     * Checks that a file may be a text.
     *
     * @throws IOException if it cannot be opened, or its first bytes belong to another kind of file, with the command
     *     that makes a text of it
     */
    public static void requireText(String file) throws IOException {
        try (InputStream in = open(file)) {
            ForeignFile.check(in, file, null);
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
