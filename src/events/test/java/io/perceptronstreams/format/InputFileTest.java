package io.perceptronstreams.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.charset.Charset;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lists of ids, labels and settings, which editors of some systems begin with a byte order mark. */
final class InputFileTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({"UTF-8, false", "UTF-8, true", "UTF-16LE, true", "UTF-16BE, true"})
    void shouldReadATextWithoutItsByteOrderMark(Charset charset, boolean isMarked) throws Exception {
        String text = (isMarked ? "\uFEFF" : "") + "mail-7\tja\r\nmail-ü\tnein\n\uFEFFx";
        Path file = Files.write(directory.resolve("ids.txt"), text.getBytes(charset));

        assertThat(InputFile.lines(file)).containsExactly("mail-7\tja", "mail-ü\tnein", "\uFEFFx");
    }

    @Test
    void shouldReadTextsThatAreShorterThanAMark() throws Exception {
        for (String text : new String[] {"", "a", "ab", "\uFEFF"}) {
            Path file = Files.writeString(directory.resolve("ids.txt"), text);

            assertThat(String.join("", InputFile.lines(file))).isEqualTo(text.replace("\uFEFF", ""));
        }
    }

    @Test
    void shouldRefuseOtherBytes() throws Exception {
        Path file = Files.write(directory.resolve("ids.txt"), "ü".getBytes(StandardCharsets.ISO_8859_1));

        assertThatExceptionOfType(MalformedInputException.class).isThrownBy(() -> InputFile.lines(file));
    }
}
